#pragma once

// What the reader has to say about an .anim, and what the viewer would do with
// it. Private to anim/.

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "bvhmill/report/issue_log.h"

namespace bvhmill {

// The joint that is being read; -1 for none.
struct AnimPlace {
  int32_t joint = -1;
  std::string_view joint_name;
};

// Adds issues, and knows from the catalogue what they mean: an error is a
// refusal, an error of the strict reading one of an upload only.
class AnimLog {
 public:
  explicit AnimLog(IssueLog* log) : log_(log) {}

  void Add(IssueCode code, size_t offset, const AnimPlace& place,
           IssueArgs args = {}, int64_t occurrences = 1);
  // Adds ANIM_NOT_FINITE for a `value` that is not.
  void CheckFinite(float value, std::string_view field, size_t offset,
                   const AnimPlace& place);

  bool plays() const { return plays_; }
  bool uploads() const { return uploads_; }

 private:
  IssueLog* log_;
  bool plays_ = true;
  bool uploads_ = true;
};

// A number for a message: the shortest that reads back as the same.
std::string ShowNumber(float value);

}  // namespace bvhmill
