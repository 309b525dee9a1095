// Joints that turn or move back and forth, slowly.

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "tests/validate/reference/reference_rules.h"

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

// False if there are none.
bool FindBursts(const ReferenceTrack& track, Reference* r) {
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
  return f.occurrences > 0;
}

// A way from one reversal to the next.
struct JitterSwing {
  double way = 0;
  // It takes more than 0.15 s.
  bool is_long = false;
};

// The frames at which a track turns back, however small its steps are there,
// and the swings that lead to them. The one to the first frame is long.
struct SwingList {
  std::vector<int64_t> frames;
  std::vector<JitterSwing> swings;
};

SwingList SwingsOf(const ReferenceTrack& track, const Reference& r) {
  SwingList list;
  JitterSwing swing = {0, true};
  for (int64_t t = 2; t < r.clip.frames - 2; ++t) {
    swing.way += track.Step(t);
    if (!track.turns_back[static_cast<size_t>(t)]) continue;
    if (!list.frames.empty()) {
      const auto frames = static_cast<double>(t - list.frames.back());
      swing.is_long = frames > std::round(0.15 / r.clip.dt);
    }
    list.frames.push_back(t);
    list.swings.push_back(swing);
    swing = {};
  }
  return list;
}

// The size of the reversal between two swings, the mean of their ways; nullopt
// if one of them is too small, or both are long.
std::optional<double> SizeBetween(const JitterSwing& a, const JitterSwing& b,
                                  double least) {
  const auto is_small = [least](const JitterSwing& swing) {
    return !swing.is_long && swing.way < least;
  };
  if (is_small(a) || is_small(b) || (a.is_long && b.is_long)) {
    return std::nullopt;
  }
  if (a.is_long) return b.way;
  return b.is_long ? a.way : (a.way + b.way) / 2;
}

// From the pose of one frame to that of another.
double TurnBetween(const ReferenceTrack& track, int64_t a, int64_t b) {
  const double distance = DistanceOf(track, track.poses[static_cast<size_t>(a)],
                                     track.poses[static_cast<size_t>(b)]);
  return track.is_rotation ? AngleOfStep(distance) : distance;
}

// Ten reversals between swings of 2 degrees, or of 0.006 of the reach, within
// 0.55 s. Not where the frame time is too short.
void FindTremors(const ReferenceTrack& track, Reference* r) {
  const double frame_time = r->clip.frame_time();
  if (frame_time > 0 && frame_time <= 0.0021) return;
  Finding f{"DATA_JITTER", Severity::kHint};
  f.node = track.node;
  f.occurrences = 0;
  double most = 0;
  double turn = 0;
  std::vector<int64_t> seen;
  std::vector<double> sizes;
  const SwingList list = SwingsOf(track, *r);
  for (size_t i = 0; i + 1 < list.frames.size(); ++i) {
    const auto size = SizeBetween(list.swings[i], list.swings[i + 1],
                                  track.is_rotation ? 2 : 0.006);
    if (!size) continue;
    seen.push_back(list.frames[i]);
    sizes.push_back(*size);
    if (seen.size() < 10) continue;
    const size_t from = seen.size() - 10;
    const auto frames = static_cast<double>(seen.back() - seen[from]);
    if (frames >= std::round(0.55 / r->clip.dt)) continue;
    double sum = 0;
    for (size_t k = from; k < sizes.size(); ++k) sum += sizes[k];
    ++f.occurrences;
    if (sum / 10 > most) {
      most = sum / 10;
      f.frame = seen[from];
      f.last_frame = seen.back();
      turn = 0;
      for (size_t k = from; k + 1 < seen.size(); ++k) {
        turn += TurnBetween(track, seen[k], seen[k + 1]) / 9;
      }
    }
    seen.clear();
    sizes.clear();
  }
  if (f.occurrences == 0) return;
  if (f.occurrences * 0.55 >= 2) f.severity = Severity::kWarning;
  f.numbers = {{track.is_rotation ? "degrees" : "reach", turn},
               {"reversals", 10 / 0.55},
               {"seconds", 0.55}};
  r->findings.push_back(f);
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
  if (f.occurrences == 0) {
    if (!FindBursts(track, r)) FindTremors(track, r);
    return;
  }
  const bool is_short = static_cast<double>(frames) * r->clip.dt < 2;
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
