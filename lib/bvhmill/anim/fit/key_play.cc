#include "bvhmill/anim/fit/key_play.h"

#include <algorithm>
#include <cmath>

namespace bvhmill {

BetweenKeys KeyCursor::To(float seconds) {
  while (next_ < keys_.size() && TimeOf(keys_[next_], duration_) <= seconds) {
    ++next_;
  }
  const AnimKey* const from = &keys_[next_ == 0 ? 0 : next_ - 1];
  if (next_ == 0 || next_ == keys_.size()) return {from, from, 0};
  const AnimKey* const to = &keys_[next_];
  const float begin = TimeOf(*from, duration_);
  return {from, to,
          (seconds - begin) * SecondsInverse(begin, TimeOf(*to, duration_))};
}

void SortKeys(std::vector<AnimKey>* keys) {
  std::stable_sort(
      keys->begin(), keys->end(),
      [](const AnimKey& a, const AnimKey& b) { return a.time < b.time; });
  size_t kept = 0;
  for (const AnimKey& key : *keys) {
    if (kept > 0 && (*keys)[kept - 1].time == key.time) --kept;
    (*keys)[kept++] = key;
  }
  keys->resize(kept);
}

Quat<float> BlendRotations(const Quat<float>& a, const Quat<float>& b,
                           float u) {
  constexpr float kNearlySame = 0.00001F;
  const float cosine = Dot(a, b);
  float stay = 1.0F - u;
  float go = u;
  if (cosine < 0) {
    if (1.0F + cosine >= kNearlySame) {
      const float angle = std::acos(-cosine);
      const float sine = std::sin(angle);
      stay = std::sin(angle - u * angle) / sine;
      go = std::sin(u * angle) / sine;
    }
    stay = -stay;
  }
  return {a.x * stay + b.x * go, a.y * stay + b.y * go, a.z * stay + b.z * go,
          a.w * stay + b.w * go};
}

}  // namespace bvhmill
