// Joints that turn or move back and forth, slowly.

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/validate/reference_rules.h"

namespace bvhmill::testing {
namespace {

// True if the track turns back at frame t, by steps of `least` or more.
bool IsReversal(const ReferenceTrack& track, int64_t t, double least) {
  return track.turns_back[static_cast<size_t>(t)] &&
         std::min(track.Step(t), track.Step(t + 1)) >= least;
}

// The number of the newest reversals, a frame each, that are a burst, or 0:
// within 0.4 s, eight reversals of 3 degrees, five of them whose kinks are 10
// degrees, or five of a position.
size_t BurstOf(const ReferenceTrack& track, const std::vector<int64_t>& seen,
               double dt) {
  for (size_t length = 5; length <= std::min<size_t>(seen.size(), 8);
       ++length) {
    const auto begin = seen.end() - static_cast<ptrdiff_t>(length);
    if (seen.back() - *begin >= std::round(0.4 / dt)) return 0;
    const auto large = std::count_if(begin, seen.end(), [&](int64_t t) {
      return track.Kink(t) >= 10 || !track.is_rotation;
    });
    if (large == 5 || length == 8) return length;
  }
  return 0;
}

void FindBursts(const ReferenceTrack& track, Reference* r) {
  Finding f{"DATA_JITTER", Severity::kHint};
  f.node = track.node;
  f.occurrences = 0;
  double most = 0;
  double reversals = 0;
  std::vector<int64_t> seen;
  for (int64_t t = 2; t < r->clip.frames - 2; ++t) {
    if (!IsReversal(track, t, track.is_rotation ? 3 : 0.006)) continue;
    seen.push_back(t);
    const size_t length = BurstOf(track, seen, r->clip.dt);
    if (length == 0) continue;
    double sum = 0;
    const size_t from = seen.size() - length;
    for (size_t i = from; i < seen.size(); ++i) sum += track.Kink(seen[i]);
    const double mean = sum / static_cast<double>(length);
    ++f.occurrences;
    if (mean > most) {
      most = mean;
      f.frame = seen[from];
      f.last_frame = t;
      reversals = static_cast<double>(length);
    }
    seen.clear();
  }
  f.numbers = {{track.is_rotation ? "degrees" : "reach", most},
               {"reversals", reversals / 0.4},
               {"seconds", 0.4}};
  if (f.occurrences > 0) r->findings.push_back(f);
}

void FindJitterOf(const ReferenceTrack& track, Reference* r) {
  const int64_t frames = r->clip.frames;
  const auto window = static_cast<int64_t>(std::round(1 / r->clip.dt));
  const double least = track.is_rotation ? 0.5 : 0.002;
  const double wild = track.is_rotation ? 10 : 0.05;
  Finding f{"DATA_JITTER"};
  f.node = track.node;
  f.occurrences = 0;
  double most = 0;
  double sizes = 0;
  double all = 0;
  int64_t steady = 0;
  for (int64_t begin = 0; begin < frames; begin += window) {
    double count = 0;
    double sum = 0;
    double wild_count = 0;
    double wild_sum = 0;
    int64_t first = -1;
    int64_t last = -1;
    for (int64_t t = std::max<int64_t>(begin, 2);
         t < std::min(begin + window, frames - 2); ++t) {
      if (!IsReversal(track, t, least)) continue;
      const double kink = track.Kink(t);
      ++wild_count;
      wild_sum += kink;
      if (first < 0) first = t;
      last = t;
      if (kink >= wild) continue;
      ++count;
      sum += kink;
    }
    if (count >= 15) ++steady;
    if (count < 15) {
      count = wild_count;
      sum = wild_sum;
    }
    if (count < 15) continue;
    ++f.occurrences;
    sizes += sum;
    all += count;
    if (count <= most) continue;
    most = count;
    f.frame = first;
    f.last_frame = last;
  }
  if (f.occurrences == 0) FindBursts(track, r);
  if (f.occurrences == 0) return;
  const bool is_short = static_cast<double>(frames) * r->clip.dt < 4;
  f.severity = steady >= 2 || f.occurrences >= 3 || (steady > 0 && is_short)
                   ? Severity::kWarning
                   : Severity::kHint;
  f.numbers = {{"reversals", most},
               {"seconds", f.occurrences},
               {track.is_rotation ? "degrees" : "reach", sizes / all}};
  r->findings.push_back(f);
}

}  // namespace

void FindJitter(Reference* r) {
  if (1 / r->clip.dt < 23.9 || r->clip.HasOddRate()) return;
  for (const ReferenceTrack& track : r->clip.tracks) {
    if (track.is_rotation || r->clip.reach > 0) FindJitterOf(track, r);
  }
}

}  // namespace bvhmill::testing
