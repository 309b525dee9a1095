// DATA_JITTER: a joint turns or moves back and forth more often than a person
// can. Of three kinds of evidence the strongest one of a track is logged:
//
//   noisy seconds  many small reversals in each of some seconds
//   bursts         a few large reversals in a short time
//   swings         long ways from one reversal to the next in a short time,
//                  however small the steps next to the reversals are

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/clip/clip_info.h"
#include "bvhmill/report/issue_log.h"
#include "bvhmill/validate/motion/motion_block.h"
#include "bvhmill/validate/motion/motion_clip.h"
#include "bvhmill/validate/motion/motion_rule.h"

namespace bvhmill {
namespace {

// Swings: the ways of a track from one reversal to the next.

// A frame at which a track turns back.
struct Reversal {
  int32_t track = 0;
  int32_t frame = 0;
  // The kink, or the mean way of the swings beside it: degrees, or shares of
  // the reach.
  float size = 0;
};

struct SwingLimits {
  // The size of one unit of a way, a sum of sqrt(step).
  double unit = 0;
  // The least way of a swing. A swing of more than `most_frames` frames is
  // long, and may have any way.
  float way = HUGE_VALF;
  int64_t most_frames = 0;
  // A burst has this many reversals between swings in fewer than these frames.
  int64_t burst_frames = 0;
  size_t burst_reversals = 0;
  // The least way of all swings of a burst.
  float least_burst = 0;
};

// Seconds. A swing that takes more time is a long one.
constexpr double kLongSwing = 0.15;
static_assert(kReachBackSeconds >= 2 * kLongSwing);

// The limits of swings whose way is `least` or more, in the unit of `unit`. A
// burst is one of DATA_JITTER.swings in DATA_JITTER.swing_seconds.
SwingLimits LimitsOfSwings(const MotionClip& clip, double least, double unit,
                           size_t burst_reversals) {
  const double dt = clip.facts->dt;
  SwingLimits limits;
  limits.unit = unit;
  limits.way = static_cast<float>(least / unit);
  limits.most_frames = WholeFrames(kLongSwing, dt);
  limits.burst_frames =
      WholeFrames(clip[Threshold::DATA_JITTER_swing_seconds], dt);
  limits.burst_reversals = burst_reversals;
  // At most this many swings of a burst are long.
  const double most_long = static_cast<double>(limits.burst_frames) /
                           static_cast<double>(limits.most_frames + 1);
  const double swings = static_cast<double>(burst_reversals) - 1;
  constexpr double kLess = 0.99;
  limits.least_burst =
      static_cast<float>(kLess * (swings - most_long) * double{limits.way});
  return limits;
}

// Calls body(frame) for the frames at which the track turns back, in the words
// for which is_wanted(word). Skips those next to the first and the last frame,
// which may be no part of the motion.
template <typename IsWanted, typename Body>
void ForTurns(const MotionBlock& block, int64_t clip_frames,
              const IsWanted& is_wanted, const Body& body) {
  for (size_t word = 0; word < block.words(); ++word) {
    if (!is_wanted(word)) continue;
    const int64_t first = block.first + static_cast<int64_t>(word * kStepParts);
    for (uint32_t bits = block.sums.turns[word]; bits != 0; bits &= bits - 1) {
      const int64_t frame = first + std::countr_zero(bits);
      if (frame >= 2 && frame < clip_frames - 2) body(frame);
    }
  }
}

// Follows the swings of a track from block to block. The state depends on the
// frames of two long swings, and on the words of bits of a burst, before the
// block.
class Swings {
 public:
  // Appends the reversals that lie between two swings, at most one of which is
  // long. Their size is the mean way of those that are not long. Skips most
  // that are part of no burst.
  void Follow(const MotionBlock& block, int64_t clip_frames,
              const SwingLimits& limits, std::vector<Reversal>* found);
  // The last reversal; the least number if there is none.
  int32_t last() const { return newest_.last; }

 private:
  // In place of a way: the swing is long, or its way is too short for a swing.
  static constexpr float kLong = -1;
  static constexpr float kNone = -2;

  struct Newest {
    // The last reversal, the way of the swing before it, and the way since, in
    // the blocks before this one.
    int32_t last = std::numeric_limits<int32_t>::min();
    float before = kNone;
    float since = 0;

    // The way since the last reversal up to `frame`, or kLong.
    float Way(const MotionBlock& block, int64_t frame,
              const SwingLimits& limits) const;
    // The last reversal; nullopt if the swing before it, or the one of `way`
    // after it, is too short, or if both are long.
    std::optional<Reversal> Between(float way, const SwingLimits& limits) const;
    // The track turns back at `frame` after a swing of `way`. Returns the
    // reversal before it, if that lies between two swings.
    std::optional<Reversal> TurnBack(int64_t frame, float way,
                                     const SwingLimits& limits);
    // All frames before `end` are known. Returns the last reversal if the swing
    // after it is long by now.
    std::optional<Reversal> SettleAt(int64_t end, const SwingLimits& limits);
  };
  // The words of a block whose turns may be part of a burst: near by there are
  // enough turns, and their ways are long enough. If a block follows, `end` is
  // the end of this block, because the next one may have any number of turns.
  struct DenseWords {
    size_t first = 0;
    size_t end = 0;
  };

  DenseWords FindDense(const MotionBlock& block,
                       const SwingLimits& limits) const;

  Newest newest_;
  // The turns of the words before the block, and their sums of sqrt(step).
  TurnCounts counts_ = {};
  WordSums roots_ = {};
};

float Swings::Newest::Way(const MotionBlock& block, int64_t frame,
                          const SwingLimits& limits) const {
  if (frame - last > limits.most_frames) return kLong;
  const bool is_older = last < block.first;
  float way = is_older ? since : 0;
  const float* const roots = block.roots.data();
  const size_t from = is_older ? kStepLead : block.IndexOf(last + 1);
  const size_t to = block.IndexOf(frame);
  for (size_t i = from; i <= to; ++i) way += roots[i];
  return way;
}

std::optional<Reversal> Swings::Newest::Between(
    float way, const SwingLimits& limits) const {
  if (before == kNone || way == kNone) return std::nullopt;
  if (before == kLong && way == kLong) return std::nullopt;
  const float size = before == kLong ? way
                     : way == kLong  ? before
                                     : (before + way) / 2;
  return Reversal{0, last, static_cast<float>(limits.unit * double{size})};
}

std::optional<Reversal> Swings::Newest::TurnBack(int64_t frame, float way,
                                                 const SwingLimits& limits) {
  if (way >= 0 && way < limits.way) way = kNone;
  const auto found = Between(way, limits);
  before = way;
  last = static_cast<int32_t>(frame);
  return found;
}

std::optional<Reversal> Swings::Newest::SettleAt(int64_t end,
                                                 const SwingLimits& limits) {
  if (end - 1 - last <= limits.most_frames) return std::nullopt;
  const auto found = Between(kLong, limits);
  before = kLong;
  return found;
}

Swings::DenseWords Swings::FindDense(const MotionBlock& block,
                                     const SwingLimits& limits) const {
  constexpr auto kWord = static_cast<int64_t>(kStepParts);
  const size_t words = block.words();
  constexpr size_t kBefore = std::tuple_size_v<TurnCounts>;
  // A burst lies in at most this many words. It may begin inside a word.
  const auto width =
      static_cast<size_t>((limits.burst_frames + kWord - 2) / kWord + 1);
  if (width > kBefore) return {0, words};
  std::array<int, 2 * kBefore> counts;
  std::array<float, 2 * kBefore> roots;
  std::copy(counts_.begin(), counts_.end(), counts.begin());
  std::copy(roots_.begin(), roots_.end(), roots.begin());
  std::copy(block.sums.turn_counts.begin(), block.sums.turn_counts.end(),
            counts.begin() + kBefore);
  std::copy(block.sums.word_roots.begin(), block.sums.word_roots.end(),
            roots.begin() + kBefore);
  DenseWords dense = {words, 0};
  int count = 0;
  float way = 0;
  for (size_t i = kBefore + 1 - width; i < kBefore + words; ++i) {
    count += counts[i];
    way += roots[i];
    if (i < kBefore) continue;
    const bool is_dense = count >= static_cast<int>(limits.burst_reversals) &&
                          way >= limits.least_burst;
    const size_t first = i + 1 - width;
    if (is_dense) {
      dense.first = std::min(dense.first, std::max(first, kBefore) - kBefore);
      dense.end = i + 1 - kBefore;
    }
    count -= counts[first];
    way -= roots[first];
  }
  if (block.is_last) return dense;
  return {std::min(dense.first, words - std::min(words, width - 1)), words};
}

// Searches the dense words and a few turns around them: the first two of the
// block, which may end a swing of the block before; the two before the dense
// words, from which their first swing begins; and the last two, from which the
// first swing of the next block begins.
void Swings::Follow(const MotionBlock& block, int64_t clip_frames,
                    const SwingLimits& limits, std::vector<Reversal>* found) {
  const auto& counts = block.sums.turn_counts;
  const size_t words = block.words();
  const DenseWords dense = FindDense(block, limits);
  const auto after_two = [&](size_t word) {
    for (int count = 0; word < words && count < 2;) count += counts[word++];
    return word;
  };
  const auto before_two = [&](size_t word) {
    for (int count = 0; word > 0 && count < 2;) count += counts[--word];
    return word;
  };
  const size_t head = after_two(0);
  const size_t begin = std::max(head, before_two(dense.first));
  const size_t end = std::max(begin, after_two(dense.end));
  const size_t tail = std::max(end, before_two(words));
  const auto is_wanted = [&](size_t word) {
    return word < head || (word >= begin && word < end) || word >= tail;
  };
  // A copy, which the compiler keeps in registers.
  Newest newest = newest_;
  const auto keep = [&](std::optional<Reversal> reversal) {
    if (!reversal) return;
    reversal->track = static_cast<int32_t>(block.track);
    found->push_back(*reversal);
  };
  ForTurns(block, clip_frames, is_wanted, [&](int64_t frame) {
    keep(newest.TurnBack(frame, newest.Way(block, frame, limits), limits));
  });
  if (!block.is_last) {
    keep(newest.SettleAt(block.end(), limits));
    newest.since = std::max(newest.Way(block, block.end() - 1, limits), 0.0F);
    // The block is whole.
    const auto shift = [words](auto& all, const auto& added) {
      std::copy(all.begin() + static_cast<ptrdiff_t>(words), all.end(),
                all.begin());
      std::copy_n(added.begin(), words,
                  all.end() - static_cast<ptrdiff_t>(words));
    };
    shift(counts_, counts);
    shift(roots_, block.sums.word_roots);
  }
  newest_ = newest;
}

// Noisy seconds and bursts.

// Slower rates do not show fast reversals.
constexpr double kLongestFrameTime = 1 / 23.9;
// In a shorter clip, one second of jitter is a warning.
constexpr double kShortClip = 2;

// The reversals of a track in a second, or in a part of it.
struct Second {
  int32_t track = 0;
  int32_t number = 0;
  // The frames of the first and the last reversal.
  int32_t first = 0;
  int32_t last = 0;
  // The reversals whose kinks are small enough for a steady noise, and the sum
  // of these kinks.
  int32_t count = 0;
  double degrees = 0;
  // The same of all reversals.
  int32_t wild_count = 0;
  double wild_degrees = 0;
};

// The seconds of a track with many reversals.
struct NoisySeconds {
  // Their number. `steady` of them have enough reversals without large kinks.
  int32_t noisy = 0;
  int32_t steady = 0;
  // The frames of the first and the last reversal: of all these seconds, and of
  // the second with the most reversals.
  int32_t first = 0;
  int32_t last = 0;
  int32_t most_first = 0;
  int32_t most_last = 0;
  int32_t most_count = 0;
  int64_t all_count = 0;
  double all_degrees = 0;
};

// A burst has `reversals` reversals, or `large_reversals` of them whose sizes
// are `large` or more, in fewer than `frames` frames.
struct BurstLimits {
  size_t reversals = 0;
  size_t large_reversals = 0;
  double large = 0;
  int64_t frames = 0;
};

// From its first to its last reversal.
struct Burst {
  int64_t first = 0;
  int64_t last = 0;
  size_t reversals = 0;
  // The mean size of its reversals. Decide replaces that of swings by MeanTurn.
  double size = 0;
};

// The bursts of a track.
struct Bursts {
  int64_t count = 0;
  // The first frame of the first burst, and the last one of the last burst.
  int64_t first = 0;
  int64_t last = 0;
  // The burst of the largest size.
  Burst largest;
};

// The number of reversals of the burst that ends with the last one; 0 if none
// does.
size_t LengthOfBurst(std::span<const Reversal> reversals,
                     const BurstLimits& limits) {
  size_t large = 0;
  for (size_t length = 1; length <= reversals.size(); ++length) {
    const Reversal& each = reversals[reversals.size() - length];
    if (reversals.back().frame - each.frame >= limits.frames) return 0;
    if (double{each.size} >= limits.large) ++large;
    if (length == limits.reversals || large == limits.large_reversals) {
      return length;
    }
  }
  return 0;
}

// A reversal is part of at most one burst.
Bursts FindBursts(std::span<const Reversal> reversals,
                  const BurstLimits& limits) {
  Bursts bursts;
  size_t begin = 0;
  for (size_t end = 1; end <= reversals.size(); ++end) {
    const auto recent = reversals.subspan(begin, end - begin);
    const size_t length = LengthOfBurst(recent, limits);
    if (length == 0) continue;
    begin = end;
    const auto burst = recent.last(length);
    double sum = 0;
    for (const Reversal& each : burst) sum += double{each.size};
    const double size = sum / static_cast<double>(length);
    if (bursts.count++ == 0) bursts.first = burst.front().frame;
    bursts.last = burst.back().frame;
    if (size > bursts.largest.size) {
      bursts.largest = {burst.front().frame, burst.back().frame, length, size};
    }
  }
  return bursts;
}

// A threshold as a number of reversals.
size_t CountOf(double threshold) {
  constexpr double kMostReversals = 64;
  return static_cast<size_t>(std::clamp(threshold, 2.0, kMostReversals));
}

// The thresholds of one kind of track.
struct JitterLimits {
  // The size of one unit of sqrt(kink).
  double kink_unit = 0;
  // Both steps of a reversal of a noisy second are `noise_step` or more. A kink
  // of `most_noise_kink` or more is no steady noise.
  float noise_step = HUGE_VALF;
  float most_noise_kink = 0;
  float burst_step = HUGE_VALF;
  BurstLimits bursts;
  SwingLimits swings;
  BurstLimits swing_bursts;
};

// The limits that are equal for rotations and positions.
JitterLimits CommonLimits(const MotionClip& clip) {
  const double dt = clip.facts->dt;
  JitterLimits limits;
  limits.bursts.large_reversals =
      CountOf(clip[Threshold::DATA_JITTER_large_reversals]);
  limits.bursts.frames =
      WholeFrames(clip[Threshold::DATA_JITTER_burst_seconds], dt);
  const size_t swings = CountOf(clip[Threshold::DATA_JITTER_swings]);
  limits.swing_bursts.reversals = swings;
  limits.swing_bursts.large_reversals = swings;
  limits.swing_bursts.frames =
      WholeFrames(clip[Threshold::DATA_JITTER_swing_seconds], dt);
  return limits;
}

JitterLimits RotationJitter(const MotionClip& clip) {
  JitterLimits limits = CommonLimits(clip);
  limits.kink_unit = kDegrees;
  limits.noise_step = StepOf(clip[Threshold::DATA_JITTER_degrees]);
  limits.most_noise_kink = KinkOf(clip[Threshold::DATA_JITTER_most_degrees]);
  limits.burst_step = StepOf(clip[Threshold::DATA_JITTER_burst_degrees]);
  limits.bursts.reversals =
      CountOf(clip[Threshold::DATA_JITTER_burst_reversals]);
  limits.bursts.large = clip[Threshold::DATA_JITTER_most_degrees];
  limits.swings =
      LimitsOfSwings(clip, clip[Threshold::DATA_JITTER_swing_degrees],
                     2 * kDegrees, limits.swing_bursts.reversals);
  return limits;
}

// Requires a reach above 0. Every reversal of a burst is a large one.
JitterLimits PositionJitter(const MotionClip& clip) {
  const double reach = clip.facts->reach;
  const auto square = [](double v) { return static_cast<float>(v * v); };
  JitterLimits limits = CommonLimits(clip);
  limits.kink_unit = 0.5 / reach;
  limits.noise_step = square(reach * clip[Threshold::DATA_JITTER_reach]);
  limits.most_noise_kink =
      square(2 * reach * clip[Threshold::DATA_JITTER_most_reach]);
  limits.burst_step = square(reach * clip[Threshold::DATA_JITTER_burst_reach]);
  limits.bursts.reversals = limits.bursts.large_reversals;
  limits.swings = LimitsOfSwings(clip, clip[Threshold::DATA_JITTER_swing_reach],
                                 1 / reach, limits.swing_bursts.reversals);
  return limits;
}

class JitterRule final : public MotionRule {
 public:
  explicit JitterRule(const MotionClip& clip);
  void Look(const MotionBlock& block) override;
  void LookBefore(const MotionBlock& block) override;
  void Append(const MotionRule& later) override;
  int64_t Bytes() const override {
    return BytesOf(seconds_) + BytesOf(reversals_) + BytesOf(swings_);
  }
  void Decide(IssueLog* log) override;

 private:
  const JitterLimits& LimitsOf(size_t track) const {
    return track < clip_.rotations ? rotations_ : positions_;
  }
  JointPart PartOf(size_t track) const {
    return track < clip_.rotations ? JointPart::kRotation
                                   : JointPart::kPosition;
  }
  void FindReversals(const MotionBlock& block);
  double MeanTurn(size_t track, std::span<const Reversal> reversals,
                  const Burst& burst) const;
  NoisySeconds FindNoisy(std::span<const Second> parts) const;
  IssueArgs ArgsOf(size_t track, double size) const;
  void LogSeconds(size_t track, const NoisySeconds& jitter,
                  IssueLog* log) const;
  void LogBurst(size_t track, const Bursts& bursts, double seconds,
                Severity severity, IssueLog* log) const;
  void LogSwings(size_t track, const Bursts& bursts, IssueLog* log) const;

  JitterLimits rotations_;
  JitterLimits positions_;
  double fewest_ = 0;
  // The number of tracks that are judged: none, the rotations, or all tracks if
  // the reach is known.
  size_t tracks_ = 0;
  // The frames of a second.
  int64_t second_ = 0;
  std::vector<Second> seconds_;
  std::vector<Reversal> reversals_;
  std::vector<Reversal> swings_;
  // One for each track that is judged by its swings.
  std::vector<Swings> newest_;
};

JitterRule::JitterRule(const MotionClip& clip)
    : MotionRule(clip), rotations_(RotationJitter(clip)) {
  const bool has_reach = clip.facts->reach > 0;
  if (has_reach) positions_ = PositionJitter(clip);
  fewest_ = std::max(clip[Threshold::DATA_JITTER_reversals], 1.0);
  const double dt = clip.facts->dt;
  if (dt <= kLongestFrameTime && !IsBeyondRates(clip.frame_time)) {
    tracks_ = has_reach ? clip.tracks.size() : clip.rotations;
  }
  second_ = WholeFrames(1, dt);
  // With a frame time that is too short, all joints seem too fast.
  const bool has_swings =
      !(clip.frame_time > 0 &&
        clip.frame_time <= clip[Threshold::DATA_FRAME_TIME_ODD_short]);
  newest_.resize(has_swings ? tracks_ : 0);
}

void JitterRule::Append(const MotionRule& later) {
  const auto& more = static_cast<const JitterRule&>(later);
  AppendFound(more.seconds_, &seconds_);
  AppendFound(more.reversals_, &reversals_);
  AppendFound(more.swings_, &swings_);
  for (size_t track = 0; track < newest_.size(); ++track) {
    const Swings& newest = more.newest_[track];
    if (newest.last() > newest_[track].last()) newest_[track] = newest;
  }
}

void JitterRule::Look(const MotionBlock& block) {
  if (block.track >= tracks_) return;
  const size_t track = block.track;
  if (!newest_.empty()) {
    newest_[track].Follow(block, clip_.frames, LimitsOf(track).swings,
                          &swings_);
  }
  FindReversals(block);
}

void JitterRule::LookBefore(const MotionBlock& block) {
  if (block.track >= newest_.size()) return;
  std::vector<Reversal> unused;
  newest_[block.track].Follow(block, clip_.frames, LimitsOf(block.track).swings,
                              &unused);
}

// Keeps large reversals, and counts the others by seconds.
void JitterRule::FindReversals(const MotionBlock& block) {
  const JitterLimits& limits = LimitsOf(block.track);
  const auto& steps = block.steps;
  const auto& kinks = block.kinks;
  const float least = std::min(limits.noise_step, limits.burst_step);
  if (block.sums.max_turn < least) return;
  const auto id = static_cast<int32_t>(block.track);
  Second second = {id, -1};
  const auto close = [&] {
    if (second.wild_count > 0) seconds_.push_back(second);
  };
  const auto all = [](size_t /*word*/) { return true; };
  ForTurns(block, clip_.frames, all, [&](int64_t frame) {
    const size_t i = block.IndexOf(frame);
    const float step = std::min(steps[i], steps[i + 1]);
    // Most turns are small.
    if (step < least) return;
    const auto at = static_cast<int32_t>(frame);
    const double size = limits.kink_unit * std::sqrt(double{kinks[i]});
    if (step >= limits.burst_step) {
      reversals_.push_back({id, at, static_cast<float>(size)});
    }
    if (step < limits.noise_step) return;
    const auto number = static_cast<int32_t>(frame / second_);
    if (number != second.number) {
      close();
      second = {id, number, at};
    }
    second.last = at;
    ++second.wild_count;
    second.wild_degrees += size;
    if (kinks[i] >= limits.most_noise_kink) return;
    ++second.count;
    second.degrees += size;
  });
  close();
}

// Joins the parts of each second.
NoisySeconds JitterRule::FindNoisy(std::span<const Second> parts) const {
  NoisySeconds out;
  for (size_t i = 0; i < parts.size();) {
    Second second = parts[i];
    for (++i; i < parts.size() && parts[i].number == second.number; ++i) {
      second.last = parts[i].last;
      second.count += parts[i].count;
      second.degrees += parts[i].degrees;
      second.wild_count += parts[i].wild_count;
      second.wild_degrees += parts[i].wild_degrees;
    }
    const bool is_steady = second.count >= fewest_;
    const int32_t count = is_steady ? second.count : second.wild_count;
    if (count < fewest_) continue;
    out.steady += is_steady ? 1 : 0;
    if (out.noisy++ == 0) out.first = second.first;
    out.last = second.last;
    out.all_count += count;
    out.all_degrees += is_steady ? second.degrees : second.wild_degrees;
    if (count > out.most_count) {
      out.most_count = count;
      out.most_first = second.first;
      out.most_last = second.last;
    }
  }
  return out;
}

// The mean turn or move from one reversal of the burst to the next. It is less
// than the way if the way is not straight.
double JitterRule::MeanTurn(size_t track, std::span<const Reversal> reversals,
                            const Burst& burst) const {
  const MotionTrack& which = clip_.tracks[track];
  double sum = 0;
  std::optional<Quat<double>> last;
  for (const Reversal& reversal : reversals) {
    if (reversal.frame < burst.first || reversal.frame > burst.last) continue;
    const Quat<double> pose = PoseAt(clip_, which, reversal.frame);
    if (last) {
      const double square = StepBetween(*last, pose);
      sum += track < clip_.rotations ? AngleDegrees(square)
                                     : std::sqrt(square) / clip_.facts->reach;
    }
    last = pose;
  }
  return burst.reversals > 1 ? sum / static_cast<double>(burst.reversals - 1)
                             : 0;
}

// The args that do not depend on how long the jitter lasts. `size` is the mean
// kink.
IssueArgs JitterRule::ArgsOf(size_t track, double size) const {
  const MotionTrack& which = clip_.tracks[track];
  const bool is_rotation = which.kind == TrackKind::kRotation;
  const std::string joint = QuotedNode(clip_, which.node);
  const std::string amount = Short(size);
  return {{"joint", joint},
          {"what", is_rotation ? joint : "the position of " + joint},
          {"kind", is_rotation ? "rotation" : "position"},
          {"amount", amount + (is_rotation ? " degrees" : " of the reach")},
          {is_rotation ? "degrees" : "reach", amount}};
}

void JitterRule::LogSeconds(size_t track, const NoisySeconds& jitter,
                            IssueLog* log) const {
  const int64_t frames = clip_.facts->frames;
  const double seconds = static_cast<double>(frames) * clip_.facts->dt;
  const bool is_warning =
      jitter.steady >= clip_[Threshold::DATA_JITTER_seconds] ||
      jitter.noisy >= clip_[Threshold::DATA_JITTER_wild_seconds] ||
      (jitter.steady > 0 && seconds < kShortClip);
  IssueArgs args =
      ArgsOf(track, jitter.all_degrees / static_cast<double>(jitter.all_count));
  Location at =
      MotionLocation(clip_, clip_.tracks[track].node, jitter.most_first);
  at.last_frame = jitter.most_last;
  args.emplace_back("seconds", std::to_string(jitter.noisy));
  args.emplace_back("reversals", std::to_string(jitter.most_count));
  args.emplace_back("first", std::to_string(jitter.first));
  args.emplace_back("last", std::to_string(jitter.last));
  log->AddAs(is_warning ? Severity::kWarning : Severity::kHint,
             IssueCode::DATA_JITTER, at, std::move(args), jitter.noisy,
             PartOf(track));
}

// `seconds` is the time that a burst takes at most.
void JitterRule::LogBurst(size_t track, const Bursts& bursts, double seconds,
                          Severity severity, IssueLog* log) const {
  const Burst& burst = bursts.largest;
  Location at = MotionLocation(clip_, clip_.tracks[track].node, burst.first);
  at.last_frame = burst.last;
  IssueArgs args = ArgsOf(track, burst.size);
  args.emplace_back("seconds", Short(seconds));
  args.emplace_back("reversals",
                    Short(static_cast<double>(burst.reversals) / seconds));
  args.emplace_back("first", std::to_string(bursts.first));
  args.emplace_back("last", std::to_string(bursts.last));
  log->AddAs(severity, IssueCode::DATA_JITTER, at, std::move(args),
             bursts.count, PartOf(track));
}

void JitterRule::LogSwings(size_t track, const Bursts& bursts,
                           IssueLog* log) const {
  const double seconds = clip_[Threshold::DATA_JITTER_swing_seconds];
  const bool is_warning = static_cast<double>(bursts.count) * seconds >=
                          clip_[Threshold::DATA_JITTER_seconds];
  LogBurst(track, bursts, seconds,
           is_warning ? Severity::kWarning : Severity::kHint, log);
}

// The strongest evidence of a track is logged.
void JitterRule::Decide(IssueLog* log) {
  std::vector<NoisySeconds> noisy(tracks_);
  std::vector<Bursts> bursts(tracks_);
  std::vector<Bursts> swings(tracks_);
  ForEachTrack(&seconds_, [&](size_t track, std::span<const Second> parts) {
    noisy[track] = FindNoisy(parts);
  });
  ForEachTrack(&reversals_, [&](size_t track, std::span<const Reversal> all) {
    bursts[track] = FindBursts(all, LimitsOf(track).bursts);
  });
  ForEachTrack(&swings_, [&](size_t track, std::span<const Reversal> all) {
    // The last reversal of the clip does not count, since no swing follows it.
    const bool has_end = all.back().frame == newest_[track].last();
    if (has_end) all = all.first(all.size() - 1);
    swings[track] = FindBursts(all, LimitsOf(track).swing_bursts);
    swings[track].largest.size = MeanTurn(track, all, swings[track].largest);
  });
  for (size_t track = 0; track < tracks_; ++track) {
    if (noisy[track].noisy > 0) {
      LogSeconds(track, noisy[track], log);
    } else if (bursts[track].count > 0) {
      LogBurst(track, bursts[track],
               clip_[Threshold::DATA_JITTER_burst_seconds], Severity::kHint,
               log);
    } else if (swings[track].count > 0) {
      LogSwings(track, swings[track], log);
    }
  }
}

}  // namespace

std::unique_ptr<MotionRule> MakeJitterRule(const MotionClip& clip) {
  return std::make_unique<JitterRule>(clip);
}

}  // namespace bvhmill
