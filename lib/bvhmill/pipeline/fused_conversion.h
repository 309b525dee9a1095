#pragma once

// A clip that is converted while it is read. Private to pipeline/.

#include <atomic>
#include <memory>
#include <span>

#include "absl/status/status.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/bvh/clip_receiver.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/pipeline/workspace.h"

namespace bvhmill {

// Takes the tiles of a reader: each is solved while it is in the cache, by the
// thread that has read it, and handed on in its turn. If something goes wrong
// with the outputs, the rest of the clip is only read, for the report.
class FusedConversion final : public TileReceiver {
 public:
  // `workspace->stage` has the outputs, none of which needs a frame count or
  // neighbours; there are buffers for `workers` workers. The text has
  // `text_bytes`. Memory and work are drawn from `budget`. All must outlive it.
  FusedConversion(int workers, size_t text_bytes, OutputReceiver* receiver,
                  Budget* budget, Workspace* workspace, ConvertResult* result)
      : workers_(workers),
        text_bytes_(text_bytes),
        receiver_(*receiver),
        budget_(*budget),
        workspace_(*workspace),
        result_(*result) {}

  bool OnHeader(const ClipHeader& header) override;
  void OnTile(int worker, int64_t frames,
              std::span<const float> values) override;
  bool OnTileInOrder(int worker, int64_t first_frame, int64_t frames,
                     std::span<const float> values) override;
  bool OnFrames(int64_t first_frame, int64_t frames,
                std::span<const float> values) override;

  // Null until the header came.
  const std::shared_ptr<const CompiledSkeleton>& compiled() const {
    return compiled_;
  }
  // Call when all is read, and good: ends the outputs of a clip of `frames`
  // frames. Returns why the outputs are not good, if they are not.
  absl::Status Finish(int64_t frames);

 private:
  absl::Status AddInParts(int64_t first_frame, int64_t frames,
                          std::span<const float> values, TileBuffers* buffers);
  absl::Status Begin(const ClipHeader& header);
  absl::Status DrawTiles(const Skeleton& skeleton);

  const int workers_;
  const size_t text_bytes_;
  OutputReceiver& receiver_;
  Budget& budget_;
  Workspace& workspace_;
  ConvertResult& result_;
  std::shared_ptr<const CompiledSkeleton> compiled_;
  int64_t taken_ = 0;
  absl::Status status_;
  // No skeleton came, or status_ is not OK.
  std::atomic<bool> is_idle_{true};
};

}  // namespace bvhmill
