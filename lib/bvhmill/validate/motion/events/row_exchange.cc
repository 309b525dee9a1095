#include "bvhmill/validate/motion/events/row_exchange.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>

namespace bvhmill {
namespace {

// A joint is counted if its sum falls from at least this, in degrees, to this
// share.
constexpr double kLeastSum = 0.3;
constexpr double kMostLeft = 0.75;

// Three neighbouring rows.
using Triple = std::array<const float*, 3>;

struct TriplePair {
  Triple before;
  Triple after;
};

// The frames that depend on a row: its own and one on each side.
constexpr int64_t kOnEachSide = 1;
constexpr size_t kMostTriples = 2 * (2 * kOnEachSide + 1);

// The frames that depend on one of two rows, each once.
class Triples {
 public:
  Triples(const RowWindow& first, const RowWindow& second)
      : first_(first), second_(second) {
    for (int64_t t = first.frame - kOnEachSide; t <= first.frame + kOnEachSide;
         ++t) {
      Add(t);
    }
    const int64_t next = first.frame + kOnEachSide + 1;
    for (int64_t t = std::max(second.frame - kOnEachSide, next);
         t <= second.frame + kOnEachSide; ++t) {
      Add(t);
    }
  }

  std::span<const TriplePair> all() const {
    return std::span(pairs_).first(count_);
  }

 private:
  const float* RowOf(int64_t frame) const {
    const bool is_first = frame <= first_.frame + RowWindow::kBeside;
    return (is_first ? first_ : second_).RowOf(frame);
  }
  int64_t Exchanged(int64_t frame) const {
    if (frame == first_.frame) return second_.frame;
    return frame == second_.frame ? first_.frame : frame;
  }
  void Add(int64_t frame) {
    TriplePair& pair = pairs_[count_++];
    for (size_t k = 0; k < pair.before.size(); ++k) {
      const int64_t at = frame - 1 + static_cast<int64_t>(k);
      pair.before[k] = RowOf(at);
      pair.after[k] = RowOf(Exchanged(at));
    }
  }

  const RowWindow& first_;
  const RowWindow& second_;
  std::array<TriplePair, kMostTriples> pairs_ = {};
  size_t count_ = 0;
};

double KinkAt(const Triple& rows, size_t angle, double cap) {
  const double ends = double{rows[0][angle]} + double{rows[2][angle]};
  return std::min(std::abs(ends - 2 * double{rows[1][angle]}), cap);
}

size_t AnglesOf(const MotionClip& clip) {
  size_t angles = 0;
  for (size_t track = 0; track < clip.rotations; ++track) {
    angles += static_cast<size_t>(clip.tracks[track].column_count);
  }
  return angles;
}

}  // namespace

const float* RowWindow::RowOf(int64_t of) const {
  const size_t width = angles.size() / static_cast<size_t>(kRows);
  return angles.data() + static_cast<size_t>(of - frame + kBeside) * width;
}

void TakeRows(const MotionClip& clip, const MotionBlock& block, int64_t frame,
              RowWindow* window) {
  constexpr auto kRows = static_cast<size_t>(RowWindow::kRows);
  const size_t width = AnglesOf(clip);
  const size_t first = block.IndexOf(frame - RowWindow::kBeside);
  window->frame = frame;
  window->angles.resize(kRows * width);
  for (size_t angle = 0; angle < width; ++angle) {
    const float* const values =
        block.ValuesOf(clip.columns[angle].column) + first;
    for (size_t row = 0; row < kRows; ++row) {
      window->angles[row * width + angle] = values[row];
    }
  }
}

RowExchange MeasureExchange(const MotionClip& clip, const RowWindow& first,
                            const RowWindow& second, double cap) {
  const Triples triples(first, second);
  RowExchange all;
  for (size_t track = 0; track < clip.rotations; ++track) {
    const auto begin = static_cast<size_t>(clip.tracks[track].first_column);
    const auto count = static_cast<size_t>(clip.tracks[track].column_count);
    RowExchange joint;
    for (const TriplePair& rows : triples.all()) {
      for (size_t angle = begin; angle < begin + count; ++angle) {
        joint.before += KinkAt(rows.before, angle, cap);
        joint.after += KinkAt(rows.after, angle, cap);
      }
    }
    all.before += joint.before;
    all.after += joint.after;
    const bool falls =
        joint.before >= kLeastSum && joint.after <= kMostLeft * joint.before;
    all.joints += falls ? 1 : 0;
  }
  return all;
}

}  // namespace bvhmill
