// Messages as bytes: those that are none, and those that are put together.

#include <gmock/gmock.h>
#include <grpcpp/generic/generic_stub.h>

#include <string>
#include <utility>
#include <vector>

#include "server/call_messages.h"
#include "server/response_bytes.h"
#include "tests/server/fixture.h"

namespace bvhmill::testing {
namespace {

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
  // How a call ends that sends `messages`, whatever they hold, and closes.
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

// The beginning of a field that goes on for longer than there are bytes.
const std::string kGarbage = "\x0a\x7fgarbage";

// They had been UNIMPLEMENTED, without a word.
TEST_F(MessagesTest, AUnaryRequestThatIsNoMessageIsSaidToBeNone) {
  Start();
  for (const char* method :
       {"ClipService/ValidateClip", "ClipService/ConvertClip",
        "ServerService/GetServerInfo"}) {
    const grpc::Status status = Send(method, {kGarbage});
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_EQ(DetailsOf(status).info.reason(), "MESSAGE_BROKEN") << method;
  }
}

std::string WholeClip() {
  v1::ConvertClipsRequest request;
  request.mutable_begin()->set_key("whole");
  request.mutable_begin()->mutable_source()->set_data(SmallClip());
  request.mutable_begin()->set_complete(true);
  return request.SerializeAsString();
}

// It had been OK, as if the peer had closed the stream: what it sent behind
// the garbage was lost.
TEST_F(MessagesTest, GarbageInAStreamEndedItQuietly) {
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
  v1::ConvertClipResponse response;
  grpc::ClientContext context;
  context.set_compression_algorithm(GRPC_COMPRESS_GZIP);
  ASSERT_TRUE(clips_->ConvertClip(&context, request, &response).ok());
  EXPECT_EQ(response.result().outputs(0).data(),
            LocalOutputs(request.source().data(), request.options())[0]);
}

TEST(ParseTest, EmptiesTheBytes) {
  for (const bool is_message : {true, false}) {
    const std::string text = is_message ? WholeClip() : kGarbage;
    const grpc::Slice slice(text);
    grpc::ByteBuffer bytes(&slice, 1);
    v1::ConvertClipsRequest request;
    EXPECT_EQ(server::Parse(&bytes, &request), is_message);
    EXPECT_EQ(bytes.Length(), 0);
    EXPECT_EQ(request.SerializeAsString() == text, is_message);
  }
}

// A message in the pieces that the transport has them in.
TEST(ParseTest, ReadsMessagesInPieces) {
  const std::string text = WholeClip();
  for (const size_t size : {size_t{1}, size_t{7}, text.size()}) {
    std::vector<grpc::Slice> slices;
    for (size_t at = 0; at < text.size(); at += size) {
      slices.emplace_back(text.substr(at, size));
    }
    grpc::ByteBuffer bytes(slices.data(), slices.size());
    v1::ConvertClipsRequest request;
    EXPECT_TRUE(server::Parse(&bytes, &request)) << size;
    EXPECT_EQ(request.SerializeAsString(), text) << size;
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
