#pragma once

// A clip that is converted while it is read. Private to pipeline/.

#include <atomic>
#include <span>

#include "absl/status/status.h"
#include "bvhmill/base/cancel.h"
#include "bvhmill/bvh/clip_receiver.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/pipeline/workspace.h"

namespace bvhmill {

// Takes the tiles of a reader: each is solved while it is in the cache, by the
// thread that has read it, and handed on in its turn. If something goes wrong
// with the outputs, the rest of the clip is only read, for the report.
class ClipFlow final : public TileReceiver {
 public:
  // `workspace->stage` has the outputs, none of which needs a frame count or
  // neighbours; there are buffers for every worker. `cancel` may be null. All
  // must outlive it.
  ClipFlow(OutputReceiver* receiver, const CancelToken* cancel,
           Workspace* workspace, ConvertResult* result)
      : receiver_(*receiver),
        cancel_(cancel),
        workspace_(*workspace),
        result_(*result) {}

  bool OnHeads(const ClipHeads& heads) override;
  void OnTile(int worker, int64_t frames,
              std::span<const float> values) override;
  bool OnTurn(int worker, int64_t first_frame, int64_t frames,
              std::span<const float> values) override;
  bool OnFrames(int64_t first_frame, int64_t frames,
                std::span<const float> values) override;

  // Call when all is read, and good: ends the outputs of a clip of `frames`
  // frames. Returns why the outputs are not good, if they are not.
  absl::Status Finish(int64_t frames);

 private:
  absl::Status AddInParts(int64_t first_frame, int64_t frames,
                          std::span<const float> values, TileBuffers* buffers);
  absl::Status Add(const TileRows& rows, TileBuffers* buffers);

  OutputReceiver& receiver_;
  const CancelToken* cancel_;
  Workspace& workspace_;
  ConvertResult& result_;
  int64_t taken_ = 0;
  absl::Status status_;
  // No skeleton came, or status_ is not OK.
  std::atomic<bool> is_idle_{true};
};

}  // namespace bvhmill
