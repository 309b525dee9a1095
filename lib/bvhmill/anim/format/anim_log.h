#pragma once

// Collects issues about an .anim, and finds out whether the viewer would play
// and upload it. Private to anim/.

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "bvhmill/report/issue_log.h"

namespace bvhmill {

// The joint that an issue is about; -1 for none.
struct AnimPlace {
  int32_t joint = -1;
  std::string_view joint_name;
};

// Adds issues. By the severities of the catalogue, an issue that is an error
// when lenient keeps the viewer from playing the file; one that is an error
// when strict keeps it from uploading the file. `log` must outlive the AnimLog.
class AnimLog {
 public:
  explicit AnimLog(IssueLog* log) : log_(log) {}

  // `offset` is the byte of the file that the issue is about.
  void Add(IssueCode code, size_t offset, const AnimPlace& place,
           IssueArgs args = {}, int64_t occurrences = 1);
  // Adds ANIM_NOT_FINITE if `value` is not finite.
  void CheckFinite(float value, std::string_view field, size_t offset,
                   const AnimPlace& place);

  bool plays() const { return plays_; }
  bool uploads() const { return uploads_; }

 private:
  IssueLog* log_;
  bool plays_ = true;
  bool uploads_ = true;
};

// The number as text: the shortest that reads back as the same value.
std::string ShowNumber(float value);

}  // namespace bvhmill
