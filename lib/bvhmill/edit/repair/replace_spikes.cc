#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/clip/frame_rates.h"
#include "bvhmill/edit/repair/steps.h"
#include "bvhmill/edit/sample_pose.h"
#include "bvhmill/math/linear.h"
#include "bvhmill/report/thresholds.h"

namespace bvhmill {
namespace {

// The conditions are those of DATA_SPIKE for one frame;
// validate/motion/events/event_tests.cc has the rule.
struct SpikeLimits {
  // The size of one unit of a step, and of a kink: degrees, or shares of the
  // reach.
  double step_unit = 0;
  double kink_unit = 0;
  double size = 0;
  double size_per_second2 = 0;
  // Only rotations: a spike of a joint that is calm otherwise.
  double calm_size = 0;
};
constexpr double kCalmShare = 0.5;
constexpr double kLeastUsualKink = 0.3;
constexpr double kMostUsualKink = 10;
constexpr double kLeastOverNext = 1.5;
constexpr double kMostOverNext = 4;
constexpr double kOverFarther = 4;
// The least square of the steps of a half turn.
constexpr double kLeastHalfTurn = 1.2;
// Units of work for a value.
constexpr int64_t kSpikeWork = 40;

Quat<double> Minus(const Quat<double>& a, const Quat<double>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w};
}

SpikeLimits LimitsOf(ChannelKind kind, double reach,
                     const Thresholds& thresholds) {
  constexpr double kDegrees = 180 / std::numbers::pi;
  if (kind == ChannelKind::kRotation) {
    return {2 * kDegrees, kDegrees, thresholds[Threshold::DATA_SPIKE_degrees],
            thresholds[Threshold::DATA_SPIKE_degrees_per_second2],
            thresholds[Threshold::DATA_SPIKE_calm_degrees]};
  }
  return {1 / reach, 0.5 / reach, thresholds[Threshold::DATA_SPIKE_reach],
          thresholds[Threshold::DATA_SPIKE_reach_per_second2], 0};
}

// The poses of one track over all frames, and the spikes in them. The clip has
// kFewestMotionFrames or more.
class SpikeFinder {
 public:
  SpikeFinder(const Clip& clip, const Thresholds& thresholds, double reach)
      : clip_(clip),
        thresholds_(thresholds),
        reach_(reach),
        dt_(MotionFrameTime(clip.motion.frame_time)) {
    const auto frames = static_cast<size_t>(clip.motion.frames);
    poses_.reserve(frames);
    steps_.reserve(frames);
    kinks_.reserve(frames);
    is_known_.reserve(frames);
  }

  // Bytes that a finder holds for a clip with `frames` frames.
  static int64_t Bytes(int64_t frames) {
    // The list of spikes grows: three times its size.
    return frames *
           static_cast<int64_t>(sizeof(Quat<double>) + 2 * sizeof(double) + 1 +
                                2 * sizeof(FrameRun));
  }

  // The spikes of `track`, in order: a frame each, no two of them neighbours.
  std::vector<FrameRun> Find(const JointTrack& track);

 private:
  void ReadPoses(const JointTrack& track);
  void ComputeSteps();
  double StepAt(int64_t t) const { return At(steps_, t); }
  double KinkAt(int64_t t) const { return At(kinks_, t); }
  double At(const std::vector<double>& list, int64_t t) const {
    return t < 0 || t >= clip_.motion.frames ? 0 : list[static_cast<size_t>(t)];
  }
  // The frame and both neighbours have all values.
  bool IsKnown(int64_t t) const {
    const auto i = static_cast<size_t>(t);
    return is_known_[i - 1] != 0 && is_known_[i] != 0 && is_known_[i + 1] != 0;
  }
  bool IsBack(int64_t t) const;
  bool IsHalfTurn(int64_t t) const;
  bool IsInner(int64_t t) const;
  bool HasKinksOfSpike(int64_t t) const;
  bool IsLocalSpike(int64_t t) const;
  bool IsSpike(int64_t t, double usual_kink) const;
  double UsualKink() const;

  const Clip& clip_;
  const Thresholds& thresholds_;
  const double reach_;
  const double dt_;
  SpikeLimits limits_;
  std::vector<Quat<double>> poses_;
  // The frame has all values of the track.
  std::vector<uint8_t> is_known_;
  // The step to each frame, and the kink at it; 0 where they do not exist.
  std::vector<double> steps_;
  std::vector<double> kinks_;
};

// A frame that lacks values has the pose of the one before, and no step.
void SpikeFinder::ReadPoses(const JointTrack& track) {
  poses_.clear();
  is_known_.clear();
  std::vector<float> values;
  for (int64_t t = 0; t < clip_.motion.frames; ++t) {
    ReadValues(track, RowAt(clip_, t), &values);
    Quat<double> pose = PoseOf(clip_.skeleton, track, values);
    is_known_.push_back(IsFinite(track, RowAt(clip_, t)) ? 1 : 0);
    if (is_known_.back() == 0) {
      pose = t == 0 ? Quat<double>{} : poses_.back();
    }
    if (track.kind == ChannelKind::kRotation && t > 0 &&
        Dot(pose, poses_.back()) < 0) {
      pose = {-pose.x, -pose.y, -pose.z, -pose.w};
    }
    poses_.push_back(pose);
  }
}

void SpikeFinder::ComputeSteps() {
  const size_t frames = poses_.size();
  steps_.assign(frames, 0);
  kinks_.assign(frames, 0);
  for (size_t t = 1; t < frames; ++t) {
    const Quat<double> step = Minus(poses_[t], poses_[t - 1]);
    steps_[t] = limits_.step_unit * std::sqrt(Dot(step, step));
    if (t + 1 == frames) break;
    const Quat<double> kink = Minus(Minus(poses_[t + 1], poses_[t]), step);
    kinks_[t] = limits_.kink_unit * std::sqrt(Dot(kink, kink));
  }
}

// The root mean square of the kinks, each at most kMostUsualKink.
double SpikeFinder::UsualKink() const {
  double sum = 0;
  for (const double kink : kinks_) {
    sum += std::pow(std::min(kink, kMostUsualKink), 2);
  }
  return std::max(std::sqrt(sum / static_cast<double>(kinks_.size() - 2)),
                  kLeastUsualKink);
}

bool SpikeFinder::IsBack(int64_t t) const {
  const auto i = static_cast<size_t>(t);
  const Quat<double> way = Minus(poses_[i + 1], poses_[i - 1]);
  return limits_.step_unit * std::sqrt(Dot(way, way)) <=
         thresholds_[Threshold::DATA_SPIKE_back] *
             std::min(steps_[i], steps_[i + 1]);
}

// A joint that turns by about half a turn and back. The signs of such
// quaternions are chance, so that the way may read as a whole turn.
bool SpikeFinder::IsHalfTurn(int64_t t) const {
  const double least = std::min(StepAt(t), StepAt(t + 1));
  const double raw = least / limits_.step_unit;
  const bool is_rotation = limits_.calm_size > 0;
  if (!is_rotation || raw * raw < kLeastHalfTurn) return false;
  const auto i = static_cast<size_t>(t);
  const Quat<double>& next = poses_[i + 1];
  const Quat<double> way =
      Minus(poses_[i - 1], {-next.x, -next.y, -next.z, -next.w});
  return limits_.step_unit * std::sqrt(Dot(way, way)) <=
             thresholds_[Threshold::DATA_SPIKE_back] * least &&
         std::max(StepAt(t - 1), StepAt(t + 2)) <= kCalmShare * least;
}

// No end of the clip is near.
bool SpikeFinder::IsInner(int64_t t) const {
  constexpr int64_t kMargin = 4;
  return t >= kMargin && t + kMargin < clip_.motion.frames;
}

// The kink is many times those near by that the spike has no part in.
bool SpikeFinder::IsLocalSpike(int64_t t) const {
  constexpr double kLongestFrameTime = 1 / 23.9;
  const double near =
      std::max({KinkAt(t - 3), KinkAt(t - 2), KinkAt(t + 2), KinkAt(t + 3)});
  const double rate =
      thresholds_[Threshold::DATA_SPIKE_local_degrees_per_second2];
  return dt_ <= kLongestFrameTime && IsInner(t) &&
         KinkAt(t) >= thresholds_[Threshold::DATA_SPIKE_local_degrees] &&
         2 * KinkAt(t) / (dt_ * dt_) >= rate &&
         KinkAt(t) >= thresholds_[Threshold::DATA_SPIKE_local_ratio] * near;
}

// The kinks of a spike of a joint that moves. After a pose that stands first
// the second frame may have them, too, but the step from that pose is longer.
bool SpikeFinder::HasKinksOfSpike(int64_t t) const {
  const double most = std::max(StepAt(t), StepAt(t + 1));
  const double beside = std::max(StepAt(t - 1), StepAt(t + 2));
  if (StepAt(t) == 0 || (!IsInner(t) && beside > most)) return false;
  const double kink = KinkAt(t);
  return kink >= kLeastOverNext * std::max(KinkAt(t - 1), KinkAt(t + 1)) &&
         kink <= kMostOverNext * std::min(KinkAt(t - 1), KinkAt(t + 1)) &&
         kink >= kOverFarther * std::max(KinkAt(t - 2), KinkAt(t + 2));
}

bool SpikeFinder::IsSpike(int64_t t, double usual_kink) const {
  if (IsHalfTurn(t)) return true;
  const double kink = KinkAt(t);
  const bool is_fast = kink >= limits_.size &&
                       2 * kink / (dt_ * dt_) >= limits_.size_per_second2;
  const bool is_back = IsBack(t);
  if (is_fast && is_back) return true;
  if (is_fast && HasKinksOfSpike(t)) return true;
  const double least = std::min(StepAt(t), StepAt(t + 1));
  const bool is_calm =
      std::max(StepAt(t - 1), StepAt(t + 2)) <= kCalmShare * least;
  if (!(limits_.calm_size > 0) || !is_back || !is_calm) return false;
  return IsLocalSpike(t) ||
         (kink >= limits_.calm_size &&
          kink >= thresholds_[Threshold::DATA_SPIKE_calm_ratio] * usual_kink);
}

std::vector<FrameRun> SpikeFinder::Find(const JointTrack& track) {
  std::vector<FrameRun> spikes;
  if (track.kind == ChannelKind::kPosition && !(reach_ > 0)) return spikes;
  limits_ = LimitsOf(track.kind, reach_, thresholds_);
  ReadPoses(track);
  ComputeSteps();
  const double usual_kink = UsualKink();
  for (int64_t t = 1; t + 1 < clip_.motion.frames; ++t) {
    if (!IsKnown(t) || !IsSpike(t, usual_kink)) continue;
    const bool is_next = !spikes.empty() && spikes.back().end == t;
    // The larger of two neighbours is the spike; the other is its slope.
    if (is_next && KinkAt(spikes.back().begin) >= KinkAt(t)) continue;
    if (is_next) spikes.pop_back();
    spikes.push_back({t, t + 1});
  }
  return spikes;
}

void Replace(const JointTrack& track, int64_t frame, Clip* clip,
             std::span<float> blended) {
  const auto row = RowAt(clip, frame);
  BlendNode(clip->skeleton,
            clip->skeleton.nodes[static_cast<size_t>(track.node)],
            RowAt(*clip, frame - 1), RowAt(*clip, frame + 1), 0.5,
            Interpolation::kSlerp, blended);
  for (const size_t column : track.columns) row[column] = blended[column];
}

}  // namespace

absl::Status ReplaceSpikes(RepairedClip* repaired) {
  Clip& clip = *repaired->clip;
  const int64_t frames = clip.motion.frames;
  if (frames < kFewestMotionFrames) return absl::OkStatus();
  for (const JointTrack& track : repaired->tracks) {
    BVHMILL_RETURN_IF_ERROR(DrawWork(track, frames, 1, repaired->budget));
  }
  // A step is at every new pose of such a clip.
  if (RepeatsOf(clip, repaired->thresholds).are_many()) {
    return absl::OkStatus();
  }
  const int64_t bytes = SpikeFinder::Bytes(frames);
  BVHMILL_RETURN_IF_ERROR(HoldFrom(repaired->budget, bytes));
  SpikeFinder finder(clip, repaired->thresholds, Reach(clip.skeleton));
  std::vector<float> blended(clip.skeleton.channels.size());
  absl::Status status;
  for (const JointTrack& track : repaired->tracks) {
    if (IsOfEndSite(clip.skeleton, track)) continue;
    status = DrawWork(track, frames, kSpikeWork, repaired->budget);
    if (!status.ok()) break;
    std::vector<FrameRun> spikes = finder.Find(track);
    if (spikes.empty()) continue;
    for (const FrameRun& spike : spikes) {
      Replace(track, spike.begin, &clip, blended);
    }
    repaired->Note(IssueCode::REPAIR_SPIKE_REPLACED, track, std::move(spikes));
  }
  ReturnTo(repaired->budget, bytes);
  return status;
}

}  // namespace bvhmill
