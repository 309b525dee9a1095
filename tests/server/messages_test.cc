// Messages as bytes: those that are none, and those that are put together.

#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <grpcpp/generic/generic_stub.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/wire/result.h"
#include "server/codec/output_bytes.h"
#include "server/codec/read_message.h"
#include "server/codec/response_bytes.h"
#include "tests/server/fixture.h"
#include "tests/support/files.h"

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

class MessagesTest : public ServerTest {
 protected:
  // Sends `messages`, which may be any bytes, and closes. Returns the status.
  grpc::Status Send(const std::string& method,
                    const std::vector<std::string>& messages) {
    grpc::GenericStub stub(channel_);
    grpc::ClientContext context;
    grpc::CompletionQueue queue;
    const auto call =
        stub.PrepareCall(&context, "/bvhmill.v1." + method, &queue);
    const auto done = [&queue] {
      void* tag = nullptr;
      bool ok = false;
      return queue.Next(&tag, &ok) && ok;
    };
    call->StartCall(nullptr);
    done();
    for (const std::string& message : messages) {
      const grpc::Slice slice(message);
      call->Write(grpc::ByteBuffer(&slice, 1), nullptr);
      if (!done()) break;
    }
    call->WritesDone(nullptr);
    done();
    grpc::ByteBuffer answer;
    do {
      call->Read(&answer, nullptr);
    } while (done());
    grpc::Status status;
    call->Finish(&status, nullptr);
    done();
    return status;
  }
};

// The beginning of a field whose stated length is more than the bytes.
const std::string kGarbage = "\x0a\x7fgarbage";

// The status must not be UNIMPLEMENTED without a message, as gRPC would answer.
TEST_F(MessagesTest, AUnaryRequestThatIsNoMessageIsRefused) {
  Start();
  for (const char* method :
       {"ClipService/ValidateClip", "ClipService/ConvertClip",
        "ServerService/GetServerInfo"}) {
    const grpc::Status status = Send(method, {kGarbage});
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_EQ(DetailsOf(status).info.reason(), "MESSAGE_BROKEN") << method;
  }
}

// Nothing is read for callers who are not known.
TEST_F(MessagesTest, ATokenIsAskedForFirst) {
  const TempDir dir;
  WriteFile(dir.File("tokens"), "secret\n");
  Start([&](server::ServerConfig* config) {
    config->token_file = dir.File("tokens");
    config->log = server::LogFormat::kOff;
  });
  for (const char* method :
       {"ClipService/ValidateClip", "ClipService/ConvertClip",
        "ServerService/GetServerInfo"}) {
    EXPECT_EQ(Send(method, {kGarbage}).error_code(),
              grpc::StatusCode::UNAUTHENTICATED)
        << method;
  }
}

std::string WholeClip() {
  v1::ConvertClipsRequest request;
  request.mutable_begin()->set_key("whole");
  request.mutable_begin()->mutable_source()->set_data(SmallClip());
  request.mutable_begin()->set_complete(true);
  return request.SerializeAsString();
}

// Garbage in a stream must end it with an error. An OK would look as if the
// peer had closed the stream, and would lose the messages after the garbage.
TEST_F(MessagesTest, GarbageInAStreamEndsItWithAnError) {
  Start();
  // A begin whose key is not UTF-8 is no message, either.
  const std::string not_utf8 = "\x12\x03\x0a\x01\xff";
  const std::vector<std::vector<std::string>> cases = {
      {not_utf8}, {kGarbage}, {WholeClip(), kGarbage, WholeClip()}};
  for (const std::vector<std::string>& messages : cases) {
    const grpc::Status status = Send("ClipService/ConvertClips", messages);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_EQ(DetailsOf(status).info.reason(), "MESSAGE_BROKEN");
  }
}

// By gRPC, beneath the messages.
TEST_F(MessagesTest, MayBeCompressed) {
  Start();
  const v1::ConvertClipRequest request = PositionsRequest(SmallClip(500));
  const std::string expected =
      LocalOutputs(request.source().data(), request.options())[0];
  for (const auto packing : {GRPC_COMPRESS_GZIP, GRPC_COMPRESS_DEFLATE}) {
    v1::ConvertClipResponse response;
    grpc::ClientContext context;
    context.set_compression_algorithm(packing);
    ASSERT_TRUE(clips_->ConvertClip(&context, request, &response).ok());
    EXPECT_EQ(response.result().outputs(0).data(), expected) << packing;
  }
}

// Few bytes that took long to read had been read where the call came in, and
// kept others waiting. Only what waited for a worker was queued.
TEST_F(MessagesTest, CostlyMessagesAreReadByWorkers) {
  struct Case {
    const char* name;
    int frames;
    int words;
    bool is_packed;
    bool is_queued;
  };
  const Case cases[] = {{"plain", 100, 0, false, false},
                        {"long", 20'000, 0, false, true},
                        {"packed", 100, 0, true, true},
                        {"long and packed", 20'000, 0, true, true},
                        {"some options", 100, 200, false, false},
                        {"many options", 100, 400, false, true}};
  Start();
  for (const Case& c : cases) {
    v1::ConvertClipRequest request = PositionsRequest(SmallClip(c.frames));
    for (int i = 0; i < c.words; ++i) {
      request.mutable_options()->mutable_validation()->add_ignore_codes(
          "TEXT_EMPTY");
    }
    v1::ConvertClipResponse response;
    grpc::ClientContext context;
    if (c.is_packed) context.set_compression_algorithm(GRPC_COMPRESS_GZIP);
    const grpc::Status status =
        clips_->ConvertClip(&context, request, &response);
    ASSERT_TRUE(status.ok()) << c.name << status.error_message();
    EXPECT_EQ(response.result().times().queued().nanos() > 0, c.is_queued)
        << c.name;
  }
}

// The limit is that on the message, not on its packed bytes.
TEST_F(MessagesTest, AreLimitedOnceTheyAreUnpacked) {
  const v1::ConvertClipRequest request = PositionsRequest(SmallClip(500));
  const int64_t size = request.ByteSizeLong();
  for (const bool fits : {false, true}) {
    Start([&](server::ServerConfig* config) {
      config->service.max_request_message_bytes = fits ? size : size - 1;
      config->log = server::LogFormat::kOff;
    });
    v1::ConvertClipResponse response;
    grpc::ClientContext context;
    context.set_compression_algorithm(GRPC_COMPRESS_GZIP);
    const grpc::Status status =
        clips_->ConvertClip(&context, request, &response);
    EXPECT_EQ(status.ok(), fits) << status.error_message();
    if (fits) continue;
    EXPECT_EQ(DetailsOf(status).quota.violations(0).subject(),
              "max_request_message_bytes");
  }
}

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
    names.mutable_open()->mutable_options()->mutable_edits()->add_drop_joints();
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

struct ChunkCase {
  const char* name;
  std::string key;
  int output;
  int64_t offset;
  std::string data;
};

class ChunkBytesTest : public ::testing::TestWithParam<ChunkCase> {};

TEST_P(ChunkBytesTest, AreThoseOfTheMessage) {
  const ChunkCase& param = GetParam();
  v1::OutputChunk chunk;
  chunk.set_key(param.key);
  chunk.set_output(param.output);
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

TEST(ToBytesTest, UnaryResults) {
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

TEST(ToBytesTest, UnaryResultsOfSeveralOutputs) {
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

std::string Joined(const std::vector<grpc::Slice>& pieces) {
  std::string out;
  for (const grpc::Slice& piece : pieces) {
    out.append(reinterpret_cast<const char*>(piece.begin()), piece.size());
  }
  return out;
}

TEST(OutputBytesTest, AreInOrder) {
  OutputBytes bytes(3);
  EXPECT_EQ(bytes.size(), 0U);
  std::string expected;
  for (const size_t count : {1, 5, 0, 3'000'000, 20'000, 1'000'000}) {
    const std::string part(count, static_cast<char>('a' + expected.size() % 7));
    bytes.Append(part);
    expected += part;
    EXPECT_EQ(bytes.size(), expected.size());
  }
  EXPECT_TRUE(Joined(bytes.Take()) == expected);
  EXPECT_EQ(bytes.size(), 0U);
  EXPECT_TRUE(bytes.Take().empty());
}

// Each piece takes memory that is not counted.
TEST(OutputBytesTest, PiecesAreFull) {
  constexpr size_t kPiece = size_t{1} << 20;
  for (const size_t expected : {size_t{0}, kPiece, 100 * kPiece}) {
    OutputBytes bytes(expected);
    for (size_t i = 0; i < 3 * 1024; ++i) bytes.Append(std::string(1024, 'x'));
    bytes.Append("y");
    const auto pieces = bytes.Take();
    ASSERT_EQ(pieces.size(), 4U);
    for (size_t i = 0; i < 3; ++i) EXPECT_EQ(pieces[i].size(), kPiece);
    EXPECT_EQ(pieces[3].size(), 1U);
  }
}

TEST(ToBytesTest, FramesOfStreams) {
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

// Too small for a piece of memory of its own, and not.
TEST(ToBytesTest, IsTheMessage) {
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
