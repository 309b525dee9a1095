#pragma once

// A receiver for conversions whose outputs are not needed.

#include <span>
#include <string_view>

#include "absl/status/status.h"
#include "bvhmill/pipeline/convert.h"

namespace bvhmill {

// Drops all outputs. Thread-safe.
class DiscardingReceiver : public OutputReceiver {
 public:
  absl::Status Begin(const ClipInfo& /*info*/,
                     std::span<const OutputInfo> /*outputs*/) override {
    return absl::OkStatus();
  }
  absl::Status Data(size_t /*output*/, std::string_view /*bytes*/) override {
    return absl::OkStatus();
  }
};

}  // namespace bvhmill
