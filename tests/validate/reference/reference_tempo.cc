// The rate of the motion and lines in it, slowly.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "tests/validate/reference/reference_rules.h"

namespace bvhmill::testing {

double BodyStep(const Reference& r, int64_t t) {
  double sum = 0;
  for (const ReferenceTrack* track : r.clip.Rotations()) sum += track->Step(t);
  return sum;
}

namespace {

// True if frames between those of every stride are lines.
bool FindStride(Reference* r) {
  const int64_t frames = r->clip.frames;
  const auto rotations = r->clip.Rotations();
  if (frames < 40 || rotations.empty()) return false;
  double best = 1;
  int64_t best_stride = 0;
  int64_t best_phase = 0;
  double mean = 0;
  const double cap = 5 * std::max(1.0, 60 * r->clip.dt);
  for (int64_t stride = 2; stride <= 5; ++stride) {
    std::vector<double> sums(static_cast<size_t>(stride));
    std::vector<double> counts(static_cast<size_t>(stride));
    double all = 0;
    for (int64_t t = 5; t + 2 < frames; ++t) {
      double sum = 0;
      for (const auto* track : rotations) sum += std::min(track->Kink(t), cap);
      sums[static_cast<size_t>(t % stride)] += sum;
      ++counts[static_cast<size_t>(t % stride)];
      all += sum;
    }
    mean = all / static_cast<double>(frames - 7) /
           static_cast<double>(rotations.size());
    for (size_t i = 0; i < sums.size(); ++i) sums[i] /= counts[i];
    const auto largest = std::max_element(sums.begin(), sums.end());
    const int64_t phase = largest - sums.begin();
    std::sort(sums.begin(), sums.end());
    const double ratio = sums[sums.size() - 2] / sums.back();
    if (ratio < best) {
      best = ratio;
      best_stride = stride;
      best_phase = phase;
    }
  }
  if (best >= 0.5 || mean <= 0.003) return false;
  Finding f{"DATA_INTERPOLATED", Severity::kHint};
  f.numbers = {{"stride", best_stride}, {"phase", best_phase}, {"ratio", best}};
  r->findings.push_back(f);
  return true;
}

// How often a second the joints change direction, given sums of their steps and
// kinks.
double HertzOf(const Reference& r, double steps, double kinks) {
  return kinks / (std::numbers::pi * r.clip.dt * steps);
}

// The whole clip, without first and last frames that stand apart; 0 if nothing
// moves.
double TempoOf(const Reference& r) {
  const int64_t frames = r.clip.frames;
  double steps = 0;
  double kinks = 0;
  for (const ReferenceTrack* track : r.clip.Rotations()) {
    if (track->MeanStep() <= 0.02) continue;
    const int64_t first = r.first_apart ? 2 : 1;
    const int64_t end = frames - (r.last_apart ? 1 : 0);
    for (int64_t t = first; t < end; ++t) {
      steps += std::min(track->Step(t), 20.0);
      if (t + 1 < end) kinks += std::min(track->Kink(t), 20.0);
    }
  }
  return steps == 0 ? 0 : HertzOf(r, steps, kinks);
}

// The longest frames in which no joint changes its speed, for 0.2 s at least.
void FindLines(Reference* r) {
  const double cap = 5 * std::max(1.0, 60 * r->clip.dt);
  const auto kinks_at = [&](int64_t t) {
    double sum = 0;
    for (const auto* track : r->clip.Rotations()) {
      sum += std::min(track->Kink(t), cap);
    }
    return sum;
  };
  std::vector<bool> lines(1, false);
  double all = BodyStep(*r, 1);
  for (int64_t t = 1; t + 1 < r->clip.frames; ++t) {
    const double steps = BodyStep(*r, t + 1);
    all += steps;
    lines.push_back(steps >= 0.05 && HertzOf(*r, steps, kinks_at(t)) <= 0.5);
  }
  RepeatRun longest;
  int64_t count = 0;
  for (const RepeatRun& run : RunsOf(lines)) {
    const auto frames = static_cast<double>(run.rows);
    if (run.rows < 6 || frames * r->clip.dt < 0.1998) continue;
    ++count;
    if (run.rows > longest.rows) longest = run;
  }
  if (count == 0) return;
  const int64_t first = longest.first + 1;
  const int64_t last = longest.first + longest.rows;
  double steps = 0;
  double kinks = 0;
  for (int64_t t = first; t <= last; ++t) {
    steps += BodyStep(*r, t + 1);
    kinks += kinks_at(t);
  }
  const double mean = all / static_cast<double>(r->clip.frames - 1);
  if (HertzOf(*r, steps, kinks) > 0.2 * TempoOf(*r) ||
      steps < 0.03 * mean * static_cast<double>(longest.rows)) {
    return;
  }
  Finding f{"DATA_INTERPOLATED", Severity::kHint};
  f.frame = first;
  f.last_frame = last;
  f.occurrences = count;
  f.numbers = {{"frames", longest.rows}, {"first", first}, {"last", last}};
  r->findings.push_back(f);
}

}  // namespace

void FindInterpolated(Reference* r) {
  if (!r->many_repeats && !FindStride(r)) FindLines(r);
}

void FindTempo(Reference* r) {
  const int64_t frames = r->clip.frames;
  if (frames < 30 || r->many_repeats ||
      r->clip.dt != r->clip.clip->motion.frame_time) {
    return;
  }
  const double hertz = TempoOf(*r);
  if (hertz >= 0.8 || hertz <= 0) return;
  Finding f{"DATA_TEMPO_ODD", Severity::kHint};
  f.numbers = {{"hertz", hertz}, {"factor", 2.7 / hertz}};
  r->findings.push_back(f);
}

}  // namespace bvhmill::testing
