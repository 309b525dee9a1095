// Messages that are broken, compressed or costly, and what a server does with
// them.

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "server/app/config.h"
#include "server/observe/log.h"
#include "tests/server/codec/message_texts.h"
#include "tests/server/fixture.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

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
TEST_F(MessagesTest, CompressedMessagesAreRead) {
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

// The queued time is 0 if a thread of gRPC read the message, and above 0 if a
// worker did: messages of few bytes can take long to read.
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
      request.mutable_options()->mutable_validation()->add_ignore("TEXT_EMPTY");
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

}  // namespace
}  // namespace bvhmill::testing
