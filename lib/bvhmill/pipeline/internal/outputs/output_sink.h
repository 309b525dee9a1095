#pragma once

// Hands the bytes of outputs to the receiver, within the limit on them.
// Private to pipeline/.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/base/call_error.h"
#include "bvhmill/base/limits.h"
#include "bvhmill/base/sink.h"
#include "bvhmill/base/status.h"
#include "bvhmill/pipeline/convert.h"

namespace bvhmill {

// The number of bytes of all outputs together, and its limit.
struct OutputBudget {
  int64_t limit = 0;
  int64_t used = 0;

  // Adds `bytes`. RESOURCE_EXHAUSTED if the limit is exceeded.
  absl::Status Take(int64_t bytes) {
    used += bytes;
    if (!Exceeds(used, limit)) return absl::OkStatus();
    return LimitError("max_output_bytes", limit,
                      "the outputs have more than max_output_bytes = " +
                          std::to_string(limit) + " bytes");
  }
};

// Hands the bytes of one output on and counts them. A byte is a unit of work.
class OutputSink final : public Sink {
 public:
  // `budget` may be null. All must outlive the sink.
  OutputSink(OutputReceiver* receiver, size_t output, OutputBudget* outputs,
             Budget* budget)
      : receiver_(*receiver),
        output_(output),
        outputs_(*outputs),
        budget_(budget) {}

  // Long bytes go in pieces, so that a cancelled conversion stops soon.
  absl::Status Append(std::string_view bytes) override {
    constexpr size_t kPiece = size_t{4} << 20;
    for (; !bytes.empty();
         bytes.remove_prefix(std::min(kPiece, bytes.size()))) {
      const std::string_view piece = bytes.substr(0, kPiece);
      BVHMILL_RETURN_IF_ERROR(Count(piece.size()));
      BVHMILL_RETURN_IF_ERROR(receiver_.Data(output_, piece));
    }
    return absl::OkStatus();
  }

  int64_t written() const { return written_; }

 private:
  absl::Status Count(size_t size) {
    const auto bytes = static_cast<int64_t>(size);
    BVHMILL_RETURN_IF_ERROR(outputs_.Take(bytes));
    written_ += bytes;
    return WorkFrom(budget_, bytes);
  }

  OutputReceiver& receiver_;
  size_t output_;
  OutputBudget& outputs_;
  Budget* budget_;
  int64_t written_ = 0;
};

}  // namespace bvhmill
