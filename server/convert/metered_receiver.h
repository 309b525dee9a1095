#pragma once

// A receiver of outputs that counts memory before it is taken.

#include <cstdint>
#include <functional>
#include <utility>

#include "absl/status/status.h"
#include "bvhmill/pipeline/convert.h"

namespace bvhmill::server {

class MeteredReceiver : public OutputReceiver {
 public:
  // Grants `bytes` more, or takes a negative number of bytes back, which always
  // succeeds. Thread-safe.
  using Grant = std::function<absl::Status(int64_t bytes)>;

  explicit MeteredReceiver(Grant grant) : grant_(std::move(grant)) {}

  // Draws memory for the conversion or for outputs. Once a request is refused,
  // every later one is refused for the same reason.
  absl::Status Hold(int64_t bytes) final {
    if (bytes < 0) return grant_(bytes);
    if (refused_.ok()) refused_ = grant_(bytes);
    return refused_;
  }

  // Why memory was refused; OK if none was. A call returns this as the status
  // of the clip, in place of that of the conversion. An item of a job runs
  // again if the memory may be granted later.
  const absl::Status& refused() const { return refused_; }

 private:
  const Grant grant_;
  absl::Status refused_;
};

}  // namespace bvhmill::server
