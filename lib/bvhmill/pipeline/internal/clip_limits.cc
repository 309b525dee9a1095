#include "bvhmill/pipeline/internal/clip_limits.h"

#include <algorithm>
#include <string>
#include <vector>

namespace bvhmill {
namespace {

int64_t DepthOf(const Skeleton& skeleton) {
  std::vector<int64_t> depths;
  int64_t most = 0;
  for (const Node& node : skeleton.nodes) {
    const int64_t above =
        node.parent < 0 ? 0 : depths[static_cast<size_t>(node.parent)];
    depths.push_back(above + (IsEndSite(node) ? 0 : 1));
    most = std::max(most, depths.back());
  }
  return most;
}

}  // namespace

bool CheckClipLimits(const Skeleton& skeleton, int64_t frames,
                     const Limits& limits, IssueLog* log) {
  const struct {
    int64_t value;
    int64_t limit;
    IssueCode code;
  } checks[] = {
      {static_cast<int64_t>(skeleton.nodes.size()), limits.max_joints,
       IssueCode::LIMIT_JOINTS},
      {DepthOf(skeleton), limits.max_depth, IssueCode::LIMIT_DEPTH},
      {static_cast<int64_t>(skeleton.channels.size()), limits.max_channels,
       IssueCode::LIMIT_CHANNELS},
      {frames, limits.max_frames, IssueCode::LIMIT_FRAMES},
  };
  for (const auto& check : checks) {
    if (!Exceeds(check.value, check.limit)) continue;
    log->Add(check.code, {}, {{"limit", std::to_string(check.limit)}});
    return false;
  }
  return true;
}

}  // namespace bvhmill
