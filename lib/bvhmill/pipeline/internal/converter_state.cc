#include "bvhmill/pipeline/internal/converter_state.h"

#include <algorithm>

#include "bvhmill/base/budget.h"
#include "bvhmill/base/status.h"

namespace bvhmill {

void Workspace::ReleaseClip() {
  MakeEmpty(&read);
  compiler.KeepOnly(cache.source);
}

int64_t Workspace::SkeletonBytesKept() const {
  const SourceSkeleton* last = read.room.shared.get();
  return std::max(SkeletonBytes(clip.skeleton),
                  last == nullptr ? 0 : SkeletonBytes(last->skeleton));
}

size_t Workspace::KeptBytes() const {
  const size_t floats = read.motion.values.capacity() +
                        clip.motion.values.capacity() + spare_values.capacity();
  return floats * sizeof(float) + poses.KeptBytes() + check.KeptBytes();
}

namespace {

// Bytes of a node in a plan with its schedules, in the facts, and in the text
// positions; of a joint in ClipInfo and in two messages; of a channel in the
// steps of a plan and in three descriptions.
constexpr int64_t kPlanBytes = 256;
constexpr int64_t kJointBytes = 256;
constexpr int64_t kChannelBytes = 16;
// Copies of a name: in ClipInfo, and in two messages while they are built.
constexpr int64_t kNameCopies = 4;
// Units of work on a node, and on a byte of its name.
constexpr int64_t kNodeWork = 500;
constexpr int64_t kNameWork = 8;

// Bytes of all names in messages: an end site without a label has the name of
// its joint, and a byte that is not UTF-8 becomes two.
int64_t DisplayBytes(const Skeleton& skeleton) {
  int64_t bytes = 0;
  for (const Node& node : skeleton.nodes) {
    const bool has_own = !node.name.empty() || node.parent < 0;
    const Node& named =
        has_own ? node : skeleton.nodes[static_cast<size_t>(node.parent)];
    bytes += HeapBytes(static_cast<int64_t>(named.name.size()));
  }
  return bytes;
}

int64_t CountOf(const Skeleton& skeleton) {
  return static_cast<int64_t>(skeleton.nodes.size());
}

}  // namespace

Budget::Holder HolderOf(OutputReceiver* receiver) {
  if (receiver == nullptr) return {};
  return [receiver](int64_t bytes) { return receiver->Hold(bytes); };
}

absl::Status DrawDescription(const Skeleton& skeleton, Budget* budget) {
  const int64_t names = DisplayBytes(skeleton);
  const auto channels = static_cast<int64_t>(skeleton.channels.size());
  BVHMILL_RETURN_IF_ERROR(budget->Hold(kJointBytes * CountOf(skeleton) +
                                       kNameCopies * names +
                                       kChannelBytes * channels));
  return budget->Work(kNodeWork * CountOf(skeleton) + kNameWork * names);
}

absl::Status DrawSkeleton(const Skeleton& skeleton, Budget* budget) {
  BVHMILL_RETURN_IF_ERROR(
      budget->Hold(kPlanBytes * CountOf(skeleton) + SkeletonBytes(skeleton)));
  return DrawDescription(skeleton, budget);
}

}  // namespace bvhmill
