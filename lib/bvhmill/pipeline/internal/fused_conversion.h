#pragma once

// The driver for tiles that several threads read. Private to pipeline/.

#include <cstddef>
#include <span>

#include "bvhmill/bvh/clip_receiver.h"
#include "bvhmill/pipeline/internal/rows/row_pipeline.h"

namespace bvhmill {

// Delivers the tiles of a reader to a pipeline. The thread that has read a tile
// solves it while it is in the cache, and hands it on in its turn.
class FusedConversion final : public TileReceiver {
 public:
  // `pipeline` takes tiles; see RowPipeline::TakesTiles. The text has
  // `text_bytes` bytes and is read by `workers` threads.
  FusedConversion(int workers, size_t text_bytes, RowPipeline* pipeline)
      : workers_(workers), text_bytes_(text_bytes), pipeline_(*pipeline) {}

  bool OnHeader(const ClipHeader& header) override;
  void OnTile(int worker, int64_t frames,
              std::span<const float> values) override;
  bool OnTileInOrder(int worker, int64_t first_frame, int64_t frames,
                     std::span<const float> values) override;
  bool OnFrames(int64_t first_frame, int64_t frames,
                std::span<const float> values) override;

  // Ends the outputs of a good clip with `frames` frames.
  void End(int64_t frames);

 private:
  const int workers_;
  const size_t text_bytes_;
  RowPipeline& pipeline_;
};

}  // namespace bvhmill
