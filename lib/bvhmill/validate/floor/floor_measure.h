#pragma once

// Measures of the feet, the root and the head of a figure over a clip, from
// their world positions in the judged frames (LandmarkStep of landmarks.h):
//
//   FloorMeasure measure(clip, trunk, root);
//   measure.SetUp(kPlusY);
//   const double floor = measure.HeightOf(0.1);
//   const FootSlide slide = measure.Slide(floor + 0.02, 0.15);
//   const auto part = FindShiftPart(measure.StepsOn(floor), 0.05, 0.5);
//
// Lengths and heights are in reaches (MotionFacts), speeds in reaches a second.

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bvhmill/validate/checked_clip.h"

namespace bvhmill {

// A direction that may be up: +X, +Y, +Z, -X, -Y, -Z.
inline constexpr int kPlusX = 0;
inline constexpr int kPlusY = 1;
inline constexpr int kPlusZ = 2;
constexpr size_t AxisOfDirection(int direction) {
  return static_cast<size_t>(direction % 3);
}
constexpr double SignOfDirection(int direction) {
  return direction < 3 ? 1 : -1;
}

// The bins in which heights are counted. Those beyond +-kHighest count as
// +-kHighest.
struct HeightBins {
  static constexpr double kHighest = 4;
  static constexpr int kCount = 2048;
  // 0.004 reaches, about 7 mm for a person.
  static constexpr double kWidth = 2 * kHighest / kCount;

  static int Of(float height);
  static double Middle(int bin) { return (bin + 0.5) * kWidth - kHighest; }
  // True if `height`, the middle of a bin, may stand for all heights beyond it.
  static bool IsAtEnd(double height) {
    return std::fabs(height) > kHighest - kWidth;
  }
};

// The lowest point of the feet.
struct LowestFoot {
  double height = 0;
  // A frame of the clip.
  int64_t frame = -1;
  // An index of Landmarks::nodes.
  int32_t node = -1;
};

// How feet move while they touch the floor.
struct FootSlide {
  // The share of the pairs of frames with contact, and the median speed of the
  // feet in them.
  double contact = 0;
  double median = 0;
  // How far feet move with the root: 0 planted, 1 carried along, -1 for a walk
  // in place. Then the correlation of their steps, -1 to 1. Both are 0 if the
  // root stands.
  double gain = 0;
  double correlation = 0;
  // The root hardly moves in these pairs, so the gain says little.
  bool root_is_still = false;
};

// How the root rises and sinks with its height above the lowest foot.
struct RootRise {
  // The standard deviation of that height.
  double legs = 0;
  // How far the root rises while that height grows by 1: 1 on a floor, 0 if the
  // root keeps its height. The correlation of both, -1 to 1.
  double gain = 0;
  double correlation = 0;
};

// The feet in a pair of neighbouring frames.
struct FootStep {
  // The later frame of the pair, as a frame of the clip.
  int64_t frame = 0;
  // The height of the lowest foot node in that frame, and that of the root
  // above it.
  double low = 0;
  double legs = 0;
  // The speed of the slowest foot node, in any direction.
  double slowest = 0;
  // A foot touches the floor. Then `foot` is the velocity of the slowest node
  // there, across the direction of up. `root` is the same for the root, also
  // without contact.
  bool touches = false;
  std::array<double, 2> foot = {};
  std::array<double, 2> root = {};
};

// The steps of a clip, in order.
struct FootSteps {
  // From one step to the next: more than from frame to frame in a long clip.
  double seconds = 0;
  std::vector<FootStep> steps;
};

// Measures the judged frames of a clip. Frames that stand apart do not count.
// Steps and speeds are those of pairs of neighbouring judged frames: of all
// pairs, or of at most kMostPairs that are spread evenly over a long clip.
class FloorMeasure {
 public:
  static constexpr int64_t kMostPairs = 512;

  // `trunk` has at least one joint that may be the body root, as indices of
  // Landmarks::nodes; trunk[root] is the body root. Requires a clip with
  // landmarks and a reach, which outlives the measure.
  FloorMeasure(const CheckedClip& clip, std::span<const int32_t> trunk,
               size_t root);

  // The number of judged frames, and of those that count. Each step()-th frame
  // of the clip is judged.
  int64_t frames() const { return frames_; }
  int64_t counted() const { return last_ - first_ + 1; }
  int64_t step() const { return step_; }
  // False if a position of feet or head is not finite. The functions below then
  // return nothing of use.
  bool is_finite() const { return is_finite_; }
  // True if the body root is at more than one place.
  bool root_moves() const;
  // The mean of the unit vectors from the middle of the feet to the head; zero
  // without a head.
  std::array<double, 3> Up() const;

  // Sets the direction of up. Call it before the functions below.
  void SetUp(int direction);
  // The height below which the lowest foot node is in the share `share` of the
  // frames: the middle of a bin, or a height beyond the bins.
  double HeightOf(double share) const;
  // The number of frames whose lowest foot node is in a bin wholly below
  // `height`.
  int64_t CountBelow(double height) const;
  // The lowest foot node of all frames; the first one if several are equally
  // low.
  LowestFoot Lowest() const;
  // The height below which the lowest foot node is in a quarter of the frames,
  // for each of five equal parts of the clip. nullopt if a part has no pair.
  std::optional<std::array<double, 5>> PartHeights() const;
  // A foot touches the floor if its lowest node is below `height` in both
  // frames of a pair, and rises or falls slower than `vertical`.
  FootSlide Slide(double height, double vertical) const;
  RootRise Rise() const;
  // The steps of the feet over a floor at the height `floor`. None if the clip
  // is so long that its pairs are too far apart.
  FootSteps StepsOn(double floor) const;

 private:
  // The position of a landmark in a judged frame.
  const float* At(int32_t node, int64_t frame) const {
    return clip_.landmarks.data() + 3 * (node * frames_ + frame);
  }
  bool AreFinite(int32_t node) const;
  double HeightAt(int32_t node, int64_t frame) const {
    return scale_ * double{At(node, frame)[axis_]};
  }
  // The height of the lowest node of all feet.
  double LowestAt(int64_t frame) const {
    return scale_ * double{lowest_[static_cast<size_t>(frame)]};
  }
  int32_t LowestOf(std::span<const int32_t> foot, int64_t frame) const;
  // Calls body(t) for the pairs of the frames t - 1 and t that count.
  template <class Body>
  void ForEachPair(const Body& body) const {
    for (int64_t t = stride_; t < frames_; t += stride_) {
      if (t - 1 >= first_ && t <= last_) body(t);
    }
  }
  struct SlideSums;
  void AddSlide(std::span<const int32_t> foot, int64_t frame,
                SlideSums* sums) const;
  FootStep StepAt(int64_t frame, double floor) const;

  const CheckedClip& clip_;
  const Landmarks& landmarks_;
  int64_t step_ = 1;
  int64_t frames_ = 0;
  // The first and the last judged frame that count as motion, and the number of
  // frames from one pair to the next.
  int64_t first_ = 0;
  int64_t last_ = 0;
  int64_t stride_ = 1;
  // Seconds between two judged frames.
  double seconds_ = 0;
  int32_t root_ = 0;
  bool is_finite_ = true;
  // The direction of SetUp: its axis, and reaches along it in a unit of the
  // clip, below 0 if it leads down the axis.
  size_t axis_ = 0;
  double scale_ = 1;
  // The coordinate of the lowest foot node, by judged frame.
  std::vector<float> lowest_;
};

// Parts of a clip in which the whole figure is shifted, so that feet that stand
// move.

// A part of a clip in which feet slide, while they hardly do elsewhere.
struct SlidePart {
  int64_t first = 0;
  int64_t last = 0;
  // As in FootSlide.
  double median = 0;
  double gain = 0;
};

struct SlideLimits {
  // The least duration and speed of a part.
  double seconds = 0;
  double speed = 0;
  // Its least speed, as a multiple of the median of the clip.
  double contrast = 0;
};

// The part with the fastest slide. O(steps x steps in `seconds`).
std::optional<SlidePart> FindSlidePart(const FootSteps& feet,
                                       const SlideLimits& limits);

// A part of a clip in which the whole figure is higher or lower.
struct ShiftPart {
  int64_t first = 0;
  int64_t last = 0;
  // Below 0 if the figure sinks.
  double rise = 0;
};

// The largest shift above `least` from which the figure comes back. While a
// shift begins and ends no foot stands, and the length of the legs changes by
// less than the share `legs` of it: so it is no jump, no crouch and no step on
// a stair. O(steps).
std::optional<ShiftPart> FindShiftPart(const FootSteps& feet, double least,
                                       double legs);

// The sum of all steps in which the whole figure rises at once (or sinks, below
// 0). They are jumps of its root. O(steps).
double LiftedAtOnce(const FootSteps& feet);

}  // namespace bvhmill
