// Faults of whole rows: held, repeated, interpolated, not finite.

#include <limits>
#include <utility>

#include "tests/faults/clip_tools.h"

namespace bvhmill::faults {
namespace {

using Injected = std::optional<Expected>;

void Hold(Clip* clip, int64_t frame, int64_t count) {
  for (int64_t i = 1; i <= count; ++i) CopyRow(clip, frame, frame + i);
}

Injected FrozenClip(Site* site) {
  const int64_t kept = site->Pick<int64_t>(Frames(*site->clip), 30, 4);
  if (Frames(*site->clip) < kept) return std::nullopt;
  RemoveRows(site->clip, kept, Frames(*site->clip) - kept);
  Hold(site->clip, 0, kept - 1);
  return Expected{{"DATA_FROZEN_CLIP"}, {}, {}, {}};
}

Injected FrozenTail(Site* site) {
  Clip& clip = *site->clip;
  if (!IsLive(clip)) return std::nullopt;
  const int64_t count =
      site->Pick(Frames(clip) / 2, FramesIn(clip, 0.7), FramesIn(clip, 0.15));
  const int64_t held = Frames(clip) - 1 - std::max<int64_t>(count, 5);
  if (held < 1) return std::nullopt;
  Hold(&clip, held, Frames(clip) - 1 - held);
  return Expected{{"DATA_FROZEN_FRAMES"}, held, held, {}};
}

Injected FrozenMiddle(Site* site) {
  Clip& clip = *site->clip;
  if (!IsLive(clip)) return std::nullopt;
  const int64_t count =
      std::max<int64_t>(5, FramesIn(clip, site->Pick(1.5, 0.4, 0.15)));
  if (Frames(clip) < 3 * count) return std::nullopt;
  const int64_t held = MiddleFrame(site, count);
  Hold(&clip, held, count);
  return Expected{{"DATA_FROZEN_FRAMES"}, held, held, {}};
}

// Only every `stride`-th row is new.
Injected Repeated(Site* site, int64_t stride) {
  Clip& clip = *site->clip;
  if (!IsLive(clip)) return std::nullopt;
  // Part of the clip, if it is subtle.
  const int64_t end = Frames(clip) / site->Pick(1, 2, 4);
  for (int64_t frame = 0; frame < end; ++frame) {
    CopyRow(&clip, frame - frame % stride, frame);
  }
  return Expected{{"DATA_REPEATED_FRAMES"}, 0, end, {}};
}

Injected RepeatedBy2(Site* site) { return Repeated(site, 2); }
Injected RepeatedBy3(Site* site) { return Repeated(site, 3); }

// Frames were dropped, and the ones before stand in for them.
Injected DroppedFrames(Site* site) {
  Clip& clip = *site->clip;
  if (!IsLive(clip)) return std::nullopt;
  const int64_t count = site->Pick<int64_t>(16, 8, 4);
  const int64_t apart = (Frames(clip) - 20) / count;
  if (apart < 1) return std::nullopt;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t frame = 10 + i * apart + Between(site, 0, apart / 2);
    CopyRow(&clip, frame, frame + 1);
  }
  return Expected{{"DATA_REPEATED_FRAMES"}, 0, Frames(clip), {}};
}

// Rows between every `stride`-th one are on straight lines.
Injected Interpolated(Site* site, int64_t stride) {
  Clip& clip = *site->clip;
  if (!IsLive(clip) || MovingJoints(clip).size() < 8) return std::nullopt;
  for (int64_t frame = 0; frame + stride < Frames(clip); ++frame) {
    const int64_t first = frame - frame % stride;
    const auto share =
        static_cast<float>(frame - first) / static_cast<float>(stride);
    for (int64_t c = 0; std::cmp_less(c, Width(clip)); ++c) {
      const float from = ValueAt(clip, first, c);
      const float by = ValueAt(clip, first + stride, c) - from;
      // Not across a turn of 360 degrees.
      if (by < 180 && by > -180) ValueAt(&clip, frame, c) = from + share * by;
    }
  }
  const int64_t rest = (Frames(clip) - 1) % stride;
  RemoveRows(&clip, Frames(clip) - rest, rest);
  return Expected{{"DATA_INTERPOLATED"}, {}, {}, {}};
}

Injected Slower(Site* site) {
  return Interpolated(site, site->Pick<int64_t>(5, 3, 2));
}
Injected SlowerBy4(Site* site) {
  if (site->strength == Strength::kSubtle) return std::nullopt;
  return Interpolated(site, 4);
}

// Rows that are not numbers.
Injected NanGap(Site* site) {
  Clip& clip = *site->clip;
  const auto joints = TurningJoints(clip);
  const int64_t count = site->Pick<int64_t>(20, 5, 1);
  if (joints.empty() || Frames(clip) < 60) return std::nullopt;
  const int32_t joint = AnyOf(site, joints);
  const int64_t frame = MiddleFrame(site, count);
  const int64_t column =
      clip.skeleton.nodes[static_cast<size_t>(joint)].first_channel;
  for (int64_t i = 0; i < count; ++i) {
    ValueAt(&clip, frame + i, column) = std::numeric_limits<float>::quiet_NaN();
  }
  return Expected{{"DATA_NOT_FINITE"}, frame, frame, {joint}};
}

constexpr FaultKind kFaults[] = {
    {"frozen_clip", FrozenClip},     {"frozen_tail", FrozenTail},
    {"frozen_middle", FrozenMiddle}, {"repeated_by_2", RepeatedBy2},
    {"repeated_by_3", RepeatedBy3},  {"dropped_frames", DroppedFrames},
    {"interpolated", Slower},        {"interpolated_by_4", SlowerBy4},
    {"not_a_number", NanGap},
};

}  // namespace

std::span<const FaultKind> RowFaults() { return kFaults; }

}  // namespace bvhmill::faults
