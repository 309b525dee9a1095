#pragma once

// Rows that are kept for later, within the budget. Private to pipeline/.

#include <algorithm>
#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/base/status.h"
#include "bvhmill/base/uninitialized.h"

namespace bvhmill {

struct HeldRows {
  int64_t frames = 0;
  UninitializedVector<float> values;
  // Bytes that are drawn from the budget.
  int64_t drawn = 0;

  // Appends rows, after their memory is drawn. While the memory grows, both the
  // old and the new block count.
  absl::Status Append(int64_t more_frames, std::span<const float> more,
                      Budget* budget) {
    const size_t size = values.size() + more.size();
    if (BytesOf(size) > drawn) {
      BVHMILL_RETURN_IF_ERROR(budget->Hold(BytesOf(size) - drawn));
      drawn = BytesOf(size);
    }
    if (size > values.capacity()) {
      const int64_t copied = BytesOf(values.size());
      BVHMILL_RETURN_IF_ERROR(budget->Hold(copied));
      values.reserve(std::max(size, 2 * values.capacity()));
      budget->Return(copied);
    }
    values.insert(values.end(), more.begin(), more.end());
    frames += more_frames;
    return absl::OkStatus();
  }

  static int64_t BytesOf(size_t values) {
    return static_cast<int64_t>(values * sizeof(float));
  }
};

}  // namespace bvhmill
