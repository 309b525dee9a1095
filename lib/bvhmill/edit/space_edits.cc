#include <array>
#include <utility>

#include "bvhmill/edit/editing.h"

namespace bvhmill {
namespace {

// The new axis that takes the values of the axis `old`.
int NewAxis(const SignedAxes& axes, int old) {
  for (int i = 0; i < 3; ++i) {
    if (axes.axis[static_cast<size_t>(i)] == old) return i;
  }
  return old;
}

Channel OnAxis(Channel channel, int axis) {
  return static_cast<Channel>(static_cast<int>(channel) - AxisOf(channel) +
                              axis);
}

void Negate(ColumnSource* column) {
  column->factor = -column->factor;
  // 0 - x, so that a bias of 0 does not become -0.
  column->bias = 0 - column->bias;
}

// Finds the column of each position; false unless the node has each once.
bool FindPositions(const Skeleton& skeleton, const Node& node,
                   std::array<size_t, 3>* columns) {
  std::array<int, 3> count = {};
  for (int32_t i = 0; i < node.channel_count; ++i) {
    const auto column = static_cast<size_t>(node.first_channel + i);
    const Channel channel = skeleton.channels[column];
    if (!IsPosition(channel)) continue;
    const auto axis = static_cast<size_t>(AxisOf(channel));
    (*columns)[axis] = column;
    ++count[axis];
  }
  return count == std::array<int, 3>{1, 1, 1};
}

// Renames the channel to the axis that its values now belong to.
void RenameChannel(const SignedAxes& axes, size_t column,
                   MappedSkeleton* edited) {
  Channel& channel = edited->skeleton.channels[column];
  const int axis = NewAxis(axes, AxisOf(channel));
  const bool is_signed = IsPosition(channel) || IsRotation(channel);
  channel = OnAxis(channel, axis);
  if (is_signed && axes.sign[static_cast<size_t>(axis)] < 0) {
    Negate(&edited->columns[column]);
  }
}

// If a node lists X, Y and Z once each, its channels stay and their values are
// exchanged. Otherwise its position channels are renamed.
void MovePositions(const SignedAxes& axes, const Node& node,
                   MappedSkeleton* edited) {
  std::array<size_t, 3> columns = {};
  if (FindPositions(edited->skeleton, node, &columns)) {
    std::array<ColumnSource, 3> before;
    for (size_t i = 0; i < 3; ++i) before[i] = edited->columns[columns[i]];
    for (size_t i = 0; i < 3; ++i) {
      ColumnSource& column = edited->columns[columns[i]];
      column = before[static_cast<size_t>(axes.axis[i])];
      if (axes.sign[i] < 0) Negate(&column);
    }
    return;
  }
  for (int32_t i = 0; i < node.channel_count; ++i) {
    const auto column = static_cast<size_t>(node.first_channel + i);
    if (IsPosition(edited->skeleton.channels[column])) {
      RenameChannel(axes, column, edited);
    }
  }
}

void MoveOffset(const SignedAxes& axes, Node* node) {
  const std::array<float, 3> before = node->offset;
  for (size_t i = 0; i < 3; ++i) {
    const float value = before[static_cast<size_t>(axes.axis[i])];
    node->offset[i] = axes.sign[i] < 0 ? 0 - value : value;
  }
}

void StillRoot(RootMotion motion, size_t height, int32_t root,
               MappedSkeleton* edited) {
  const auto stills = [&](size_t axis) {
    return motion == RootMotion::kOrigin || axis != height;
  };
  Node& node = edited->skeleton.nodes[static_cast<size_t>(root)];
  for (size_t axis = 0; axis < 3; ++axis) {
    if (stills(axis)) node.offset[axis] = 0;
  }
  for (int32_t i = 0; i < node.channel_count; ++i) {
    const auto column = static_cast<size_t>(node.first_channel + i);
    const Channel channel = edited->skeleton.channels[column];
    if (!IsPosition(channel)) continue;
    if (stills(static_cast<size_t>(AxisOf(channel)))) {
      edited->columns[column] = ColumnSource{};
    }
  }
}

}  // namespace

absl::Status TurnUpAxis(UpAxis from, UpAxis to, Editing* editing) {
  if (from == to || from == UpAxis::kUnknown || to == UpAxis::kUnknown) {
    return absl::OkStatus();
  }
  // A quarter turn about the third axis.
  SignedAxes axes = {{0, 1, 2}, {1, 1, 1}};
  const size_t before = HeightAxis(from);
  const size_t after = HeightAxis(to);
  axes.axis[after] = static_cast<int>(before);
  axes.axis[before] = static_cast<int>(after);
  axes.sign[before] = -1;
  MappedSkeleton edited = Unchanged(editing->skeleton());
  for (Node& node : edited.skeleton.nodes) {
    MoveOffset(axes, &node);
    MovePositions(axes, node, &edited);
  }
  for (size_t i = 0; i < edited.skeleton.channels.size(); ++i) {
    if (IsPosition(edited.skeleton.channels[i])) continue;
    RenameChannel(axes, i, &edited);
  }
  return MapRows(std::move(edited), editing);
}

absl::Status ScaleLengths(double factor, Editing* editing) {
  if (factor == 1) return absl::OkStatus();
  MappedSkeleton edited = Unchanged(editing->skeleton());
  for (Node& node : edited.skeleton.nodes) {
    for (float& value : node.offset) {
      value = static_cast<float>(value * factor);
    }
  }
  for (size_t i = 0; i < edited.columns.size(); ++i) {
    if (!IsPosition(edited.skeleton.channels[i])) continue;
    edited.columns[i].factor = factor;
  }
  return MapRows(std::move(edited), editing);
}

absl::Status PlaceRoots(RootMotion motion, size_t height,
                        const SignedAxes& axes, std::span<const int32_t> roots,
                        Editing* editing) {
  MappedSkeleton edited = Unchanged(editing->skeleton());
  for (const int32_t root : roots) {
    if (motion != RootMotion::kKeep) StillRoot(motion, height, root, &edited);
    Node& node = edited.skeleton.nodes[static_cast<size_t>(root)];
    MoveOffset(axes, &node);
    MovePositions(axes, node, &edited);
  }
  return MapRows(std::move(edited), editing);
}

}  // namespace bvhmill
