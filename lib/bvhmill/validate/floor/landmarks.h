#pragma once

// The few nodes of a figure whose world positions rules need: head and feet.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bvhmill/clip/skeleton.h"

namespace bvhmill {

// The first ROOT that has feet is the figure; other roots are not looked at.
struct Landmarks {
  static constexpr size_t kMostFeet = 2;
  static constexpr size_t kMostFootNodes = 4;

  // The nodes that must be solved: head, feet and all nodes above them, in the
  // order of the file. Empty, as are feet and head, if no joint has the name of
  // a foot, or if there would be more nodes than channels in a row: solving
  // them must cost little beside reading the row.
  std::vector<int32_t> nodes;
  // The nodes of each foot, as indices of `nodes`: a joint named foot, ankle or
  // toe, and all nodes below it; at most the first four in the order of the
  // file. One or two feet; none if `nodes` is empty.
  std::vector<std::vector<int32_t>> feet;
  // The head, as an index of `nodes`; -1 if there is none.
  int32_t head = -1;
};

// Feet and floor are judged at about 30 frames a second: in the frames of a
// clip whose number is a multiple of the step, from frame 0 on. The step is 1
// at less than 60 frames a second, 2 from 60 on, 4 at 120, and never more
// than 5. Rates may be 1 % too low, since texts round frame times. `dt` is that
// of MotionFacts.
int64_t LandmarkStep(double dt);

// Finds the landmarks by the names of joints without their namespace, in any
// case: the head is the first joint of the figure whose name contains "head";
// end sites do not count. O(n).
Landmarks FindLandmarks(const Skeleton& skeleton);

// The nodes of `landmarks` as a skeleton of their own, with the channels and
// columns of `skeleton`. O(nodes + channels).
Skeleton LandmarkSkeleton(const Skeleton& skeleton, const Landmarks& landmarks);

}  // namespace bvhmill
