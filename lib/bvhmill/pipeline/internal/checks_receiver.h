#pragma once

// The receiver of a conversion of which only the report counts. Private to
// pipeline/.

#include <cstdint>

#include "absl/status/status.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/pipeline/discarding_receiver.h"

namespace bvhmill {

// Hands on what is asked for memory, and nothing else, to the receiver of the
// caller, which may be null.
class ChecksReceiver final : public DiscardingReceiver {
 public:
  explicit ChecksReceiver(OutputReceiver* receiver) : receiver_(receiver) {}

  absl::Status Hold(int64_t bytes) override {
    return receiver_ == nullptr ? absl::OkStatus() : receiver_->Hold(bytes);
  }

 private:
  OutputReceiver* receiver_;
};

// An output that cannot hold the clip fails a conversion. It does not fail a
// check: the report has the error. Call when the report is complete.
void PassFailedOutputs(ConvertResult* result);

}  // namespace bvhmill
