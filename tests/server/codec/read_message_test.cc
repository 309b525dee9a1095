// Bytes as messages: which bytes are read, and how they are counted.

#include "server/codec/read_message.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "tests/anim/anim_support.h"
#include "tests/server/codec/message_texts.h"
#include "tests/server/fixture.h"

namespace bvhmill::testing {
namespace {

absl::Status Read(grpc::ByteBuffer* bytes, v1::ConvertClipsRequest* request,
                  int64_t* beside = nullptr) {
  int64_t unused = 0;
  return server::ReadMessage({}, server::kStreamTexts, bytes, request,
                             beside == nullptr ? &unused : beside);
}

TEST(ReadMessageTest, EmptiesTheBytes) {
  for (const bool is_message : {true, false}) {
    const std::string text = is_message ? WholeClip() : kGarbage;
    const grpc::Slice slice(text);
    grpc::ByteBuffer bytes(&slice, 1);
    v1::ConvertClipsRequest request;
    EXPECT_EQ(Read(&bytes, &request).ok(), is_message);
    EXPECT_EQ(bytes.Length(), 0);
    EXPECT_EQ(request.SerializeAsString() == text, is_message);
  }
}

// A message in the pieces that the transport has them in.
TEST(ReadMessageTest, ReadsMessagesInPieces) {
  const std::string text = WholeClip();
  for (const size_t size : {size_t{1}, size_t{7}, text.size()}) {
    std::vector<grpc::Slice> slices;
    for (size_t at = 0; at < text.size(); at += size) {
      slices.emplace_back(text.substr(at, size));
    }
    grpc::ByteBuffer bytes(slices.data(), slices.size());
    v1::ConvertClipsRequest request;
    EXPECT_TRUE(Read(&bytes, &request).ok()) << size;
    EXPECT_EQ(request.SerializeAsString(), text) << size;
  }
}

grpc::ByteBuffer BytesOf(const v1::ConvertClipsRequest& request) {
  const grpc::Slice slice(request.SerializeAsString());
  return {&slice, 1};
}

// Text is no load, wherever a message may have it.
TEST(ReadMessageTest, CountsWhatIsBesideTheText) {
  const std::string text(5'000'000, 'x');
  v1::ConvertClipsRequest chunk;
  chunk.set_chunk(text);
  v1::ConvertClipsRequest begin;
  begin.mutable_begin()->set_key("abc");
  begin.mutable_begin()->mutable_source()->set_data(text);
  v1::ConvertClipsRequest end;
  end.mutable_end()->set_abandon(true);
  const std::pair<const v1::ConvertClipsRequest*, int64_t> cases[] = {
      // Tags and lengths.
      {&chunk, 1 + 4},
      {&begin, (1 + 4) + (1 + 1) + (1 + 4) + (1 + 4)},
      {&end, 1 + 3}};
  for (const auto& [message, expected] : cases) {
    grpc::ByteBuffer bytes = BytesOf(*message);
    v1::ConvertClipsRequest request;
    int64_t beside = 0;
    EXPECT_TRUE(Read(&bytes, &request, &beside).ok());
    EXPECT_EQ(beside, expected) << message->frame_case();
    EXPECT_EQ(request.SerializeAsString(), message->SerializeAsString());
  }
}

// Unknown fields are kept and counted, too.
TEST(ReadMessageTest, MessagesThatGrowWhenParsedAreRefused) {
  v1::ConvertClipsRequest names;
  for (int i = 0; i < 600'000; ++i) {
    names.mutable_open()->mutable_options()->mutable_edits()->add_drop();
  }
  std::string unknown;
  for (int i = 0; i < 600'000; ++i) unknown += "\x78\x01";
  std::string sources;
  for (int i = 0; i < 600'000; ++i) {
    sources += std::string("\x12\x00", 2);
  }
  sources = std::string("\x12\x80\x9f\x49", 4) + sources;
  for (const std::string& text :
       {names.SerializeAsString(), unknown, sources}) {
    const grpc::Slice slice(text);
    grpc::ByteBuffer bytes(&slice, 1);
    v1::ConvertClipsRequest request;
    const absl::Status status = Read(&bytes, &request);
    EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
    EXPECT_EQ(DetailsOf(status).info.metadata().at("limit_name"),
              "max_option_bytes");
    EXPECT_EQ(request.ByteSizeLong(), 0);
  }
}

TEST(ReadMessageTest, AMegabyteMayBeBesideTheText) {
  // Entries of an unknown field, two bytes each.
  std::string text;
  for (int i = 0; i < (1 << 20) / 2; ++i) text += "\x78\x01";
  for (const bool is_good : {true, false}) {
    const grpc::Slice slice(text);
    grpc::ByteBuffer bytes(&slice, 1);
    v1::ConvertClipsRequest request;
    EXPECT_EQ(Read(&bytes, &request).ok(), is_good);
    text += "\x78\x01";
  }
}

// For any bytes, counting and reading agree: both accept them or both refuse.
TEST(ReadMessageTest, AnyBytesAreReadOrRefused) {
  const std::string whole = WholeClip();
  std::mt19937 random(5);
  for (int i = 0; i < 20'000; ++i) {
    std::string text = whole.substr(0, 40);
    for (int k = 0; k < 3; ++k) {
      text[random() % text.size()] = static_cast<char>(random());
    }
    const grpc::Slice slice(text);
    grpc::ByteBuffer bytes(&slice, 1);
    v1::ConvertClipsRequest expected;
    v1::ConvertClipsRequest request;
    const bool is_good = Read(&bytes, &request).ok();
    EXPECT_EQ(is_good, expected.ParseFromString(text));
    if (is_good) {
      EXPECT_EQ(request.SerializeAsString(), expected.SerializeAsString());
    }
  }
}

}  // namespace
}  // namespace bvhmill::testing
