// Responses as bytes: equal to those that protobuf writes.

#include "server/codec/response_bytes.h"

#include <google/protobuf/util/message_differencer.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/wire/options.h"
#include "bvhmill/wire/result.h"

namespace bvhmill::testing {
namespace {

using server::OutputBytes;

std::string StringOf(const grpc::ByteBuffer& bytes) {
  std::vector<grpc::Slice> slices;
  std::string out;
  if (!bytes.Dump(&slices).ok()) return out;
  for (const grpc::Slice& slice : slices) {
    out.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return out;
}

struct ChunkCase {
  const char* name;
  std::string key;
  int output;
  int64_t offset;
  std::string data;
};

void PrintTo(const ChunkCase& chunk, std::ostream* out) { *out << chunk.name; }

class ChunkBytesTest : public ::testing::TestWithParam<ChunkCase> {};

TEST_P(ChunkBytesTest, AreThoseOfTheMessage) {
  const ChunkCase& param = GetParam();
  v1::OutputChunk chunk;
  chunk.set_key(param.key);
  chunk.set_output_index(param.output);
  chunk.set_offset(param.offset);
  grpc::ByteBuffer bytes;
  server::ToBytes(chunk, param.data, &bytes);
  v1::ConvertClipsResponse message;
  *message.mutable_output_chunk() = chunk;
  message.mutable_output_chunk()->set_data(param.data);
  EXPECT_EQ(StringOf(bytes), message.SerializeAsString());
  server::ToBytes(message, &bytes);
  EXPECT_EQ(StringOf(bytes), message.SerializeAsString());
}

// Lengths whose varints have one byte, two, three and four.
INSTANTIATE_TEST_SUITE_P(
    Messages, ChunkBytesTest,
    ::testing::Values(
        ChunkCase{"OneByte", "k", 0, 0, "d"},
        ChunkCase{"NoKey", "", 0, 0, std::string(127, 'a')},
        ChunkCase{"TwoBytes", "key", 1, 127, std::string(128, '\0')},
        ChunkCase{"LongKey", std::string(1024, 'k'), 2, 128, "xyz"},
        ChunkCase{"ThreeBytes", "key", 63, int64_t{1} << 20,
                  std::string(size_t{1} << 18, '\xff')},
        ChunkCase{"FourBytes", "key", 0, int64_t{1} << 40,
                  std::string(size_t{1} << 22, 'b')}),
    [](const auto& info) { return info.param.name; });

// Compares a response of one field with `expected`; fields may have any order.
template <typename Message>
void ExpectMessage(const grpc::ByteBuffer& bytes, const Message& expected) {
  Message message;
  ASSERT_TRUE(message.ParseFromString(StringOf(bytes)));
  EXPECT_TRUE(
      google::protobuf::util::MessageDifferencer::Equals(message, expected))
      << message.DebugString();
}

ConvertResult OneJointResult() {
  ConvertResult result;
  result.info.joints = JointList({{"Hips", -1, "XYZ", false, {1, 2, 3}}});
  result.outputs = {{"positions", "application/x", 300, {}},
                    {"report", "application/json", 0, {}}};
  return result;
}

TEST(ToBytesTest, UnaryResultsAreThoseOfProtobuf) {
  const ConvertResult result = OneJointResult();
  const std::string data(300, 'd');
  v1::ConvertClipResponse expected;
  wire::ToProto(result, expected.mutable_result());
  grpc::ByteBuffer bytes;
  server::ToBytes(result, {}, &bytes);
  ExpectMessage(bytes, expected);
  expected.mutable_result()->mutable_outputs(0)->set_data(data);
  std::vector<OutputBytes> outputs(2, OutputBytes(0));
  outputs[0].Append(data);
  server::ToBytes(result, std::move(outputs), &bytes);
  ExpectMessage(bytes, expected);
}

TEST(ToBytesTest, SeveralOutputsKeepTheirPlaces) {
  ConvertResult result = OneJointResult();
  result.outputs.push_back({"rotations", "application/x", 8, {}});
  v1::ConvertClipResponse expected;
  wire::ToProto(result, expected.mutable_result());
  std::vector<OutputBytes> outputs(3, OutputBytes(0));
  for (const int i : {0, 2}) {
    const std::string data(static_cast<size_t>(i + 1), 'd');
    expected.mutable_result()->mutable_outputs(i)->set_data(data);
    outputs[static_cast<size_t>(i)].Append(data);
  }
  grpc::ByteBuffer bytes;
  server::ToBytes(result, outputs, &bytes);
  ExpectMessage(bytes, expected);
  // Outputs of a clip that fails at its end are void.
  result.status = MakeStatus(absl::StatusCode::kInvalidArgument, "broken");
  expected.Clear();
  wire::ToProto(result, expected.mutable_result());
  server::ToBytes(result, outputs, &bytes);
  ExpectMessage(bytes, expected);
}

TEST(ToBytesTest, FramesOfStreamsAreThoseOfProtobuf) {
  const ConvertResult result = OneJointResult();
  v1::ConvertClipsResponse expected;
  wire::ToProto(result, expected.mutable_result());
  expected.mutable_result()->set_key("key");
  grpc::ByteBuffer bytes;
  server::ToBytes("key", result, &bytes);
  ExpectMessage(bytes, expected);
  v1::ClipStarted* const begin = expected.mutable_begin();
  begin->set_key("key");
  wire::ToProto(result.info, begin->mutable_info());
  for (const OutputInfo& output : result.outputs) {
    wire::ToProto(output, begin->add_outputs());
  }
  server::ToBytes("key", result.info, result.outputs, &bytes);
  ExpectMessage(bytes, expected);
}

// Sizes below and above that of a slice with memory of its own.
TEST(ToBytesTest, AnySizeIsThatOfTheMessage) {
  for (const size_t size : {0, 1, 20, 30, 100'000}) {
    v1::ConvertClipsResponse message;
    message.mutable_result()->set_key(std::string(size, 'k'));
    grpc::ByteBuffer bytes;
    server::ToBytes(message, &bytes);
    EXPECT_EQ(StringOf(bytes), message.SerializeAsString()) << size;
  }
}

}  // namespace
}  // namespace bvhmill::testing
