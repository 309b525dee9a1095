#include "bvhmill/unpack/decoder.h"

#include <gmock/gmock.h>

#include "bvhmill/base/status.h"
#include "tests/support/pack.h"

namespace bvhmill::testing {
namespace {

std::string SomeText(size_t bytes) {
  std::string text;
  uint32_t seed = 1;
  while (text.size() < bytes) {
    seed = seed * 1664525 + 1013904223;
    text += std::to_string(seed >> 12) + " ";
  }
  text.resize(bytes);
  return text;
}

std::string Pack(Encoding encoding, const std::string& text) {
  return encoding == Encoding::kGzip   ? Gzip(text)
         : encoding == Encoding::kZstd ? Zstd(text)
                                       : text;
}

constexpr Encoding kPacked[] = {Encoding::kGzip, Encoding::kZstd};
constexpr Encoding kAll[] = {Encoding::kIdentity, Encoding::kGzip,
                             Encoding::kZstd};

// Counts only, and notes the largest piece.
class CountingSink final : public Sink {
 public:
  absl::Status Append(std::string_view bytes) override {
    total_ += bytes.size();
    largest_ = std::max(largest_, bytes.size());
    return absl::OkStatus();
  }
  size_t total_ = 0;
  size_t largest_ = 0;
};

TEST(DecoderTest, RestoresTheTextWithAnyCuts) {
  for (const size_t size : {0, 1, 65535, 65536, 65537, 300'000}) {
    const std::string text = SomeText(size);
    for (const Encoding encoding : kAll) {
      const std::string packed = Pack(encoding, text);
      for (const size_t piece : {size_t{1} << 20, size_t{777}, size_t{1}}) {
        if (piece == 1 && size > 65537) continue;
        const auto decoder = MakeDecoder(encoding, 0);
        std::string out;
        StringSink sink(&out);
        for (size_t i = 0; i < packed.size(); i += piece) {
          ASSERT_TRUE(decoder->Push(packed.substr(i, piece), &sink).ok());
        }
        EXPECT_TRUE(decoder->End().ok());
        // An empty piece begins nothing.
        EXPECT_TRUE(decoder->Push("", &sink).ok());
        EXPECT_TRUE(decoder->End().ok());
        EXPECT_EQ(out, text) << size << " by " << piece;
      }
    }
  }
}

TEST(DecoderTest, SeveralMembersAreOneText) {
  for (const Encoding encoding : kPacked) {
    std::string out;
    StringSink sink(&out);
    const std::string packed = Pack(encoding, "one ") + Pack(encoding, "two");
    EXPECT_TRUE(Unpack(encoding, packed, 0, &sink).ok());
    EXPECT_EQ(out, "one two");
  }
}

TEST(DecoderTest, ABombStopsAtTheLimit) {
  const std::string zeros(size_t{64} << 20, '0');
  for (const Encoding encoding : kPacked) {
    const std::string bomb = Pack(encoding, zeros);
    EXPECT_LT(bomb.size(), size_t{100'000});
    CountingSink sink;
    const absl::Status status = Unpack(encoding, bomb, 1'000'000, &sink);
    EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
    EXPECT_LE(sink.total_, size_t{1'000'000});
    EXPECT_LE(sink.largest_, size_t{65536});
  }
}

// The limit is reported before a wrong checksum, which zlib would find first in
// a whole text.
TEST(DecoderTest, ABrokenBombStopsAtTheLimitWithAnyCuts) {
  std::string packed = Gzip(SomeText(1'000));
  packed[packed.size() - 8] ^= 1;
  for (const size_t piece : {packed.size(), size_t{7}, size_t{1}}) {
    const auto decoder = MakeDecoder(Encoding::kGzip, 500);
    CountingSink sink;
    absl::Status status;
    for (size_t i = 0; i < packed.size() && status.ok(); i += piece) {
      status = decoder->Push(packed.substr(i, piece), &sink);
    }
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << piece;
  }
}

TEST(DecoderTest, TheLimitItselfIsAllowed) {
  const std::string text = SomeText(200'000);
  for (const Encoding encoding : kAll) {
    CountingSink sink;
    EXPECT_TRUE(Unpack(encoding, Pack(encoding, text), 200'000, &sink).ok());
    EXPECT_FALSE(Unpack(encoding, Pack(encoding, text), 199'999, &sink).ok());
  }
}

TEST(DecoderTest, MissingAndWrongBytesAreReported) {
  for (const Encoding encoding : kPacked) {
    const std::string packed = Pack(encoding, SomeText(100'000));
    std::string swapped = packed;
    swapped[packed.size() / 2] ^= 0x55;
    const std::string cases[] = {"", "plain text, not packed at all",
                                 packed.substr(0, packed.size() - 1),
                                 packed + "rubbish", packed.substr(0, 5)};
    for (const std::string& bytes : cases) {
      CountingSink sink;
      const absl::Status status = Unpack(encoding, bytes, 0, &sink);
      EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    }
    // Damage within may be found late or, by zstd without a checksum, never.
    CountingSink sink;
    (void)Unpack(encoding, swapped, 0, &sink);
    EXPECT_LE(sink.largest_, size_t{65536});
  }
}

// Text without its size, so that the window says what unpacking it takes.
std::string ZstdOfWindow(int window_log) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
  ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
  const std::string text = SomeText(100'000);
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  ZSTD_inBuffer in = {text.data(), text.size(), 0};
  ZSTD_outBuffer out = {packed.data(), packed.size(), 0};
  ZSTD_compressStream2(context, &out, &in, ZSTD_e_continue);
  ZSTD_compressStream2(context, &out, &in, ZSTD_e_end);
  ZSTD_freeCCtx(context);
  packed.resize(out.pos);
  return packed;
}

TEST(DecoderTest, WindowsOfMoreThanEightMegabytesAreRefused) {
  for (const int window_log : {20, 23, 24, 27}) {
    SCOPED_TRACE(window_log);
    CountingSink sink;
    const absl::Status status =
        Unpack(Encoding::kZstd, ZstdOfWindow(window_log), 0, &sink);
    if (window_log <= 23) {
      EXPECT_TRUE(status.ok()) << status;
    } else {
      EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    }
  }
}

// The bytes that are counted before a decoder is made cover its window and one
// piece.
TEST(DecoderTest, TheMemoryOfADecoderIsKnown) {
  constexpr int64_t kKb = 1024;
  EXPECT_EQ(DecoderBytes(Encoding::kIdentity), 0);
  EXPECT_GE(DecoderBytes(Encoding::kGzip), (64 + 32) * kKb);
  EXPECT_LE(DecoderBytes(Encoding::kGzip), 256 * kKb);
  EXPECT_GE(DecoderBytes(Encoding::kZstd), (64 + 8 * 1024 + 256) * kKb);
  EXPECT_LE(DecoderBytes(Encoding::kZstd), 10 * 1024 * kKb);
}

}  // namespace
}  // namespace bvhmill::testing
