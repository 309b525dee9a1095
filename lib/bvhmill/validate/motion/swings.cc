#include "bvhmill/validate/motion/swings.h"

#include <algorithm>

#include "bvhmill/validate/motion/motion_rule.h"
#include "bvhmill/validate/motion/motion_units.h"

namespace bvhmill {
namespace {

// Seconds. A swing that takes more time is a long one.
constexpr double kLongSwing = 0.15;
static_assert(kReachBackSeconds >= 2 * kLongSwing);

}  // namespace

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

// The last reversal, if neither the swing before nor the one after it is too
// short, and one of them at most is long.
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
  // A burst lies in this many words, at most. It may begin inside of one.
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

// Turns in other words say nothing, but for the first two, which may end a
// swing of the block before, and the two before others, from which swings
// begin.
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
  // A copy, which stays in registers.
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

}  // namespace bvhmill
