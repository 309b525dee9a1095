#pragma once

// The progress of a clip that is converted in this process, measured by its
// outputs.

#include <span>
#include <string_view>

#include "bvhmill/pipeline/convert.h"
#include "client/cli/ui/progress.h"

namespace bvhmill::client {

// Forwards all calls to another receiver. Measures the progress by the first
// output that is made frame by frame. Not thread-safe.
class ProgressReceiver final : public OutputReceiver {
 public:
  // `bytes` is the size of the clip; `progress` is set to the part of it that
  // is done. The references are borrowed.
  ProgressReceiver(OutputReceiver* receiver,
                   std::span<const OutputRequest> requests, int64_t bytes,
                   ClipProgress* progress)
      : receiver_(*receiver),
        requests_(requests),
        bytes_(bytes),
        progress_(*progress) {}

  absl::Status Hold(int64_t bytes) override { return receiver_.Hold(bytes); }
  absl::Status Begin(const ClipInfo& info,
                     std::span<const OutputInfo> outputs) override;
  absl::Status Data(size_t output, std::string_view bytes) override;

 private:
  OutputReceiver& receiver_;
  std::span<const OutputRequest> requests_;
  const int64_t bytes_;
  ClipProgress& progress_;
  // The output by which progress is measured.
  size_t output_ = 0;
  bool counts_lines_ = false;
  // Bytes, or lines, of that output: all, as far as is known, and so far.
  int64_t expected_ = 0;
  int64_t made_ = 0;
};

}  // namespace bvhmill::client
