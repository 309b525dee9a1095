// DATA_ROWS_EXCHANGED: two rows stand in each other's place. Most of the body
// turns back at both, with kinks that stand out; if the two rows change places,
// at most DATA_ROWS_EXCHANGED.left of these kinks remain.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bvhmill/report/issue_log.h"
#include "bvhmill/validate/motion/motion_clip.h"
#include "bvhmill/validate/motion/motion_rule.h"

namespace bvhmill {
namespace {

// The kinks of frames this far from a row do not depend on an exchange with its
// neighbour.
constexpr int64_t kCalmFrom = 3;
constexpr int64_t kCalmTo = 5;
// A row that stands out is compared with at most this many such rows before it.
constexpr size_t kMostRows = 4;
// The rows on either side of a row on which its kinks depend.
constexpr int64_t kBeside = 2;
// A joint gains by an exchange if its sum falls from at least kLeastSum degrees
// to at most the share kMostLeft.
constexpr double kLeastSum = 0.3;
constexpr double kMostLeft = 0.75;

// The sums of |x(t-1) - 2 x(t) + x(t+1)| in degrees, over all angles x and over
// the frames t in which they depend on one of two rows.
struct RowExchange {
  // With the rows as they are, and with the two exchanged.
  double before = 0;
  double after = 0;
  // Joints that gain.
  int64_t joints = 0;
};

// Three neighbouring rows.
using Triple = std::array<const float*, 3>;

// The rows around frames, as they are and with two of them exchanged.
struct TriplePair {
  Triple before = {};
  Triple after = {};
};

// The frames that depend on one of two rows, each once.
struct Triples {
  std::array<TriplePair, 6> pairs;
  size_t count = 0;

  std::span<const TriplePair> all() const { return {pairs.data(), count}; }
};

Triples TriplesOf(const MotionClip& clip, int64_t first, int64_t second) {
  Triples triples;
  const auto add = [&](int64_t frame) {
    TriplePair& pair = triples.pairs[triples.count++];
    for (size_t k = 0; k < pair.before.size(); ++k) {
      const int64_t at = frame - 1 + static_cast<int64_t>(k);
      const int64_t other = at == first ? second : at == second ? first : at;
      pair.before[k] = clip.Row(at).data();
      pair.after[k] = clip.Row(other).data();
    }
  };
  for (int64_t t = first - 1; t <= first + 1; ++t) add(t);
  for (int64_t t = std::max(second - 1, first + 2); t <= second + 1; ++t) {
    add(t);
  }
  return triples;
}

// Tries exchanges of pairs of rows of a clip.
class Exchange {
 public:
  explicit Exchange(const MotionClip& clip)
      : clip_(clip),
        // A summand is twice a kink.
        cap_(2 * KinkDegrees(clip.totals.max_kink)),
        before_(clip.skeleton->channels.size()),
        after_(before_.size()) {}

  // Measures the exchange of two rows; nullopt if more than the share `left` of
  // the kinks remains. Requires first < second. O(angles).
  std::optional<RowExchange> Measure(int64_t first, int64_t second,
                                     double left);

 private:
  void AddKinks(const Triple& rows, std::vector<double>* sums) const;
  double SumOf(const MotionTrack& track, std::span<const double> sums) const;
  double SumOf(std::span<const double> sums) const;

  const MotionClip& clip_;
  const double cap_;
  // By channel.
  std::vector<double> before_;
  std::vector<double> after_;
};

// Adds the kinks of all channels. A kink counts as at most `cap_`, so that an
// angle which wraps around counts little. Compilers vectorize the loop.
void Exchange::AddKinks(const Triple& rows, std::vector<double>* sums) const {
  double* const out = sums->data();
  const auto [before, at, after] = rows;
  const double cap = cap_;
  for (size_t c = 0; c < sums->size(); ++c) {
    const double ends = double{before[c]} + double{after[c]};
    const double kink = std::abs(ends - 2 * double{at[c]});
    out[c] += kink < cap ? kink : cap;
  }
}

double Exchange::SumOf(const MotionTrack& track,
                       std::span<const double> sums) const {
  double sum = 0;
  for (const TrackColumn& angle : clip_.ColumnsOf(track)) {
    sum += sums[static_cast<size_t>(angle.column)];
  }
  return sum;
}

double Exchange::SumOf(std::span<const double> sums) const {
  double sum = 0;
  for (size_t track = 0; track < clip_.rotations; ++track) {
    sum += SumOf(clip_.tracks[track], sums);
  }
  return sum;
}

std::optional<RowExchange> Exchange::Measure(int64_t first, int64_t second,
                                             double left) {
  const Triples triples = TriplesOf(clip_, first, second);
  std::fill(before_.begin(), before_.end(), 0.0);
  std::fill(after_.begin(), after_.end(), 0.0);
  for (const TriplePair& rows : triples.all()) AddKinks(rows.before, &before_);
  RowExchange all;
  all.before = SumOf(before_);
  // Half of the frames are enough to refuse most pairs.
  for (size_t i = 0; i < triples.count; ++i) {
    AddKinks(triples.pairs[i].after, &after_);
    const bool is_half = i + 1 == triples.count / 2;
    if (is_half && SumOf(after_) > left * all.before) return std::nullopt;
  }
  for (size_t track = 0; track < clip_.rotations; ++track) {
    const double before = SumOf(clip_.tracks[track], before_);
    const double after = SumOf(clip_.tracks[track], after_);
    all.after += after;
    all.joints += before >= kLeastSum && after <= kMostLeft * before ? 1 : 0;
  }
  if (!(all.after <= left * all.before)) return std::nullopt;
  return all;
}

struct Pair {
  int64_t first = 0;
  int64_t last = 0;
  RowExchange found;

  // The share of the kinks that remains after the exchange.
  double Left() const {
    return found.before > 0 ? found.after / found.before : 1;
  }
  double Change() const { return found.before - found.after; }
};

class ExchangedRowsRule final : public MotionRule {
 public:
  explicit ExchangedRowsRule(const MotionClip& clip) : MotionRule(clip) {}
  void Decide(IssueLog* log) override;

 private:
  std::vector<int64_t> RowsThatStandOut() const;
  void FindPairs();
  void Keep(const Pair& pair);
  bool IsCut(const Pair& pair) const;

  std::vector<Pair> pairs_;
};

// The rows at which the kinks are large and mostly those of joints that turn
// back, while on one side the kinks are small.
std::vector<int64_t> ExchangedRowsRule::RowsThatStandOut() const {
  const auto least = static_cast<float>(
      clip_[Threshold::DATA_ROWS_EXCHANGED_degrees] / kDegrees);
  const auto ratio =
      static_cast<float>(clip_[Threshold::DATA_ROWS_EXCHANGED_kinks]);
  const auto share =
      static_cast<float>(clip_[Threshold::DATA_ROWS_EXCHANGED_turning]);
  const float* const kinks = FrameTotals::FrameZero(clip_.totals.kinks);
  const float* const turning = FrameTotals::FrameZero(clip_.totals.turning);
  static_assert(kCalmFrom == 3 && kCalmTo == 5 &&
                FrameTotals::kMargin >= kCalmTo);
  // Few frames have large kinks of joints that turn back.
  const auto may_stand_out = [=](size_t t) {
    return (kinks[t] >= least) & (turning[t] >= share * kinks[t]);
  };
  std::vector<int64_t> rows;
  const auto end =
      static_cast<size_t>(std::max(clip_.frames - kBeside, kBeside));
  for (size_t t = FirstOf(size_t{kBeside}, end, may_stand_out); t < end;
       t = FirstOf(t + 1, end, may_stand_out)) {
    const float* const k = kinks + t;
    const float before = std::max({k[-5], k[-4], k[-3]});
    const float after = std::max({k[3], k[4], k[5]});
    if (k[0] >= ratio * std::min(before, after)) {
      rows.push_back(static_cast<int64_t>(t));
    }
  }
  return rows;
}

// Finds the best partner of each row that stands out.
void ExchangedRowsRule::FindPairs() {
  const std::vector<int64_t> rows = RowsThatStandOut();
  if (rows.size() < 2) return;
  const double left = clip_[Threshold::DATA_ROWS_EXCHANGED_left];
  Exchange exchange(clip_);
  for (size_t i = 0; i < rows.size(); ++i) {
    std::optional<Pair> best;
    for (size_t k = 1; k <= std::min(i, kMostRows); ++k) {
      const int64_t other = rows[i - k];
      const auto apart = static_cast<double>(rows[i] - other);
      if (apart > clip_[Threshold::DATA_ROWS_EXCHANGED_frames]) break;
      const auto found = exchange.Measure(other, rows[i], left);
      if (!found) continue;
      const Pair pair = {other, rows[i], *found};
      if (!best || pair.Left() < best->Left()) best = pair;
    }
    if (best) Keep(*best);
  }
}

void ExchangedRowsRule::Keep(const Pair& pair) {
  const MotionClip& clip = clip_;
  const auto joints = static_cast<double>(pair.found.joints);
  if (joints < clip[Threshold::DATA_ROWS_EXCHANGED_joints]) return;
  // An exchange with a row between two exchanged ones also lowers the kinks a
  // little; the better pair stays.
  if (!pairs_.empty() && pair.first <= pairs_.back().last) {
    if (pair.Left() < pairs_.back().Left()) pairs_.back() = pair;
  } else {
    pairs_.push_back(pair);
  }
}

bool ExchangedRowsRule::IsCut(const Pair& pair) const {
  const auto& cuts = clip_.facts->cuts;
  return std::any_of(cuts.begin(), cuts.end(), [&](int64_t cut) {
    return (cut >= pair.first && cut <= pair.first + 1) ||
           (cut >= pair.last && cut <= pair.last + 1);
  });
}

void ExchangedRowsRule::Decide(IssueLog* log) {
  if (clip_.facts->has_many_repeats) return;
  FindPairs();
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
           static_cast<int64_t>(pairs_.size()));
}

}  // namespace

std::unique_ptr<MotionRule> MakeExchangedRowsRule(const MotionClip& clip) {
  return std::make_unique<ExchangedRowsRule>(clip);
}

}  // namespace bvhmill
