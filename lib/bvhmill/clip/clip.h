#pragma once

// The plain data of a motion capture clip: a skeleton (which may be a forest)
// and a matrix of channel values. Cheap to move.
//
// Conventions are those of BVH: right-handed, Y up, degrees; lengths in the
// file's own unit. Index is identity: names are labels and may repeat.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/base/uninitialized.h"

namespace bvhmill {

enum class Channel : uint8_t {
  kXPosition,
  kYPosition,
  kZPosition,
  kXRotation,
  kYRotation,
  kZRotation,
  kXScale,
  kYScale,
  kZScale,
};

constexpr bool IsPosition(Channel c) { return c <= Channel::kZPosition; }
constexpr bool IsRotation(Channel c) {
  return c >= Channel::kXRotation && c <= Channel::kZRotation;
}
// 0, 1, 2 for X, Y, Z.
constexpr int AxisOf(Channel c) { return static_cast<int>(c) % 3; }

enum class NodeKind : uint8_t { kRoot, kJoint, kEndSite };

// A ROOT, JOINT or End Site.
struct Node {
  // The bytes of the file; for an end site its label, mostly empty.
  std::string name;
  // Index into Skeleton::nodes, always smaller than the own; -1 for a root.
  int32_t parent = -1;
  NodeKind kind = NodeKind::kRoot;
  std::array<float, 3> offset = {};
  // Its columns of a MOTION row, and its slice of Skeleton::channels.
  int32_t first_channel = 0;
  int32_t channel_count = 0;
};

constexpr bool IsEndSite(const Node& node) {
  return node.kind == NodeKind::kEndSite;
}

struct Skeleton {
  // Depth-first in file order: parents before children.
  std::vector<Node> nodes;
  // All channels, in the order of the columns of a row.
  std::vector<Channel> channels;
};

// Bytes of memory that a copy of `skeleton` takes. O(nodes).
int64_t SkeletonBytes(const Skeleton& skeleton);

struct Motion {
  int64_t frames = 0;
  // Seconds, as the file says; 0 if it does not. May be odd: see HasRate.
  double frame_time = 0;
  // frames x skeleton.channels.size(), frame-major.
  UninitializedVector<float> values;
};

struct Clip {
  Skeleton skeleton;
  Motion motion;
};

// ROOTs and JOINTs, without end sites.
int32_t JointCount(const Skeleton& skeleton);

// The channels of `node`, in file order.
std::span<const Channel> ChannelsOf(const Skeleton& skeleton, const Node& node);

// One letter a channel: XYZ positions, xyz rotations, ijk scales.
std::string ChannelLetters(const Skeleton& skeleton, const Node& node);

// "Xposition" and so on, as the format spells it.
std::string_view ChannelName(Channel channel);

// Index of the node that column `column` of a row belongs to.
int32_t NodeOfColumn(const Skeleton& skeleton, int64_t column);

// A name to show, as UTF-8: the name of the node; for an end site without
// label, that of its parent and "_End".
std::string DisplayName(const Skeleton& skeleton, int32_t node);
// The same into `out`, whose memory is used again.
void DisplayNameInto(const Skeleton& skeleton, int32_t node, std::string* out);

// True if `frame_time`, in seconds, is a finite number above zero.
bool HasRate(double frame_time);
// Frames per second, or 0 without a rate.
double FramesPerSecond(double frame_time);

}  // namespace bvhmill
