// Joints, rates and Euler angles, slowly.

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <string>
#include <tuple>

#include "tests/validate/reference/reference_rules.h"

namespace bvhmill::testing {
// --- Fast turns, joints that stand still.
namespace {

bool IsTrunk(const Skeleton& skeleton, int32_t node) {
  const int32_t parent = skeleton.nodes[static_cast<size_t>(node)].parent;
  if (parent < 0) return true;
  const auto children =
      std::count_if(skeleton.nodes.begin(), skeleton.nodes.end(),
                    [&](const Node& n) { return n.parent == parent; });
  return children == 1 && IsTrunk(skeleton, parent);
}

// The rotation to frame t as an axis times degrees.
std::array<double, 3> TurnTo(const ReferenceTrack& track, int64_t t) {
  const Quat<double>& a = track.poses[static_cast<size_t>(t) - 1];
  const Quat<double> q = Multiply(track.poses[static_cast<size_t>(t)],
                                  Quat<double>{-a.x, -a.y, -a.z, a.w});
  const double sine = std::hypot(q.x, q.y, q.z);
  const double angle = 2 * std::asin(std::min(sine, 1.0)) * 180 *
                       std::numbers::inv_pi * (q.w < 0 ? -1 : 1);
  const double scale = sine > 0 ? angle / sine : 0;
  return {scale * q.x, scale * q.y, scale * q.z};
}

// Turns of 300 degrees within 0.3 s.
void FindTurns(const ReferenceTrack& track, Reference* r) {
  if (IsTrunk(r->clip.clip->skeleton, track.node)) return;
  const double most = 0.3 / r->clip.dt * 1.001;
  const double least_step = std::min(300 / most, 180.0) * 0.75;
  Finding f{"DATA_SPIN"};
  f.node = track.node;
  f.occurrences = 0;
  double worst = 0;
  std::array<double, 3> sum = {};
  double way = 0;
  int64_t frames = 0;
  for (int64_t t = 2; t + 1 < r->clip.frames; ++t) {
    if (track.Step(t) < least_step) frames = 0;
    if (track.Step(t) < least_step) continue;
    if (frames == 0) sum = {};
    if (frames == 0) way = 0;
    ++frames;
    const auto step = TurnTo(track, t);
    for (size_t k = 0; k < 3; ++k) sum[k] += step[k];
    way += std::hypot(step[0], step[1], step[2]);
    const double turn = std::hypot(sum[0], sum[1], sum[2]);
    const bool is_round = frames >= 3 && turn >= 300 && turn >= 0.95 * way;
    if (!is_round && frames < std::floor(most)) continue;
    const double speed = turn / static_cast<double>(frames);
    f.occurrences += is_round ? 1 : 0;
    if (is_round && speed > worst) {
      worst = speed;
      f.frame = t - frames + 1;
      f.last_frame = t;
    }
    frames = 0;
  }
  f.numbers = {{"degrees_per_second", worst / r->clip.dt}};
  if (f.occurrences > 0) r->findings.push_back(f);
}

}  // namespace

void FindSpins(Reference* r) {
  if (r->clip.dt >= 0.045 || r->clip.HasOddRate()) return;
  for (const ReferenceTrack* track : r->clip.Rotations()) {
    Finding f{"DATA_SPIN"};
    f.node = track->node;
    f.occurrences = 0;
    double worst = 0;
    for (int64_t t = 2; t + 2 < r->clip.frames; ++t) {
      const double turn = AngleOfStep(
          std::min({track->Step(t), track->Step(t + 1), track->Step(t + 2)}));
      if (turn / r->clip.dt < 3000) continue;
      ++f.occurrences;
      if (turn <= worst) continue;
      worst = turn;
      f.frame = t;
      f.last_frame = t + 2;
    }
    f.numbers = {{"degrees_per_second", worst / r->clip.dt}};
    if (f.occurrences > 0) {
      r->findings.push_back(f);
    } else {
      FindTurns(*track, r);
    }
  }
}

namespace {

// True for each frame that is equal to the one before.
std::vector<bool> StillFrames(const ReferenceTrack& track,
                              const ReferenceClip& clip) {
  std::vector<bool> still(static_cast<size_t>(clip.frames), false);
  for (int64_t t = 1; t < clip.frames; ++t) {
    bool is_equal = true;
    for (const int32_t c : track.columns) {
      is_equal = is_equal && clip.Value(t, c) == clip.Value(t - 1, c);
    }
    still[static_cast<size_t>(t)] = is_equal;
  }
  return still;
}

// At most a quarter of the joints that move by 2 degrees a second stand still
// in a fifth of the steps.
bool IsCaptured(const ReferenceClip& clip) {
  const auto steps = static_cast<double>(clip.frames - 1);
  int moving = 0;
  int resting = 0;
  for (const ReferenceTrack* track : clip.Rotations()) {
    if (track->MeanStep() / clip.dt < 2) continue;
    ++moving;
    const auto still = StillFrames(*track, clip);
    if (std::count(still.begin(), still.end(), true) > 0.2 * steps) ++resting;
  }
  return 4 * resting <= moving;
}

void FindFrozenJoint(const ReferenceTrack& track, bool is_captured,
                     Reference* r) {
  const int64_t frames = r->clip.frames;
  const std::vector<bool> still = StillFrames(track, r->clip);
  RepeatRun longest;
  for (const RepeatRun& run : RunsOf(still)) {
    if (run.rows > longest.rows) longest = run;
  }
  const auto run = static_cast<double>(longest.rows);
  const double outside = static_cast<double>(frames - 1) - run;
  if (run < 7 || (run + 1) * r->clip.dt < 0.5 || outside < 8) return;
  const auto skips = [&](int64_t t) {
    return (t == 1 && r->first_apart) || (t == frames - 1 && r->last_apart);
  };
  double own = 0;
  double body = 0;
  double body_in_run = 0;
  double zeros = 0;
  for (int64_t t = 1; t < frames; ++t) {
    const bool in_run = t > longest.first && t <= longest.first + longest.rows;
    zeros += still[static_cast<size_t>(t)] && !in_run ? 1 : 0;
    if (in_run) body_in_run += BodyStep(*r, t);
    if (skips(t)) continue;
    own += track.Step(t);
    body += BodyStep(*r, t);
  }
  const bool often_rests = zeros > 0.2 * outside;
  const bool is_keyed =
      often_rests &&
      (!is_captured || zeros + run > 0.65 * static_cast<double>(frames - 1));
  if (is_keyed || own / outside / r->clip.dt < 2 ||
      body_in_run / run < 0.25 * body / static_cast<double>(frames - 1)) {
    return;
  }
  Finding f{"DATA_FROZEN_JOINT"};
  const bool mostly_rests = 2 * longest.rows > frames - 1;
  if (often_rests || mostly_rests) f.severity = Severity::kHint;
  f.node = track.node;
  f.frame = longest.first;
  f.last_frame = longest.first + longest.rows;
  f.numbers = {{"frames", run + 1}};
  if (r->clip.frame_time() > 0) {
    f.numbers["seconds"] = (run + 1) * r->clip.frame_time();
  }
  r->findings.push_back(f);
}

}  // namespace

// --- Euler angles.

void FindFlips(Reference* r) {
  Finding f{"DATA_EULER_FLIP"};
  double wraps = 0;
  double flips = 0;
  std::set<int32_t> joints;
  for (int64_t t = r->first_apart ? 2 : 1;
       t < r->clip.frames - (r->last_apart ? 1 : 0); ++t) {
    for (const ReferenceTrack* track : r->clip.Rotations()) {
      double most = 0;
      int large = 0;
      for (const int32_t c : track->columns) {
        const double change =
            std::abs(r->clip.Value(t, c) - r->clip.Value(t - 1, c));
        most = std::max(most, change);
        large += change > 60 ? 1 : 0;
      }
      if ((most <= 180 && large < 2) || track->Step(t) >= most / 4) continue;
      (most > 180 ? wraps : flips) += 1;
      joints.insert(track->node);
      if (f.frame >= 0) continue;
      f.frame = t;
      f.node = track->node;
    }
  }
  if (f.frame < 0) return;
  f.severity = flips > 0 ? Severity::kHint : Severity::kInfo;
  f.occurrences = static_cast<int64_t>(wraps + flips);
  f.numbers = {{"wraps", wraps}, {"flips", flips}, {"joints", joints.size()}};
  r->findings.push_back(f);
}

namespace {

void FindGimbal(const ReferenceTrack& track, Reference* r) {
  const auto& channels = r->clip.clip->skeleton.channels;
  std::set<int> axes;
  for (const int32_t c : track.columns) {
    axes.insert(AxisOf(channels[static_cast<size_t>(c)]));
  }
  if (track.columns.size() != 3 || axes.size() != 3) return;
  const auto is_near = [&](int64_t t) {
    const double middle = r->clip.Value(t, track.columns[1]);
    return std::abs(std::cos(ToRadians(middle))) < std::sin(ToRadians(5.0));
  };
  const auto change = [&](int64_t t, size_t column) {
    const int32_t c = track.columns[column];
    return std::abs(
        std::remainder(r->clip.Value(t, c) - r->clip.Value(t - 1, c), 360));
  };
  Finding f{"DATA_GIMBAL_NEAR", Severity::kHint};
  f.node = track.node;
  f.occurrences = 0;
  double excess = 0;
  double outer = 0;
  double steps = 0;
  double worst = -1;
  for (int64_t t = 2; t + 1 < r->clip.frames; ++t) {
    if (!is_near(t) || !is_near(t - 1)) continue;
    const double turn = std::max(change(t, 0), change(t, 2));
    const double over = std::max(turn - 2 * track.Step(t), 0.0);
    excess += over;
    outer += turn;
    steps += track.Step(t);
    ++f.occurrences;
    if (over > worst) f.frame = t;
    worst = std::max(worst, over);
  }
  if (f.occurrences == 0 || excess < 360 || outer < 5 * steps) return;
  f.numbers = {{"degrees", excess}, {"frames", f.occurrences}};
  r->findings.push_back(f);
}

}  // namespace

void FindFrozenJoints(Reference* r) {
  const bool is_captured = IsCaptured(r->clip);
  for (const ReferenceTrack* track : r->clip.Rotations()) {
    FindFrozenJoint(*track, is_captured, r);
  }
}

void FindGimbals(Reference* r) {
  for (const ReferenceTrack* track : r->clip.Rotations()) {
    FindGimbal(*track, r);
  }
}

}  // namespace bvhmill::testing
