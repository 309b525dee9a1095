#pragma once

// The destination of the bytes of encoders and writers: a string, a stream of
// chunks, a file. A sink may refuse bytes (the disk is full, the peer
// disconnected, a limit is exceeded). The caller then stops and returns the
// status of the sink.

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace bvhmill {

class Sink {
 public:
  virtual ~Sink() = default;
  // Consumes all of `bytes` or returns an error. Keeps no reference to them.
  virtual absl::Status Append(std::string_view bytes) = 0;
};

// Appends to a string that it does not own and that must outlive it.
class StringSink final : public Sink {
 public:
  explicit StringSink(std::string* out) : out_(out) {}
  absl::Status Append(std::string_view bytes) override {
    out_->append(bytes);
    return absl::OkStatus();
  }

 private:
  std::string* out_;
};

}  // namespace bvhmill
