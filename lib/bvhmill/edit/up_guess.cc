#include "bvhmill/edit/up_guess.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/edit/joint_pose.h"
#include "bvhmill/skeletons/recognize.h"
#include "bvhmill/skeletons/up_axis.h"

namespace bvhmill {
namespace {

// The most frames that are looked at, and the units of work for a joint in one.
constexpr int64_t kMostFrames = 64;
constexpr int64_t kJointWork = 200;
// As DATA_UP_AXIS_GUESS.share.
constexpr double kClearShare = 0.7;
// The heights of hips, in reaches: of a figure that crouches, or jumps.
constexpr double kLowHips = 0.2;
constexpr double kHighHips = 1;
// The share of frames in which they must be there: a first frame may stand
// apart.
constexpr double kHipsShare = 0.75;

using Way = std::vector<int32_t>;

// The joints whose places are evidence, each as the way from the ROOT to it.
struct Figure {
  Way hips;
  // The head, or the neck without one. Empty if they are not known.
  Way head;
  std::vector<Way> feet;
};

Way WayTo(const Skeleton& skeleton, int32_t node) {
  Way way = JointsAbove(skeleton, node);
  way.push_back(node);
  return way;
}

Figure FigureOf(const Skeleton& skeleton, int32_t body_root) {
  const Recognition recognition = Recognize(skeleton);
  const int32_t hips = NodeOfRole(recognition, Role::kHips);
  int32_t head = NodeOfRole(recognition, Role::kHead);
  if (head < 0) head = NodeOfRole(recognition, Role::kNeck);
  Figure out;
  out.hips = WayTo(skeleton, hips >= 0 ? hips : body_root);
  for (const Role role : {Role::kLeftFoot, Role::kRightFoot}) {
    const int32_t foot = NodeOfRole(recognition, role);
    if (foot >= 0) out.feet.push_back(WayTo(skeleton, foot));
  }
  if (head >= 0 && !out.feet.empty()) out.head = WayTo(skeleton, head);
  return out;
}

Vec3<double> RestPlace(const Skeleton& skeleton, const Way& way) {
  Vec3<double> place = {};
  for (const int32_t node : way) {
    for (size_t i = 0; i < 3; ++i) {
      place[i] += double{skeleton.nodes[static_cast<size_t>(node)].offset[i]};
    }
  }
  return place;
}

// The unit vector from the middle of the feet to the head; 0 if they are at one
// place. `place_of` gives the place at the end of a way.
template <typename PlaceOf>
Vec3<double> FeetToHead(const Figure& figure, PlaceOf place_of) {
  Vec3<double> up = place_of(figure.head);
  for (const Way& foot : figure.feet) {
    const Vec3<double> place = place_of(foot);
    for (size_t i = 0; i < 3; ++i) {
      up[i] -= place[i] / static_cast<double>(figure.feet.size());
    }
  }
  const double length = std::hypot(up[0], up[1], up[2]);
  for (double& x : up) x = length > 0 ? x / length : 0;
  return up;
}

UpAxis AxisAlong(const Vec3<double>& up) {
  const std::optional<int> direction = ClearDirection(up, kClearShare);
  if (!direction || *direction % 3 == 0) return UpAxis::kUnknown;
  return *direction % 3 == 1 ? UpAxis::kY : UpAxis::kZ;
}

// The evidence of the sampled frames.
struct Samples {
  int64_t frames = 0;
  // The sum of the vectors from the feet to the head.
  Vec3<double> up = {};
  // The frames in which the hips are at the height of hips along X, Y and Z.
  std::array<int64_t, 3> hips = {};

  bool AreHips(size_t axis) const {
    return static_cast<double>(hips[axis]) >=
           kHipsShare * static_cast<double>(frames);
  }
};

Samples SampleFrames(const Clip& clip, const Conventions& conventions,
                     const Figure& figure) {
  const Skeleton& skeleton = clip.skeleton;
  const double reach = Reach(skeleton);
  const size_t width = skeleton.channels.size();
  const std::span<const float> values = clip.motion.values;
  const int64_t step = (clip.motion.frames - 1) / kMostFrames + 1;
  Samples out;
  for (int64_t i = 0; i < clip.motion.frames; i += step, ++out.frames) {
    const auto row = values.subspan(static_cast<size_t>(i) * width, width);
    const auto place_of = [&](const Way& way) {
      return WorldPoseOf(skeleton, conventions, way, row).place;
    };
    const Vec3<double> hips = place_of(figure.hips);
    for (size_t axis = 0; axis < 3; ++axis) {
      const bool are_hips = reach > 0 && hips[axis] >= kLowHips * reach &&
                            hips[axis] <= kHighHips * reach;
      out.hips[axis] += are_hips ? 1 : 0;
    }
    if (figure.head.empty()) continue;
    const Vec3<double> up = FeetToHead(figure, place_of);
    for (size_t axis = 0; axis < 3; ++axis) out.up[axis] += up[axis];
  }
  for (double& x : out.up) {
    x /= static_cast<double>(std::max<int64_t>(out.frames, 1));
  }
  return out;
}

}  // namespace

absl::StatusOr<UpGuess> GuessUpAxis(const Clip& clip,
                                    const Conventions& conventions,
                                    int32_t body_root, Budget* budget) {
  const Skeleton& skeleton = clip.skeleton;
  BVHMILL_RETURN_IF_ERROR(
      WorkFrom(budget, RecognitionUnits(skeleton.nodes.size())));
  const Figure figure = FigureOf(skeleton, body_root);
  size_t joints = figure.hips.size() + figure.head.size();
  for (const Way& foot : figure.feet) joints += foot.size();
  BVHMILL_RETURN_IF_ERROR(WorkFrom(
      budget, kMostFrames * kJointWork * static_cast<int64_t>(joints)));
  const Samples samples = SampleFrames(clip, conventions, figure);
  UpEvidence evidence;
  if (!figure.head.empty()) {
    evidence.pose = AxisAlong(samples.up);
    evidence.rest = AxisAlong(FeetToHead(
        figure, [&](const Way& way) { return RestPlace(skeleton, way); }));
  }
  if (samples.frames > 0 && samples.AreHips(1) != samples.AreHips(2)) {
    evidence.height = samples.AreHips(1) ? UpAxis::kY : UpAxis::kZ;
  }
  UpGuess guess;
  guess.axis = ChooseUpAxis(evidence);
  const std::pair<UpAxis, const char*> kVotes[] = {
      {evidence.pose, "its poses"},
      {evidence.rest, "its rest pose"},
      {evidence.height, "the height of its hips"}};
  for (const auto& [axis, words] : kVotes) {
    if (axis != guess.axis) continue;
    guess.evidence += (guess.evidence.empty() ? "" : ", ") + std::string(words);
  }
  return guess;
}

}  // namespace bvhmill
