#pragma once

// The figures of the floor rules, in the simplest way: all frames in memory, in
// double precision, with exact quantiles. For clips of up to 512 judged frames,
// of which every pair counts.

#include <array>
#include <cstdint>
#include <vector>

#include "bvhmill/clip/clip.h"

namespace bvhmill::testing {

struct FloorFigures {
  double reach = 0;
  // Nodes of each foot, by their index in the skeleton.
  std::vector<std::vector<int32_t>> feet;
  int32_t head = -1;
  // Mean of the unit vectors from the middle of the feet to the head.
  std::array<double, 3> up = {};
  // Lowest node of all feet in each judged frame, in reaches along the
  // direction.
  std::vector<double> low;
  // A tenth of the frames is below it.
  double floor = 0;
  // The lowest of all, and where it is: a frame of the clip.
  double lowest = 0;
  int64_t lowest_frame = 0;
  // The height just below the floor, of the sorted lowest heights.
  double before_floor = 0;
  int32_t lowest_node = -1;
  // A quarter of the frames of each fifth of the clip is below it.
  std::array<double, 5> parts = {};
  // Contact, speed and gain of feet that touch the floor, as in FootSlide.
  double contact = 0;
  double median = 0;
  double gain = 0;
  double correlation = 0;
  bool root_is_still = false;
  // Rise of the root with its legs, as in RootRise.
  double legs = 0;
  double rise_gain = 0;
  double rise_correlation = 0;
};

// `direction`: +X, +Y, +Z, -X, -Y, -Z. Feet touch the floor below `height`
// reaches, while they rise or sink by less than `vertical` reaches a second.
// Every `step`th frame is judged.
FloorFigures FloorOf(const Clip& clip, int direction, double height,
                     double vertical, int64_t step = 1);

// World positions of the nodes `nodes` in all frames: frames x nodes x 3.
std::vector<float> PositionsOf(const Clip& clip,
                               const std::vector<int32_t>& nodes);

// The same of every `step`th frame: nodes x frames x 3, as in CheckedClip.
std::vector<float> LandmarksOf(const Clip& clip,
                               const std::vector<int32_t>& nodes, int64_t step);

}  // namespace bvhmill::testing
