// The call that the client library chooses for a clip, and the messages that it
// sends, against a server that records them.

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "bvhmill/v1/clip_service.pb.h"
#include "client/cpp/client.h"
#include "tests/client/fake_server.h"
#include "tests/client/stream_cases.h"
#include "tests/wire/coverage.h"

namespace bvhmill::testing {
namespace {

using ::testing::Each;
using ::testing::Le;

constexpr char kOutput[] = "outputs { id: 'csv' size_bytes: 4 }";
constexpr char kReport[] = "report { verdict: VERDICT_VALID } ";

template <typename Response>
std::string Unary(const std::string& outputs) {
  return ParseText<Response>("result { " + std::string(kReport) + outputs +
                             " }")
      .SerializeAsString();
}

// A good server with `limits`, a text proto.
class Recorder {
 public:
  explicit Recorder(const std::string& limits = "")
      : server_([this, limits](FakeCall* call) { return Take(call, limits); }) {
    client::ConnectOptions options;
    options.server = server_.address();
    // No limit.
    options.answer_timeout = std::chrono::milliseconds(0);
    auto client = client::Client::Connect(options);
    EXPECT_TRUE(client.ok()) << client.status();
    if (client.ok()) client_ = *std::move(client);
  }

  // Converts a clip to CSV, in one message or not.
  void Convert(const client::ClipData& clip, int outputs = 1) {
    ConvertOptions options;
    for (int i = 0; i < outputs; ++i) {
      options.outputs.push_back({"", CsvFormat{}});
    }
    StringReceiver receiver;
    const ConvertResult result =
        client_->Convert("clip", clip, options, &receiver, nullptr);
    // The server gives one output.
    if (outputs != 1) return;
    EXPECT_TRUE(result.status.ok()) << result.status;
    EXPECT_THAT(receiver.data(), ::testing::ElementsAre("1234"));
  }

  int calls(const std::string& method) const { return server_.calls(method); }
  // The bytes of the messages of a stream.
  std::vector<std::string> messages() {
    const std::lock_guard lock(mutex_);
    return messages_;
  }
  client::Client& client() { return *client_; }

 private:
  grpc::Status Take(FakeCall* call, const std::string& limits) {
    const std::string method = call->method();
    if (method != "ConvertClips") {
      call->Read();
      call->Write(
          method == "GetServerInfo" ? InfoBytes(limits)
          : method == "ValidateClip"
              ? Unary<v1::ValidateClipResponse>(kOutput)
              : Unary<v1::ConvertClipResponse>(
                    "outputs { id: 'csv' size_bytes: 4 data: '1234' }"));
      return grpc::Status::OK;
    }
    while (auto bytes = call->Read()) {
      const std::lock_guard lock(mutex_);
      messages_.push_back(*std::move(bytes));
    }
    return Send({Begin("outputs { id: 'csv' }"),
                 Frame("output_chunk { key: '1' data: '1234' }"),
                 Frame("result { key: '1' status {} " + std::string(kReport) +
                       kOutput + " }")})(call);
  }

  std::mutex mutex_;
  std::vector<std::string> messages_;
  FakeServer server_;
  std::unique_ptr<client::Client> client_;
};

// Sizes around the bounds of what fits one message each way.
TEST(Requests, SmallClipsAreOneMessageAndLargeOnesAStream) {
  struct Case {
    const char* limits;
    size_t bytes;
    v1::ContentEncoding encoding;
    int outputs;
    bool streams;
  };
  constexpr auto kPlain = v1::CONTENT_ENCODING_IDENTITY;
  constexpr auto kPacked = v1::CONTENT_ENCODING_ZSTD;
  const Case cases[] = {
      {"", 1 << 20, kPlain, 1, false},
      {"", (1 << 20) + 1, kPlain, 1, true},
      // Text is about four times as large as what it is packed into.
      {"", 1 << 18, kPacked, 1, false},
      {"", (1 << 18) + 1, kPacked, 1, true},
      // An output is about as large as the text.
      {"max_unary_response_bytes: 1000", 1000, kPlain, 1, false},
      {"max_unary_response_bytes: 1000", 1001, kPlain, 1, true},
      {"max_unary_response_bytes: 1000", 500, kPlain, 2, false},
      {"max_unary_response_bytes: 1000", 501, kPlain, 2, true},
      {"max_unary_response_bytes: 1000", 251, kPacked, 1, true},
      // The whole request counts.
      {"max_request_message_bytes: 1000", 800, kPlain, 1, false},
      {"max_request_message_bytes: 1000", 1000, kPlain, 1, true},
  };
  for (const Case& c : cases) {
    Recorder server(c.limits);
    const std::string text(c.bytes, 'x');
    server.Convert({text, c.encoding}, c.outputs);
    EXPECT_EQ(server.calls("ConvertClips"), c.streams ? 1 : 0)
        << c.limits << " " << c.bytes;
    EXPECT_EQ(server.calls("ConvertClip"), c.streams ? 0 : 1)
        << c.limits << " " << c.bytes;
  }
}

TEST(Requests, AClipWithoutOutputsIsValidated) {
  struct Case {
    const char* limits;
    size_t bytes;
    bool streams;
  };
  const Case cases[] = {{"", 1 << 20, false},
                        {"", (1 << 20) + 1, true},
                        // There is none in the answer.
                        {"max_unary_response_bytes: 1", 1000, false},
                        {"max_request_message_bytes: 1000", 1000, true}};
  for (const Case& c : cases) {
    Recorder server(c.limits);
    const std::string text(c.bytes, 'x');
    StringReceiver receiver;
    server.client().Convert("clip", {text}, {}, &receiver, nullptr);
    EXPECT_EQ(server.calls("ValidateClip"), c.streams ? 0 : 1) << c.limits;
    EXPECT_EQ(server.calls("ConvertClips"), c.streams ? 1 : 0) << c.limits;
    EXPECT_EQ(server.calls("ConvertClip"), 0) << c.limits;
  }
}

// A check gives no outputs.
TEST(Requests, ACheckHasNoOutputs) {
  ConvertOptions options;
  options.outputs = {{"", CsvFormat{}}};
  for (const size_t size : {size_t{4}, size_t{2} << 20}) {
    Recorder server;
    const std::string text(size, 'x');
    const ConvertResult result =
        server.client().Validate("clip", {text}, options, nullptr);
    EXPECT_TRUE(result.status.ok()) << result.status;
    EXPECT_TRUE(result.outputs.empty());
  }
}

struct Stream {
  std::string text;
  size_t largest_chunk = 0;
  std::vector<size_t> sizes;
};

Stream Join(const std::vector<std::string>& messages) {
  Stream stream;
  for (const std::string& bytes : messages) {
    v1::ConvertClipsRequest request;
    EXPECT_TRUE(request.ParseFromString(bytes));
    stream.sizes.push_back(bytes.size());
    if (request.has_begin()) stream.text += request.begin().source().data();
    if (!request.has_chunk()) continue;
    stream.text += request.chunk();
    stream.largest_chunk =
        std::max(stream.largest_chunk, request.chunk().size());
  }
  return stream;
}

// The chunks are as the server recommends, as far as they fit its messages.
TEST(Requests, NoMessageIsLargerThanTheServerTakes) {
  struct Case {
    const char* limits;
    size_t chunk;
    size_t most;
  };
  constexpr size_t kAny = size_t{1} << 30;
  const Case cases[] = {
      {"", size_t{256} << 10, kAny},
      {"recommended_chunk_bytes: 65536", 65536, kAny},
      {"recommended_chunk_bytes: 65536 max_request_message_bytes: 65536",
       65536 - 64, 65536},
      {"recommended_chunk_bytes: 65536 max_request_message_bytes: 1000",
       1000 - 64, 1000},
      // A server that takes less than the frame of a chunk: bytes one by one.
      {"max_request_message_bytes: 60 max_unary_response_bytes: 1", 1, kAny},
      {"recommended_chunk_bytes: 1099511627776", size_t{16} << 20, kAny},
  };
  for (const Case& c : cases) {
    Recorder server(c.limits);
    std::string text(
        c.chunk == 1 ? 100 : std::max(2 * c.chunk, size_t{2} << 20), 'x');
    for (size_t i = 0; i < text.size(); ++i)
      text[i] = static_cast<char>(i % 97);
    std::atomic<int64_t> sent = 0;
    client::ClipData clip = {text};
    clip.on_read = [&](int64_t bytes) { sent = bytes; };
    server.Convert(clip);
    const Stream stream = Join(server.messages());
    EXPECT_TRUE(stream.text == text) << c.limits;
    EXPECT_EQ(stream.largest_chunk, c.chunk) << c.limits;
    EXPECT_THAT(stream.sizes, Each(Le(c.most))) << c.limits;
    EXPECT_EQ(sent, static_cast<int64_t>(text.size())) << c.limits;
  }
}

// A clip of one chunk is one message, if it fits with its options.
TEST(Requests, AClipOfOneChunkComesWithItsBegin) {
  for (const size_t size : {size_t{999}, size_t{1000}, size_t{1001}}) {
    Recorder server("recommended_chunk_bytes: 1000");
    const std::string text(size, 'x');
    client::ClipData clip = {text};
    clip.on_issues = [](std::span<const Issue> /*issues*/) {};
    server.Convert(clip);
    const std::vector<std::string> messages = server.messages();
    // That which asks for early issues comes first.
    ASSERT_GE(messages.size(), 2U);
    v1::ConvertClipsRequest request;
    ASSERT_TRUE(request.ParseFromString(messages[1]));
    EXPECT_EQ(request.begin().complete(), size <= 1000) << size;
    EXPECT_EQ(request.begin().source().data().size(), size <= 1000 ? size : 0);
    EXPECT_EQ(messages.size() == 2, size <= 1000) << size;
    EXPECT_TRUE(Join(messages).text == text);
  }
}

// The options and the name are a part of the message.
TEST(Requests, ABeginThatWouldBeTooLargeHasNoBytes) {
  Recorder server("max_request_message_bytes: 1000");
  const std::string text(936, 'x');
  ConvertOptions options;
  options.outputs = {{"", CsvFormat{}}};
  StringReceiver receiver;
  const ConvertResult result = server.client().Convert(
      std::string(200, 'n'), {text}, options, &receiver, nullptr);
  EXPECT_TRUE(result.status.ok()) << result.status;
  const std::vector<std::string> messages = server.messages();
  ASSERT_EQ(messages.size(), 3U);
  v1::ConvertClipsRequest request;
  ASSERT_TRUE(request.ParseFromString(messages[0]));
  EXPECT_FALSE(request.begin().complete());
  EXPECT_EQ(request.begin().source().data(), "");
  const Stream stream = Join(messages);
  EXPECT_TRUE(stream.text == text);
  EXPECT_THAT(stream.sizes, Each(Le(1000)));
}

TEST(Requests, TheClientKnowsWhatTheServerTakes) {
  const auto takes = [](const char* info, v1::ContentEncoding encoding) {
    FakeServer server([&](FakeCall* call) {
      call->Read();
      call->Write(
          ParseText<v1::GetServerInfoResponse>(info).SerializeAsString());
      return grpc::Status::OK;
    });
    client::ConnectOptions options;
    options.server = server.address();
    const auto client = client::Client::Connect(options);
    EXPECT_TRUE(client.ok()) << client.status();
    EXPECT_TRUE((*client)->Reads(SourceFormat::kBvh));
    EXPECT_EQ((*client)->Reads(SourceFormat::kAnim),
              std::string(info).ends_with("SOURCE_FORMAT_ANIM }"));
    return (*client)->Takes(encoding);
  };
  constexpr auto kGzip = v1::CONTENT_ENCODING_GZIP;
  constexpr auto kZstd = v1::CONTENT_ENCODING_ZSTD;
  // One that names nothing still takes plain BVH.
  const char* const old = "api_packages: 'bvhmill.v1'";
  EXPECT_TRUE(takes(old, v1::CONTENT_ENCODING_IDENTITY));
  EXPECT_FALSE(takes(old, kGzip));
  EXPECT_FALSE(
      takes("api_packages: 'bvhmill.v1' "
            "source_formats { format: SOURCE_FORMAT_BVH }",
            kGzip));
  const char* const fresh =
      "api_packages: 'bvhmill.v1' encodings: CONTENT_ENCODING_ZSTD "
      "source_formats { format: SOURCE_FORMAT_BVH } "
      "source_formats { format: SOURCE_FORMAT_ANIM }";
  EXPECT_TRUE(takes(fresh, v1::CONTENT_ENCODING_IDENTITY));
  EXPECT_TRUE(takes(fresh, kZstd));
  EXPECT_FALSE(takes(fresh, kGzip));
}

}  // namespace
}  // namespace bvhmill::testing
