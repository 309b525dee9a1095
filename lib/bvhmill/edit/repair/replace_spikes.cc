#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "bvhmill/base/held_memory.h"
#include "bvhmill/base/status.h"
#include "bvhmill/clip/frame_rates.h"
#include "bvhmill/clip/reach.h"
#include "bvhmill/edit/repair/steps.h"
#include "bvhmill/edit/sample_pose.h"
#include "bvhmill/math/linear.h"
#include "bvhmill/report/thresholds.h"

namespace bvhmill {
namespace {

// The conditions are those of DATA_SPIKE for one frame;
// validate/motion/event_tests.cc has the rule.
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
  // Reads the poses of `track`, as Find does.
  void Read(const JointTrack& track);
  bool JumpsTo(int64_t t) const;
  bool JumpsOver(int64_t t) const;

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
  Read(track);
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

// The step to frame `t` exceeds those before and after it by a jump, as in
// DATA_JUMP.
bool SpikeFinder::JumpsTo(int64_t t) const {
  const bool is_rotation = limits_.calm_size > 0;
  const double least = thresholds_[is_rotation ? Threshold::DATA_JUMP_degrees
                                               : Threshold::DATA_JUMP_reach];
  return StepAt(t) - std::max(StepAt(t - 1), StepAt(t + 1)) >= least;
}

// The steps to frame `t` and from it are a jump over two frames, as in
// DATA_JUMP.
bool SpikeFinder::JumpsOver(int64_t t) const {
  const bool is_rotation = limits_.calm_size > 0;
  const double least = thresholds_[is_rotation ? Threshold::DATA_JUMP_degrees
                                               : Threshold::DATA_JUMP_reach];
  const double ratio =
      thresholds_[is_rotation ? Threshold::DATA_JUMP_quick_ratio
                              : Threshold::DATA_JUMP_spread_reach_ratio];
  return StepAt(t) + StepAt(t + 1) >= least &&
         std::min(StepAt(t), StepAt(t + 1)) >=
             ratio * std::max(StepAt(t - 1), StepAt(t + 2));
}

void SpikeFinder::Read(const JointTrack& track) {
  limits_ = LimitsOf(track.kind, reach_, thresholds_);
  ReadPoses(track);
  ComputeSteps();
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

// The frames of one track that are replaced, and those that are left since the
// joint would jump there.
struct Outcome {
  std::vector<FrameRun> replaced;
  std::vector<FrameRun> left;
};

bool Has(const std::vector<FrameRun>& frames, int64_t frame) {
  return std::any_of(frames.begin(), frames.end(),
                     [&](const FrameRun& run) { return run.begin == frame; });
}

// Replaces the spikes of a track, and looks again until there are none: a frame
// beside one may be a spike only now.
absl::Status ReplaceInTrack(const JointTrack& track, SpikeFinder* finder,
                            RepairedClip* repaired, Outcome* outcome) {
  constexpr int kMostPasses = 4;
  Clip& clip = *repaired->clip;
  std::vector<float> blended(clip.skeleton.channels.size());
  for (int pass = 0; pass < kMostPasses; ++pass) {
    BVHMILL_RETURN_IF_ERROR(
        DrawWork(track, clip.motion.frames, kSpikeWork, repaired->budget));
    std::vector<FrameRun> spikes = finder->Find(track);
    std::erase_if(spikes, [&](const FrameRun& spike) {
      return Has(outcome->left, spike.begin);
    });
    if (spikes.empty()) break;
    std::vector<float> before;
    std::vector<bool> jumped;
    for (const FrameRun& spike : spikes) {
      const int64_t t = spike.begin;
      jumped.push_back(finder->JumpsTo(t - 1) || finder->JumpsTo(t + 2));
      for (const size_t column : track.columns) {
        before.push_back(RowAt(clip, t)[column]);
      }
    }
    for (const FrameRun& spike : spikes) {
      Replace(track, spike.begin, &clip, blended);
    }
    finder->Read(track);
    for (size_t i = 0; i < spikes.size(); ++i) {
      const int64_t t = spikes[i].begin;
      const bool jumps =
          finder->JumpsOver(t) ||
          (!jumped[i] && (finder->JumpsTo(t - 1) || finder->JumpsTo(t + 2)));
      (jumps ? outcome->left : outcome->replaced).push_back(spikes[i]);
      if (!jumps) continue;
      for (size_t k = 0; k < track.columns.size(); ++k) {
        RowAt(&clip, t)[track.columns[k]] =
            before[i * track.columns.size() + k];
      }
    }
  }
  const auto by_begin = [](const FrameRun& a, const FrameRun& b) {
    return a.begin < b.begin;
  };
  std::sort(outcome->replaced.begin(), outcome->replaced.end(), by_begin);
  std::sort(outcome->left.begin(), outcome->left.end(), by_begin);
  return absl::OkStatus();
}

}  // namespace

absl::Status ReplaceSpikes(RepairedClip* repaired) {
  const Clip& clip = *repaired->clip;
  const int64_t frames = clip.motion.frames;
  if (frames < kFewestMotionFrames) return absl::OkStatus();
  for (const JointTrack& track : repaired->tracks) {
    BVHMILL_RETURN_IF_ERROR(DrawWork(track, frames, 1, repaired->budget));
  }
  // A step is at every new pose of such a clip.
  if (RepeatsOf(clip, repaired->thresholds).are_many()) {
    return absl::OkStatus();
  }
  HeldMemory memory(repaired->budget);
  BVHMILL_RETURN_IF_ERROR(memory.Draw(SpikeFinder::Bytes(frames)));
  SpikeFinder finder(clip, repaired->thresholds,
                     ReachOf(clip.skeleton, {}, frames, clip.motion.values));
  for (const JointTrack& track : repaired->tracks) {
    if (IsOfEndSite(clip.skeleton, track)) continue;
    Outcome outcome;
    BVHMILL_RETURN_IF_ERROR(ReplaceInTrack(track, &finder, repaired, &outcome));
    for (auto [code, runs] :
         {std::pair{IssueCode::REPAIR_SPIKE_REPLACED, &outcome.replaced},
          std::pair{IssueCode::REPAIR_SPIKE_LEFT, &outcome.left}}) {
      if (!runs->empty()) repaired->Note(code, track, std::move(*runs));
    }
  }
  return absl::OkStatus();
}

}  // namespace bvhmill
