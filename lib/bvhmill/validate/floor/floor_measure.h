#pragma once

// Measures of the feet and the head of a figure, taken in its judged frames
// (see LandmarkStep), for the rules of floor_rules.h. Private to validate/.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bvhmill/validate/floor/foot_steps.h"
#include "bvhmill/validate/floor/height_histogram.h"
#include "bvhmill/validate/floor/landmarks.h"
#include "bvhmill/validate/floor/pair_samples.h"

namespace bvhmill {

// A direction that may be up: +X, +Y, +Z, -X, -Y, -Z.
inline constexpr int kDirections = 6;
inline constexpr int kPlusY = 1;
inline constexpr int kPlusZ = 2;
constexpr size_t AxisOfDirection(int direction) {
  return static_cast<size_t>(direction % 3);
}
constexpr double SignOfDirection(int direction) {
  return direction < 3 ? 1 : -1;
}

// The lowest point of a foot along a direction. Heights are in reaches.
struct LowestFoot {
  double height = 0;
  // A frame of the clip.
  int64_t frame = -1;
  // An index of Landmarks::nodes.
  int32_t node = -1;
};

struct FootSlide {
  // Shares and speeds of the pairs of frames with contact; reaches a second.
  double contact = 0;
  double median = 0;
  // How far feet move with the root: 0 planted, 1 carried along, -1 in place.
  // The correlation of their steps, -1 to 1. Both are 0 if the root stands.
  double gain = 0;
  double correlation = 0;
  // The root hardly moves meanwhile; the gain says little then.
  bool root_is_still = false;
};

// How the root rises and sinks with its height above the lowest foot.
struct RootRise {
  // The standard deviation of that height; reaches.
  double legs = 0;
  // How far the root rises while that height grows by 1: 1 on a floor, 0 if the
  // root keeps its height. The correlation of both, -1 to 1.
  double gain = 0;
  double correlation = 0;
};

// Positions of landmarks in some frames: landmarks x frames x 3.
struct LandmarkFrames {
  const float* positions = nullptr;
  int64_t frames = 0;

  const float* At(int32_t node, int64_t frame) const {
    return positions + 3 * (node * frames + frame);
  }
};

class FloorMeasure {
 public:
  // `landmarks` stays until the next Begin. `trunk`, indices of its nodes, are
  // the joints that may be the body root, at least one. `reach` is above 0.
  // Every `step`th frame of the clip is judged.
  void Begin(const Landmarks& landmarks, std::span<const int32_t> trunk,
             double reach, int64_t step);
  // The next judged frames: landmarks.nodes.size() x frames x 3 world
  // positions.
  void Add(int64_t frames, std::span<const float> positions);
  // All frames came; those before frame `first` of the clip and after frame
  // `last` do not count: at most one each. `root`, an index of the trunk, is
  // the body root. Must be called before the functions below.
  void End(int64_t first, int64_t last, size_t root);

  // Judged frames.
  int64_t frames() const { return pairs_.frames(); }
  // Bytes that a figure takes at most: pairs of frames with its trunk and all
  // nodes of its feet, and the steps of the feet.
  static int64_t BytesFor(const Landmarks& landmarks, size_t trunk);
  // False if a position was not finite. All below is void then.
  bool is_finite() const { return is_finite_; }
  // True if the body root was at two places.
  bool root_moves() const { return moves_[root_]; }

  // The mean of the unit vectors from the middle of the feet to the head; zero
  // without a head.
  std::array<double, 3> Up() const;
  // Lowest foot nodes of all judged frames.
  const HeightHistogram& heights(int direction) const {
    return heights_[static_cast<size_t>(direction)];
  }
  // The height in reaches that the share `share` of the lowest foot nodes is
  // below: that of heights(), or that of the sampled frames where it is beyond
  // the bins.
  double HeightOf(int direction, double share);
  const LowestFoot& lowest(int direction) const {
    return lowest_[static_cast<size_t>(direction)];
  }
  // The height that a quarter of the frames is below, in each of five equal
  // parts of the clip. Nothing if a part has no sample.
  std::optional<std::array<double, 5>> PartHeights(int direction);
  // How feet move while they touch the floor: their lowest node is below
  // `height` in both frames of a pair, and rises and falls slower than
  // `vertical` reaches a second. `dt` is the frame time of the clip.
  FootSlide Slide(int direction, double height, double vertical, double dt);
  RootRise Rise(int direction) const;
  // The steps of the feet over a floor at the height `floor`; none if the clip
  // is so long that its pairs are too far apart. Void after the next call.
  const FootSteps& StepsOn(int direction, double floor, double dt) {
    FindSteps(direction, floor, dt);
    return feet_;
  }

 private:
  // Frames that are counted at once.
  static constexpr int64_t kBlock = 64;
  // For each coordinate of each frame.
  using Coordinates = std::array<float, size_t{3 * kBlock}>;

  void AddPair(const LandmarkFrames& from, int64_t frame);
  void Keep(const LandmarkFrames& from, int64_t frame,
            std::vector<float>* kept) const;
  // Counts frames that do not stand apart; `number` is that of the first one,
  // among the judged ones.
  void Count(const LandmarkFrames& from, int64_t first, int64_t frames,
             int64_t number);
  void CountBlock(const LandmarkFrames& from, int64_t first, int64_t frames,
                  int64_t number);
  void CountTrunk(const LandmarkFrames& from, int64_t first, int64_t frames);
  // Counts `places`, the least or the greatest coordinates of the feet, in the
  // directions from `direction` on: one for each axis.
  void CountPlaces(size_t direction, const Coordinates& places,
                   const LandmarkFrames& from, int64_t first, int64_t frames,
                   int64_t number);
  int32_t NodeAt(const LandmarkFrames& from, int64_t frame, size_t axis,
                 float place) const;
  void CountUp(const LandmarkFrames& from, int64_t first, int64_t frames);
  bool Counts(int64_t pair) const {
    return step_ * (pairs_.frame(pair) - 1) >= first_ &&
           step_ * pairs_.frame(pair) <= last_;
  }
  struct SlideSums;
  void AddSlide(int64_t pair, size_t first, size_t count,
                SlideSums* sums) const;
  void FindSteps(int direction, double floor, double dt);
  FootStep StepAt(int64_t pair, int direction, double floor,
                  double seconds) const;
  double LowestAt(int64_t pair, int direction) const;
  double HeightAt(std::span<const float> points, size_t point,
                  int direction) const;

  const Landmarks* landmarks_ = nullptr;
  double scale_ = 1;
  int64_t step_ = 1;
  bool is_finite_ = true;
  // For each joint of the trunk: it was at two places.
  std::vector<bool> moves_;
  std::array<HeightHistogram, kDirections> heights_;
  std::array<LowestFoot, kDirections> lowest_;
  std::array<double, 3> up_sum_ = {};
  int64_t up_frames_ = 0;
  // The trunk and all nodes of the feet, one foot after the other, as indices
  // of Landmarks::nodes.
  std::vector<int32_t> points_;
  // The index of the first foot in `points_`, and that of the body root.
  size_t feet_from_ = 1;
  size_t root_ = 0;
  // The positions of these points in a frame.
  std::vector<float> point_positions_;
  // Frames wait until it is known whether they count: the first one, and the
  // newest. All landmarks.
  std::vector<float> first_frame_;
  std::vector<float> newest_;
  PairSamples pairs_;
  // Scratch memory, kept from clip to clip.
  std::vector<double> scratch_;
  FootSteps feet_;
  int64_t first_ = 0;
  int64_t last_ = 0;
};

}  // namespace bvhmill
