// Chooses keys greedily: from each key, the farthest frame to which one line
// keeps all frames in between within the bound. The farthest frame is searched
// in growing steps from the length of the line before, then by bisection.

#include "bvhmill/encode/key_fit.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace bvhmill {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// sin(x) / x for x^2 = `square`, with kTerms terms of its series.
template <int kTerms>
float SineRatio(float square) {
  constexpr float kSeries[] = {
      1, -1.0F / 6, 1.0F / 120, -1.0F / 5040, 1.0F / 362880, -1.0F / 39916800};
  float sum = kSeries[kTerms - 1];
  for (int i = kTerms - 2; i >= 0; --i) sum = sum * square + kSeries[i];
  return sum;
}

// The components of the values of a curve, and its length.
template <size_t kComponents>
struct Components {
  std::array<const float*, kComponents> of;

  explicit Components(const CurveValues<kComponents>& values) {
    for (size_t k = 0; k < kComponents; ++k) of[k] = values.of[k].data();
  }
  std::array<float, kComponents> At(size_t i) const {
    std::array<float, kComponents> out;
    for (size_t k = 0; k < kComponents; ++k) out[k] = of[k][i];
    return out;
  }
};

template <size_t kComponents>
float SquareOf(const std::array<float, kComponents>& a,
               const std::array<float, kComponents>& b) {
  float square = 0;
  for (size_t k = 0; k < kComponents; ++k) {
    square += (a[k] - b[k]) * (a[k] - b[k]);
  }
  return square;
}

// a * u + b * v.
template <size_t kComponents>
std::array<float, kComponents> Blend(const std::array<float, kComponents>& a,
                                     float u,
                                     const std::array<float, kComponents>& b,
                                     float v) {
  std::array<float, kComponents> out;
  for (size_t k = 0; k < kComponents; ++k) out[k] = a[k] * u + b[k] * v;
  return out;
}

// The kinds of curves:
//
//   kUnits   Units of work for a value that is compared with a line.
//   LimitOf  The limit of the square of the distance of two values, as lines
//            are compared with curves.
//   Measure  Calls measure(value_at), where value_at(u) is the value that is
//            played between `from`, u = 0, and `to`, u = 1; infinity if a
//            player does not go this way.

struct Positions {
  static constexpr size_t kComponents = 3;
  using Value = std::array<float, kComponents>;
  static constexpr int64_t kUnits = 2;

  static double LimitOf(double bound) { return bound * bound; }

  template <typename Compare>
  static float Measure(const Value& from, const Value& to, float /*limit*/,
                       Compare compare) {
    return compare([&](float u) { return Blend(from, 1 - u, to, u); });
  }
};

struct Rotations {
  static constexpr size_t kComponents = 4;
  using Value = std::array<float, kComponents>;
  static constexpr int64_t kUnits = 4;

  // Of the chord between unit quaternions.
  static double LimitOf(double bound) {
    const double chord = 2 * std::sin(std::min(bound, 3.0) / 4);
    return chord * chord;
  }

  template <typename Compare>
  static float Measure(const Value& from, const Value& to, float limit,
                       Compare compare) {
    // Up to this square of an angle, three terms are exact to 1e-7.
    constexpr float kSmall = 0.07F;
    // Slerp goes the shorter way.
    constexpr float kQuarterTurn = 2;
    const float chord = SquareOf(from, to);
    if (chord >= kQuarterTurn) return kInfinity;
    // Where the chord is near the arc, values on it are compared: that they are
    // shorter than 1 counts as an error.
    if (chord * chord < kNear * limit) {
      return compare([&](float u) { return Blend(from, 1 - u, to, u); });
    }
    const float angle = 2 * std::asin(std::sqrt(chord) / 2);
    const float square = angle * angle;
    return square < kSmall ? Slerp<3>(from, to, square, compare)
                           : Slerp<6>(from, to, square, compare);
  }

 private:
  // The chord is a part of its square / 8 below the arc: at most a fifth of the
  // limit.
  static constexpr float kNear = 64.0F / 25;

  template <int kTerms, typename Compare>
  static float Slerp(const Value& from, const Value& to, float square,
                     Compare compare) {
    const float scale = 1 / SineRatio<kTerms>(square);
    return compare([&, square, scale](float u) {
      const float v = 1 - u;
      return Blend(from, v * SineRatio<kTerms>(v * v * square) * scale, to,
                   u * SineRatio<kTerms>(u * u * square) * scale);
    });
  }
};

template <typename Kind>
class KeyChooser {
 public:
  using Value = typename Kind::Value;

  KeyChooser(const CurveValues<Kind::kComponents>& values, double bound,
             KeyFit* fit)
      : values_(values),
        place_(fit->place.data()),
        count_(fit->place.size()),
        limit_(static_cast<float>(Kind::LimitOf(bound))),
        keys_(fit->keys),
        work_(fit->work) {}

  void Choose() {
    keys_.clear();
    if (count_ == 0) return;
    keys_.push_back(0);
    if (IsStill()) return;
    size_t from = 0;
    size_t length = 8;
    while (from + 1 < count_ && work_.ok()) {
      const size_t to = limit_ > 0 ? Farthest(from, length) : from + 1;
      length = to - from;
      from = to;
      keys_.push_back(static_cast<int32_t>(from));
    }
  }

 private:
  // True if all values are within the limit of the first one.
  bool IsStill() {
    const Value first = values_.At(0);
    return Compare(0, count_, [first](float) { return first; }) <= limit_;
  }

  size_t Farthest(size_t from, size_t length) {
    // The part of the length of a line by which it may be too short.
    constexpr size_t kPart = 16;
    size_t good = from + 1;
    size_t bad = count_;
    size_t step = std::max<size_t>(length / 4, 1);
    size_t probe = std::min(from + std::max<size_t>(length, 2), count_ - 1);
    while (probe > good && probe < bad && work_.ok()) {
      if (Fits(from, probe)) {
        good = probe;
      } else {
        bad = probe;
      }
      if (bad == count_) {
        probe = std::min(good + step, count_ - 1);
      } else {
        if (bad - good <= (good - from) / kPart) break;
        probe = good + (bad - good) / 2;
      }
      step *= 2;
    }
    return good;
  }

  bool Fits(size_t from, size_t to) {
    // Loops over fewer frames are quicker one by one, and a look at some frames
    // finds most long lines that do not fit.
    constexpr size_t kLooks = 8;
    work_.Spend(kTryUnits);
    const float begin = place_[from];
    const float scale = 1 / (place_[to] - begin);
    const auto compare = [&](auto value_at) {
      const auto played = [=](float place) {
        return value_at((place - begin) * scale);
      };
      const size_t inner = to - from - 1;
      if (inner < kLooks) {
        for (size_t i = from + 1; i < to; ++i) {
          const float error = ErrorAt(i, played);
          if (!(error <= limit_)) return error;
        }
        return 0.0F;
      }
      if (inner > 2 * kLooks) {
        float worst = 0;
        for (size_t k = 1; k < kLooks; ++k) {
          worst = std::max(worst, ErrorAt(from + inner * k / kLooks, played));
        }
        if (worst > limit_) return worst;
      }
      return Compare(from + 1, to, played);
    };
    return Kind::Measure(values_.At(from), values_.At(to), limit_, compare) <=
           limit_;
  }

  // The largest square of an error from value `begin` to before `end`. Stops
  // early once it is above the limit.
  template <typename Played>
  float Compare(size_t begin, size_t end, Played played) {
    constexpr size_t kChunk = 64;
    float worst = 0;
    size_t i = begin;
    while (i < end && worst <= limit_) {
      const size_t stop = std::min(end, i + kChunk);
      // The bits of numbers that are not negative are in the order of the
      // numbers, and the maximum of integers is vectorised.
      int32_t largest = 0;
      for (size_t k = i; k < stop; ++k) {
        largest = std::max(largest, std::bit_cast<int32_t>(ErrorAt(k, played)));
      }
      worst = std::bit_cast<float>(largest);
      i = stop;
    }
    work_.Spend(static_cast<int64_t>(i - begin) * Kind::kUnits);
    return worst;
  }

  template <typename Played>
  float ErrorAt(size_t i, Played played) const {
    return SquareOf(played(place_[i]), values_.At(i));
  }

  static constexpr int64_t kTryUnits = 100;

  const Components<Kind::kComponents> values_;
  const float* const place_;
  const size_t count_;
  const float limit_;
  std::vector<int32_t>& keys_;
  WorkMeter& work_;
};

}  // namespace

void FitRotationKeys(double bound, KeyFit* fit) {
  KeyChooser<Rotations>(fit->rotation, bound, fit).Choose();
}

void FitPositionKeys(double bound, KeyFit* fit) {
  KeyChooser<Positions>(fit->position, bound, fit).Choose();
}

}  // namespace bvhmill
