#pragma once

// Which frames of a curve become keys: the greedy part, alike for rotations and
// positions. Private to anim/.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

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
struct Knot {
  size_t frame = 0;
  KeyEnd<Value> in;
  KeyEnd<Value> out;
  bool is_pair = false;
};

// The farthest frame behind `from` that may be the next knot: first about as
// far as the one before, then onward or back in growing steps, then by halving.
// A longer line that fits where a shorter one does not may be overlooked.
// Returns the error; beyond `limit` if nothing fits.
template <typename Fit, typename Value>
float ReachFarthest(const Fit& fit, size_t count, size_t guess, float limit,
                    const Knot<Value>& from, Knot<Value>* to) {
  size_t good = from.frame + 1;
  size_t bad = count;
  float error = -1;
  size_t step = std::max<size_t>(guess / 4, 1);
  size_t probe = std::min(from.frame + std::max<size_t>(guess, 2), count - 1);
  while (probe > good && probe < bad) {
    Knot<Value> knot;
    const float worst = fit.Reach(from, probe, limit, &knot);
    if (worst <= limit) {
      good = probe;
      error = worst;
      *to = knot;
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

// Sets `knots`; returns the worst error. A limit of 0 makes every frame one.
//
// `fit` has Start(), the first knot; Reach(from, frame, limit, &to), the error
// of a line from one knot to the best one at a frame farther on; and
// Step(from, limit, &to), that to the next frame, whatever its error.
template <typename Fit, typename Value>
float ChooseKnots(const Fit& fit, size_t count, float limit,
                  std::vector<Knot<Value>>* knots) {
  knots->assign(1, fit.Start());
  float worst = 0;
  size_t guess = 8;
  while (knots->back().frame + 1 < count) {
    const Knot<Value> from = knots->back();
    Knot<Value> to;
    const float error = limit > 0
                            ? ReachFarthest(fit, count, guess, limit, from, &to)
                            : fit.Step(from, limit, &to);
    worst = std::max(worst, error);
    guess = to.frame - from.frame;
    knots->push_back(to);
  }
  return worst;
}

}  // namespace bvhmill
