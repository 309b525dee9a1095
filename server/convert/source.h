#pragma once

// The source of one clip: the options and encodings of a request, and the
// conversion of bytes that may be compressed.
//
//   ConvertOptions options;
//   Encoding encoding;
//   absl::Status status = ReadEncoding(source.encoding(), &encoding);
//   if (status.ok()) status = ReadClipOptions(limits, message, &options);
//   SourceConversion conversion(options, encoding, limits.max_clip_bytes,
//                               &receiver, &cancel);
//   conversion.Add(source.data());
//   ConvertResult& result = conversion.Finish();

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/base/cancel.h"
#include "bvhmill/base/limits.h"
#include "bvhmill/base/sink.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/pipeline/converter_pool.h"
#include "bvhmill/pipeline/options.h"
#include "bvhmill/pipeline/source_format.h"
#include "bvhmill/unpack/decoder.h"
#include "bvhmill/v1/clip_service.pb.h"
#include "server/convert/receivers.h"

namespace bvhmill::server {

// The conversion of one clip from its source. Its converter comes from a pool
// of the process; idle workers help with a long clip. Used by one thread at a
// time. After a std::bad_alloc only the destructor may be called.
class SourceConversion final : private Sink {
 public:
  // `max_clip_bytes` limits the decoded text of a compressed source; 0 = no
  // limit. The options, `receiver` and `cancel` must outlive the conversion.
  // Requires that DecoderBytes(encoding) are drawn from the ticket of the clip.
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
  // The reason why the source could not be decoded; OK if it could:
  // RESOURCE_EXHAUSTED, LIMIT_EXCEEDED of max_clip_bytes, or INVALID_ARGUMENT,
  // ENCODING_BROKEN.
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
  // False after the conversion failed: later bytes are dropped.
  bool is_wanted_ = true;
  absl::Status decode_error_;
};

// Fills `options`, except its source format, from the `message` of a request,
// with the `limits` of the server. Errors are those of wire::FromProto, as
// CallErrors; too many outputs are LIMIT_EXCEEDED of max_outputs_per_clip.
absl::Status ReadClipOptions(const Limits& limits,
                             const v1::ConvertOptions& message,
                             ConvertOptions* options);

// UNIMPLEMENTED, ENCODING_UNKNOWN: the server cannot decode `encoding`.
absl::Status ReadEncoding(v1::ContentEncoding encoding, Encoding* out);

// UNIMPLEMENTED, SOURCE_FORMAT_UNKNOWN: the server cannot read `format`.
absl::Status ReadFormat(v1::SourceFormat format, SourceFormat* out);

// The status of ReadEncoding; or RESOURCE_EXHAUSTED if `bytes`, the size of a
// source, exceed `max_clip_bytes` (0 = no limit) and are not compressed.
absl::Status CheckSource(int64_t max_clip_bytes, v1::ContentEncoding encoding,
                         int64_t bytes);

}  // namespace bvhmill::server
