#include "bvhmill/pipeline/internal/fused_conversion.h"

#include <algorithm>

#include "bvhmill/bvh/tile_reader.h"

namespace bvhmill {

bool FusedConversion::OnHeader(const ClipHeader& header) {
  const bool is_wanted = pipeline_.OnHeader(header, workers_);
  if (!is_wanted || !pipeline_.BeginOutputs()) {
    return pipeline_.budget()->failure().ok();
  }
  // A value takes two bytes of text at least.
  const auto values = static_cast<int64_t>(text_bytes_ / 2);
  pipeline_.DrawTiles(workers_,
                      std::min(values, kMaxTileValues) + header.width());
  return pipeline_.budget()->failure().ok();
}

void FusedConversion::OnTile(int worker, int64_t frames,
                             std::span<const float> values) {
  pipeline_.SolveTile(worker, frames, values);
}

bool FusedConversion::OnTileInOrder(int worker, int64_t /*first_frame*/,
                                    int64_t frames,
                                    std::span<const float> values) {
  pipeline_.AddTile(worker, frames, values);
  return true;
}

bool FusedConversion::OnFrames(int64_t first_frame, int64_t frames,
                               std::span<const float> values) {
  OnTile(0, frames, values);
  return OnTileInOrder(0, first_frame, frames, values);
}

void FusedConversion::End(int64_t frames) {
  pipeline_.AddEmptyFrames(frames);
  pipeline_.EndOutputs();
}

}  // namespace bvhmill
