// Two rows that are exchanged: most of the body turns back at both, and moves
// smoothly if each row takes the place of the other.

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bvhmill/report/short_number.h"
#include "bvhmill/validate/motion/events/row_exchange.h"
#include "bvhmill/validate/motion/motion_units.h"
#include "bvhmill/validate/motion/rules.h"

namespace bvhmill {
namespace {

// Kinks this far from a row are not changed by an exchange with its neighbour.
constexpr int64_t kCalmFrom = 3;
constexpr int64_t kCalmTo = 5;
// The frame whose kink is not known yet.
constexpr int64_t kWithoutKink = 1;
constexpr int64_t kDelay = kCalmTo + kWithoutKink;
// Sums of the frames before the block.
constexpr size_t kHistory = kDelay + kCalmTo;
// A row that stands out, and the newest ones that it is compared with.
constexpr size_t kMostRows = 5;
// Pairs whose frames are kept; the others are counted.
constexpr size_t kMostPairs = 64;

struct Pair {
  int64_t first = 0;
  int64_t last = 0;
  RowExchange found;

  // The share of kinks that the exchange leaves.
  double Left() const {
    return found.before > 0 ? found.after / found.before : 1;
  }
  double Change() const { return found.before - found.after; }
};

class ExchangedRowsRule final : public MotionRule {
 public:
  void Begin(const MotionClip& clip) override;
  void Add(const MotionBlock& block) override;
  void Finish(IssueLog* log) override;

 private:
  size_t IndexOf(int64_t frame) const {
    return static_cast<size_t>(frame - first_ + int64_t{kHistory});
  }
  using Sums = std::array<float, kHistory + kStepStride>;
  using Flags = std::array<int32_t, kHistory + kStepStride>;
  Flags FindThatStandOut(size_t first, size_t last) const;
  void Compare(const MotionBlock& block, int64_t t);
  void Keep(const Pair& pair);
  bool IsCut(const Pair& pair) const;

  const MotionClip* clip_ = nullptr;
  // The sums of kinks of all joints, and of those that turn back, in radians:
  // of frames from first_ - kHistory on.
  Sums kinks_ = {};
  Sums turning_ = {};
  int64_t first_ = 0;
  // The newest rows, each in the slot of its number of all rows so far.
  std::array<RowWindow, kMostRows> rows_;
  size_t row_count_ = 0;
  std::vector<Pair> pairs_;
  int64_t others_ = 0;
};

void ExchangedRowsRule::Begin(const MotionClip& clip) {
  clip_ = &clip;
  kinks_.fill(0);
  turning_.fill(0);
  row_count_ = 0;
  pairs_.clear();
  others_ = 0;
}

// For each index from `first` to `last` - 1, 1 if the kinks are large there,
// most of them are of joints that turn back, and on one side of it there are
// none. One expression without branches: the compiler makes vectors of it.
ExchangedRowsRule::Flags ExchangedRowsRule::FindThatStandOut(
    size_t first, size_t last) const {
  const MotionClip& clip = *clip_;
  const auto least = static_cast<float>(
      clip[Threshold::DATA_ROWS_EXCHANGED_degrees] / kDegrees);
  const auto ratio =
      static_cast<float>(clip[Threshold::DATA_ROWS_EXCHANGED_kinks]);
  const auto share =
      static_cast<float>(clip[Threshold::DATA_ROWS_EXCHANGED_turning]);
  // By value, unlike std::max.
  const auto larger = [](float a, float b) { return a < b ? b : a; };
  const float* const kinks = kinks_.data();
  const float* const turning = turning_.data();
  Flags flags;
  static_assert(kCalmFrom == 3 && kCalmTo == 5);
  for (size_t i = first; i < last; ++i) {
    const float* const k = kinks + i;
    const float before = larger(larger(k[-5], k[-4]), k[-3]);
    const float after = larger(larger(k[3], k[4]), k[5]);
    const float calm = ratio * (before < after ? before : after);
    flags[i] = (k[0] >= larger(calm, least) ? 1 : 0) &
               (turning[i] >= share * k[0] ? 1 : 0);
  }
  return flags;
}

// Finds the row that frame t would best change places with.
void ExchangedRowsRule::Compare(const MotionBlock& block, int64_t t) {
  const MotionClip& clip = *clip_;
  RowWindow& row = rows_[row_count_ % kMostRows];
  const size_t others = std::min(row_count_, kMostRows - 1);
  TakeRows(clip, block, t, &row);
  // A summand of MeasureExchange is twice a kink.
  const double cap = 2 * KinkDegrees(block.totals->max_kink);
  std::optional<Pair> best;
  for (size_t k = 1; k <= others; ++k) {
    const RowWindow& other = rows_[(row_count_ - k) % kMostRows];
    const auto apart = static_cast<double>(t - other.frame);
    if (apart > clip[Threshold::DATA_ROWS_EXCHANGED_frames]) break;
    const Pair pair = {other.frame, t, MeasureExchange(clip, other, row, cap)};
    if (!best || pair.Left() < best->Left()) best = pair;
  }
  ++row_count_;
  if (best) Keep(*best);
}

void ExchangedRowsRule::Keep(const Pair& pair) {
  const MotionClip& clip = *clip_;
  const auto joints = static_cast<double>(pair.found.joints);
  if (!(pair.Left() <= clip[Threshold::DATA_ROWS_EXCHANGED_left]) ||
      joints < clip[Threshold::DATA_ROWS_EXCHANGED_joints]) {
    return;
  }
  // An exchange with a row between two exchanged ones helps a little, too.
  if (!pairs_.empty() && pair.first <= pairs_.back().last) {
    if (pair.Left() < pairs_.back().Left()) pairs_.back() = pair;
  } else if (pairs_.size() == kMostPairs) {
    ++others_;
  } else {
    pairs_.push_back(pair);
  }
}

void ExchangedRowsRule::Add(const MotionBlock& block) {
  first_ = block.first;
  const auto frames = static_cast<size_t>(block.frames);
  const auto take = [&](const auto& totals, Sums* sums) {
    // The kink of the frame before the block is known now.
    std::copy_n(totals.data() + kStepLead - 1, frames + 1,
                sums->data() + kHistory - 1);
    std::fill_n(sums->data() + kHistory + frames, kCalmTo, 0.0F);
  };
  take(block.totals->kinks, &kinks_);
  take(block.totals->turning, &turning_);
  const int64_t begin = std::max(block.first - kDelay, RowWindow::kBeside);
  const int64_t end =
      block.end() - (block.is_last ? RowWindow::kBeside : kDelay);
  if (begin < end) {
    const size_t last = IndexOf(end);
    const Flags flags = FindThatStandOut(IndexOf(begin), last);
    const auto stands_out = [&](size_t i) { return flags[i] != 0; };
    for (size_t i = FirstOf(IndexOf(begin), last, stands_out); i < last;
         i = FirstOf(i + 1, last, stands_out)) {
      const int64_t t = first_ + static_cast<int64_t>(i) - int64_t{kHistory};
      Compare(block, t);
    }
  }
  for (Sums* sums : {&kinks_, &turning_}) {
    std::copy_n(sums->data() + frames, kHistory, sums->data());
  }
}

bool ExchangedRowsRule::IsCut(const Pair& pair) const {
  const auto& cuts = clip_->facts->cuts;
  return std::any_of(cuts.begin(), cuts.end(), [&](int64_t cut) {
    return (cut >= pair.first && cut <= pair.first + 1) ||
           (cut >= pair.last && cut <= pair.last + 1);
  });
}

void ExchangedRowsRule::Finish(IssueLog* log) {
  if (clip_->facts->has_many_repeats) return;
  std::erase_if(pairs_, [this](const Pair& pair) { return IsCut(pair); });
  if (pairs_.empty()) return;
  const Pair& worst = *std::max_element(
      pairs_.begin(), pairs_.end(),
      [](const Pair& a, const Pair& b) { return a.Change() < b.Change(); });
  Location at = FrameLocation(worst.first);
  at.last_frame = worst.last;
  log->Add(IssueCode::DATA_ROWS_EXCHANGED, at,
           {{"first", std::to_string(worst.first)},
            {"last", std::to_string(worst.last)},
            {"joints", std::to_string(worst.found.joints)},
            {"degrees", Short(worst.found.before)},
            {"left", Short(worst.found.after)}},
           static_cast<int64_t>(pairs_.size()) + others_);
}

}  // namespace

std::unique_ptr<MotionRule> MakeExchangedRowsRule() {
  return std::make_unique<ExchangedRowsRule>();
}

}  // namespace bvhmill
