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

// Eight reversals of 3 degrees within 0.4 s.
void FindBursts(const ReferenceTrack& track, Reference* r) {
  Finding f{"DATA_JITTER", Severity::kHint};
  f.node = track.node;
  f.occurrences = 0;
  double most = 0;
  std::vector<int64_t> seen;
  for (int64_t t = 2; t < r->clip.frames - 2; ++t) {
    if (!IsReversal(track, t, 3)) continue;
    seen.push_back(t);
    if (seen.size() < 8) continue;
    const int64_t from = seen[seen.size() - 8];
    if (t - from >= std::round(0.4 / r->clip.dt)) continue;
    double sum = 0;
    for (size_t i = seen.size() - 8; i < seen.size(); ++i) {
      sum += track.Kink(seen[i]);
    }
    ++f.occurrences;
    seen.clear();
    if (sum <= most) continue;
    most = sum;
    f.frame = from;
    f.last_frame = t;
  }
  f.numbers = {{"degrees", most / 8}, {"reversals", 20}, {"seconds", 0.4}};
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
    for (int64_t t = std::max<int64_t>(begin, 2);
         t < std::min(begin + window, frames - 2); ++t) {
      if (!IsReversal(track, t, least)) continue;
      const double kink = track.Kink(t);
      ++wild_count;
      wild_sum += kink;
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
    f.frame = begin;
    f.last_frame = std::min(begin + window, frames) - 1;
  }
  if (f.occurrences == 0 && track.is_rotation) FindBursts(track, r);
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
