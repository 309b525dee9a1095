#pragma once

// Landmarks: the few nodes of a figure whose world positions rules need, which
// are its head and its feet, and the frames in which they are judged.
//
//   const Landmarks landmarks = FindLandmarks(skeleton);
//   const Skeleton small = LandmarkSkeleton(skeleton, landmarks);
//   for (int64_t t = 0; t < frames; t += LandmarkStep(dt)) solve small in row
//   t;

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bvhmill/clip/clip.h"

namespace bvhmill {

// The figure is the tree of the first ROOT that has feet; other trees are
// ignored.
struct Landmarks {
  static constexpr size_t kMostFeet = 2;
  static constexpr size_t kMostFootNodes = 4;

  // The nodes that must be solved: head, feet and all nodes above them, in file
  // order. Empty if no joint has the name of a foot, or if there would be more
  // nodes than channels in a row, since solving them must cost little compared
  // with reading the row. There are no feet and no head then.
  std::vector<int32_t> nodes;
  // The nodes of each of one or two feet, as indices of `nodes`: a joint named
  // foot, ankle or toe, and the nodes below it; at most the first four in file
  // order.
  std::vector<std::vector<int32_t>> feet;
  // The head, as an index of `nodes`; -1 if there is none.
  int32_t head = -1;
};

// Feet and floor are judged at about 30 frames a second: in the frames of a
// clip whose number is a multiple of this step, from frame 0 on. The step is 1
// below 60 frames a second, 2 from 60 on, 4 at 120, and at most 5. A rate may
// be 1 % too low, since texts round frame times. `dt` is that of MotionFacts.
int64_t LandmarkStep(double dt);

// Finds the landmarks by the names of joints without their namespace, in any
// case: the head is the first joint of the figure whose name contains "head";
// end sites do not count. O(n).
Landmarks FindLandmarks(const Skeleton& skeleton);

// The nodes of `landmarks` as a skeleton of their own, with the channels and
// columns of `skeleton`. O(nodes + channels).
Skeleton LandmarkSkeleton(const Skeleton& skeleton, const Landmarks& landmarks);

}  // namespace bvhmill
