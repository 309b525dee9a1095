// Rows and cuts, slowly.

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>
#include <string>
#include <tuple>

#include "tests/validate/reference/reference_rules.h"

namespace bvhmill::testing {
double AngleOfStep(double step) {
  constexpr double kDegrees = 180 / std::numbers::pi;
  return 4 * kDegrees * std::asin(std::min(1.0, step / kDegrees / 4));
}

// --- Rows that repeat.

std::vector<RepeatRun> RunsOf(const std::vector<bool>& repeats) {
  std::vector<RepeatRun> runs;
  for (size_t t = 1; t < repeats.size(); ++t) {
    if (!repeats[t]) continue;
    if (!repeats[t - 1]) runs.push_back({static_cast<int64_t>(t) - 1, 0});
    ++runs.back().rows;
  }
  return runs;
}

namespace {

// Poses that are carried by the root for half a second, in a clip with eight
// frames that have a pose of their own.
std::vector<RepeatRun> CarriedRuns(const ReferenceClip& clip) {
  int64_t moving = 0;
  for (size_t t = 0; t < clip.repeats.size(); ++t) {
    moving += clip.repeats[t] || clip.repeats_pose[t] ? 0 : 1;
  }
  std::vector<RepeatRun> runs = RunsOf(clip.repeats_pose);
  std::erase_if(runs, [&](const RepeatRun& run) {
    const auto frames = static_cast<double>(run.rows + 1);
    return moving < 8 || frames < 4 || frames * clip.dt < 0.5;
  });
  return runs;
}

// Stills, and longer poses that are carried.
void FindFrozen(const std::vector<RepeatRun>& stills, Reference* r) {
  std::vector<RepeatRun> runs = stills;
  const std::vector<RepeatRun> carried = CarriedRuns(r->clip);
  const auto longest = std::max_element(
      carried.begin(), carried.end(),
      [](const auto& a, const auto& b) { return a.rows < b.rows; });
  const int64_t frames = r->clip.frames;
  const auto rank = [&](const RepeatRun& run) {
    const bool is_end = run.first == 0 || run.first + run.rows == frames - 1;
    const bool is_warning = !is_end || run.rows + 1 >= 0.25 * frames;
    return std::tuple(is_warning, run.rows, -run.first);
  };
  auto worst = std::max_element(runs.begin(), runs.end(),
                                [&](const RepeatRun& a, const RepeatRun& b) {
                                  return rank(a) < rank(b);
                                });
  const int64_t still_rows = worst == runs.end() ? 0 : worst->rows;
  const size_t count = runs.size() + carried.size();
  if (count == 0) return;
  if (!carried.empty() && longest->rows > still_rows) {
    runs = {*longest};
    worst = runs.begin();
  }
  Finding f{"DATA_FROZEN_FRAMES"};
  f.severity = std::get<0>(rank(*worst)) ? Severity::kWarning : Severity::kHint;
  f.frame = worst->first;
  f.last_frame = worst->first + worst->rows;
  f.occurrences = static_cast<int64_t>(count);
  f.numbers = {{"frames", worst->rows + 1}};
  if (r->clip.frame_time() > 0) {
    f.numbers["seconds"] = (worst->rows + 1) * r->clip.frame_time();
  }
  r->findings.push_back(f);
}

bool IsLong(const Reference& r, const RepeatRun& run) {
  return run.rows >= 4 && run.rows * r.clip.dt >= 0.0999;
}

// The rows of poses that stand one after the other, or 0: most runs have so
// many or one more, and are long.
int64_t HeldRows(const std::vector<RepeatRun>& runs, const Reference& r) {
  int64_t best = 0;
  int64_t following = 0;
  for (int64_t rows = 1; rows < 126; ++rows) {
    int64_t count = 0;
    for (size_t i = 1; i < runs.size(); ++i) {
      const int64_t end = runs[i - 1].first + runs[i - 1].rows;
      const int64_t over = runs[i].rows - rows;
      const bool counts = IsLong(r, runs[i]) && (over == 0 || over == 1);
      count += counts && runs[i].first - end <= 2 ? 1 : 0;
    }
    if (count > following) best = rows;
    following = std::max(following, count);
  }
  if (best == 0) return 0;
  double usual = 0;
  int64_t repeats = 0;
  for (const RepeatRun& run : runs) {
    const int64_t over = run.rows - best;
    if (IsLong(r, run) && (over == 0 || over == 1)) ++usual;
    if (!IsLong(r, run) || over <= 1) repeats += run.rows;
  }
  const bool are_held =
      usual >= 4 && usual >= 0.6 * static_cast<double>(runs.size()) &&
      static_cast<double>(following + 1) >= 0.6 * usual &&
      static_cast<double>(repeats) >= 0.1 * static_cast<double>(r.clip.frames);
  return are_held ? best : 0;
}

void FindRepeats(const std::vector<RepeatRun>& runs, int64_t held,
                 Reference* r) {
  const int64_t frames = r->clip.frames;
  int64_t rows = 0;
  int64_t inner = 0;
  std::map<int64_t, int64_t> lengths;
  for (const RepeatRun& run : runs) {
    rows += run.rows;
    ++lengths[run.rows];
    inner +=
        !IsLong(*r, run) && run.first >= 2 && run.first + run.rows < frames - 2
            ? 1
            : 0;
  }
  r->many_repeats = rows >= 0.1 * static_cast<double>(frames);
  const auto count = static_cast<double>(runs.size());
  const int64_t poses =
      frames - std::count(r->clip.repeats.begin(), r->clip.repeats.end(), true);
  // Poses that stand for one row more than the best of these, or for two more.
  int64_t best = held;
  const auto both = [&](int64_t n) { return lengths[n] + lengths[n + 1]; };
  for (int64_t n = 1; held == 0 && n < 127; ++n) {
    if (best == 0 || both(n) > both(best)) best = n;
  }
  const int64_t usual = std::max(lengths[best], lengths[best + 1]);
  const bool is_enough = r->many_repeats && count >= 4;
  const bool are_most = both(best) >= 0.6 * count &&
                        both(best) >= 0.6 * static_cast<double>(poses);
  int64_t stride = 0;
  if (held > 0 || (is_enough && are_most)) {
    stride = best + (usual > lengths[best] ? 2 : 1);
  }
  const bool are_some = is_enough && usual >= 0.6 * count;
  if (stride == 0 && !are_some && inner < 3) return;
  Finding f{"DATA_REPEATED_FRAMES"};
  f.frame = runs.front().first + 1;
  f.numbers = {
      {"stride", stride}, {"frames", rows}, {"runs", count}, {"poses", poses}};
  r->findings.push_back(f);
}

}  // namespace

void FindRepeatedRows(Reference* r) {
  const std::vector<RepeatRun> runs = RunsOf(r->clip.repeats);
  if (runs.size() == 1 && runs[0].rows == r->clip.frames - 1) {
    Finding f{"DATA_FROZEN_CLIP"};
    f.frame = 0;
    f.last_frame = r->clip.frames - 1;
    f.numbers = {{"frames", r->clip.frames}};
    r->findings.push_back(f);
    return;
  }
  const int64_t held = HeldRows(runs, *r);
  std::vector<RepeatRun> stills;
  std::vector<RepeatRun> repeats;
  for (const RepeatRun& run : runs) {
    const bool is_pose = held > 0 && run.rows <= held + 1;
    (IsLong(*r, run) && !is_pose ? stills : repeats).push_back(run);
  }
  FindFrozen(stills, r);
  if (!repeats.empty()) FindRepeats(repeats, held, r);
}

double Neighbour(const ReferenceTrack& track, int64_t t) {
  return std::max(track.Step(t - 1), track.Step(t + 1));
}

std::optional<double> JumpAt(const Reference& r, const ReferenceTrack& track,
                             int64_t t) {
  const double step = track.Step(t);
  const double next = Neighbour(track, t);
  const double rate = (step - next) / r.clip.dt / r.clip.dt;
  if (next > step / 4) return std::nullopt;
  if (!track.is_rotation) {
    return step - next >= 0.02 && rate >= 30 ? std::optional(0.0)
                                             : std::nullopt;
  }
  if (step - next < 8) return std::nullopt;
  if (rate >= 80'000) return 0;
  if (step < 12) return std::nullopt;
  return std::max(track.MeanStep(), 0.2);
}

bool IsJump(const Reference& r, const ReferenceTrack& track, int64_t t) {
  const auto mean = JumpAt(r, track, t);
  return mean && track.Step(t) >= 15 * *mean;
}

namespace {

// --- Cuts, and frames that stand apart.

struct Leap {
  double joints = 0;
  double excess = 0;
  double largest = 0;
  bool is_cut = false;
  double moving = 0;
  double usual = 0;
};

Leap LeapAt(const Reference& r, int64_t t) {
  Leap leap;
  for (const ReferenceTrack* track : r.clip.Rotations()) {
    const double step = track->Step(t);
    const double next = Neighbour(*track, t);
    leap.joints += step > 3 * next && step > 1 ? 1 : 0;
    leap.excess += std::max(step - next, 0.0);
    leap.largest = std::max(leap.largest, AngleOfStep(step));
    const auto most =
        std::max_element(track->steps.begin(), track->steps.end());
    leap.moving += *most > 0.05 ? 1 : 0;
    leap.usual += track->MeanStep();
  }
  leap.is_cut = leap.joints >= 3 && leap.joints >= 0.3 * leap.moving &&
                leap.excess >= leap.moving;
  return leap;
}

bool IsApart(const Reference& r, int64_t t) {
  if (LeapAt(r, t).is_cut) return true;
  return std::any_of(
      r.clip.tracks.begin(), r.clip.tracks.end(),
      [&](const ReferenceTrack& track) { return IsJump(r, track, t); });
}

void AddApart(const char* code, int64_t frame, int64_t step, Reference* r) {
  const Leap leap = LeapAt(*r, step);
  Finding f{code, Severity::kHint};
  f.frame = frame;
  std::set<int32_t> nodes;
  for (const ReferenceTrack& track : r->clip.tracks) {
    if (IsJump(*r, track, step)) nodes.insert(track.node);
  }
  const double joints =
      std::max({leap.joints, static_cast<double>(nodes.size()), 1.0});
  if (joints == 1 && !leap.is_cut) f.node = *nodes.begin();
  f.numbers = {{"joints", joints}, {"degrees", leap.largest}};
  for (const ReferenceTrack& track : r->clip.tracks) {
    if (track.is_rotation || !IsJump(*r, track, step)) continue;
    double& reach = f.numbers["reach"];
    reach = std::max(reach, track.Step(step));
  }
  r->findings.push_back(f);
}

// Joints that turn in frames 1 to `frames` much more than in those after them,
// and the longest way of one.
Leap FadeOf(const Reference& r, int64_t frames) {
  Leap fade;
  for (const ReferenceTrack* track : r.clip.Rotations()) {
    const auto first = track->steps.begin() + 1;
    const auto end = first + frames;
    const double least = *std::min_element(first, end);
    if (least <= 1 || least <= 3 * *std::max_element(end, end + 4)) continue;
    ++fade.joints;
    double way = 0;
    for (auto step = first; step < end; ++step) way += AngleOfStep(*step);
    fade.largest = std::max(fade.largest, way);
  }
  return fade;
}

// A pose that fades into the motion over 2 to 4 frames.
void FindFade(Reference* r) {
  Leap best;
  int64_t frames = 0;
  for (int64_t n = 2; n <= 4 && n + 4 < r->clip.frames; ++n) {
    const Leap fade = FadeOf(*r, n);
    if (fade.joints <= best.joints) continue;
    best = fade;
    frames = n;
  }
  if (best.joints < std::max(3.0, 0.3 * LeapAt(*r, 1).moving)) return;
  r->first_apart = true;
  Finding f{"DATA_FIRST_FRAME_APART", Severity::kHint};
  f.frame = 0;
  f.last_frame = frames - 1;
  f.numbers = {{"joints", best.joints}, {"degrees", best.largest}};
  r->findings.push_back(f);
}

}  // namespace

void FindCuts(Reference* r) {
  const int64_t frames = r->clip.frames;
  if (frames < 4 || r->many_repeats) return;
  r->last_apart = IsApart(*r, frames - 1);
  FindFade(r);
  if (!r->first_apart && IsApart(*r, 1)) {
    r->first_apart = true;
    AddApart("DATA_FIRST_FRAME_APART", 0, 1, r);
  }
  if (r->last_apart) {
    AddApart("DATA_LAST_FRAME_APART", frames - 1, frames - 1, r);
  }
  Finding f{"DATA_CUT"};
  double worst = -1;
  for (int64_t t = 2; t + 1 < frames; ++t) {
    const Leap leap = LeapAt(*r, t);
    if (!leap.is_cut || leap.excess < 0.8 * leap.usual) continue;
    r->cuts.insert(t);
    if (leap.excess <= worst) continue;
    worst = leap.excess;
    f.frame = t;
    f.numbers = {{"joints", leap.joints},
                 {"moving", leap.moving},
                 {"degrees", leap.excess / leap.moving}};
  }
  f.occurrences = static_cast<int64_t>(r->cuts.size());
  if (!r->cuts.empty()) r->findings.push_back(f);
}

}  // namespace bvhmill::testing
