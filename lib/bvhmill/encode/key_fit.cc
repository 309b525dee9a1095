// Chooses keys greedily: from each key, the farthest frame to which one line
// keeps all frames in between within the bound. The farthest frame is searched
// in growing steps from the length of the line before, then by bisection.

#include "bvhmill/encode/key_fit.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace bvhmill {
namespace {

// sin(x) / x for x^2 = `square`, with kTerms terms of its series.
template <int kTerms>
float SineRatio(float square) {
  constexpr float kSeries[] = {
      1, -1.0F / 6, 1.0F / 120, -1.0F / 5040, 1.0F / 362880, -1.0F / 39916800};
  float sum = kSeries[kTerms - 1];
  for (int i = kTerms - 2; i >= 0; --i) sum = sum * square + kSeries[i];
  return sum;
}

// The kinds of curves. A kind has a Line, which is made from two values and
// plays the values between; Fits says whether a player goes this way.

struct Positions {
  static constexpr size_t kComponents = 3;
  using Value = std::array<float, kComponents>;
  static constexpr int64_t kUnits = 2;

  // The limit of the square of the distance.
  static double LimitOf(double bound) { return bound * bound; }

  struct Line {
    Value from;
    Value way;

    Line(const Value& a, const Value& b) : from(a) {
      for (size_t k = 0; k < kComponents; ++k) way[k] = b[k] - a[k];
    }
    bool IsPlayed() const { return true; }
    template <typename Measure>
    float LargestOf(Measure measure) const {
      return measure([this](float u) {
        Value out;
        for (size_t k = 0; k < kComponents; ++k) {
          out[k] = from[k] + way[k] * u;
        }
        return out;
      });
    }
  };
};

struct Rotations {
  static constexpr size_t kComponents = 4;
  using Value = std::array<float, kComponents>;
  static constexpr int64_t kUnits = 5;

  // The limit of the square of the chord between unit quaternions.
  static double LimitOf(double bound) {
    const double chord = 2 * std::sin(std::min(bound, 3.0) / 4);
    return chord * chord;
  }

  struct Line {
    Value from;
    Value to;
    // The square of the angle between the quaternions.
    float square = 0;
    float cosine = 0;

    Line(const Value& a, const Value& b) : from(a), to(b) {
      float chord = 0;
      for (size_t k = 0; k < kComponents; ++k) {
        cosine += a[k] * b[k];
        chord += (b[k] - a[k]) * (b[k] - a[k]);
      }
      const float angle = 2 * std::asin(std::min(std::sqrt(chord) / 2, 1.0F));
      square = angle * angle;
    }
    // Slerp goes the shorter way.
    bool IsPlayed() const { return cosine > 0; }
    template <typename Measure>
    float LargestOf(Measure measure) const {
      // Up to this square of an angle, three terms are exact to 1e-7.
      constexpr float kSmall = 0.07F;
      return square < kSmall ? Largest<3>(measure) : Largest<6>(measure);
    }
    template <int kTerms, typename Measure>
    float Largest(Measure measure) const {
      const float scale = 1 / SineRatio<kTerms>(square);
      return measure([this, scale](float u) {
        const float v = 1 - u;
        const float a = v * SineRatio<kTerms>(v * v * square) * scale;
        const float b = u * SineRatio<kTerms>(u * u * square) * scale;
        Value out;
        for (size_t k = 0; k < kComponents; ++k) {
          out[k] = from[k] * a + to[k] * b;
        }
        return out;
      });
    }
  };
};

template <typename Kind>
class KeyChooser {
 public:
  using Values = CurveValues<Kind::kComponents>;
  using Value = typename Kind::Value;
  using Line = typename Kind::Line;

  KeyChooser(const Values& values, double bound, KeyFit* fit)
      : values_(values),
        place_(fit->place),
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
    return Compare(0, count_, [&](float) { return first; }) <= limit_;
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
    // A short look at some frames finds most lines that do not fit.
    constexpr size_t kLooks = 8;
    const Line line(values_.At(from), values_.At(to));
    work_.Spend(kTryUnits);
    if (!line.IsPlayed()) return false;
    const float begin = place_[from];
    const float scale = 1 / (place_[to] - begin);
    return line.LargestOf([&](auto value_at) {
      const auto played = [&](float place) {
        return value_at((place - begin) * scale);
      };
      const size_t inner = to - from - 1;
      if (inner > 2 * kLooks) {
        float worst = 0;
        for (size_t k = 1; k < kLooks; ++k) {
          worst = std::max(worst, ErrorAt(from + inner * k / kLooks, played));
        }
        if (worst > limit_) return worst;
      }
      return Compare(from + 1, to, played);
    }) <= limit_;
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
    const Value value = played(place_[i]);
    float square = 0;
    for (size_t k = 0; k < Kind::kComponents; ++k) {
      const float way = value[k] - values_.of[k][i];
      square += way * way;
    }
    return square;
  }

  static constexpr int64_t kTryUnits = 100;

  const Values& values_;
  const std::vector<float>& place_;
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
