#pragma once

// The conversion of one clip from its source, which may be compressed.

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/base/cancel.h"
#include "bvhmill/base/sink.h"
#include "bvhmill/pipeline/conversion.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/pipeline/converter_pool.h"
#include "bvhmill/unpack/decoder.h"
#include "server/convert/metered_receiver.h"

namespace bvhmill::server {

// Used by one thread at a time. If a function throws std::bad_alloc, only the
// destructor may be called after it.
class SourceConversion final : private Sink {
 public:
  // `max_clip_bytes` limits the decoded text of a compressed source; 0 = no
  // limit. The options, `receiver` and `cancel` must outlive the conversion,
  // and DecoderBytes(encoding) must be drawn before it is made.
  SourceConversion(const ConvertOptions& options, Encoding encoding,
                   int64_t max_clip_bytes, MeteredReceiver* receiver,
                   const CancelToken* cancel);

  // Reads the next bytes of the source.
  void Add(std::string_view bytes);
  // The issues that reading has found since the last call.
  std::vector<Issue> TakeNewIssues() { return conversion_.TakeNewIssues(); }
  // The source is complete: makes the outputs, and returns the result. Its
  // status is decode_error() if the source could not be decoded, and the
  // refusal of the receiver if memory was refused. Call once.
  ConvertResult& Finish();
  // Why the source could not be decoded; OK if it could.
  const absl::Status& decode_error() const { return decode_error_; }

 private:
  // Reads decoded text. Fails if no more is needed.
  absl::Status Append(std::string_view text) override;
  void CheckDecoded(const absl::Status& status);

  const int64_t max_clip_bytes_;
  MeteredReceiver& receiver_;
  ConvertResult result_;
  ConverterPool::Lease lease_;
  Conversion conversion_;
  // Null if the source is not compressed.
  std::unique_ptr<Decoder> decoder_;
  // Compressed bytes whose text has not come yet.
  int64_t came_ = 0;
  // False once the clip is refused: later bytes are dropped.
  bool is_wanted_ = true;
  absl::Status decode_error_;
};

}  // namespace bvhmill::server
