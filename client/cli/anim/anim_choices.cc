#include "client/cli/anim/anim_choices.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "bvhmill/base/text.h"
#include "client/cli/ui/issue_lines.h"

namespace bvhmill::client {
namespace {

// Frames differ from clip to clip.
std::string PoseOf(const Issue& issue) {
  std::string pose = ArgOf(issue, "pose");
  if (pose.starts_with("frame ") && pose != "frame 0")
    pose = "an upright frame";
  if (pose == "frame 0") pose = "the first frame";
  return pose + " (" + ArgOf(issue, "matched") + ")";
}

}  // namespace

void AnimChoices::Add(const Report& report) {
  const std::lock_guard lock(mutex_);
  for (const Issue& issue : report.issues) {
    if (issue.code == "TARGET_ANIM_MAP") ++maps_[ArgOf(issue, "map")];
    if (issue.code == "ANIM_REFERENCE_CHOSEN") ++poses_[PoseOf(issue)];
    if (issue.code == "EDIT_UP_AXIS_GUESSED") ++axes_[ArgOf(issue, "axis")];
    if (issue.code == "ANIM_FIRST_FRAME_LEFT_OUT") ++left_out_["left out"];
  }
}

std::string AnimChoices::Line(std::string_view what, const Counts& counts) {
  std::vector<std::pair<std::string, int64_t>> sorted(counts.begin(),
                                                      counts.end());
  std::stable_sort(
      sorted.begin(), sorted.end(),
      [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string line;
  for (const auto& [name, count] : sorted) {
    line += (line.empty() ? " " : ", ") + Printable(name) + " " +
            std::to_string(count);
  }
  if (line.empty()) return line;
  return "anim: " + std::string(what) + line + "\n";
}

std::string AnimChoices::Lines() const {
  const std::lock_guard lock(mutex_);
  return Line("up axis", axes_) + Line("joint map", maps_) +
         Line("pose of reference", poses_) +
         Line("first frame apart", left_out_);
}

}  // namespace bvhmill::client
