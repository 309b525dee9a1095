#pragma once

// Chooses the frames of a curve that become keys: the greedy part, the same for
// rotations and positions. Private to anim/.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace bvhmill {

// One end of a line between keys.
template <typename Value>
struct KeyEnd {
  Value value = {};
  uint16_t code = 0;
  // The decoded time of the code, in seconds.
  float time = 0;
};

// A frame with a key: one line ends at `in`, and the next begins at `out`.
// Usually both are the same key. Where one key cannot hold the value of the
// frame, they are two, one before the frame and one after it.
template <typename Value>
struct FitKey {
  size_t frame = 0;
  KeyEnd<Value> in;
  KeyEnd<Value> out;
  bool is_pair = false;
};

// Finds the farthest frame after `from` that can be the next key. First tries
// about the length of the line before, then moves onward or back in growing
// steps, then by bisection. It may miss a long line that fits if a shorter one
// does not. If no line fits, the next frame is taken by fit.Step. Returns the
// error, which is above `limit` if that step does not fit either.
template <typename Fit, typename Value>
float ReachFarthest(const Fit& fit, size_t count, size_t guess, float limit,
                    const FitKey<Value>& from, FitKey<Value>* to) {
  size_t good = from.frame + 1;
  size_t bad = count;
  float error = -1;
  size_t step = std::max<size_t>(guess / 4, 1);
  size_t probe = std::min(from.frame + std::max<size_t>(guess, 2), count - 1);
  while (probe > good && probe < bad) {
    FitKey<Value> fit_key;
    const float worst = fit.Reach(from, probe, limit, &fit_key);
    if (worst <= limit) {
      good = probe;
      error = worst;
      *to = fit_key;
    } else {
      bad = probe;
    }
    if (bad == count) {
      probe = std::min(good + step, count - 1);
    } else if (error < 0 && bad > good + 2 * step) {
      probe = bad - step;
    } else {
      probe = good + (bad - good) / 2;
    }
    step *= 2;
  }
  return error >= 0 ? error : fit.Step(from, limit, to);
}

// Maps floats to integers in the same order. Compilers vectorise the minimum
// and maximum of integers, but not those of floats.
inline int32_t OrderOf(float value) {
  constexpr int32_t kWithoutSign = 0x7FFFFFFF;
  const auto bits = std::bit_cast<int32_t>(value);
  return bits ^ ((bits >> 31) & kWithoutSign);
}
inline float InOrder(int32_t order) {
  constexpr int32_t kWithoutSign = 0x7FFFFFFF;
  return std::bit_cast<float>(order ^ ((order >> 31) & kWithoutSign));
}

// Calls take(fit_key) for each fit_key, in order. Returns the largest error.
// With a limit of 0 every frame becomes a key. `fit` must have
//
//   Start(): the first fit_key;
//   Reach(from, frame, limit, &to): sets `to` to the best fit_key at a later
//       frame, and returns the error of the line to it;
//   Step(from, limit, &to): the same for the next frame, with any error;
//   GoesOn(): false if the choice must end at once.
//
// Cost: for each frame, at most about 4 log2(count) frames are compared with a
// line. A line of n frames is found by lines of at most 3 n frames, and the
// first of them is as long as the line before.
template <typename Fit, typename Take>
float ChooseKeys(const Fit& fit, size_t count, float limit, const Take& take) {
  using Value = typename Fit::Value;
  FitKey<Value> from = fit.Start();
  take(from);
  float worst = 0;
  size_t guess = 8;
  while (from.frame + 1 < count && fit.GoesOn()) {
    FitKey<Value> to;
    const float error = limit > 0
                            ? ReachFarthest(fit, count, guess, limit, from, &to)
                            : fit.Step(from, limit, &to);
    worst = std::max(worst, error);
    guess = to.frame - from.frame;
    from = to;
    take(from);
  }
  return worst;
}

}  // namespace bvhmill
