// Chooses keys greedily: from each key, the farthest frame to which one line,
// as the viewer blends keys, keeps all frames between within the limit. Three
// ends of a line are tried at a frame:
//
//   1. a key off the curve, by at most the limit, so that the largest errors of
//      the line on its two sides are equal;
//   2. a key on the curve;
//   3. a pair of keys around the frame, where one key cannot hold its value.
//
// The class template CurveFit is this algorithm for a kind of value: Rotations
// or Positions.

#include "bvhmill/anim/fit/curve_fit.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>

#include "bvhmill/anim/fit/key_play.h"
#include "bvhmill/math/linear.h"

namespace bvhmill {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

float Dot(const Vec3<float>& a, const Vec3<float>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// A line between two keys, and the frames at which it is measured: from `first`
// to before `end`.
template <typename Value>
struct KeyLine {
  Value from;
  Value to;
  float begin = 0;
  float per_second = 0;
  size_t first = 0;
  size_t end = 0;

  // 0 at `from`, 1 at `to`.
  float PartAt(float seconds) const { return (seconds - begin) * per_second; }
};

// The kinds of value, as static functions and constants:
//
//   kRange           The stored components are in -kRange..kRange.
//   kTryUnits, CompareUnits, kMoveUnits
//                    Units of work: for a line that is tried; for a frame that
//                    is compared with it; for a frame for which a moved end is
//                    computed.
//   LimitOf          The limit of SquareError for a bound. ErrorOf is the
//                    inverse.
//   Blend            The blend of the viewer. On a line that IsPlain,
//                    BlendPlain has the same values and is vectorised.
//   OffsetFrom       The vector from a value on a plain line to the curve.
//   UnitOf, Moved    offset / length, and value + direction * way. The kinds
//                    round differently, and the keys depend on it.
//   TriesPair        True if Reach tries a pair of keys where others fail.
//   kPairMustFit     Which pairs Step tries: if true, where a key does not fit,
//                    and the pair must; if false, where a key misses its own
//                    frame, and the pair need not fit.
//   PairAt           Makes a pair. Returns its error at its frame; infinity if
//                    there is no room.

// The error is the chord between unit quaternions.
struct Rotations {
  using Value = Quat<float>;
  using Curve = RotationCurve;
  using Line = KeyLine<Value>;

  static constexpr float kRange = kAnimRotationRange;
  static constexpr int64_t kTryUnits = 100;
  static constexpr int64_t kMoveUnits = 2;
  static int64_t CompareUnits(const Line& line) {
    return IsPlain(line) ? 2 : 60;
  }

  static const auto& ArraysOf(const Curve& curve) { return curve.q; }
  static constexpr auto At = QuatAt;
  static constexpr auto Decode = DecodeRotationKeys;
  static constexpr auto Nearest = NearestRotation;
  static constexpr auto PlayedOf = RotationOf;
  static Vec3<float> StoredOf(const Value& q) { return {q.x, q.y, q.z}; }

  static float LimitOf(float bound) {
    const float chord = 2.0F * std::sin(std::min(bound, 3.0F) / 4.0F);
    return chord * chord;
  }
  static constexpr auto ErrorOf = AngleOfChord;
  static constexpr auto SquareError = ChordSquare;

  // If the signs of two keys differ, the viewer blends them the shorter way.
  static bool IsPlain(const Line& line) { return Dot(line.from, line.to) >= 0; }
  static constexpr auto Blend = BlendRotations;
  static Value BlendPlain(const Value& a, const Value& b, float u) {
    const float v = 1.0F - u;
    return {a.x * v + b.x * u, a.y * v + b.y * u, a.z * v + b.z * u,
            a.w * v + b.w * u};
  }

  // A difference in length only does not count.
  static Value OffsetFrom(const Value& r, const Value& q) {
    const float dot = Dot(q, r);
    return {q.x * dot - r.x, q.y * dot - r.y, q.z * dot - r.z, q.w * dot - r.w};
  }
  static Value UnitOf(const Value& d, float length) {
    const float scale = 1.0F / length;
    return {d.x * scale, d.y * scale, d.z * scale, d.w * scale};
  }
  static Value Moved(const Value& q, const Value& d, float way) {
    return {q.x + d.x * way, q.y + d.y * way, q.z + d.z * way, q.w + d.w * way};
  }

  // Near half a turn a pair represents rotations that no key can, so it is
  // tried for lines of any length.
  static constexpr bool kPairMustFit = true;
  static bool TriesPair(const Value& decoded, const Value& q, float limit) {
    constexpr float kHard = 0.1F;
    return SquareError(decoded, q) > limit * kHard;
  }
  static float PairAt(const Curve& curve, const FrameTimes& times, size_t b,
                      FitKey<Value>* pair, WorkMeter* work) {
    return bvhmill::PairAt(At(curve.q, b), times, b, pair, work);
  }
};

// The error is the distance.
struct Positions {
  using Value = Vec3<float>;
  using Curve = PositionCurve;
  using Line = KeyLine<Value>;

  static constexpr float kRange = kAnimPositionRange;
  static constexpr int64_t kTryUnits = 80;
  static constexpr int64_t kMoveUnits = 6;
  static int64_t CompareUnits(const Line&) { return 1; }

  static const auto& ArraysOf(const Curve& curve) { return curve.p; }
  static Value At(const auto& p, size_t i) {
    return {p[0][i], p[1][i], p[2][i]};
  }
  static constexpr auto Decode = DecodePositionKeys;
  static Value Nearest(const Value& p, WorkMeter*) {
    return NearestPosition(p);
  }
  static constexpr auto PlayedOf = PositionOf;
  static const Vec3<float>& StoredOf(const Value& p) { return p; }

  static float LimitOf(float bound) { return bound * bound; }
  static float ErrorOf(float square) { return std::sqrt(square); }
  static float SquareError(const Value& r, const Value& p) {
    const Value d = OffsetFrom(r, p);
    return Dot(d, d);
  }

  static bool IsPlain(const Line&) { return true; }
  static constexpr auto Blend = BlendPositions;
  static constexpr auto BlendPlain = BlendPositions;

  static Value OffsetFrom(const Value& r, const Value& p) {
    return {p[0] - r[0], p[1] - r[1], p[2] - r[2]};
  }
  static Value UnitOf(const Value& d, float length) {
    return {d[0] / length, d[1] / length, d[2] / length};
  }
  static Value Moved(const Value& p, const Value& d, float way) {
    return {p[0] + d[0] * way, p[1] + d[1] * way, p[2] + d[2] * way};
  }

  // If the position jumps, a key that is a little early may need a value beyond
  // the range of the codes, and then misses its own frame. Two keys with the
  // position of the frame, one before it and one after it, replace it.
  static constexpr bool kPairMustFit = false;
  static bool TriesPair(const Value&, const Value&, float) { return false; }
  static float PairAt(const Curve& curve, const FrameTimes& times, size_t b,
                      FitKey<Value>* pair, WorkMeter*) {
    if (b + 1 == times.code.size() || times.code[b] + 1 >= times.code[b + 1]) {
      return kInfinity;
    }
    const Value value = NearestPosition(At(curve.p, b));
    const auto after = static_cast<uint16_t>(times.code[b] + 1);
    *pair = {b,
             {value, times.code[b], times.key[b]},
             {value, after, DecodeU16(after, 0, times.duration)},
             true};
    return SquareError(value, At(curve.p, b));
  }
};

// Map floats to integers in the same order, and back. Compilers vectorise the
// minimum and maximum of integers, but not those of floats.
int32_t OrderOf(float value) {
  constexpr int32_t kWithoutSign = 0x7FFFFFFF;
  const auto bits = std::bit_cast<int32_t>(value);
  return bits ^ ((bits >> 31) & kWithoutSign);
}
float InOrder(int32_t order) {
  constexpr int32_t kWithoutSign = 0x7FFFFFFF;
  return std::bit_cast<float>(order ^ ((order >> 31) & kWithoutSign));
}

// Chooses the keys of one curve. Errors and the limit are squares. With a limit
// of 0 every frame becomes a key.
//
// Cost: for each frame, at most about 4 log2(frames) frames are compared with a
// line. A line of n frames is found by lines of at most 3 n frames, and the
// first of them is as long as the line before.
template <typename Kind>
class CurveFit {
 public:
  using Curve = typename Kind::Curve;

  // Requires the values of Kind::Decode in workspace->decoded.
  CurveFit(const Curve& curve, const FrameTimes& times, float limit,
           FitWorkspace* workspace)
      : curve_(curve),
        times_(times),
        limit_(limit),
        decoded_(workspace->decoded),
        keys_(workspace->keys),
        work_(workspace->work) {}

  // Sets workspace->keys. Returns the largest error. Ends early if the budget
  // refuses.
  float ChooseKeys() {
    keys_.clear();
    keys_.reserve(2 * count_);
    Key from = KeyAt(0);
    Put(from);
    float worst = 0;
    size_t guess = 8;
    while (from.frame + 1 < count_ && work_.ok()) {
      Key to;
      worst = std::max(worst, limit_ > 0 ? ReachFarthest(from, guess, &to)
                                         : Step(from, &to));
      guess = to.frame - from.frame;
      from = to;
      Put(from);
    }
    return worst;
  }

 private:
  using Value = typename Kind::Value;
  using Key = FitKey<Value>;
  using Line = KeyLine<Value>;

  // Finds the farthest frame after `from` that can be the next key. First tries
  // about the length of the line before, then moves onward or back in growing
  // steps, then by bisection. It may miss a long line that fits if a shorter
  // one does not. If no line fits, takes the next frame. Returns the error,
  // which is above the limit if that frame does not fit either.
  float ReachFarthest(const Key& from, size_t guess, Key* to) {
    size_t good = from.frame + 1;
    size_t bad = count_;
    float error = -1;
    size_t step = std::max<size_t>(guess / 4, 1);
    size_t probe =
        std::min(from.frame + std::max<size_t>(guess, 2), count_ - 1);
    while (probe > good && probe < bad) {
      Key key;
      const float worst = Reach(from, probe, &key);
      if (worst <= limit_) {
        good = probe;
        error = worst;
        *to = key;
      } else {
        bad = probe;
      }
      if (bad == count_) {
        probe = std::min(good + step, count_ - 1);
      } else if (error < 0 && bad > good + 2 * step) {
        probe = bad - step;
      } else {
        probe = good + (bad - good) / 2;
      }
      step *= 2;
    }
    return error >= 0 ? error : Step(from, to);
  }

  // Sets `to` to the first end at frame `b` that fits. Returns the error of the
  // line to it, or a number above the limit if none fits.
  float Reach(const Key& from, size_t b, Key* to) {
    // If the ends of a line are on the curve, and its error is more than this
    // times the limit, moving one end cannot make it fit.
    constexpr float kWorthMoving = 4.0F;
    work_.Spend(Kind::kTryUnits);
    *to = KeyAt(b);
    const Line line = LineTo(from, *to);
    float error = kInfinity;
    if (Kind::IsPlain(line)) {
      const Value offset = OffsetFrom(line);
      const float square = Dot(offset, offset);
      if (square > limit_ * kWorthMoving) return square;
      if (TryMoved(from, line, offset, to, &error)) return error;
      if (square > limit_) return square;
    }
    error = LargestError(line, limit_);
    if (error <= limit_ && OwnError(*to) <= limit_) return error;
    const bool fits = Kind::TriesPair(to->in.value, At(b), limit_) &&
                      TryPair(from, limit_, to, &error);
    return fits ? error : kInfinity;
  }

  // Sets `to` to an end at the next frame. Returns the error of the line to it,
  // which may be above the limit.
  float Step(const Key& from, Key* to) {
    work_.Spend(Kind::kTryUnits);
    *to = KeyAt(from.frame + 1);
    float error = LargestError(LineTo(from, *to), kInfinity);
    if (limit_ <= 0) return error;
    const bool fits = error <= limit_ || !Kind::kPairMustFit;
    if (fits && OwnError(*to) <= limit_) return error;
    TryPair(from, Kind::kPairMustFit ? limit_ : kInfinity, to, &error);
    return error;
  }

  // Replaces `to`, a key on the curve, and its error by another end at its
  // frame. False if that does not fit.
  bool TryMoved(const Key& from, const Line& line, const Value& offset, Key* to,
                float* error) {
    Value value;
    if (!Move(line, offset, &value)) return false;
    const Key moved = KeyAt(to->frame, Kind::Nearest(value, &work_));
    const float worst = LargestError(LineTo(from, moved), limit_);
    if (worst > limit_ || OwnError(moved) > limit_) return false;
    *to = moved;
    *error = worst;
    return true;
  }
  bool TryPair(const Key& from, float limit, Key* to, float* error) {
    Key pair;
    const float own = Kind::PairAt(curve_, times_, to->frame, &pair, &work_);
    if (own > limit || own == kInfinity) return false;
    const float worst = std::max(own, LargestError(LineTo(from, pair), limit));
    if (worst > limit) return false;
    *to = pair;
    *error = worst;
    return true;
  }

  // Computes an end of the line that keeps all its frames within the limit;
  // false if there is none. Uses only the components along `offset`: the error
  // across it is not bounded here.
  bool Move(const Line& line, const Value& offset, Value* value) {
    // The part of the bound that a moved key may use; the rest is for the
    // rounding of its codes.
    constexpr float kMovedPart = 0.97F;
    const float length = std::sqrt(Dot(offset, offset));
    if (!(length > 0)) return false;
    Spend(line.end - line.first, Kind::kMoveUnits);
    const Value d = Kind::UnitOf(offset, length);
    const float start = Dot(line.from, d);
    const float slope = Dot(line.to, d) - start;
    const float bound = std::sqrt(limit_) * kMovedPart;
    const float* const seconds = times_.frame.data();
    int32_t lo = OrderOf(-bound);
    int32_t hi = OrderOf(bound);
    for (size_t i = line.first + 1; i < line.end; ++i) {
      const float u = line.PartAt(seconds[i]);
      const float off = Dot(At(i), d) - start - slope * u;
      const float inverse = 1.0F / u;
      lo = std::max(lo, OrderOf((off - bound) * inverse));
      hi = std::min(hi, OrderOf((off + bound) * inverse));
    }
    if (lo > hi) return false;
    *value = Kind::Moved(line.to, d, (InOrder(lo) + InOrder(hi)) / 2);
    return true;
  }

  // The vector from the line to the curve where they are far apart. Measures at
  // a quarter, half and three quarters of the line: if the curve bends, one of
  // them is near the largest error.
  Value OffsetFrom(const Line& line) const {
    Value offset = {};
    float worst = -1;
    for (size_t k = 1; k < 4; ++k) {
      const size_t i = line.first + (line.end - line.first) * k / 4;
      const float u = line.PartAt(times_.frame[i]);
      const Value d =
          Kind::OffsetFrom(Kind::BlendPlain(line.from, line.to, u), At(i));
      const float square = Dot(d, d);
      if (square <= worst) continue;
      worst = square;
      offset = d;
    }
    return offset;
  }

  // The largest error of the line. Stops early once it is above `enough`.
  float LargestError(const Line& line, float enough) {
    // Frames between two checks.
    constexpr size_t kChunk = 32;
    const bool is_plain = Kind::IsPlain(line);
    float worst = 0;
    size_t i = line.first;
    while (i < line.end && worst <= enough) {
      const size_t end = std::min(line.end, i + kChunk);
      worst =
          std::max(worst, is_plain ? ChunkError<Kind::BlendPlain>(line, i, end)
                                   : ChunkError<Kind::Blend>(line, i, end));
      i = end;
    }
    Spend(i - line.first, Kind::CompareUnits(line));
    return worst;
  }

  template <auto kBlend>
  float ChunkError(const Line& line, size_t begin, size_t end) const {
    const float* const seconds = times_.frame.data();
    // The bits of numbers that are not negative are in the order of the
    // numbers, and the maximum of integers is vectorised.
    int32_t largest = 0;
    for (size_t i = begin; i < end; ++i) {
      const Value played = kBlend(line.from, line.to, line.PartAt(seconds[i]));
      largest = std::max(
          largest, std::bit_cast<int32_t>(Kind::SquareError(played, At(i))));
    }
    return std::bit_cast<float>(largest);
  }

  // The error at the frame of `key` if the line after it goes to the next
  // frame.
  float OwnError(const Key& key) {
    const size_t next = key.frame + 1;
    if (next == count_) return 0;
    Line line = LineTo(key, KeyAt(next));
    line.end = next;
    return LargestError(line, kInfinity);
  }

  Line LineTo(const Key& from, const Key& to) const {
    const bool to_last = to.frame + 1 == count_;
    return {from.out.value,
            to.in.value,
            from.out.time,
            SecondsInverse(from.out.time, to.in.time),
            from.frame + (from.is_pair ? 1 : 0),
            to.frame + (to_last && !to.is_pair ? 1 : 0)};
  }

  Key KeyAt(size_t frame) const {
    return KeyAt(frame, Kind::At(decoded_, frame));
  }
  Key KeyAt(size_t frame, const Value& value) const {
    const KeyEnd<Value> end = {value, times_.code[frame], times_.key[frame]};
    return {frame, end, end, false};
  }
  Value At(size_t frame) const {
    return Kind::At(Kind::ArraysOf(curve_), frame);
  }

  void Put(const Key& key) {
    Put(key.in);
    if (key.is_pair) Put(key.out);
  }
  void Put(const KeyEnd<Value>& end) {
    const Vec3<float> v = Kind::StoredOf(end.value);
    constexpr float kRange = Kind::kRange;
    keys_.push_back({end.code, RoundU16(v[0], -kRange, kRange),
                     RoundU16(v[1], -kRange, kRange),
                     RoundU16(v[2], -kRange, kRange)});
  }

  void Spend(size_t frames, int64_t units) {
    work_.Spend(static_cast<int64_t>(frames) * units);
  }

  const Curve& curve_;
  const FrameTimes& times_;
  size_t count_ = times_.frame.size();
  float limit_;
  const std::array<FloatArray, 4>& decoded_;
  std::vector<AnimKey>& keys_;
  WorkMeter& work_;
};

// If all keys have the same value, keeps only one.
void MergeStill(std::vector<AnimKey>* keys) {
  const AnimKey& first = keys->front();
  for (const AnimKey& key : *keys) {
    if (key.x != first.x || key.y != first.y || key.z != first.z) return;
  }
  keys->resize(1);
}

template <typename Kind>
FitResult Fit(const typename Kind::Curve& curve, const FrameTimes& times,
              float bound, FitWorkspace* workspace) {
  Kind::Decode(curve, times, &workspace->decoded, &workspace->work);
  CurveFit<Kind> fit(curve, times, Kind::LimitOf(bound), workspace);
  const float worst = fit.ChooseKeys();
  MergeStill(&workspace->keys);
  return {workspace->keys, Kind::ErrorOf(worst)};
}

template <typename Kind>
float Measure(const typename Kind::Curve& curve, const FrameTimes& times,
              const std::vector<AnimKey>& keys, int64_t* frame) {
  float worst = -1;
  KeyCursor cursor(keys, times.duration);
  for (size_t i = 0; i < times.frame.size(); ++i) {
    const BetweenKeys at = cursor.To(times.frame[i]);
    const auto played =
        Kind::Blend(Kind::PlayedOf(*at.from), Kind::PlayedOf(*at.to), at.u);
    const float error =
        Kind::SquareError(played, Kind::At(Kind::ArraysOf(curve), i));
    if (error <= worst) continue;
    worst = error;
    if (frame != nullptr) *frame = static_cast<int64_t>(i);
  }
  return Kind::ErrorOf(std::max(worst, 0.0F));
}

}  // namespace

FitResult FitRotation(const RotationCurve& curve, const FrameTimes& times,
                      float bound, FitWorkspace* workspace) {
  return Fit<Rotations>(curve, times, bound, workspace);
}

FitResult FitPosition(const PositionCurve& curve, const FrameTimes& times,
                      float bound, FitWorkspace* workspace) {
  return Fit<Positions>(curve, times, bound, workspace);
}

float MeasureRotation(const RotationCurve& curve, const FrameTimes& times,
                      const std::vector<AnimKey>& keys, int64_t* frame) {
  return Measure<Rotations>(curve, times, keys, frame);
}

float MeasurePosition(const PositionCurve& curve, const FrameTimes& times,
                      const std::vector<AnimKey>& keys, int64_t* frame) {
  return Measure<Positions>(curve, times, keys, frame);
}

}  // namespace bvhmill
