#pragma once

// The receiver of a conversion whose outputs are dropped. Private to pipeline/.

#include <cstdint>

#include "absl/status/status.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/pipeline/discarding_receiver.h"

namespace bvhmill {

// Passes requests for memory to the receiver of the caller, which may be null,
// and drops the outputs.
class ChecksReceiver final : public DiscardingReceiver {
 public:
  explicit ChecksReceiver(OutputReceiver* receiver) : receiver_(receiver) {}

  absl::Status Hold(int64_t bytes) override {
    return receiver_ == nullptr ? absl::OkStatus() : receiver_->Hold(bytes);
  }

 private:
  OutputReceiver* receiver_;
};

// Makes the status OK if an output cannot hold the clip and the report says so:
// that fails a conversion, but not a check. Call when the report is complete.
void PassFailedOutputs(ConvertResult* result);

}  // namespace bvhmill
