#pragma once

// The skeleton of a clip, which may have several roots, and how its numbers are
// read.
//
// The conventions are those of BVH: right-handed, Y up, angles in degrees,
// lengths in the unit of the file. The caller states what BVH leaves open. The
// index identifies a joint; names are only labels and may repeat.

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/base/text_position.h"

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
// 0, 1 or 2 for X, Y or Z.
constexpr int AxisOf(Channel c) { return static_cast<int>(c) % 3; }

enum class NodeKind : uint8_t { kRoot, kJoint, kEndSite };

// A ROOT, JOINT or End Site.
struct Node {
  // UTF-8 if it is from BVH text; from an .anim, the bytes of the file. An end
  // site has its label, which is usually empty.
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

constexpr bool IsEndSite(const Node& node) {
  return node.kind == NodeKind::kEndSite;
}

struct Skeleton {
  // Depth-first, in the order of the file: parents before children.
  std::vector<Node> nodes;
  // The channels of all nodes, in the order of the columns of a row.
  std::vector<Channel> channels;
};

// How position channels and OFFSETs are read where BVH leaves it open. The
// caller states it. docs/conventions.md has the evidence for the defaults.

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

enum class UpAxis { kUnknown, kY, kZ };

// Unit and up axis of a clip, if the caller states them.
struct SourceSpace {
  UpAxis up_axis = UpAxis::kUnknown;
  // 0 means: unknown.
  double meters_per_unit = 0;
};

// A row of a joint map: joints of the name `source` have the name `target` in
// another kind of skeleton.
struct JointMapRow {
  std::string source;
  std::string target;

  bool operator==(const JointMapRow& other) const = default;
};

// Bytes of memory that a copy of `skeleton` takes. O(nodes).
int64_t SkeletonBytes(const Skeleton& skeleton);

// A skeleton and where each of its nodes begins in the text; no positions if
// the source is no text. It does not change once a reader has given it out.
struct SourceSkeleton {
  Skeleton skeleton;
  std::vector<TextPosition> node_positions;
};

// The pointer is the identity: clips that have the same pointer have the same
// skeleton, so that what is derived from it need not be derived again. A holder
// keeps the pointer, so that no other skeleton can take its place.
using SharedSkeleton = std::shared_ptr<const SourceSkeleton>;

// Number of ROOTs and JOINTs, without end sites.
int32_t JointCount(const Skeleton& skeleton);

// The longest way from a root to a node along OFFSETs. That of a root does not
// count. 0 if there are JOINTs and all have the OFFSET 0: their positions stand
// in the channels, and end sites do not tell the size of the figure. O(nodes).
double Reach(const Skeleton& skeleton);

// The channels of `node`, in file order. Valid while `skeleton` lives
// unchanged.
std::span<const Channel> ChannelsOf(const Skeleton& skeleton, const Node& node);

// One letter per channel: XYZ for positions, xyz for rotations, ijk for scales.
std::string ChannelLetters(const Skeleton& skeleton, const Node& node);

// "Xposition" and so on, as BVH spells it.
std::string_view ChannelName(Channel channel);

// Index of the node that owns column `column` of a row. Requires
// 0 <= column < skeleton.channels.size(). O(log nodes).
int32_t NodeOfColumn(const Skeleton& skeleton, int64_t column);

// The name of a node for display, as UTF-8. An end site without a label gets
// the name of its parent and "_End".
std::string DisplayName(const Skeleton& skeleton, int32_t node);
// Writes the same into `out` and reuses its memory.
void DisplayNameInto(const Skeleton& skeleton, int32_t node, std::string* out);

}  // namespace bvhmill
