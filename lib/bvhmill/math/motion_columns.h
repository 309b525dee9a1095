#pragma once

// The columns of a block of frames (motion_steps.h): rows are transposed into
// them, and they are measured. Equal input gives equal bits on every CPU.

#include <cstddef>

namespace bvhmill {

// Transposes `frames` rows of `width` values: rows[f * width + c] goes to
// values[c * stride + f].
void TransposeRows(const float* rows, size_t frames, size_t width,
                   size_t stride, float* values);

struct ColumnRange {
  // The largest |value|, and the largest |difference| to the frame before, of
  // the frames from kStepLead on. Not finite if a value is not, or if a
  // difference overflows.
  float largest = 0;
  float change = 0;
};

// Measures `width` columns; column c begins at values[c * stride].
void MeasureColumns(const float* values, size_t width, size_t stride,
                    size_t end, ColumnRange* ranges);

// The largest distance of a value from the nearest multiple of `period`, as a
// share of it: 0 to 0.5. Of the frames from kStepLead - 1 on. Within 1e-4 for
// values up to 1e4 periods.
float LargestRemainder(const float* values, size_t end, float period);

}  // namespace bvhmill
