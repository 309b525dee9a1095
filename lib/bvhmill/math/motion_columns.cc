#include <bit>
#include <cstdint>

#include "bvhmill/math/motion_steps.h"
#include "bvhmill/math/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bvhmill/math/motion_columns.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace bvhmill {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, kStepParts>;
using V = hn::Vec<D>;

HWY_INLINE size_t Lanes() { return hn::Lanes(D()); }

HWY_INLINE ColumnRange RangeOf(const float* values, size_t end) {
  const D d;
  // Numbers that are not finite have the largest bits.
  const hn::RebindToSigned<D> di;
  auto most = hn::Zero(di);
  auto change = hn::Zero(di);
  for (size_t i = kStepLead; i < end; i += Lanes()) {
    const V v = hn::LoadU(d, values + i);
    const V step = hn::Sub(v, hn::LoadU(d, values + i - 1));
    most = hn::Max(most, hn::BitCast(di, hn::Abs(v)));
    change = hn::Max(change, hn::BitCast(di, hn::Abs(step)));
  }
  const auto largest = [&](auto of) HWY_ATTR {
    return std::bit_cast<float>(hn::GetLane(hn::MaxOfLanes(di, of)));
  };
  return {largest(most), largest(change)};
}

void MeasureColumns(const float* values, size_t width, size_t stride,
                    size_t end, ColumnRange* ranges) {
  for (size_t c = 0; c < width; ++c) {
    ranges[c] = RangeOf(values + c * stride, end);
  }
}

float LargestRemainder(const float* values, size_t end, float period) {
  const D d;
  const V scale = hn::Set(d, 1 / period);
  const V magic = hn::Set(d, 12582912.0F);
  V most = hn::Zero(d);
  for (size_t i = kStepLead; i < end; i += Lanes()) {
    for (const size_t at : {i - 1, i}) {
      const V turns = hn::Mul(hn::LoadU(d, values + at), scale);
      const V whole = hn::Sub(hn::Add(turns, magic), magic);
      most = hn::Max(most, hn::Abs(hn::Sub(turns, whole)));
    }
  }
  return hn::GetLane(hn::MaxOfLanes(d, most));
}

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
// Four columns of four rows.
template <class Tag>
HWY_INLINE void TransposeFour(Tag /*d*/, const float* rows, size_t width,
                              size_t stride, float* values) {
  for (size_t c = 0; c < 4; ++c) {
    for (size_t k = 0; k < 4; ++k) {
      values[c * stride + k] = rows[k * width + c];
    }
  }
}
// The rows that one call transposes.
HWY_INLINE size_t GroupRows() { return 4; }
#else
// The first four values of rows 0, 4, 8, ...: as many rows as fit a vector.
template <class Tag>
HWY_INLINE hn::Vec<Tag> EveryFourthRow(Tag d, const float* rows, size_t width) {
  size_t row = hn::Lanes(d) - 4;
  auto v = hn::LoadDup128(d, rows + row * width);
  for (; row > 0; row -= 4) {
    const auto before = hn::LoadDup128(d, rows + (row - 4) * width);
    v = hn::IfThenElse(hn::FirstN(d, row), before, v);
  }
  return v;
}

// Four columns of as many rows as a vector has lanes.
template <class Tag>
HWY_INLINE void TransposeFour(Tag d, const float* rows, size_t width,
                              size_t stride, float* values) {
  const hn::RepartitionToWide<hn::RebindToUnsigned<Tag>> wide;
  const auto a = EveryFourthRow(d, rows, width);
  const auto b = EveryFourthRow(d, rows + width, width);
  const auto c = EveryFourthRow(d, rows + 2 * width, width);
  const auto e = EveryFourthRow(d, rows + 3 * width, width);
  const auto ab = hn::BitCast(wide, hn::InterleaveLower(d, a, b));
  const auto ce = hn::BitCast(wide, hn::InterleaveLower(d, c, e));
  const auto ab2 = hn::BitCast(wide, hn::InterleaveUpper(d, a, b));
  const auto ce2 = hn::BitCast(wide, hn::InterleaveUpper(d, c, e));
  const auto put = [&](auto v, size_t column) HWY_ATTR {
    hn::StoreU(hn::BitCast(d, v), d, values + column * stride);
  };
  put(hn::InterleaveLower(wide, ab, ce), 0);
  put(hn::InterleaveUpper(wide, ab, ce), 1);
  put(hn::InterleaveLower(wide, ab2, ce2), 2);
  put(hn::InterleaveUpper(wide, ab2, ce2), 3);
}
HWY_INLINE size_t GroupRows() { return Lanes(); }
#endif

// All columns of `count` rows: the lanes of a vector, or four.
template <class Tag>
HWY_INLINE void TransposeGroup(Tag d, size_t count, const float* rows,
                               size_t width, size_t stride, float* values) {
  size_t c = 0;
  for (; c + 4 <= width; c += 4) {
    TransposeFour(d, rows + c, width, stride, values + c * stride);
  }
  for (; c < width; ++c) {
    for (size_t k = 0; k < count; ++k) {
      values[c * stride + k] = rows[k * width + c];
    }
  }
}

void TransposeRows(const float* rows, size_t frames, size_t width,
                   size_t stride, float* values) {
  const size_t group = GroupRows();
  size_t f = 0;
  for (; f + group <= frames; f += group) {
    TransposeGroup(D(), group, rows + f * width, width, stride, values + f);
  }
  for (; f + 4 <= frames; f += 4) {
    TransposeGroup(hn::CappedTag<float, 4>(), 4, rows + f * width, width,
                   stride, values + f);
  }
  for (; f < frames; ++f) {
    for (size_t c = 0; c < width; ++c) {
      values[c * stride + f] = rows[f * width + c];
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace bvhmill
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bvhmill {
namespace {

HWY_EXPORT(TransposeRows);
HWY_EXPORT(MeasureColumns);
HWY_EXPORT(LargestRemainder);

}  // namespace

void TransposeRows(const float* rows, size_t frames, size_t width,
                   size_t stride, float* values) {
  HWY_DYNAMIC_DISPATCH(TransposeRows)(rows, frames, width, stride, values);
}

void MeasureColumns(const float* values, size_t width, size_t stride,
                    size_t end, ColumnRange* ranges) {
  HWY_DYNAMIC_DISPATCH(MeasureColumns)(values, width, stride, end, ranges);
}

float LargestRemainder(const float* values, size_t end, float period) {
  return HWY_DYNAMIC_DISPATCH(LargestRemainder)(values, end, period);
}

}  // namespace bvhmill
#endif  // HWY_ONCE
