// Converts rows of frames to lanes of frames, and back. Included once for each
// target of Highway, hence no #pragma once.

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(BVHMILL_KINEMATICS_FK_TILES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BVHMILL_KINEMATICS_FK_TILES_INL_H_
#undef BVHMILL_KINEMATICS_FK_TILES_INL_H_
#else
#define BVHMILL_KINEMATICS_FK_TILES_INL_H_
#endif

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
HWY_BEFORE_NAMESPACE();
namespace bvhmill {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// One frame in each lane. The size of a vector must be known at compile time.
using Lanes = hn::CappedTag<float, 16>;
using Floats = hn::Vec<Lanes>;
inline constexpr size_t kLanes = hn::MaxLanes(Lanes());

// Loads four floats from each of `p`, `p + step`, ... into one vector.
template <class D>
HWY_INLINE hn::Vec<D> LoadPieces(D d, const float* p, size_t step) {
  if constexpr (hn::MaxLanes(d) <= 4) {
    return hn::LoadU(d, p);
  } else {
    const hn::Half<D> half;
    const float* second = p + hn::MaxLanes(half) / 4 * step;
    return hn::Combine(d, LoadPieces(half, second, step),
                       LoadPieces(half, p, step));
  }
}

template <class D>
HWY_INLINE void StorePieces(D d, hn::Vec<D> v, float* p, size_t step) {
  if constexpr (hn::MaxLanes(d) <= 4) {
    hn::StoreU(v, d, p);
  } else {
    const hn::Half<D> half;
    float* second = p + hn::MaxLanes(half) / 4 * step;
    StorePieces(half, hn::LowerHalf(half, v), p, step);
    StorePieces(half, hn::UpperHalf(half, v), second, step);
  }
}

// Transposes 4 x 4 floats in each 16-byte block of the four vectors.
HWY_INLINE void TransposePieces(Floats* v) {
  const Lanes d;
  const hn::RepartitionToWide<hn::RebindToUnsigned<Lanes>> wide;
  const auto t0 = hn::BitCast(wide, hn::InterleaveLower(d, v[0], v[1]));
  const auto t1 = hn::BitCast(wide, hn::InterleaveUpper(d, v[0], v[1]));
  const auto t2 = hn::BitCast(wide, hn::InterleaveLower(d, v[2], v[3]));
  const auto t3 = hn::BitCast(wide, hn::InterleaveUpper(d, v[2], v[3]));
  v[0] = hn::BitCast(d, hn::InterleaveLower(wide, t0, t2));
  v[1] = hn::BitCast(d, hn::InterleaveUpper(wide, t0, t2));
  v[2] = hn::BitCast(d, hn::InterleaveLower(wide, t1, t3));
  v[3] = hn::BitCast(d, hn::InterleaveUpper(wide, t1, t3));
}

// Calls piece(c) for groups of four columns; the last group may overlap the one
// before it. Calls one(c) for each column if there are fewer than four.
template <class Piece, class One>
HWY_INLINE void ForColumns(size_t columns, Piece piece, One one) {
  size_t c = 0;
  for (; c + 4 <= columns; c += 4) piece(c);
  if (c == columns) return;
  if (columns >= 4) return piece(columns - 4);
  for (; c < columns; ++c) one(c);
}

// rows[f * stride + c] -> lanes[c * kLanes + f] for kLanes rows.
HWY_INLINE void RowsToLanes(const float* rows, size_t stride, size_t columns,
                            float* lanes) {
  const Lanes d;
  ForColumns(
      columns,
      [&](size_t c) HWY_ATTR {
        Floats v[4];
        for (size_t i = 0; i < 4; ++i) {
          v[i] = LoadPieces(d, rows + i * stride + c, 4 * stride);
        }
        TransposePieces(v);
        for (size_t i = 0; i < 4; ++i)
          hn::Store(v[i], d, lanes + (c + i) * kLanes);
      },
      [&](size_t c) HWY_ATTR {
        for (size_t f = 0; f < kLanes; ++f) {
          lanes[c * kLanes + f] = rows[f * stride + c];
        }
      });
}

// lanes[c * kLanes + f] -> rows[f * stride + c] for kLanes rows.
HWY_INLINE void LanesToRows(const float* lanes, size_t columns, size_t stride,
                            float* rows) {
  const Lanes d;
  if (columns == 3 && stride == 3) {
    return hn::StoreInterleaved3(hn::Load(d, lanes),
                                 hn::Load(d, lanes + kLanes),
                                 hn::Load(d, lanes + 2 * kLanes), d, rows);
  }
  ForColumns(
      columns,
      [&](size_t c) HWY_ATTR {
        Floats v[4];
        for (size_t i = 0; i < 4; ++i)
          v[i] = hn::Load(d, lanes + (c + i) * kLanes);
        TransposePieces(v);
        for (size_t i = 0; i < 4; ++i) {
          StorePieces(d, v[i], rows + i * stride + c, 4 * stride);
        }
      },
      [&](size_t c) HWY_ATTR {
        for (size_t f = 0; f < kLanes; ++f) {
          rows[f * stride + c] = lanes[c * kLanes + f];
        }
      });
}

// Copies `count` floats, most of them past the caches. Aligned vectors are
// streamed. The two ends share cache lines with their neighbours and are copied
// as usual.
HWY_INLINE void StreamOut(const float* image, size_t count, float* out) {
  const Lanes d;
  constexpr uintptr_t kAlign = kLanes * sizeof(float);
  const auto address = reinterpret_cast<uintptr_t>(out);
  const size_t head = std::min<size_t>(
      (kAlign - address % kAlign) % kAlign / sizeof(float), count);
  std::memcpy(out, image, head * sizeof(float));
  size_t at = head;
  for (; at + kLanes <= count; at += kLanes) {
    hn::Stream(hn::LoadU(d, image + at), d, out + at);
  }
  std::memcpy(out + at, image + at, (count - at) * sizeof(float));
}

}  // namespace HWY_NAMESPACE
}  // namespace bvhmill
HWY_AFTER_NAMESPACE();
#endif

#endif  // BVHMILL_KINEMATICS_FK_TILES_INL_H_
