// DATA_ROWS_EXCHANGED, by its definition.

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "tests/validate/reference/reference_rules.h"

namespace bvhmill::testing {
namespace {

constexpr int64_t kMostApart = 64;
constexpr size_t kMostCompared = 4;

struct RowPair {
  int64_t first = 0;
  int64_t last = 0;
  double before = 0;
  double after = 0;
  int64_t joints = 0;

  double Left() const { return after / before; }
};

// Twice the angle that a joint may be off.
double Cap(const Reference& r) { return 10 * std::max(1.0, 60 * r.clip.dt); }

double KinkSum(const Reference& r, int64_t t) {
  double sum = 0;
  for (const auto* track : r.clip.Rotations()) {
    sum += std::min(track->Kink(t), Cap(r) / 2);
  }
  return sum;
}

double TurningSum(const Reference& r, int64_t t) {
  double sum = 0;
  for (const auto* track : r.clip.Rotations()) {
    const bool turns = track->turns_back[static_cast<size_t>(t)];
    if (turns) sum += std::min(track->Kink(t), Cap(r) / 2);
  }
  return sum;
}

bool StandsOut(const Reference& r, int64_t t) {
  double before = 0;
  double after = 0;
  for (int64_t k = 3; k <= 5; ++k) {
    before = std::max(before, KinkSum(r, t - k));
    after = std::max(after, KinkSum(r, t + k));
  }
  const double kinks = KinkSum(r, t);
  return kinks >= 1 && kinks >= 2 * std::min(before, after) &&
         TurningSum(r, t) >= 0.7 * kinks;
}

// Second differences of a joint in the frames that need row `a` or `b`.
double Jerks(const Reference& r, const ReferenceTrack& track, int64_t a,
             int64_t b, bool exchanged) {
  const auto row = [=](int64_t t) {
    if (!exchanged || (t != a && t != b)) return t;
    return t == a ? b : a;
  };
  double sum = 0;
  for (const int64_t t : std::set{a - 1, a, a + 1, b - 1, b, b + 1}) {
    for (const int32_t column : track.columns) {
      const double middle = r.clip.Value(row(t), column);
      const double ends =
          r.clip.Value(row(t - 1), column) + r.clip.Value(row(t + 1), column);
      sum += std::min(std::abs(ends - 2 * middle), Cap(r));
    }
  }
  return sum;
}

RowPair Exchanged(const Reference& r, int64_t a, int64_t b) {
  RowPair pair{a, b};
  for (const auto* track : r.clip.Rotations()) {
    const double before = Jerks(r, *track, a, b, false);
    const double after = Jerks(r, *track, a, b, true);
    pair.before += before;
    pair.after += after;
    if (before >= 0.3 && after <= 0.75 * before) ++pair.joints;
  }
  return pair;
}

// Adds the best partner of the last one of `rows`, unless a pair that it
// overlaps is better.
void AddBest(const Reference& r, const std::vector<int64_t>& rows,
             std::vector<RowPair>* pairs) {
  const int64_t t = rows.back();
  RowPair best;
  best.after = best.before = 1;
  for (size_t k = 1; k < rows.size() && k <= kMostCompared; ++k) {
    const int64_t other = rows[rows.size() - 1 - k];
    if (t - other > kMostApart) break;
    const RowPair pair = Exchanged(r, other, t);
    if (pair.Left() < best.Left()) best = pair;
  }
  if (best.Left() > 0.6 || best.joints < 4) return;
  if (pairs->empty() || best.first > pairs->back().last) {
    pairs->push_back(best);
  } else if (best.Left() < pairs->back().Left()) {
    pairs->back() = best;
  }
}

bool IsCut(const Reference& r, const RowPair& pair) {
  return std::any_of(r.cuts.begin(), r.cuts.end(), [&](int64_t cut) {
    return cut == pair.first || cut == pair.first + 1 || cut == pair.last ||
           cut == pair.last + 1;
  });
}

}  // namespace

void FindExchangedRows(Reference* r) {
  if (r->many_repeats) return;
  std::vector<int64_t> rows;
  std::vector<RowPair> pairs;
  for (int64_t t = 2; t + 2 < r->clip.frames; ++t) {
    if (!StandsOut(*r, t)) continue;
    rows.push_back(t);
    AddBest(*r, rows, &pairs);
  }
  std::erase_if(pairs, [r](const RowPair& pair) { return IsCut(*r, pair); });
  if (pairs.empty()) return;
  const RowPair& worst = *std::max_element(
      pairs.begin(), pairs.end(), [](const RowPair& a, const RowPair& b) {
        return a.before - a.after < b.before - b.after;
      });
  Finding f{"DATA_ROWS_EXCHANGED", Severity::kWarning};
  f.occurrences = static_cast<int64_t>(pairs.size());
  f.frame = worst.first;
  f.last_frame = worst.last;
  f.numbers = {{"degrees", worst.before}, {"left", worst.after}};
  r->findings.push_back(f);
}

}  // namespace bvhmill::testing
