#pragma once

// The progress of a clip that is converted in this process, measured by its
// outputs.

#include <span>
#include <string_view>
#include <vector>

#include "bvhmill/pipeline/convert.h"
#include "client/cli/ui/progress.h"

namespace bvhmill::client {

// Forwards all calls to another receiver. Each output is the same part of the
// progress; within one, it is measured by bytes or lines, if their number is
// known. Not thread-safe.
class ProgressReceiver final : public OutputReceiver {
 public:
  // `progress` moves from `begin` to `end`. The references are borrowed.
  ProgressReceiver(OutputReceiver* receiver,
                   std::span<const OutputRequest> requests, int64_t begin,
                   int64_t end, ClipProgress* progress)
      : receiver_(*receiver),
        requests_(requests),
        begin_(begin),
        end_(end),
        progress_(*progress) {}

  absl::Status Hold(int64_t bytes) override { return receiver_.Hold(bytes); }
  absl::Status Begin(const ClipInfo& info,
                     std::span<const OutputInfo> outputs) override;
  absl::Status Data(size_t output, std::string_view bytes) override;

 private:
  // The bytes, or lines, of an output; 0 if they are not known.
  struct Expected {
    bool counts_lines = false;
    int64_t count = 0;
  };

  OutputReceiver& receiver_;
  std::span<const OutputRequest> requests_;
  const int64_t begin_;
  const int64_t end_;
  ClipProgress& progress_;
  std::vector<Expected> expected_;
  // The output that is made, and its bytes or lines so far.
  size_t output_ = 0;
  int64_t made_ = 0;
};

}  // namespace bvhmill::client
