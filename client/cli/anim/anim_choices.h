#pragma once

// Choices that bvhmill makes for .anim outputs if the user does not: the joint
// map, the reference pose, and whether the first frame is played.

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "bvhmill/report/report.h"

namespace bvhmill::client {

// Counts the choices over all clips of a run. Thread-safe.
class AnimChoices {
 public:
  // Counts the choices that the report of a clip names.
  void Add(const Report& report);

  // "anim: joint map cmu 12, mixamo 3" and "anim: pose of reference ...", a
  // line each, the most frequent first. Empty if nothing was chosen.
  std::string Lines() const;

 private:
  using Counts = std::map<std::string, int64_t, std::less<>>;

  static std::string Line(std::string_view what, const Counts& counts);

  mutable std::mutex mutex_;
  Counts axes_;
  Counts maps_;
  Counts poses_;
  Counts left_out_;
};

}  // namespace bvhmill::client
