#pragma once

// A motion capture clip: a skeleton, and a matrix of channel values with one
// row for each frame.
//
//   // The value of the first channel of `node` in `frame`:
//   const size_t width = clip.skeleton.channels.size();
//   const float value =
//       clip.motion.values[frame * width + node.first_channel];
//
// The space is that of BVH: right-handed, Y up, angles in degrees, lengths in
// the unit of the file. A joint is identified by its index; names are labels
// and may repeat. What BVH leaves open is stated by the caller: see
// Conventions and SourceSpace.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/base/text.h"
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

enum class NodeKind : uint8_t { kRoot, kJoint, kEndSite };

// A ROOT, JOINT or End Site.
struct Node {
  // UTF-8 if it is from BVH text; from an .anim, the bytes of the file. The
  // name of an end site is its label, which is usually empty.
  std::string name;
  // Index of the parent in Skeleton::nodes, always smaller than the index of
  // this node; -1 for a root.
  int32_t parent = -1;
  NodeKind kind = NodeKind::kRoot;
  std::array<float, 3> offset = {};
  // Index and number of the columns of this node in a MOTION row; its channels
  // have the same indices in Skeleton::channels.
  int32_t first_channel = 0;
  int32_t channel_count = 0;
};

// May have several roots.
struct Skeleton {
  // Depth-first, in the order of the file: parents before children.
  std::vector<Node> nodes;
  // The channels of all nodes, in the order of the columns of a row.
  std::vector<Channel> channels;
};

struct Motion {
  int64_t frames = 0;
  // Seconds per frame, as the file states it; 0 if it states none. May be
  // negative or not finite: see HasRate.
  double frame_time = 0;
  // frames x skeleton.channels.size(), frame after frame.
  UninitializedVector<float> values;
};

// Cheap to move.
struct Clip {
  Skeleton skeleton;
  Motion motion;
};

// A skeleton, and the position of each of its nodes in the text; no positions
// if the source is no text. Immutable once a reader returns it.
struct SourceSkeleton {
  Skeleton skeleton;
  std::vector<TextPosition> node_positions;
};

// The pointer identifies the skeleton: clips with equal pointers share one
// skeleton, and results derived from it can be reused. Keep the pointer as long
// as such results, so that no other skeleton gets the same address.
using SharedSkeleton = std::shared_ptr<const SourceSkeleton>;

// A row of a joint map: joints of the name `source` have the name `target` in
// another kind of skeleton.
struct JointMapRow {
  std::string source;
  std::string target;

  bool operator==(const JointMapRow& other) const = default;
};

// --- Conventions of reading: how position channels and OFFSETs are read where
// BVH leaves it open. docs/conventions.md has the evidence for the defaults.

// Meaning of the position channels of a joint that is not a root: they replace
// its OFFSET, are added to it, or are ignored.
enum class JointPositions { kReplaceOffset, kAddToOffset, kIgnore };
// The OFFSET of a root: replaced by its position channels, or added to them.
enum class RootOffset { kReplaced, kAdded };

struct Conventions {
  JointPositions joint_positions = JointPositions::kReplaceOffset;
  RootOffset root_offset = RootOffset::kReplaced;

  bool operator==(const Conventions& other) const = default;
};

enum class UpAxis { kUnknown, kY, kZ, kX };

// The coordinate that is the height: that of Y if `up` is not known.
inline size_t HeightAxis(UpAxis up) {
  return up == UpAxis::kX ? 0 : up == UpAxis::kZ ? 2 : 1;
}

// Unit and up axis of a clip, if the caller states them.
struct SourceSpace {
  UpAxis up_axis = UpAxis::kUnknown;
  // 0 means: unknown.
  double meters_per_unit = 0;
};

// --- Channels.

constexpr bool IsPosition(Channel c) { return c <= Channel::kZPosition; }
constexpr bool IsRotation(Channel c) {
  return c >= Channel::kXRotation && c <= Channel::kZRotation;
}
// 0, 1 or 2 for X, Y or Z.
constexpr int AxisOf(Channel c) { return static_cast<int>(c) % 3; }

// "Xposition" and so on, as BVH spells it.
std::string_view ChannelName(Channel channel);

// The channels of `node`, in file order. Valid while `skeleton` lives
// unchanged.
std::span<const Channel> ChannelsOf(const Skeleton& skeleton, const Node& node);

// One letter per channel: XYZ for positions, xyz for rotations, ijk for scales.
std::string ChannelLetters(const Skeleton& skeleton, const Node& node);

// Index of the node that owns column `column` of a row. Requires
// 0 <= column < skeleton.channels.size(). O(log nodes).
int32_t NodeOfColumn(const Skeleton& skeleton, int64_t column);

// --- Other channels for the joints of a clip, which a writer of BVH may give.

// The order of three rotation channels, the first outermost.
enum class RotationOrder {
  kFile,  // that of each joint
  kXyz,
  kXzy,
  kYxz,
  kYzx,
  kZxy,
  kZyx,
};

// The channels of each joint. With all but kFile a joint has three rotations
// and no scales.
enum class ChannelSet {
  kFile,      // those of the clip
  kThree,     // no positions, not even those of roots
  kSix,       // three positions, too
  kRootOnly,  // three positions for roots alone
};

// --- Position channels of a node, read by the conventions of a caller.

// The effect of the position channels of a node on its OFFSET.
enum class PositionReading { kReplaced, kAdded, kIgnored };

inline PositionReading ReadingOf(const Node& node,
                                 const Conventions& conventions) {
  if (node.kind == NodeKind::kRoot) {
    return conventions.root_offset == RootOffset::kAdded
               ? PositionReading::kAdded
               : PositionReading::kReplaced;
  }
  switch (conventions.joint_positions) {
    case JointPositions::kReplaceOffset:
      return PositionReading::kReplaced;
    case JointPositions::kAddToOffset:
      return PositionReading::kAdded;
    case JointPositions::kIgnore:
      break;
  }
  return PositionReading::kIgnored;
}

inline bool HasThreePositions(const Skeleton& skeleton, const Node& node) {
  std::array<bool, 3> has = {};
  for (const Channel channel : ChannelsOf(skeleton, node)) {
    if (IsPosition(channel)) has[static_cast<size_t>(AxisOf(channel))] = true;
  }
  return has[0] && has[1] && has[2];
}

// The values of the position channels of `node` in a row of the clip, by axis;
// nullopt unless it has all three.
inline std::optional<std::array<float, 3>> PositionIn(
    const Skeleton& skeleton, const Node& node, std::span<const float> row) {
  if (!HasThreePositions(skeleton, node)) return std::nullopt;
  std::array<float, 3> position = {};
  auto column = static_cast<size_t>(node.first_channel);
  for (const Channel channel : ChannelsOf(skeleton, node)) {
    if (IsPosition(channel)) {
      position[static_cast<size_t>(AxisOf(channel))] = row[column];
    }
    ++column;
  }
  return position;
}

// --- Nodes and their names.

constexpr bool IsEndSite(const Node& node) {
  return node.kind == NodeKind::kEndSite;
}

// Number of ROOTs and JOINTs, without end sites.
int32_t JointCount(const Skeleton& skeleton);

// The name of a node for display, as UTF-8. An end site without a label gets
// the name of its parent and "_End".
std::string DisplayName(const Skeleton& skeleton, int32_t node);
// Writes the same into `out` and reuses its memory.
void DisplayNameInto(const Skeleton& skeleton, int32_t node, std::string* out);

// The part of a name after its last colon, without the namespace: "Hips" of
// "mixamorig:Hips".
inline std::string_view BareName(std::string_view name) {
  const size_t colon = name.rfind(':');
  return colon == name.npos ? name : name.substr(colon + 1);
}

// Bytes of memory of a copy of `skeleton`. O(nodes).
int64_t SkeletonBytes(const Skeleton& skeleton);

// --- Frame time and values.

// True if `frame_time`, in seconds, is a finite number above zero.
bool HasRate(double frame_time);
// Frames per second; 0 if HasRate is false.
double FramesPerSecond(double frame_time);

// True if all `values` are finite. O(n), without branches, so that compilers
// vectorize it.
inline bool AreFinite(std::span<const float> values) {
  // Bits of positive floats are in the order of the floats, and all values that
  // are not finite come last.
  constexpr uint32_t kWithoutSign = 0x7FFFFFFF;
  constexpr uint32_t kInfinity = 0x7F800000;
  uint32_t largest = 0;
  for (const float value : values) {
    largest = std::max(largest, std::bit_cast<uint32_t>(value) & kWithoutSign);
  }
  return largest < kInfinity;
}

// --- Reach: the size of a figure in any pose, in the unit of the file.

// The length of the longest path from a root to a node, along OFFSETs. The
// OFFSET of the root does not count. 0 if there are JOINTs and all have the
// OFFSET 0: bone lengths are in the position channels then, and end sites alone
// do not show the size of the figure. O(nodes).
double Reach(const Skeleton& skeleton);

// As Reach, but with the position channels of JOINTs. If such a joint keeps
// its distance from its parent within 10 % in three frames, its bone is the
// median distance and not the OFFSET. The OFFSET counts if the positions are
// ignored or vary more: they are no bone then. Joints with positions that
// carry the whole body have no bone above them: those on the path from a root
// down to the first joint with several children. `values` are frames x
// channels. 0 if there are JOINTs and all have the OFFSET 0: positions may be
// world positions then, and end sites do not show the size of the figure.
// O(nodes).
double ReachOf(const Skeleton& skeleton, const Conventions& conventions,
               int64_t frames, std::span<const float> values);

}  // namespace bvhmill
