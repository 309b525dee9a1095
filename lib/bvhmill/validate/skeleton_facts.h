#pragma once

// Facts about a skeleton that rules and measures share: two legs and two arms,
// mirrored joints, landmarks and faults of the skeleton alone. They are valid
// for all clips of the skeleton.
//
//   SkeletonFacts facts;  // reuses its memory from skeleton to skeleton
//   FindFacts(skeleton, &facts);
//   if (facts.body) size = SizeOf(*facts.body);

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bvhmill/clip/clip.h"
#include "bvhmill/skeletons/body_root.h"
#include "bvhmill/validate/floor/landmarks.h"

namespace bvhmill {

// Two limbs of about equal length.
struct LimbPair {
  // The joint where they branch off; -1 if there is no pair.
  int32_t parent = -1;
  // The first joint of each.
  std::array<int32_t, 2> tops = {-1, -1};
};

// A skeleton with two legs and two arms, in the rest pose that the OFFSETs
// give. Lengths are in the unit of the clip.
struct BipedMeasure {
  // Size along X, Y and Z.
  std::array<double, 3> extent = {};
  // Length of the longer leg along its bones, from the joint where the legs
  // branch off to the end of the leg.
  double leg = 0;
  LimbPair legs;
  LimbPair arms;
  // The arms end as low as the legs: it stands on four of them.
  bool has_four_legs = false;
};

// Two joints that are mirror images of each other by their names.
struct MirrorPair {
  int32_t left = 0;
  int32_t right = 0;
};

struct RepeatedName {
  int32_t joint = 0;
  // The first joint with that name.
  int32_t first = 0;
};

// Lists hold nodes by index, in file order.
struct SkeletonFacts {
  // Among ROOTs and JOINTs.
  std::vector<RepeatedName> repeated_names;
  // JOINTs at the position of their parent, without channels that could move
  // them away.
  std::vector<int32_t> zero_length_bones;
  // ROOTs whose OFFSET is not zero.
  std::vector<int32_t> offset_roots;
  // JOINTs with all three position channels.
  std::vector<int32_t> positioned_joints;
  // Nothing if the skeleton is no body (MeasureBiped).
  std::optional<BipedMeasure> body;
  // ROOTs and JOINTs with all three position channels.
  std::vector<int32_t> positioned_nodes;
  // The longest way along OFFSETs from a root to a leaf: the size of the figure
  // in any rest pose.
  double reach = 0;
  Landmarks landmarks;
  // The joints of the tree of the first ROOT that may be its body root.
  Trunk trunk;
  // Left and right joints, and their end sites (FindMirrorPairs).
  std::vector<MirrorPair> mirror_pairs;
};

// Writes all facts of `skeleton`. `facts` may hold earlier results; their
// memory is reused. O(n log n), and the cost of FindTrunks.
void FindFacts(const Skeleton& skeleton, SkeletonFacts* facts);

// Measures a body; returns nullopt for any other skeleton. A body has one root
// and at least ten joints. At its first branch it has a pair of limbs of about
// equal length, the legs; another branch leads to another pair, the arms. The
// length of the longer leg is 0.3 to 0.9 of SizeOf. Uses the tree and the
// lengths only, because names of joints differ from file to file and any pose
// may be the rest pose. O(n log n).
std::optional<BipedMeasure> MeasureBiped(const Skeleton& skeleton);

// The largest of the three extents.
double SizeOf(const BipedMeasure& body);

// The pairs of joints whose names differ only in the side, in the order of the
// left ones:
//
//   LeftArm, RightArm    left_arm, right_arm    lArm, rArm
//   L_Arm, R_Arm         Arm_L, Arm_R           Arm.l, Arm.r
//   lfoot, rfoot
//
// After each pair comes the pair of their first end sites, if both have one. If
// several joints have one name, only the first of them counts. O(n log n).
std::vector<MirrorPair> FindMirrorPairs(const Skeleton& skeleton);

// Parts of a body, by the names of joints without their namespace, in any case.

// The name without namespace, in small letters.
std::string PlainName(const Node& node);
// True if a joint above `node` is a head: `node` is a part of the face, or an
// end.
bool IsBelowHead(const Skeleton& skeleton, int32_t node);
// A toe, or the ball of a foot.
bool IsToe(const Node& node);
// A thumb or another finger of a hand.
bool IsFinger(const Skeleton& skeleton, int32_t node);

// The length of a vector, for example of an OFFSET.
float Length(const std::array<float, 3>& v);

}  // namespace bvhmill
