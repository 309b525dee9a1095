// The conversion of a source, compressed or not.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "bvhmill/base/status.h"
#include "server/convert/source.h"
#include "tests/server/convert/row_clip.h"
#include "tests/support/pack.h"

namespace bvhmill::testing {
namespace {

using server::SourceConversion;

std::string Encoded(Encoding encoding, const std::string& text) {
  switch (encoding) {
    case Encoding::kGzip:
      return Gzip(text);
    case Encoding::kZstd:
      return Zstd(text);
    case Encoding::kIdentity:
      break;
  }
  return text;
}

// Takes outputs, which it drops, and grants memory.
class Granter final : public server::MeteredReceiver {
 public:
  explicit Granter(bool grants = true)
      : MeteredReceiver([grants](int64_t bytes) {
          return grants || bytes < 0 ? absl::OkStatus()
                                     : absl::ResourceExhaustedError("busy");
        }) {}
  absl::Status Begin(const ClipInfo&, std::span<const OutputInfo>) override {
    return absl::OkStatus();
  }
  absl::Status Data(size_t, std::string_view bytes) override {
    data_bytes += static_cast<int64_t>(bytes.size());
    return Hold(static_cast<int64_t>(bytes.size()));
  }

  int64_t data_bytes = 0;
};

// A conversion to positions, by pieces.
struct Pieces {
  explicit Pieces(Encoding encoding, int64_t max_clip_bytes = 0,
                  bool grants = true)
      : receiver(grants) {
    options.outputs.emplace_back().format = PositionsFormat{};
    Begin(encoding, max_clip_bytes);
  }

  void Begin(Encoding encoding, int64_t max_clip_bytes) {
    conversion = std::make_unique<SourceConversion>(
        options, encoding, max_clip_bytes, &receiver, &cancel);
  }
  void Add(const std::string& bytes) { conversion->Add(bytes); }
  const ConvertResult& Finish() { return conversion->Finish(); }

  ConvertOptions options;
  CancelToken cancel;
  Granter receiver;
  std::unique_ptr<SourceConversion> conversion;
};

constexpr Encoding kEncodings[] = {Encoding::kIdentity, Encoding::kGzip,
                                   Encoding::kZstd};

TEST(SourceConversionTest, PiecesGiveTheOutputsOfTheWhole) {
  const std::string text = ClipOf(100'000);
  for (const Encoding encoding : kEncodings) {
    SCOPED_TRACE(static_cast<int>(encoding));
    const std::string bytes = Encoded(encoding, text);
    Pieces pieces(encoding);
    for (size_t at = 0; at < bytes.size(); at += 1000) {
      pieces.Add(bytes.substr(at, 1000));
    }
    const ConvertResult& result = pieces.Finish();
    EXPECT_TRUE(result.status.ok()) << result.status;
    EXPECT_EQ(result.info.frames, 100'000);
    EXPECT_EQ(pieces.receiver.data_bytes, 100'000 * kPositionBytes);
  }
}

TEST(SourceConversionTest, BytesThatArriveAllowWork) {
  const std::string text = ClipOf(1000);
  for (const Encoding encoding : kEncodings) {
    for (const int64_t per_byte : {0, 1'000'000}) {
      SCOPED_TRACE(static_cast<int>(encoding));
      Pieces pieces(encoding);
      pieces.options.limits.max_clip_work = 1;
      pieces.options.limits.max_clip_work_per_byte = per_byte;
      pieces.Begin(encoding, 0);
      pieces.Add(Encoded(encoding, text));
      EXPECT_EQ(pieces.Finish().status.ok(), per_byte > 0);
    }
  }
}

TEST(SourceConversionTest, ABrokenEncodingHasNoReport) {
  const std::string text = ClipOf(1000);
  for (const Encoding encoding : {Encoding::kGzip, Encoding::kZstd}) {
    const std::string whole = Encoded(encoding, text);
    const std::string cut = whole.substr(0, whole.size() / 2);
    for (const std::string& bytes : {cut, cut + std::string(100, 'x')}) {
      Pieces pieces(encoding);
      pieces.Add(bytes);
      const ConvertResult& result = pieces.Finish();
      const CallError error = CallErrorOf(result.status);
      EXPECT_EQ(error.reason, "ENCODING_BROKEN");
      EXPECT_EQ(error.field, "source.data");
      EXPECT_FALSE(result.status.message().empty());
      EXPECT_EQ(pieces.conversion->decode_error(), result.status);
      EXPECT_TRUE(result.report.issues.empty());
      EXPECT_TRUE(result.info.joints.empty());
    }
  }
}

TEST(SourceConversionTest, DecodedTextHasALimit) {
  const std::string text = ClipOf(1000);
  const auto size = static_cast<int64_t>(text.size());
  for (const Encoding encoding : {Encoding::kGzip, Encoding::kZstd}) {
    for (const int64_t limit : {size - 1, size}) {
      Pieces pieces(encoding, limit);
      pieces.Add(Encoded(encoding, text));
      const ConvertResult& result = pieces.Finish();
      EXPECT_EQ(CallErrorOf(result.status).limit_name,
                limit < size ? "max_clip_bytes" : "");
    }
  }
}

// Bytes after the refusal of a clip are not read, and may be anything.
TEST(SourceConversionTest, ARefusedClipTakesNoMoreBytes) {
  const std::string text = ClipOf(100'000);
  for (const Encoding encoding : kEncodings) {
    SCOPED_TRACE(static_cast<int>(encoding));
    Pieces pieces(encoding);
    pieces.options.limits.max_frames = 10;
    pieces.Begin(encoding, 0);
    const std::string bytes = Encoded(encoding, text);
    pieces.Add(bytes.substr(0, bytes.size() - 1));
    pieces.conversion->Add("garbage");
    const ConvertResult& result = pieces.Finish();
    EXPECT_FALSE(result.status.ok());
    EXPECT_TRUE(pieces.conversion->decode_error().ok());
    EXPECT_FALSE(result.report.issues.empty());
  }
}

TEST(SourceConversionTest, TheRefusalOfMemoryIsTheStatus) {
  for (const Encoding encoding : kEncodings) {
    Pieces pieces(encoding, 0, /*grants=*/false);
    pieces.Add(Encoded(encoding, ClipOf(10'000)));
    EXPECT_EQ(pieces.Finish().status, absl::ResourceExhaustedError("busy"));
  }
}

}  // namespace
}  // namespace bvhmill::testing
