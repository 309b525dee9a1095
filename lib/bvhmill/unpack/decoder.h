#pragma once

// Compressed sources, piece by piece, within a limit. Part of no other library:
// only programs that take compressed clips need zstd.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "bvhmill/base/sink.h"

namespace bvhmill {

enum class Encoding : uint8_t {
  kIdentity,
  // RFC 1952; several members one after the other are one text.
  kGzip,
  // RFC 8878, with windows of at most 8 MiB, which is what zstd makes up to
  // level 19 without --long; several frames are one text.
  kZstd,
};

// Reads one source. Takes 64 KiB, and the window of its format: 32 KiB or 8
// MiB.
class Decoder {
 public:
  virtual ~Decoder() = default;

  // The next piece, of any size. What comes out goes to `sink` in pieces of at
  // most 64 KiB, as far as it can be made by now. RESOURCE_EXHAUSTED once more
  // than the limit would come out, before `sink` is handed what exceeds it;
  // INVALID_ARGUMENT if the bytes are not of the encoding; else what the sink
  // said. Not to be called again after an error.
  virtual absl::Status Push(std::string_view bytes, Sink* sink) = 0;

  // No more bytes. INVALID_ARGUMENT if something is missing.
  virtual absl::Status End() = 0;
};

// Bytes of memory that a decoder takes, at most.
int64_t DecoderBytes(Encoding encoding);

// `max_bytes` may come out; 0 = any number.
std::unique_ptr<Decoder> MakeDecoder(Encoding encoding, int64_t max_bytes);
// The same for RFC 1950, which gRPC calls deflate; no clips come so.
std::unique_ptr<Decoder> MakeZlibDecoder(int64_t max_bytes);

// The whole of `bytes` into `sink`.
absl::Status Unpack(Encoding encoding, std::string_view bytes,
                    int64_t max_bytes, Sink* sink);

}  // namespace bvhmill
