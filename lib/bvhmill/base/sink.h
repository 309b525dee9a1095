#pragma once

// Where encoders and writers put their bytes: a string, a stream of chunks, a
// file. A sink may refuse (disk full, peer gone, over a limit); the caller then
// stops and hands the status on.

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace bvhmill {

class Sink {
 public:
  virtual ~Sink() = default;
  // Takes all of `bytes`, or says why not. The bytes are only borrowed.
  virtual absl::Status Append(std::string_view bytes) = 0;
};

// Appends to a string that it does not own.
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
