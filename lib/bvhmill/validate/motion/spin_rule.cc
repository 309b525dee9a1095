// Joints that turn too fast for three steps in a row, or all the way round in a
// short time.

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "bvhmill/clip/frame_rates.h"
#include "bvhmill/report/short_number.h"
#include "bvhmill/validate/motion/motion_units.h"
#include "bvhmill/validate/motion/rules.h"

namespace bvhmill {
namespace {

// At slower rates the true angle of a step is not known: half a turn more or
// less looks the same.
constexpr double kLongestSpinFrameTime = 0.045;
constexpr int64_t kFramesLater = 2;

// A turn takes this many frames or more: fewer may be half a turn and back.
constexpr int32_t kFewestTurnFrames = 3;
// The share of the way of a joint that is about one axis.
constexpr float kOneAxis = 0.95F;

// The slowest step, as a share of the mean of the slowest turn.
constexpr double kSlowest = 0.75;

// A run of fast steps: their rotation vectors, and the sum of their angles.
struct TurnRun {
  int64_t first = 0;
  int32_t frames = 0;
  float way = 0;
  std::array<float, 3> turn = {};
};

// The turns that were found, and the fastest one.
struct Turns {
  int32_t count = 0;
  int32_t frames = 0;
  int64_t first = 0;
  int64_t last = 0;
  int64_t frame = 0;
  float degrees_per_frame = 0;
};

struct Spin {
  int64_t count = 0;
  int64_t first = 0;
  int64_t last = 0;
  // The place of the fastest one, and the least of its three steps.
  int64_t frame = 0;
  float step = 0;
  TurnRun run;
  Turns turns;
};

// The rotation from a to b as an axis times degrees; at most half a turn.
std::array<double, 3> TurnBetween(const Quat<double>& a,
                                  const Quat<double>& b) {
  Quat<double> turn = Multiply(b, Quat<double>{-a.x, -a.y, -a.z, a.w});
  if (turn.w < 0) turn = {-turn.x, -turn.y, -turn.z, -turn.w};
  const double sine = std::hypot(turn.x, turn.y, turn.z);
  const double degrees = 2 * kDegrees * std::atan2(sine, turn.w);
  const double scale = sine > 0 ? degrees / sine : 0;
  return {scale * turn.x, scale * turn.y, scale * turn.z};
}

class SpinRule final : public MotionRule {
 public:
  void Begin(const MotionClip& clip) override;
  void Add(const MotionBlock& block) override;
  void Finish(IssueLog* log) override;

 private:
  void FindTrunk();
  bool IsInTurn(const float* steps, size_t i, size_t last) const;
  void AddTurns(const MotionBlock& block, size_t track);
  void AddStep(const std::array<double, 3>& step, int64_t frame, Spin* spin);
  void LogTurns(size_t track, IssueLog* log) const;

  const MotionClip* clip_ = nullptr;
  float least_ = 0;
  // The least step of a turn, and the most frames of one.
  float least_turn_ = 0;
  int32_t most_frames_ = 0;
  // By node: it turns the whole body.
  std::vector<uint8_t> is_trunk_;
  // By node: the number of its children. Kept from clip to clip.
  std::vector<int32_t> children_;
  std::vector<Spin> spins_;
};

void SpinRule::Begin(const MotionClip& clip) {
  clip_ = &clip;
  const double turn = std::min(
      clip[Threshold::DATA_SPIN_degrees_per_second] * clip.facts->dt, 360.0);
  // No step reaches the chord of more than half a turn.
  const double chord = 2 * std::sin(turn / 4 / kDegrees);
  const bool is_judged = !IsBeyondRates(clip.frame_time) &&
                         clip.facts->dt < kLongestSpinFrameTime && turn > 0;
  least_ = is_judged ? static_cast<float>(chord * chord) : HUGE_VALF;
  spins_.assign(clip.rotations, {});
  constexpr double kMostFrames = 1e6;
  constexpr double kRounding = 1.001;
  const double frames = std::clamp(
      clip[Threshold::DATA_SPIN_seconds] / clip.facts->dt * kRounding, 1.0,
      kMostFrames);
  most_frames_ = static_cast<int32_t>(frames);
  // No step of a turn is much slower than the mean.
  const double mean = clip[Threshold::DATA_SPIN_turn] / frames;
  least_turn_ =
      is_judged ? StepOf(std::min(mean, 180.0) * kSlowest) : HUGE_VALF;
  FindTrunk();
}

// The roots and their only children in a row.
void SpinRule::FindTrunk() {
  const auto& nodes = clip_->skeleton->nodes;
  children_.assign(nodes.size(), 0);
  for (const Node& node : nodes) {
    if (node.parent >= 0) ++children_[static_cast<size_t>(node.parent)];
  }
  is_trunk_.assign(nodes.size(), 0);
  for (size_t i = 0; i < nodes.size(); ++i) {
    const auto parent = static_cast<size_t>(nodes[i].parent);
    const bool is_root = nodes[i].parent < 0;
    const bool is_trunk =
        is_root || (is_trunk_[parent] != 0 && children_[parent] == 1);
    is_trunk_[i] = is_trunk ? 1 : 0;
  }
}

void SpinRule::AddStep(const std::array<double, 3>& step, int64_t frame,
                       Spin* spin) {
  TurnRun& run = spin->run;
  if (run.frames == 0) run = {frame, 0, 0, {}};
  ++run.frames;
  run.way += static_cast<float>(std::hypot(step[0], step[1], step[2]));
  for (size_t k = 0; k < step.size(); ++k) {
    run.turn[k] += static_cast<float>(step[k]);
  }
  const float turn = std::hypot(run.turn[0], run.turn[1], run.turn[2]);
  const bool is_round = run.frames >= kFewestTurnFrames &&
                        turn >= kOneAxis * run.way &&
                        turn >= (*clip_)[Threshold::DATA_SPIN_turn];
  if (!is_round && run.frames < most_frames_) return;
  if (is_round) {
    Turns& turns = spin->turns;
    if (turns.count++ == 0) turns.first = run.first;
    turns.last = frame;
    const float speed = turn / static_cast<float>(run.frames);
    if (speed > turns.degrees_per_frame) {
      turns.degrees_per_frame = speed;
      turns.frame = run.first;
      turns.frames = run.frames;
    }
  }
  run.frames = 0;
}

// True if the step at `i` may be part of a turn: it is large, and so are its
// neighbours that make kFewestTurnFrames with it. Steps from `last` on are not
// known yet.
bool SpinRule::IsInTurn(const float* steps, size_t i, size_t last) const {
  const auto is_large = [&](size_t at) {
    return at >= last || steps[at] >= least_turn_;
  };
  if (!is_large(i)) return false;
  static_assert(kFewestTurnFrames == 3 && kStepLead > 2);
  return is_large(i - 1) ? is_large(i - 2) || is_large(i + 1)
                         : is_large(i + 1) && is_large(i + 2);
}

// The steps to the first and the last frame are left out: these may be no part
// of the motion.
void SpinRule::AddTurns(const MotionBlock& block, size_t track) {
  const MotionTrack& which = clip_->tracks[track];
  Spin& spin = spins_[track];
  const float* const steps = block.StepsOf(track);
  const int64_t end = block.is_last ? block.end() - 1 : block.end();
  const size_t last = block.IndexOf(end);
  Quat<double> pose;
  size_t pose_at = 0;
  for (size_t i = block.IndexOf(std::max<int64_t>(block.first, 2)); i < last;
       ++i) {
    if (!IsInTurn(steps, i, last)) {
      spin.run.frames = 0;
      continue;
    }
    const Quat<double> before =
        pose_at == i - 1 ? pose : PoseAt(*clip_, block, which, i - 1);
    pose = PoseAt(*clip_, block, which, i);
    pose_at = i;
    AddStep(TurnBetween(before, pose), block.FrameOf(i), &spin);
  }
}

void SpinRule::Add(const MotionBlock& block) {
  const int64_t begin = std::max<int64_t>(block.BeginFor(kFramesLater), 2);
  for (size_t track = 0; track < spins_.size(); ++track) {
    const bool is_trunk =
        is_trunk_[static_cast<size_t>(clip_->tracks[track].node)] != 0;
    if (block.max_steps[track] < least_turn_) {
      spins_[track].run.frames = 0;
    } else if (!is_trunk) {
      AddTurns(block, track);
    }
    // One of the three steps is in this block.
    if (block.max_steps[track] < least_) continue;
    const float* steps = block.StepsOf(track);
    Spin& spin = spins_[track];
    for (int64_t t = begin; t < block.EndFor(kFramesLater); ++t) {
      const float* at = steps + block.IndexOf(t);
      const float step = std::min({at[0], at[1], at[2]});
      if (!(step >= least_)) continue;
      if (spin.count++ == 0) spin.first = t;
      spin.last = t;
      if (step <= spin.step) continue;
      spin.step = step;
      spin.frame = t;
    }
  }
}

void SpinRule::LogTurns(size_t track, IssueLog* log) const {
  const Turns& turns = spins_[track].turns;
  const int32_t node = clip_->tracks[track].node;
  Location at = MotionLocation(*clip_, node, turns.frame);
  at.last_frame = turns.frame + turns.frames - 1;
  const double speed = turns.degrees_per_frame / clip_->facts->dt;
  log->Add(IssueCode::DATA_SPIN, at,
           {{"joint", QuotedNode(*clip_, node)},
            {"degrees_per_second", Short(speed)},
            {"first", std::to_string(turns.first)},
            {"last", std::to_string(turns.last)}},
           turns.count);
}

void SpinRule::Finish(IssueLog* log) {
  for (size_t track = 0; track < spins_.size(); ++track) {
    const Spin& spin = spins_[track];
    if (spin.count == 0) {
      if (spin.turns.count > 0) LogTurns(track, log);
      continue;
    }
    const int32_t node = clip_->tracks[track].node;
    Location at = MotionLocation(*clip_, node, spin.frame);
    at.last_frame = spin.frame + kFramesLater;
    log->Add(IssueCode::DATA_SPIN, at,
             {{"joint", QuotedNode(*clip_, node)},
              {"degrees_per_second",
               Short(AngleDegrees(spin.step) / clip_->facts->dt)},
              {"first", std::to_string(spin.first)},
              {"last", std::to_string(spin.last)}},
             spin.count);
  }
}

}  // namespace

std::unique_ptr<MotionRule> MakeSpinRule() {
  return std::make_unique<SpinRule>();
}

}  // namespace bvhmill
