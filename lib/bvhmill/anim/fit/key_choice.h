#pragma once

// Which frames of a curve become keys: the greedy part, alike for rotations and
// positions. Private to anim/.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace bvhmill {

// One end of a line between keys, or both ends of two lines that do not meet.
template <typename Value>
struct KeyEnd {
  Value value = {};
  uint16_t code = 0;
  // Of the code; seconds.
  float time = 0;
};

// A frame with a key, to which one line leads and from which the next begins.
// Mostly they are one key; where one cannot say what it should, two, one
// before the frame and one behind it.
template <typename Value>
struct FitKey {
  size_t frame = 0;
  KeyEnd<Value> in;
  KeyEnd<Value> out;
  bool is_pair = false;
};

// The farthest frame behind `from` that may be the next fit_key: first about as
// far as the one before, then onward or back in growing steps, then by halving.
// A longer line that fits where a shorter one does not may be overlooked.
// Returns the error; beyond `limit` if nothing fits.
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

// Whole numbers in the order of floats, for compilers make vectors of their
// least and largest, but not of those of floats.
inline int32_t OrderOf(float value) {
  constexpr int32_t kWithoutSign = 0x7FFFFFFF;
  const auto bits = std::bit_cast<int32_t>(value);
  return bits ^ ((bits >> 31) & kWithoutSign);
}
inline float InOrder(int32_t order) {
  constexpr int32_t kWithoutSign = 0x7FFFFFFF;
  return std::bit_cast<float>(order ^ ((order >> 31) & kWithoutSign));
}

// Calls take(fit_key) for each fit_key, in order; returns the worst error. A
// limit of 0 makes every frame one.
//
// `fit` has Start(), the first fit_key; Reach(from, frame, limit, &to), the
// error of a line from one fit_key to the best one at a frame farther on;
// Step(from, limit, &to), that to the next frame, which may be any; and
// GoesOn(), false if the choice is to end at once.
//
// Cost: at most about 4 log2(count) frames are compared with a line for each
// frame: a line of n frames is found by lines of at most 3 n frames, and the
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
