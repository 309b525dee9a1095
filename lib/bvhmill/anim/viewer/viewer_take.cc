#include "bvhmill/anim/viewer/viewer_take.h"

#include <algorithm>
#include <string_view>

#include "bvhmill/anim/avatar/avatar.h"

namespace bvhmill {
namespace {

constexpr std::string_view kBlanks = " \t\v\f";

// The viewer reads one word as the name, cut to the size of its buffer.
std::string_view NameWord(std::string_view name) {
  const size_t begin = std::min(name.find_first_not_of(kBlanks), name.size());
  name.remove_prefix(begin);
  return name.substr(
      0, std::min(name.find_first_of(kBlanks), kMaxViewerNameBytes));
}

// The axes of the first three rotations; false if there are fewer.
bool FindLetters(std::span<const Channel> channels,
                 std::array<int32_t, 3>* letters) {
  size_t count = 0;
  for (const Channel channel : channels) {
    if (!IsRotation(channel) || count == letters->size()) continue;
    (*letters)[count++] = AxisOf(channel);
  }
  return count == letters->size();
}

ViewerStatus AddJoint(const Skeleton& skeleton, const Node& node,
                      int32_t* column, ViewerTake* take) {
  // A NUL ends the text that the viewer reads.
  if (node.name.find('\0') != node.name.npos) return ViewerStatus::kEof;
  ViewerJoint joint;
  joint.name = NameWord(node.name);
  if (joint.name.empty()) return ViewerStatus::kNoName;
  const bool is_first = take->joints.empty();
  if (is_first && FindAvatarAlias(joint.name) != FindAvatarAlias("hip")) {
    return ViewerStatus::kBadRoot;
  }
  joint.channel_count = node.channel_count;
  std::array<int32_t, 3> letters = {};
  if (!FindLetters(ChannelsOf(skeleton, node), &letters)) {
    return ViewerStatus::kNoRotation;
  }
  const int64_t left = take->columns - *column;
  *column += SetColumns(letters, *column, &joint);
  if (take->frames > 0 &&
      (left < joint.channel_count || take->columns < *column)) {
    return ViewerStatus::kNoPosition;
  }
  take->joints.push_back(std::move(joint));
  return ViewerStatus::kOk;
}

}  // namespace

int32_t SetColumns(const std::array<int32_t, 3>& letters, int32_t first,
                   ViewerJoint* joint) {
  constexpr int64_t kWithPosition = 6;
  int32_t column = first;
  if (joint->channel_count == kWithPosition) {
    joint->position_column = column;
    column += 3;
  }
  const bool repeats = letters[0] == letters[1] || letters[1] == letters[2] ||
                       letters[0] == letters[2];
  joint->axes = repeats ? std::array<int32_t, 3>{2, 1, 0} : letters;
  joint->angle_columns = {-1, -1, -1};
  for (const int32_t letter : letters) {
    const auto place =
        std::find(joint->axes.begin(), joint->axes.end(), letter);
    joint->angle_columns[static_cast<size_t>(place - joint->axes.begin())] =
        column++;
  }
  return column - first;
}

void SetDepths(std::span<const int32_t> parents,
               std::vector<ViewerJoint>* joints) {
  for (size_t i = joints->size(); i-- > 0;) {
    if (parents[i] < 0) continue;
    int32_t& depth = (*joints)[static_cast<size_t>(parents[i])].depth;
    depth = std::max(depth, (*joints)[i].depth + 1);
  }
}

ViewerStatus TakeFromSkeleton(const Skeleton& skeleton, int64_t frames,
                              ViewerTake* take, int32_t* node) {
  *take = {};
  take->frames = frames;
  take->columns = static_cast<int64_t>(skeleton.channels.size());
  take->joints.reserve(skeleton.nodes.size());
  std::vector<int32_t> parents;
  parents.reserve(skeleton.nodes.size());
  std::vector<int32_t> index(skeleton.nodes.size(), -1);
  int32_t column = 0;
  for (size_t i = 0; i < skeleton.nodes.size(); ++i) {
    const Node& source = skeleton.nodes[i];
    if (IsEndSite(source)) continue;
    *node = static_cast<int32_t>(i);
    index[i] = static_cast<int32_t>(take->joints.size());
    parents.push_back(
        source.parent < 0 ? -1 : index[static_cast<size_t>(source.parent)]);
    const ViewerStatus status = AddJoint(skeleton, source, &column, take);
    if (status != ViewerStatus::kOk) return status;
  }
  SetDepths(parents, &take->joints);
  return ViewerStatus::kOk;
}

ViewerStatus TakeFromClip(const Clip& clip, ViewerTake* take, int32_t* node) {
  const ViewerStatus status =
      TakeFromSkeleton(clip.skeleton, clip.motion.frames, take, node);
  take->frame_time = static_cast<float>(clip.motion.frame_time);
  take->values = clip.motion.values;
  return status;
}

}  // namespace bvhmill
