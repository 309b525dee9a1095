#pragma once

// The conversion of one clip whose source arrives in pieces, encoded or not. It
// reads in small steps: between two steps its caller can work on another clip.
//
//   IncrementalConversion conversion(options, encoding, max_bytes, &receiver,
//                                    &cancel);
//   for (each piece) {
//     conversion.Give(piece);
//     while (conversion.has_work()) conversion.Step();
//   }
//   ConvertResult& result = conversion.Finish();

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/base/cancel.h"
#include "bvhmill/pipeline/clip_converter.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/pipeline/converter_pool.h"
#include "bvhmill/unpack/decoder.h"
#include "server/convert/metered_receiver.h"

namespace bvhmill::server {

// The most memory, in bytes, that a conversion takes to decode a source; 0 for
// one that is not encoded.
int64_t DecodingBytes(Encoding encoding);

// Used by one thread at a time. If a function throws std::bad_alloc, only the
// destructor may be called after it.
class IncrementalConversion {
 public:
  // `max_clip_bytes` limits the decoded text of an encoded source; 0 = no
  // limit. The options, `receiver` and `cancel` must outlive the conversion.
  IncrementalConversion(const ConvertOptions& options, Encoding encoding,
                        int64_t max_clip_bytes, MeteredReceiver* receiver,
                        const CancelToken* cancel);

  // Takes the next piece of the source. REQUIRES: !has_work().
  void Give(std::string bytes);
  // The same without a copy: `bytes` must stay valid until !has_work().
  void Borrow(std::string_view bytes);

  // True if some of the given bytes are not read yet.
  bool has_work() const { return !rest_.empty() || text_at_ < text_.size(); }
  // Reads some of them, and returns the bytes of text that it read. REQUIRES:
  // has_work().
  size_t Step();

  // Starts the receiver as soon as the header is read: see ClipConverter.
  void Announce() {
    if (!is_broken()) converter_.Announce();
  }

  // The issues that were found since the last call: see ClipConverter.
  std::vector<Issue> TakeNewIssues() {
    return is_broken() ? std::vector<Issue>() : converter_.TakeNewIssues();
  }

  // The source is complete: makes the outputs, and returns the result. Its
  // status is decode_error() if the source could not be decoded, and the
  // refusal of the receiver if memory was refused. REQUIRES: !has_work(). Call
  // once.
  ConvertResult& Finish();

  // Why the source could not be decoded; OK if it could.
  const absl::Status& decode_error() const { return decode_error_; }

 private:
  bool is_broken() const { return !decode_error_.ok(); }
  void DropBytes();
  std::string_view NextText();
  void Decode();
  void CheckDecoded(const absl::Status& status);

  const int64_t max_clip_bytes_;
  MeteredReceiver& receiver_;
  ConvertResult result_;
  ConverterPool::Lease lease_;
  ClipConverter converter_;
  // The piece that was given, and the part of it that is not used yet.
  std::string given_;
  std::string_view rest_;
  // Null if the source is not encoded.
  std::unique_ptr<Decoder> decoder_;
  // Bytes that are decoded at once.
  size_t decoder_slice_ = 0;
  // Decoded text, and how much of it is used.
  std::string text_;
  size_t text_at_ = 0;
  // False once the clip is refused: later bytes are dropped.
  bool is_wanted_ = true;
  absl::Status decode_error_;
};

}  // namespace bvhmill::server
