#include "bvhmill/edit/channel_layout.h"

#include <algorithm>
#include <cmath>

#include "bvhmill/edit/editing.h"
#include "bvhmill/edit/joint_pose.h"
#include "bvhmill/math/euler.h"

namespace bvhmill {
namespace {

constexpr Channel kPositions[] = {Channel::kXPosition, Channel::kYPosition,
                                  Channel::kZPosition};

Channel RotationAbout(int axis) {
  return static_cast<Channel>(static_cast<int>(Channel::kXRotation) + axis);
}

EulerAxes AxesOf(RotationOrder order) {
  switch (order) {
    case RotationOrder::kXyz:
      return {0, 1, 2};
    case RotationOrder::kXzy:
      return {0, 2, 1};
    case RotationOrder::kYxz:
      return {1, 0, 2};
    case RotationOrder::kYzx:
      return {1, 2, 0};
    case RotationOrder::kZyx:
      return {2, 1, 0};
    case RotationOrder::kFile:
    case RotationOrder::kZxy:
      break;
  }
  return {2, 0, 1};
}

// The axes of the rotation channels of a node, in file order.
std::vector<int> RotationAxes(const Skeleton& skeleton, const Node& node) {
  std::vector<int> axes;
  for (const Channel channel : ChannelsOf(skeleton, node)) {
    if (IsRotation(channel)) axes.push_back(AxisOf(channel));
  }
  return axes;
}

// The axes of a joint that gets three rotations. A joint with fewer, about
// different axes, keeps these, and the others follow: these are 0.
std::vector<int> CompletedAxes(std::vector<int> axes, RotationOrder order) {
  const auto has = [&axes](int axis) {
    return std::find(axes.begin(), axes.end(), axis) != axes.end();
  };
  const EulerAxes stated = AxesOf(order);
  const bool is_kept =
      order == RotationOrder::kFile && !axes.empty() &&
      ((axes.size() == 3 && IsEulerSequence({axes[0], axes[1], axes[2]})) ||
       axes.size() == 1 || (axes.size() == 2 && axes[0] != axes[1]));
  if (!is_kept) return {stated.begin(), stated.end()};
  for (int axis = 0; axis < 3 && axes.size() < 3; ++axis) {
    if (!has(axis)) axes.push_back(axis);
  }
  return axes;
}

// True if the rotations of the file are the first of `axes`: their columns can
// be copied.
bool BeginWith(const std::vector<int>& axes, const std::vector<int>& old) {
  return old.size() <= axes.size() &&
         std::equal(old.begin(), old.end(), axes.begin());
}

}  // namespace

ChannelMapper::ChannelMapper(const ChannelLayout& layout,
                             const Skeleton& skeleton,
                             const Conventions& conventions)
    : before_(skeleton), conventions_(conventions) {
  after_.nodes = skeleton.nodes;
  for (size_t i = 0; i < skeleton.nodes.size(); ++i) {
    AddNode(layout, static_cast<int32_t>(i));
  }
  near_.resize(turned_.size());
}

void ChannelMapper::AddNode(const ChannelLayout& layout, int32_t index) {
  const Node& old = before_.nodes[static_cast<size_t>(index)];
  Node& node = after_.nodes[static_cast<size_t>(index)];
  node.first_channel = static_cast<int32_t>(after_.channels.size());
  const auto append = [&](Channel channel) {
    after_.channels.push_back(channel);
    return static_cast<int32_t>(after_.channels.size()) - 1;
  };
  const bool is_file = layout.channels == ChannelSet::kFile;
  const std::vector<int> had = RotationAxes(before_, old);
  const bool turns =
      !IsEndSite(old) &&
      (!is_file || (layout.order != RotationOrder::kFile && !had.empty()));
  const std::vector<int> axes = CompletedAxes(had, layout.order);
  const bool copies_turn = !turns || BeginWith(axes, had);
  const bool has_place =
      layout.channels == ChannelSet::kSix ||
      (layout.channels == ChannelSet::kRootOnly && old.kind == NodeKind::kRoot);
  // The positions of the file are copied if there is one about each axis.
  const auto channels = ChannelsOf(before_, old);
  const bool has_three =
      HasThreePositions(before_, old) &&
      std::count_if(channels.begin(), channels.end(), IsPosition) == 3;
  const bool writes_place =
      !is_file && has_place && !IsEndSite(old) && !has_three;
  if (writes_place) {
    for (const Channel channel : kPositions) append(channel);
    placed_.push_back(index);
  }
  // The next of the new rotation channels; -1 before they are appended.
  int32_t turn = -1;
  bool loses_place = false;
  const auto append_turn = [&] {
    turn = static_cast<int32_t>(after_.channels.size());
    for (const int axis : axes) append(RotationAbout(axis));
    if (!copies_turn) turned_.push_back(index);
  };
  for (int32_t k = 0; k < old.channel_count; ++k) {
    const int32_t column = old.first_channel + k;
    const Channel channel = before_.channels[static_cast<size_t>(column)];
    const bool is_kept =
        IsEndSite(old) || (is_file && !(turns && IsRotation(channel)));
    if (is_kept || (IsPosition(channel) && has_place && !writes_place)) {
      copies_.push_back({column, append(channel)});
    } else if (IsPosition(channel)) {
      loses_place |= !writes_place;
    } else if (IsRotation(channel)) {
      if (turn < 0) append_turn();
      if (copies_turn) copies_.push_back({column, turn++});
    }
  }
  if (turns && turn < 0) append_turn();
  if (loses_place) unplaced_.push_back(index);
  node.channel_count =
      static_cast<int32_t>(after_.channels.size()) - node.first_channel;
}

absl::Status ChannelMapper::FindPlaces(int64_t frames,
                                       std::span<const float> values,
                                       Budget* budget) {
  if (unplaced_.empty() || frames == 0) return absl::OkStatus();
  const size_t width = before_.channels.size();
  for (const int32_t index : unplaced_) {
    const auto i = static_cast<size_t>(index);
    const JointPose pose =
        LocalPose(before_, conventions_, before_.nodes[i], values.first(width));
    for (size_t k = 0; k < 3; ++k) {
      const auto place = static_cast<float>(pose.place[k]);
      if (std::isfinite(place)) after_.nodes[i].offset[k] = place;
    }
  }
  std::vector<double> ways(unplaced_.size());
  const auto units = static_cast<int64_t>(unplaced_.size()) * kPoseWork;
  BVHMILL_RETURN_IF_ERROR(EachFrame(frames, units, budget, [&](int64_t frame) {
    const auto row = values.subspan(static_cast<size_t>(frame) * width, width);
    for (size_t i = 0; i < unplaced_.size(); ++i) {
      const auto index = static_cast<size_t>(unplaced_[i]);
      const JointPose pose =
          LocalPose(before_, conventions_, before_.nodes[index], row);
      double square = 0;
      for (size_t k = 0; k < 3; ++k) {
        const double way = pose.place[k] - after_.nodes[index].offset[k];
        square += way * way;
      }
      ways[i] = std::max(ways[i], std::sqrt(square));
    }
  }));
  // The rounding of float32.
  const double least = 1e-6 * Reach(before_);
  for (size_t i = 0; i < unplaced_.size(); ++i) {
    if (ways[i] > least) lost_.push_back({unplaced_[i], ways[i]});
  }
  return absl::OkStatus();
}

int64_t ChannelMapper::RowUnits() const {
  return static_cast<int64_t>(copies_.size()) * kValueWork +
         static_cast<int64_t>(placed_.size() + 2 * turned_.size()) * kPoseWork;
}

void ChannelMapper::Map(std::span<const float> row, std::span<float> out) {
  std::fill(out.begin(), out.end(), 0.0F);
  for (const Copy& copy : copies_) {
    out[static_cast<size_t>(copy.to)] = row[static_cast<size_t>(copy.from)];
  }
  for (const int32_t index : placed_) {
    const auto i = static_cast<size_t>(index);
    WritePlace(after_, conventions_, after_.nodes[i],
               LocalPose(before_, conventions_, before_.nodes[i], row).place,
               out);
  }
  for (size_t k = 0; k < turned_.size(); ++k) {
    const auto i = static_cast<size_t>(turned_[k]);
    WriteTurn(after_, after_.nodes[i],
              LocalPose(before_, conventions_, before_.nodes[i], row).turn,
              &near_[k], out);
  }
}

}  // namespace bvhmill
