#include "bvhmill/edit/space_edits.h"

#include <array>

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
                   EditedSkeleton* edited) {
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
                   EditedSkeleton* edited) {
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

}  // namespace

void TurnUpAxis(UpAxis from, UpAxis to, EditedSkeleton* edited) {
  if (from == to || from == UpAxis::kUnknown || to == UpAxis::kUnknown) return;
  const SignedAxes axes = {{0, 2, 1},
                           to == UpAxis::kY ? std::array<int, 3>{1, 1, -1}
                                            : std::array<int, 3>{1, -1, 1}};
  for (Node& node : edited->skeleton.nodes) {
    MoveOffset(axes, &node);
    MovePositions(axes, node, edited);
  }
  for (size_t i = 0; i < edited->skeleton.channels.size(); ++i) {
    if (IsPosition(edited->skeleton.channels[i])) continue;
    RenameChannel(axes, i, edited);
  }
}

void ScaleLengths(double factor, EditedSkeleton* edited) {
  for (Node& node : edited->skeleton.nodes) {
    for (float& value : node.offset) {
      value = static_cast<float>(value * factor);
    }
  }
  for (size_t i = 0; i < edited->columns.size(); ++i) {
    if (!IsPosition(edited->skeleton.channels[i])) continue;
    edited->columns[i].factor *= factor;
    edited->columns[i].bias *= factor;
  }
}

void StillRoots(RootMotion motion, UpAxis up, std::span<const int32_t> roots,
                EditedSkeleton* edited) {
  if (motion == RootMotion::kKeep) return;
  const auto height = static_cast<int>(HeightAxis(up));
  const auto stills = [&](int axis) {
    return motion == RootMotion::kOrigin || axis != height;
  };
  for (const int32_t root : roots) {
    Node& node = edited->skeleton.nodes[static_cast<size_t>(root)];
    for (int axis = 0; axis < 3; ++axis) {
      if (stills(axis)) node.offset[static_cast<size_t>(axis)] = 0;
    }
    for (int32_t i = 0; i < node.channel_count; ++i) {
      const auto column = static_cast<size_t>(node.first_channel + i);
      const Channel channel = edited->skeleton.channels[column];
      if (!IsPosition(channel) || !stills(AxisOf(channel))) continue;
      edited->columns[column] = ColumnSource{};
    }
  }
}

void AlignRootPositions(const SignedAxes& axes, std::span<const int32_t> roots,
                        EditedSkeleton* edited) {
  for (const int32_t root : roots) {
    Node& node = edited->skeleton.nodes[static_cast<size_t>(root)];
    MoveOffset(axes, &node);
    MovePositions(axes, node, edited);
  }
}

}  // namespace bvhmill
