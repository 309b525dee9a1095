#include "bvhmill/math/motion_steps.h"
#include "bvhmill/math/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bvhmill/math/motion_events.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace bvhmill {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, kStepParts>;
using V = hn::Vec<D>;
using Mask = hn::Mask<D>;

HWY_INLINE V At(const float* values) { return hn::LoadU(D(), values); }
HWY_INLINE V Of(float value) { return hn::Set(D(), value); }

HWY_INLINE Mask MayBeSpikes(const float* steps, const float* kinks,
                            const EventScreen& screen) {
  const V kink = At(kinks);
  const V both = hn::Add(At(steps), At(steps + 1));
  const V least = hn::Min(At(steps), At(steps + 1));
  const Mask is_fast = hn::Ge(kink, Of(screen.fast_kink));
  const V most = hn::Add(hn::Mul(Of(screen.back_share), least),
                         hn::Mul(Of(kEventRounding), both));
  const Mask is_back = hn::Le(hn::Sub(hn::Add(both, both), kink), most);
  const Mask is_large = hn::Ge(kink, Of(screen.least_kink));
  return hn::Or(hn::And(is_large, hn::Or(is_fast, is_back)),
                hn::Ge(least, Of(screen.half_turn)));
}

HWY_INLINE Mask MayBeJumps(const float* steps, const EventScreen& screen) {
  const V step = At(steps);
  const V beside = hn::Max(At(steps - 1), At(steps + 1));
  return hn::And(hn::Ge(step, Of(screen.least_step)),
                 hn::Le(beside, hn::Mul(Of(kMostBesideJump), step)));
}

HWY_INLINE Mask MayBeSpreads(const float* steps, const EventScreen& screen) {
  const V least = hn::Min(At(steps), At(steps + 1));
  return hn::And(
      hn::Ge(least, Of(screen.spread_step)),
      hn::Le(At(steps - 1), hn::Mul(Of(screen.most_beside_spread), least)));
}

HWY_INLINE Mask MayBePulses(const float* steps, const float* kinks,
                            const EventScreen& screen) {
  const V least = hn::Min(hn::Min(At(steps), At(steps + 1)),
                          hn::Min(At(steps + 2), At(steps + 3)));
  const V beside = hn::Max(At(steps - 1), At(steps + 4));
  return hn::And(hn::And(hn::Ge(least, Of(screen.pulse_step)),
                         hn::Lt(At(kinks + 1), Of(screen.fast_kink))),
                 hn::Le(beside, hn::Mul(Of(screen.most_beside_pulse), least)));
}

HWY_INLINE Mask MayBeLocal(const float* steps, const float* kinks,
                           const EventScreen& screen) {
  const V kink = hn::Min(At(kinks - 1), At(kinks));
  return hn::And(hn::Ge(At(steps), Of(screen.least_step)),
                 hn::Ge(kink, Of(screen.local_kink)));
}

EventBits MayBeEvents(const float* steps, const float* kinks, size_t end,
                      const EventScreen& screen) {
  EventBits bits = {};
  const D d;
  for (size_t i = kStepLead; i < end; i += hn::Lanes(d)) {
    const float* const s = steps + i;
    const float* const k = kinks + i;
    // Most vectors end here.
    const Mask may_be = hn::Or(hn::Or(hn::Ge(At(s), Of(screen.spread_step)),
                                      hn::Ge(At(s), Of(screen.least_step))),
                               hn::Or(hn::Ge(At(k), Of(screen.least_kink)),
                                      hn::Ge(At(s), Of(screen.pulse_step))));
    if (hn::AllFalse(d, may_be)) continue;
    const Mask any = hn::Or(
        hn::Or(hn::Or(MayBeSpikes(s, k, screen), MayBeJumps(s, screen)),
               hn::Or(MayBeSpreads(s, screen), MayBeLocal(s, k, screen))),
        MayBePulses(s, k, screen));
    uint8_t bytes[8] = {};
    hn::StoreMaskBits(d, any, bytes);
    const uint32_t found = bytes[0] | static_cast<uint32_t>(bytes[1]) << 8;
    const size_t at = i - kStepLead;
    bits[at / kStepParts] |= static_cast<uint16_t>(found << at % kStepParts);
  }
  return bits;
}

}  // namespace HWY_NAMESPACE
}  // namespace bvhmill
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bvhmill {
namespace {

HWY_EXPORT(MayBeEvents);

}  // namespace

EventBits MayBeEvents(const float* steps, const float* kinks, size_t end,
                      const EventScreen& screen) {
  return HWY_DYNAMIC_DISPATCH(MayBeEvents)(steps, kinks, end, screen);
}

}  // namespace bvhmill
#endif  // HWY_ONCE
