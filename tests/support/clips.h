#pragma once

// Skeletons and clips made in code.

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include "bvhmill/clip/clip.h"

namespace bvhmill::testing {

using Offset = std::array<float, 3>;

// The channels of letters: XYZ positions, xyz rotations, ijk scales.
std::vector<Channel> ChannelsFromLetters(std::string_view letters);

// Nodes must be added depth first; each call gives the index of the new node.
class SkeletonBuilder {
 public:
  int Root(std::string name, std::string_view channels, Offset offset = {});
  int Joint(int parent, std::string name, std::string_view channels,
            Offset offset = {0, 1, 0});
  int EndSite(int parent, std::string label = "", Offset offset = {0, 1, 0},
              std::string_view channels = "");
  Skeleton Build() const { return skeleton_; }

 private:
  int Add(NodeKind kind, int parent, std::string name, const Offset& offset,
          std::string_view channels);

  Skeleton skeleton_;
};

// A clip of `skeleton` with `frames` frames of values that tell frame and
// column apart: 1000 * frame + column.
Clip CountingClip(const Skeleton& skeleton, int64_t frames);

// Bounds on the shape of random skeletons.
struct RandomShape {
  int max_joints = 40;
  int max_roots = 3;
  bool scales = false;
};

// A forest with any channels: every order, repeats, partial lists, none.
Skeleton RandomSkeleton(const RandomShape& shape, std::mt19937_64* random);

// Angles within two turns, positions within a few bone lengths.
Clip RandomClip(const RandomShape& shape, int64_t frames, uint64_t seed);

// Hips with six channels, a knee and a foot with rotations, an end site; 120
// frames a second.
Clip SmallLeg(int64_t frames);

// Fails the test where `actual` is not `expected`: every field, floats bit for
// bit, any NaN for any other.
void ExpectSameClip(const Clip& actual, const Clip& expected);

}  // namespace bvhmill::testing
