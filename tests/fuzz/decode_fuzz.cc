// Packed texts come out whole however they are cut, and no more of them than
// the limit; what is not packed is refused, by the same rules for any cut.

#include <zlib.h>
#include <zstd.h>

#include <memory>
#include <string>
#include <string_view>

#include "bvhmill/unpack/decoder.h"
#include "tests/fuzz/bytes.h"

namespace {

using bvhmill::Encoding;
using bvhmill::fuzz::Bytes;
using bvhmill::fuzz::Require;

enum class Format { kGzip, kZlib, kZstd };

std::unique_ptr<bvhmill::Decoder> DecoderOf(Format format, int64_t limit) {
  if (format == Format::kZlib) return bvhmill::MakeZlibDecoder(limit);
  return bvhmill::MakeDecoder(
      format == Format::kGzip ? Encoding::kGzip : Encoding::kZstd, limit);
}

// Keeps what comes; never more than `limit`, nor than 64 KiB at once.
class CheckedText final : public bvhmill::Sink {
 public:
  explicit CheckedText(int64_t limit) : limit_(limit) {}
  absl::Status Append(std::string_view bytes) override {
    constexpr size_t kMaxAtOnce = size_t{64} << 10;
    Require(!bytes.empty() && bytes.size() <= kMaxAtOnce);
    text.append(bytes);
    Require(limit_ == 0 || text.size() <= static_cast<size_t>(limit_));
    return absl::OkStatus();
  }
  std::string text;

 private:
  int64_t limit_;
};

struct Decoded {
  absl::StatusCode code = absl::StatusCode::kOk;
  std::string text;
};

// In pieces of at most `most` bytes, whose sizes `cuts` chooses.
Decoded Decode(Format format, int64_t limit, std::string_view packed,
               size_t most, Bytes cuts) {
  const auto decoder = DecoderOf(format, limit);
  CheckedText sink(limit);
  absl::Status status;
  while (status.ok() && !packed.empty()) {
    const std::string_view piece = packed.substr(0, 1 + cuts.Below(most));
    packed.remove_prefix(piece.size());
    // A copy in its own memory, so that a sanitizer sees reads beyond it.
    const std::string copy(piece);
    status = decoder->Push(copy, &sink);
  }
  if (status.ok()) status = decoder->End();
  return {status.code(), std::move(sink.text)};
}

std::string PackZlib(std::string_view text, bool gzip, Bytes* bytes) {
  z_stream stream = {};
  const int level = static_cast<int>(bytes->Below(10));
  const int strategy = static_cast<int>(bytes->Below(5));
  const int window = 9 + static_cast<int>(bytes->Below(7));
  Require(deflateInit2(&stream, level, Z_DEFLATED, window + (gzip ? 16 : 0), 8,
                       strategy) == Z_OK);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  // Part of it in a block of its own.
  const size_t first = text.size() / (1 + bytes->Below(4));
  stream.avail_in = static_cast<uInt>(first);
  if (bytes->OneIn(2)) Require(deflate(&stream, Z_FULL_FLUSH) == Z_OK);
  stream.avail_in += static_cast<uInt>(text.size() - first);
  Require(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string PackZstd(std::string_view text, Bytes* bytes) {
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> stream(
      ZSTD_createCCtx(), &ZSTD_freeCCtx);
  const int level = static_cast<int>(bytes->Below(6)) - 2;
  ZSTD_CCtx_setParameter(stream.get(), ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(stream.get(), ZSTD_c_checksumFlag,
                         static_cast<int>(bytes->Below(2)));
  ZSTD_CCtx_setParameter(stream.get(), ZSTD_c_contentSizeFlag,
                         static_cast<int>(bytes->Below(2)));
  std::string out(ZSTD_compressBound(text.size()) + 64, '\0');
  ZSTD_outBuffer to = {out.data(), out.size(), 0};
  ZSTD_inBuffer from = {text.data(), text.size() / (1 + bytes->Below(4)), 0};
  if (bytes->OneIn(2)) {
    Require(ZSTD_compressStream2(stream.get(), &to, &from, ZSTD_e_flush) == 0);
  }
  from.size = text.size();
  Require(ZSTD_compressStream2(stream.get(), &to, &from, ZSTD_e_end) == 0);
  out.resize(to.pos);
  return out;
}

// Checks a decoder with arbitrary bytes.
void CheckAny(Format format, Bytes bytes) {
  const int64_t limit = static_cast<int64_t>(bytes.Below(4)) * 100;
  const Bytes cuts = bytes;
  const Decoded whole =
      Decode(format, limit, bytes.rest(), size_t{1} << 16, Bytes(nullptr, 0));
  Require(whole.code == absl::StatusCode::kOk ||
          whole.code == absl::StatusCode::kInvalidArgument ||
          whole.code == absl::StatusCode::kResourceExhausted);
  const Decoded pieces = Decode(format, limit, bytes.rest(), 16, cuts);
  Require(pieces.code == whole.code);
  if (whole.code == absl::StatusCode::kOk) Require(pieces.text == whole.text);
  const size_t both = std::min(pieces.text.size(), whole.text.size());
  Require(pieces.text.substr(0, both) == whole.text.substr(0, both));
}

// A text that unfolds: what is left of the input, several times.
std::string TakeText(Bytes* bytes) {
  const size_t times = bytes->OneIn(8) ? 1 + bytes->Below(2000) : 1;
  const std::string_view part = bytes->TakeBytes(bytes->Below(300));
  std::string text;
  for (size_t i = 0; i < times; ++i) text.append(part);
  return text;
}

std::string Pack(Format format, std::string_view text, Bytes* bytes) {
  return format == Format::kZstd
             ? PackZstd(text, bytes)
             : PackZlib(text, format == Format::kGzip, bytes);
}

// The libraries pack; decoders give the text back, within any limit.
void CheckPacked(Format format, Bytes* bytes) {
  std::string text = TakeText(bytes);
  std::string packed = Pack(format, text, bytes);
  // Several members are one text; RFC 1950 knows no members.
  if (format != Format::kZlib && bytes->OneIn(2)) {
    const std::string more = TakeText(bytes);
    packed += Pack(format, more, bytes);
    text += more;
  }
  const auto size = static_cast<int64_t>(text.size());
  const int64_t limit = std::max<int64_t>(
      size - 2 + static_cast<int64_t>(bytes->Below(4)), int64_t{0});
  const size_t most = 1 + bytes->Below(5000);
  const Decoded out = Decode(format, limit, packed, most, *bytes);
  if (limit > 0 && size > limit) {
    Require(out.code == absl::StatusCode::kResourceExhausted);
    Require(text.compare(0, out.text.size(), out.text) == 0);
    return;
  }
  Require(out.code == absl::StatusCode::kOk && out.text == text);
  // A byte less is not the whole.
  packed.pop_back();
  Require(Decode(format, limit, packed, most, *bytes).code ==
          absl::StatusCode::kInvalidArgument);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Bytes bytes(data, size);
  const auto format = static_cast<Format>(bytes.Below(3));
  if (bytes.OneIn(2)) {
    CheckAny(format, bytes);
  } else {
    CheckPacked(format, &bytes);
  }
  return 0;
}
