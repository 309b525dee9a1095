#pragma once

// The receiver of a conversion of which only the report counts. Private to
// pipeline/.

#include <cstdint>
#include <span>
#include <string_view>

#include "absl/status/status.h"
#include "bvhmill/pipeline/convert.h"

namespace bvhmill {

// Hands on what is asked for memory, and nothing else, to the receiver of the
// caller, which may be null.
class ChecksReceiver final : public OutputReceiver {
 public:
  explicit ChecksReceiver(OutputReceiver* receiver) : receiver_(receiver) {}

  absl::Status Hold(int64_t bytes) override {
    return receiver_ == nullptr ? absl::OkStatus() : receiver_->Hold(bytes);
  }
  absl::Status Begin(const ClipInfo& /*info*/,
                     std::span<const OutputInfo> /*outputs*/) override {
    return absl::OkStatus();
  }
  absl::Status Data(size_t /*output*/, std::string_view /*bytes*/) override {
    return absl::OkStatus();
  }

 private:
  OutputReceiver* receiver_;
};

// An output that cannot hold the clip fails a conversion. It does not fail a
// check: the report has the error. Call when the report is complete.
void PassFailedOutputs(ConvertResult* result);

}  // namespace bvhmill
