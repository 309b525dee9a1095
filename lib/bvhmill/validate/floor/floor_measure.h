#pragma once

// Measures of the feet and the head of a figure, in the judged frames of a clip
// (see LandmarkStep). Private to validate/.

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bvhmill/validate/checked_clip.h"
#include "bvhmill/validate/floor/foot_steps.h"

namespace bvhmill {

// A direction that may be up: +X, +Y, +Z, -X, -Y, -Z.
inline constexpr int kPlusY = 1;
inline constexpr int kPlusZ = 2;
constexpr size_t AxisOfDirection(int direction) {
  return static_cast<size_t>(direction % 3);
}
constexpr double SignOfDirection(int direction) {
  return direction < 3 ? 1 : -1;
}

// Heights in reaches are counted in bins. Those beyond +-kHighest count as
// kHighest.
struct HeightBins {
  static constexpr double kHighest = 4;
  static constexpr int kCount = 2048;
  // 0.004 reaches, about 7 mm of a person.
  static constexpr double kWidth = 2 * kHighest / kCount;

  static int Of(float height);
  static double Middle(int bin) { return (bin + 0.5) * kWidth - kHighest; }
  // True if `height`, the middle of a bin, stands for all heights beyond it.
  static bool IsAtEnd(double height) {
    return std::fabs(height) > kHighest - kWidth;
  }
};

// The lowest point of a foot. The height is in reaches.
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

// Frames that stand apart do not count. Ways and speeds are those of pairs of
// neighbouring judged frames: of all, or of at most kMostPairs that are spread
// evenly over a long clip.
class FloorMeasure {
 public:
  static constexpr int64_t kMostPairs = 512;

  // `trunk`, indices of Landmarks::nodes, are the joints that may be the body
  // root, at least one; number `root` of them is the body root. The clip has
  // landmarks and a reach, and stays.
  FloorMeasure(const CheckedClip& clip, std::span<const int32_t> trunk,
               size_t root);

  // Judged frames, and those of them that count; every how manyth frame is
  // judged.
  int64_t frames() const { return frames_; }
  int64_t counted() const { return last_ - first_ + 1; }
  int64_t step() const { return step_; }
  // False if a position of feet or head is not finite. All below is void then.
  bool is_finite() const { return is_finite_; }
  // True if the body root is at two places.
  bool root_moves() const;
  // The mean of the unit vectors from the middle of the feet to the head; zero
  // without a head.
  std::array<double, 3> Up() const;

  // Measures heights along this direction from now on.
  void SetUp(int direction);
  // The height in reaches that the share `share` of the lowest foot nodes is
  // below: the middle of a bin, or a height beyond the bins.
  double HeightOf(double share) const;
  // The lowest foot nodes in bins that are wholly below `height`.
  int64_t CountBelow(double height) const;
  // The lowest foot node of all frames; the first one if several are equally
  // low.
  LowestFoot Lowest() const;
  // The height that a quarter of the frames is below, in each of five equal
  // parts of the clip. Nothing if a part has no sample.
  std::optional<std::array<double, 5>> PartHeights() const;
  // How feet move while they touch the floor: their lowest node is below
  // `height` in both frames of a pair, and rises and falls slower than
  // `vertical` reaches a second.
  FootSlide Slide(double height, double vertical) const;
  RootRise Rise() const;
  // The steps of the feet over a floor at the height `floor`; none if the clip
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
  // The lowest node of all feet.
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
  // By judged frame, the coordinate of the lowest foot node.
  std::vector<float> lowest_;
};

}  // namespace bvhmill
