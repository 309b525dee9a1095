#pragma once

// Decodes compressed sources piece by piece, up to a limit:
//
//   auto decoder = MakeDecoder(Encoding::kGzip, max_bytes);
//   ... for each piece: decoder->Push(piece, &sink) ...
//   decoder->End();
//
// A separate library: only programs that read compressed clips need zstd.

#include <cstdint>
#include <memory>
#include <string_view>

#include "absl/status/status.h"
#include "bvhmill/base/sink.h"

namespace bvhmill {

enum class Encoding : uint8_t {
  kIdentity,
  // RFC 1952. Several members one after the other are one text.
  kGzip,
  // RFC 8878, with windows of at most 8 MiB, which zstd makes up to level 19
  // without --long. Several frames one after the other are one text.
  kZstd,
};

// The encoding whose first bytes these are; kIdentity for others.
Encoding EncodingOfBytes(std::string_view bytes);

// Decodes one source. Not thread-safe. Memory: 64 KiB and the window of its
// format, 32 KiB for gzip and 8 MiB for zstd; see DecoderBytes.
class Decoder {
 public:
  virtual ~Decoder() = default;

  // Decodes the next piece, of any size. Passes all output that is known by now
  // to `sink`, in pieces of at most 64 KiB; kIdentity passes `bytes` as one
  // piece. RESOURCE_EXHAUSTED if the output exceeds the limit: `sink` does not
  // receive the piece that exceeds it. INVALID_ARGUMENT if the bytes are not of
  // the encoding. Returns errors of `sink`. Do not call it again after an
  // error.
  virtual absl::Status Push(std::string_view bytes, Sink* sink) = 0;

  // Call after the last piece. INVALID_ARGUMENT if the source is incomplete.
  virtual absl::Status End() = 0;
};

// The maximum memory of a decoder, in bytes.
int64_t DecoderBytes(Encoding encoding);

// A decoder whose output is at most `max_bytes`; 0: no limit.
std::unique_ptr<Decoder> MakeDecoder(Encoding encoding, int64_t max_bytes);
// The same for RFC 1950, which gRPC calls deflate. No clips use it.
std::unique_ptr<Decoder> MakeZlibDecoder(int64_t max_bytes);

// Decodes all of `bytes` into `sink`. Fails as Push and End do.
absl::Status Unpack(Encoding encoding, std::string_view bytes,
                    int64_t max_bytes, Sink* sink);

}  // namespace bvhmill
