#include "bvhmill/unpack/decoder.h"

#include <zlib.h>
#include <zstd.h>

#include <array>
#include <string>

#include "bvhmill/base/limits.h"
#include "bvhmill/base/status.h"

namespace bvhmill {
namespace {

constexpr size_t kPiece = size_t{64} << 10;
// zlib counts in 32 bits.
constexpr size_t kMaxAtOnce = size_t{1} << 30;
constexpr int kZstdWindowLog = 23;
// These include the tables of each format, and the blocks that zstd keeps
// besides its window.
constexpr size_t kGzipBytes = kPiece + (size_t{64} << 10);
constexpr size_t kZstdBytes =
    kPiece + (size_t{1} << kZstdWindowLog) + (size_t{512} << 10);

absl::Status Broken(const std::string& why) {
  return MakeStatus(absl::StatusCode::kInvalidArgument, why);
}

// Passes bytes to a sink until the limit is reached.
class Meter {
 public:
  explicit Meter(int64_t max_bytes) : max_bytes_(max_bytes) {}

  absl::Status Pass(std::string_view bytes, Sink* sink) {
    total_ += static_cast<int64_t>(bytes.size());
    if (Exceeds(total_, max_bytes_)) {
      return MakeStatus(
          absl::StatusCode::kResourceExhausted,
          "decoded, it is more than " + std::to_string(max_bytes_) + " bytes");
    }
    return bytes.empty() ? absl::OkStatus() : sink->Append(bytes);
  }

 private:
  const int64_t max_bytes_;
  int64_t total_ = 0;
};

class IdentityDecoder final : public Decoder {
 public:
  explicit IdentityDecoder(int64_t max_bytes) : meter_(max_bytes) {}
  absl::Status Push(std::string_view bytes, Sink* sink) override {
    return meter_.Pass(bytes, sink);
  }
  absl::Status End() override { return absl::OkStatus(); }

 private:
  Meter meter_;
};

// Added to the window bits: accept the header of gzip, and no other.
constexpr int kGzipOnly = 16;

class GzipDecoder final : public Decoder {
 public:
  GzipDecoder(int header, int64_t max_bytes) : meter_(max_bytes) {
    is_ready_ = inflateInit2(&stream_, MAX_WBITS + header) == Z_OK;
  }
  ~GzipDecoder() override {
    if (is_ready_) inflateEnd(&stream_);
  }
  GzipDecoder(const GzipDecoder&) = delete;
  GzipDecoder& operator=(const GzipDecoder&) = delete;

  absl::Status Push(std::string_view bytes, Sink* sink) override {
    if (!is_ready_) return OutOfMemory();
    while (!bytes.empty()) {
      const std::string_view some = bytes.substr(0, kMaxAtOnce);
      bytes.remove_prefix(some.size());
      stream_.next_in =
          reinterpret_cast<Bytef*>(const_cast<char*>(some.data()));
      stream_.avail_in = static_cast<uInt>(some.size());
      BVHMILL_RETURN_IF_ERROR(Inflate(sink));
    }
    return absl::OkStatus();
  }

  absl::Status End() override {
    return is_complete_ ? absl::OkStatus() : Broken("gzip data end too early");
  }

 private:
  static absl::Status OutOfMemory() {
    return MakeStatus(absl::StatusCode::kResourceExhausted, "out of memory");
  }

  // Decodes the input of `stream_` and writes its output.
  absl::Status Inflate(Sink* sink) {
    bool is_full = false;
    while (stream_.avail_in > 0 || is_full) {
      // Another member may follow a complete one.
      if (is_complete_) inflateReset(&stream_);
      is_complete_ = false;
      stream_.next_out = reinterpret_cast<Bytef*>(piece_.data());
      stream_.avail_out = static_cast<uInt>(piece_.size());
      const int result = inflate(&stream_, Z_NO_FLUSH);
      // Bytes before a fault count, so that the result does not depend on how
      // the source is cut into pieces.
      BVHMILL_RETURN_IF_ERROR(meter_.Pass(
          {piece_.data(), piece_.size() - stream_.avail_out}, sink));
      // Z_BUF_ERROR is no fault: the output was full before, and nothing was
      // left to write.
      if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) {
        return result == Z_MEM_ERROR ? OutOfMemory()
                                     : Broken("it is not gzip data");
      }
      is_complete_ = result == Z_STREAM_END;
      is_full = stream_.avail_out == 0 && !is_complete_;
    }
    return absl::OkStatus();
  }

  Meter meter_;
  z_stream stream_ = {};
  bool is_ready_ = false;
  bool is_complete_ = false;
  std::array<char, kPiece> piece_;
};

class ZstdDecoder final : public Decoder {
 public:
  explicit ZstdDecoder(int64_t max_bytes)
      : meter_(max_bytes), stream_(ZSTD_createDCtx()) {
    ZSTD_DCtx_setParameter(stream_.get(), ZSTD_d_windowLogMax, kZstdWindowLog);
  }

  absl::Status Push(std::string_view bytes, Sink* sink) override {
    ZSTD_inBuffer in = {bytes.data(), bytes.size(), 0};
    bool is_full = false;
    while (in.pos < in.size || is_full) {
      ZSTD_outBuffer out = {piece_.data(), piece_.size(), 0};
      const size_t result = ZSTD_decompressStream(stream_.get(), &out, &in);
      if (ZSTD_isError(result) != 0) {
        return Broken(std::string("it is not zstd data: ") +
                      ZSTD_getErrorName(result));
      }
      is_complete_ = result == 0;
      is_full = out.pos == out.size && !is_complete_;
      BVHMILL_RETURN_IF_ERROR(meter_.Pass({piece_.data(), out.pos}, sink));
    }
    return absl::OkStatus();
  }

  absl::Status End() override {
    return is_complete_ ? absl::OkStatus() : Broken("zstd data end too early");
  }

 private:
  struct Free {
    void operator()(ZSTD_DCtx* stream) const { ZSTD_freeDCtx(stream); }
  };

  Meter meter_;
  std::unique_ptr<ZSTD_DCtx, Free> stream_;
  bool is_complete_ = false;
  std::array<char, kPiece> piece_;
};

}  // namespace

Encoding EncodingOfBytes(std::string_view bytes) {
  if (bytes.starts_with("\x1f\x8b")) return Encoding::kGzip;
  if (bytes.starts_with("\x28\xb5\x2f\xfd")) return Encoding::kZstd;
  return Encoding::kIdentity;
}

int64_t DecoderBytes(Encoding encoding) {
  switch (encoding) {
    case Encoding::kGzip:
      return static_cast<int64_t>(kGzipBytes);
    case Encoding::kZstd:
      return static_cast<int64_t>(kZstdBytes);
    case Encoding::kIdentity:
      break;
  }
  return 0;
}

std::unique_ptr<Decoder> MakeDecoder(Encoding encoding, int64_t max_bytes) {
  switch (encoding) {
    case Encoding::kGzip:
      return std::make_unique<GzipDecoder>(kGzipOnly, max_bytes);
    case Encoding::kZstd:
      return std::make_unique<ZstdDecoder>(max_bytes);
    case Encoding::kIdentity:
      break;
  }
  return std::make_unique<IdentityDecoder>(max_bytes);
}

std::unique_ptr<Decoder> MakeZlibDecoder(int64_t max_bytes) {
  return std::make_unique<GzipDecoder>(/*header=*/0, max_bytes);
}

absl::Status Unpack(Encoding encoding, std::string_view bytes,
                    int64_t max_bytes, Sink* sink) {
  const auto decoder = MakeDecoder(encoding, max_bytes);
  BVHMILL_RETURN_IF_ERROR(decoder->Push(bytes, sink));
  return decoder->End();
}

}  // namespace bvhmill
