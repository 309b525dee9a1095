// DATA_SPIN: a joint turns at DATA_SPIN.degrees_per_second or more in three
// steps in a row. Or a joint, but not one that turns the whole body, turns by
// DATA_SPIN.turn about one axis within DATA_SPIN.seconds.

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "bvhmill/clip/clip_info.h"
#include "bvhmill/report/issue_log.h"
#include "bvhmill/validate/motion/motion_clip.h"
#include "bvhmill/validate/motion/motion_rule.h"

namespace bvhmill {
namespace {

// At slower rates the true angle of a step is not known: half a turn more or
// less looks the same.
constexpr double kLongestSpinFrameTime = 0.045;
constexpr int64_t kFramesLater = 2;

// A turn takes at least this many frames: fewer may be half a turn and back.
constexpr int32_t kFewestTurnFrames = 3;
// The least length of the sum of the rotation vectors of a turn, as a share of
// the sum of their lengths: the turn is about one axis.
constexpr float kOneAxis = 0.95F;

// The slowest step of a turn, as a share of the mean step of the slowest turn.
constexpr double kSlowest = 0.75;

// A run of fast steps: the sum of their rotation vectors (`turn`), and of their
// angles (`way`), in degrees.
struct TurnRun {
  int64_t first = 0;
  int32_t frames = 0;
  float way = 0;
  std::array<float, 3> turn = {};
};

// The turns of a track. `frame`, `frames` and the speed are those of the
// fastest one.
struct Turns {
  int32_t count = 0;
  int32_t frames = 0;
  int64_t first = 0;
  int64_t last = 0;
  int64_t frame = 0;
  float degrees_per_frame = 0;
};

// A step that may be part of a turn, or the first one of three that are too
// fast.
struct FastStep {
  int32_t track = 0;
  bool is_in_turn = false;
  int64_t frame = 0;
  // The step, or the least of three steps that are too fast.
  float step = 0;
};

// The spins of a track: `count` places where three steps in a row are too fast,
// and turns.
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
  explicit SpinRule(const MotionClip& clip);
  void Look(const MotionBlock& block) override;
  void Append(const MotionRule& later) override {
    AppendFound(static_cast<const SpinRule&>(later).found_, &found_);
  }
  int64_t Bytes() const override { return BytesOf(found_); }
  void Decide(IssueLog* log) override;

 private:
  void FindTrunk();
  bool IsInTurn(const float* steps, int64_t frame) const;
  void AddStep(const std::array<double, 3>& step, int64_t frame,
               Spin* spin) const;
  void AddRun(const MotionTrack& track, std::span<const FastStep> run,
              Spin* spin) const;
  Spin SpinOf(const MotionTrack& track, std::span<const FastStep> steps) const;
  void Log(int32_t node, const Spin& spin, IssueLog* log) const;
  void LogTurns(int32_t node, const Turns& turns, IssueLog* log) const;

  float least_ = 0;
  // The least step of a turn, and the most frames of one.
  float least_turn_ = 0;
  int32_t most_frames_ = 0;
  // By node: 1 if the joint turns the whole body.
  std::vector<uint8_t> is_trunk_;
  std::vector<FastStep> found_;
};

SpinRule::SpinRule(const MotionClip& clip) : MotionRule(clip) {
  const double turn = std::min(
      clip[Threshold::DATA_SPIN_degrees_per_second] * clip.facts->dt, 360.0);
  // The chord of the step. That of more than half a turn is longer than any
  // step, so the rule then finds nothing.
  const double chord = 2 * std::sin(turn / 4 / kDegrees);
  const bool is_judged = !IsBeyondRates(clip.frame_time) &&
                         clip.facts->dt < kLongestSpinFrameTime && turn > 0;
  least_ = is_judged ? static_cast<float>(chord * chord) : HUGE_VALF;
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

// The trunk is each root, its only child, the only child of that, and so on.
void SpinRule::FindTrunk() {
  const auto& nodes = clip_.skeleton->nodes;
  std::vector<int32_t> children(nodes.size());
  for (const Node& node : nodes) {
    if (node.parent >= 0) ++children[static_cast<size_t>(node.parent)];
  }
  is_trunk_.assign(nodes.size(), 0);
  for (size_t i = 0; i < nodes.size(); ++i) {
    const auto parent = static_cast<size_t>(nodes[i].parent);
    const bool is_root = nodes[i].parent < 0;
    const bool is_trunk =
        is_root || (is_trunk_[parent] != 0 && children[parent] == 1);
    is_trunk_[i] = is_trunk ? 1 : 0;
  }
}

void SpinRule::AddStep(const std::array<double, 3>& step, int64_t frame,
                       Spin* spin) const {
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
                        turn >= clip_[Threshold::DATA_SPIN_turn];
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

// True if the step to `frame` may be part of a turn: it is large, and so are
// its neighbours that make kFewestTurnFrames with it. `steps` points to it. The
// step to the last frame may be no part of the motion, and counts as large.
bool SpinRule::IsInTurn(const float* steps, int64_t frame) const {
  const auto is_large = [&](int64_t at) {
    return frame + at >= clip_.frames - 1 || steps[at] >= least_turn_;
  };
  if (!is_large(0)) return false;
  static_assert(kFewestTurnFrames == 3);
  return is_large(-1) ? is_large(-2) || is_large(1)
                      : is_large(1) && is_large(2);
}

// Skips the steps from the first and to the last frame, which may be no part of
// the motion.
void SpinRule::Look(const MotionBlock& block) {
  if (block.track >= clip_.rotations) return;
  const bool is_trunk =
      is_trunk_[static_cast<size_t>(clip_.tracks[block.track].node)] != 0;
  const float slowest = is_trunk ? least_ : std::min(least_turn_, least_);
  if (block.sums.max_step < slowest) return;
  const int64_t begin = std::max<int64_t>(block.first, 2);
  const int64_t end = std::min(block.end(), clip_.frames - 1);
  const float* const steps = block.steps.data();
  const size_t last = block.IndexOf(std::max(begin, end));
  const auto is_fast = [=](size_t i) { return steps[i] >= slowest; };
  for (size_t i = FirstOf(block.IndexOf(begin), last, is_fast); i < last;
       i = FirstOf(i + 1, last, is_fast)) {
    const auto id = static_cast<int32_t>(block.track);
    const int64_t frame = block.FrameOf(i);
    if (!is_trunk && IsInTurn(steps + i, frame)) {
      found_.push_back({id, true, frame, steps[i]});
    }
    const float least = std::min({steps[i], steps[i + 1], steps[i + 2]});
    const bool has_three = frame + kFramesLater < clip_.frames;
    if (has_three && least >= least_)
      found_.push_back({id, false, frame, least});
  }
}

// Searches a run of steps without a gap for turns, if their sum is enough for
// one.
void SpinRule::AddRun(const MotionTrack& track, std::span<const FastStep> run,
                      Spin* spin) const {
  double way = 0;
  for (const FastStep& step : run) way += AngleDegrees(step.step);
  // Leaves room for rounding.
  constexpr double kLess = 0.999;
  if (way < kLess * clip_[Threshold::DATA_SPIN_turn]) return;
  spin->run.frames = 0;
  Quat<double> before = PoseAt(clip_, track, run.front().frame - 1);
  for (const FastStep& step : run) {
    const Quat<double> pose = PoseAt(clip_, track, step.frame);
    AddStep(TurnBetween(before, pose), step.frame, spin);
    before = pose;
  }
}

Spin SpinRule::SpinOf(const MotionTrack& track,
                      std::span<const FastStep> steps) const {
  Spin spin;
  std::vector<FastStep> run;
  for (const FastStep& step : steps) {
    if (step.is_in_turn) {
      const bool follows = !run.empty() && run.back().frame == step.frame - 1;
      if (!follows && !run.empty()) {
        AddRun(track, run, &spin);
        run.clear();
      }
      run.push_back(step);
      continue;
    }
    if (spin.count++ == 0) spin.first = step.frame;
    spin.last = step.frame;
    if (step.step <= spin.step) continue;
    spin.step = step.step;
    spin.frame = step.frame;
  }
  if (!run.empty()) AddRun(track, run, &spin);
  return spin;
}

void SpinRule::LogTurns(int32_t node, const Turns& turns, IssueLog* log) const {
  Location at = MotionLocation(clip_, node, turns.frame);
  at.last_frame = turns.frame + turns.frames - 1;
  const double speed = turns.degrees_per_frame / clip_.facts->dt;
  log->Add(IssueCode::DATA_SPIN, at,
           {{"joint", QuotedNode(clip_, node)},
            {"degrees_per_second", Short(speed)},
            {"first", std::to_string(turns.first)},
            {"last", std::to_string(turns.last)}},
           turns.count);
}

void SpinRule::Log(int32_t node, const Spin& spin, IssueLog* log) const {
  if (spin.count == 0) {
    if (spin.turns.count > 0) LogTurns(node, spin.turns, log);
    return;
  }
  Location at = MotionLocation(clip_, node, spin.frame);
  at.last_frame = spin.frame + kFramesLater;
  log->Add(
      IssueCode::DATA_SPIN, at,
      {{"joint", QuotedNode(clip_, node)},
       {"degrees_per_second", Short(AngleDegrees(spin.step) / clip_.facts->dt)},
       {"first", std::to_string(spin.first)},
       {"last", std::to_string(spin.last)}},
      spin.count);
}

void SpinRule::Decide(IssueLog* log) {
  ForEachTrack(&found_, [&](size_t track, std::span<const FastStep> steps) {
    const MotionTrack& which = clip_.tracks[track];
    Log(which.node, SpinOf(which, steps), log);
  });
}

}  // namespace

std::unique_ptr<MotionRule> MakeSpinRule(const MotionClip& clip) {
  return std::make_unique<SpinRule>(clip);
}

}  // namespace bvhmill
