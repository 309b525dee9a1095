// Spikes and jumps, slowly.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "tests/validate/reference/reference_rules.h"

namespace bvhmill::testing {
namespace {

// The kinks of a step, as multiples of those before and after it; both 0 if it
// does not depart from the steps beside it.
struct Contrast {
  double before = 0;
  double after = 0;
};

struct Event {
  int64_t frame = 0;
  int64_t frames = 0;
  double size = 0;
  double stated = 0;
  // It is no jump, but may be one end of a spike.
  bool is_end = false;
  Contrast contrast = {};
  // The steps over which a jump is spread.
  int steps = 1;
  // A jump is 15 times as large, a spike 6 times.
  double mean = 0;

  int64_t last_frame() const {
    return frame + std::max<int64_t>(frames, steps) - 1;
  }
};

double Distance(const Quat<double>& a, const Quat<double>& b) {
  return std::hypot(std::hypot(a.x - b.x, a.y - b.y),
                    std::hypot(a.z - b.z, a.w - b.w));
}

double UsualKink(const ReferenceTrack& track) {
  double sum = 0;
  for (const double kink : track.kinks) {
    sum += std::min(kink, 10.0) * std::min(kink, 10.0);
  }
  return std::max(std::sqrt(sum / static_cast<double>(track.kinks.size() - 2)),
                  0.3);
}

// The kink of a joint that makes half a turn and comes back in the next frame,
// if its last quaternion has the other sign. 0 if it does not come back.
double HalfTurnKink(const ReferenceTrack& track, int64_t t) {
  const double least = std::min(track.Step(t), track.Step(t + 1));
  if (!track.is_rotation || AngleOfStep(least) < 132.8436) return 0;
  const auto& q = track.poses;
  const auto i = static_cast<size_t>(t);
  const Quat<double> last = {-q[i + 1].x, -q[i + 1].y, -q[i + 1].z,
                             -q[i + 1].w};
  const double away = 360 * std::numbers::inv_pi * Distance(q[i - 1], last);
  if (away > least / 2) return 0;
  if (std::max(track.Step(t - 1), track.Step(t + 2)) > least / 2) return 0;
  const Quat<double> middle = {
      (q[i - 1].x + last.x) / 2, (q[i - 1].y + last.y) / 2,
      (q[i - 1].z + last.z) / 2, (q[i - 1].w + last.w) / 2};
  return 360 * std::numbers::inv_pi * Distance(middle, q[i]);
}

bool HasFramesNearBy(const Reference& r, int64_t t) {
  return t >= 4 && t + 4 < r.clip.frames;
}

// How many times as long as at 23.9 frames a second a frame lasts; 1 at a
// faster rate.
double Slowness(const Reference& r) { return std::max(23.9 * r.clip.dt, 1.0); }

// The rate is high enough to compare with the frames near by.
bool ShowsJumps(const Reference& r) { return r.clip.dt <= 1 / 14.9; }

bool IsSpike(const Reference& r, const ReferenceTrack& track, int64_t t) {
  if (HalfTurnKink(track, t) > 0) return true;
  const double kink = track.Kink(t);
  const double least = std::min(track.Step(t), track.Step(t + 1));
  const double rate = 2 * kink / r.clip.dt / r.clip.dt;
  const bool is_fast = track.is_rotation ? kink >= 5 && rate >= 80'000
                                         : kink >= 0.01 && rate >= 30;
  const bool is_back = track.returns[static_cast<size_t>(t)] <= least / 2;
  if (is_fast && is_back) return true;
  const double near = track.Kink(t - 1);
  const double far = track.Kink(t + 1);
  const bool is_pattern =
      kink >= 1.5 * std::max(near, far) && kink <= 4 * std::min(near, far) &&
      kink >= 4 * std::max(track.Kink(t - 2), track.Kink(t + 2));
  const double beside = std::max(track.Step(t - 1), track.Step(t + 2));
  const bool is_left = beside > std::max(track.Step(t), track.Step(t + 1)) &&
                       !HasFramesNearBy(r, t);
  if (is_fast && is_pattern && track.Step(t) > 0 && !is_left) return true;
  if (beside > least / 2) return false;
  const double around = std::max({track.Kink(t - 3), track.Kink(t - 2),
                                  track.Kink(t + 2), track.Kink(t + 3)});
  if (track.is_rotation && is_back && HasFramesNearBy(r, t) && ShowsJumps(r) &&
      kink >= 9 && rate >= 13'800 && kink >= 12 * Slowness(r) * around) {
    return true;
  }
  return track.is_rotation && is_back && kink >= 7 &&
         kink >= 10 * UsualKink(track);
}

Contrast ContrastOf(const Reference& r, const ReferenceTrack& track,
                    int64_t t) {
  if (!HasFramesNearBy(r, t) || !ShowsJumps(r)) return {};
  if (track.Step(t - 1) == 0) return {};
  if (track.Step(t) < (track.is_rotation ? 8 : 0.02)) return {};
  const double slow = Slowness(r);
  const auto* q = &track.poses[static_cast<size_t>(t)];
  const auto weigh = [&](double a, double b, double c, double d) {
    const Quat<double> sum = {
        a * q[-2].x + b * q[-1].x + c * q[0].x + d * q[1].x,
        a * q[-2].y + b * q[-1].y + c * q[0].y + d * q[1].y,
        a * q[-2].z + b * q[-1].z + c * q[0].z + d * q[1].z,
        a * q[-2].w + b * q[-1].w + c * q[0].w + d * q[1].w};
    return Distance(sum, {0, 0, 0, 0}) *
           (track.is_rotation ? 360 * std::numbers::inv_pi : 1);
  };
  const double over = weigh(0.5, -1.5, 1.5, -0.5);
  if (over < (track.is_rotation ? 10 : 0.02) * slow * slow) return {};
  if (weigh(1, -1, -1, 1) > over / 2) return {};
  const double kink = std::min(track.Kink(t - 1), track.Kink(t));
  const auto times = [&](double a, double b) {
    return kink / std::max({a, b, 1e-12}) / slow;
  };
  return {times(track.Kink(t - 3), track.Kink(t - 2)),
          times(track.Kink(t + 1), track.Kink(t + 2))};
}

void AddEvents(const char* code, const ReferenceTrack& track,
               std::vector<Event> events, Reference* r) {
  std::erase_if(events, [&](const Event& e) {
    const auto cut = r->cuts.lower_bound(e.frame);
    const bool is_cut =
        cut != r->cuts.end() && (*cut == e.frame || *cut < e.frame + e.steps);
    return is_cut || (e.frames > 0 && r->cuts.contains(e.frame + e.frames));
  });
  if (events.empty()) return;
  const auto worst = std::max_element(
      events.begin(), events.end(),
      [](const Event& a, const Event& b) { return a.size < b.size; });
  Finding f{code};
  f.node = track.node;
  f.frame = worst->frame;
  if (worst->last_frame() > worst->frame) f.last_frame = worst->last_frame();
  f.occurrences = static_cast<int64_t>(events.size());
  f.numbers[track.is_rotation ? "degrees" : "reach"] = worst->stated;
  if (worst->frames > 0) f.numbers["frames"] = worst->frames;
  r->findings.push_back(f);
}

// The second of two jumps leads back, and both prove a spike.
bool IsBack(const ReferenceTrack& track, const Event& open, const Event& jump) {
  const bool is_local = open.contrast.before >= 12 && jump.contrast.after >= 12;
  if (!is_local && (open.is_end || jump.is_end)) return false;
  const double away =
      DistanceOf(track, track.poses[static_cast<size_t>(open.frame) - 1],
                 track.poses[static_cast<size_t>(jump.last_frame())]);
  return away <= 0.3 * std::min(open.size, jump.size);
}

// Two jumps that lead there and back are large enough.
bool IsLargeSpike(const Event& open, const Event& jump) {
  const bool is_local = open.contrast.before >= 12 && jump.contrast.after >= 12;
  return is_local || (open.size >= 6 * open.mean && jump.size >= 6 * jump.mean);
}

// A jump that is spread over 2 or 3 steps, the first of which leads to `t`. It
// may be too small.
std::optional<Event> SpreadJump(const Reference& r, const ReferenceTrack& track,
                                int64_t t) {
  if (!HasFramesNearBy(r, t) || r.clip.dt > 1 / 23.9) return std::nullopt;
  if (track.Step(t - 1) == 0 && track.Step(t - 2) > 0) return std::nullopt;
  const auto extremes = [&](int64_t from, int64_t to) {
    std::pair<double, double> out = {HUGE_VAL, 0};
    for (int64_t i = from; i < to; ++i) {
      out = {std::min(out.first, track.Step(i)),
             std::max(out.second, track.Step(i))};
    }
    return out;
  };
  for (int steps = 2; steps <= 3; ++steps) {
    const int64_t end = t + steps;
    const auto [least, most] = extremes(t, end);
    const double beside =
        std::max(extremes(t - 3, t).second, extremes(end, end + 2).second);
    const double jump_size = track.is_rotation ? 8 : 0.02;
    const double quick =
        (track.is_rotation ? 65'000 : 30) * r.clip.dt * r.clip.dt;
    const bool is_quick = least - beside >= quick && steps * least >= jump_size;
    const double ratio = !track.is_rotation ? 3 : is_quick ? 4 : 7;
    if ((!is_quick && least < jump_size) || least < ratio * beside ||
        least <= most / 4) {
      continue;
    }
    double sum = 0;
    for (int64_t i = t; i < end; ++i) sum += track.Step(i);
    const auto* poses = &track.poses[static_cast<size_t>(t) - 1];
    const double way = DistanceOf(track, poses[0], poses[steps]);
    if (way < 0.8 * sum) return std::nullopt;
    Event jump{t, 0, way, track.is_rotation ? AngleOfStep(way) : way};
    jump.steps = steps;
    if (track.is_rotation && !is_quick) {
      jump.mean = std::max(track.MeanStep(), 0.2);
    }
    return jump;
  }
  return std::nullopt;
}

// A spike of three frames with four steps of about equal length.
std::optional<Event> PulseAt(const Reference& r, const ReferenceTrack& track,
                             int64_t t) {
  const double dt = r.clip.dt;
  if (!track.is_rotation || 3 * dt > 0.13 * 1.001) return std::nullopt;
  if (t < 4 || t + 4 >= r.clip.frames) return std::nullopt;
  const double kink = track.Kink(t + 1);
  if (kink >= 5 && 2 * kink / dt / dt >= 80'000) return std::nullopt;
  const double least = std::min(
      {track.Step(t), track.Step(t + 1), track.Step(t + 2), track.Step(t + 3)});
  const auto* poses = &track.poses[static_cast<size_t>(t)];
  const double height = DistanceOf(track, poses[-1], poses[1]);
  const double away = DistanceOf(track, poses[-1], poses[3]);
  if (height < 15 || least < 0.4 * height || away > 0.3 * height ||
      least < 3.3 * std::max(track.Step(t - 1), track.Step(t + 4))) {
    return std::nullopt;
  }
  return Event{t, 3, height, AngleOfStep(height)};
}

void FindEventsOf(const ReferenceTrack& track, Reference* r) {
  const auto window =
      static_cast<int64_t>(std::max(2.0, 0.1 / r->clip.dt * 1.001));
  std::vector<Event> spikes;
  std::vector<Event> jumps;
  std::optional<Event> open;
  bool is_open_listed = false;
  for (int64_t t = 1; t + 1 < r->clip.frames; ++t) {
    const double half_turn = HalfTurnKink(track, t);
    const double kink = half_turn > 0 ? half_turn : track.Kink(t);
    if (IsSpike(*r, track, t)) {
      // AngleOfStep takes a kink, too: it is twice the chord to one neighbour.
      const double off = track.is_rotation ? AngleOfStep(kink) : kink;
      spikes.push_back({t, 1, kink, off});
    }
    if (const auto pulse = PulseAt(*r, track, t)) spikes.push_back(*pulse);
    const Contrast contrast = ContrastOf(*r, track, t);
    const auto in_one_step = JumpAt(*r, track, t);
    const bool is_local = std::min(contrast.before, contrast.after) >= 6;
    std::optional<Event> spread;
    if (!in_one_step && !is_local) spread = SpreadJump(*r, track, t);
    const bool is_jump = in_one_step || is_local || spread;
    const bool has_side = std::max(contrast.before, contrast.after) >= 6;
    if (t < 2 || (!is_jump && !has_side)) continue;
    const double step = track.Step(t);
    Event jump{t,        0,
               step,     track.is_rotation ? AngleOfStep(step) : step,
               !is_jump, contrast};
    if (in_one_step && !is_local) jump.mean = *in_one_step;
    if (spread) {
      jump = *spread;
      jump.contrast = contrast;
    }
    const bool is_large = is_jump && jump.size >= 15 * jump.mean;
    const bool is_near = open && t - open->frame <= window;
    if (is_near && IsBack(track, *open, jump)) {
      Event spike = open->size < jump.size ? *open : jump;
      spike.frame = open->frame;
      spike.frames = t - open->frame;
      spike.steps = 1;
      if (IsLargeSpike(*open, jump)) spikes.push_back(spike);
      if (is_open_listed) jumps.pop_back();
      open.reset();
      continue;
    }
    const bool keeps = is_near && !open->is_end;
    if (jump.is_end && (keeps || contrast.before < 12)) continue;
    open = jump;
    is_open_listed = is_large;
    if (is_large) jumps.push_back(jump);
  }
  AddEvents("DATA_SPIKE", track, spikes, r);
  AddEvents("DATA_JUMP", track, jumps, r);
}

}  // namespace

void FindEvents(Reference* r) {
  if (r->many_repeats) return;
  for (const ReferenceTrack& track : r->clip.tracks) FindEventsOf(track, r);
}

}  // namespace bvhmill::testing
