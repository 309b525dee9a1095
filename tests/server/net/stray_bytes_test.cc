// Bytes that become no message, over real sockets: peers that hide them beside
// small calls are cut; honest peers are not, however they send and read.

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/server/limits.h"
#include "tests/server/net/connection_pairs.h"
#include "tests/server/net/raw_caller.h"

namespace bvhmill::testing {
namespace {

using std::chrono::milliseconds;

// The head of a message of one megabyte.
std::string HeadOfAMegabyte() {
  return BigEndian(0, 1) + BigEndian(1 << 20, 4);
}

class StrayBytesTest : public LimitsTest {
 protected:
  // Few stray bytes are allowed, and for a short time.
  void StartStrict(int64_t bytes, int64_t request_seconds) {
    StartWith([=](server::ServerConfig* config) {
      config->transport.max_stray_bytes = bytes;
      config->transport.max_request_seconds = request_seconds;
    });
  }

  static void For(seconds time, const std::function<void()>& step) {
    const auto end = Clock::now() + time;
    while (Clock::now() < end && !HasFailure()) step();
  }

  // An honest call over `stub`, which fails the test if it fails.
  static void ExpectConverts(Stub* stub, grpc::ClientContext* context,
                             const std::string& text = SmallClip()) {
    context->set_deadline(std::chrono::system_clock::now() + seconds(60));
    v1::ConvertClipResponse response;
    const grpc::Status status =
        stub->ConvertClip(context, PositionsRequest(text), &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
  }
};

TEST_F(StrayBytesTest, SmallCallsHideNoBytesThatBecomeNoMessage) {
  struct Case {
    const char* name;
    // Null: frames of a type that HTTP/2 does not know.
    const char* path;
  };
  const Case cases[] = {
      {"a unary message that does not end", kConvertPath},
      {"a message of a stream that does not end", kStreamPath},
      {"frames that mean nothing", nullptr}};
  StartStrict(20'000, 2);
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    RawCaller peer(server_->address());
    uint32_t stream = 0;
    if (c.path != nullptr) {
      stream = peer.Begin(c.path);
      peer.SendData(stream, HeadOfAMegabyte());
    }
    bool is_cut = false;
    for (int i = 0; i < 100 && !is_cut; ++i) {
      if (c.path == nullptr) {
        constexpr int kNoType = 0x2A;
        peer.Send(Http2Frame(kNoType, 0, 0, std::string(2'000, 'x')));
      } else if (i < 30) {
        peer.SendData(stream, std::string(2'000, 'x'));
      }
      peer.Call(kInfoPath);
      std::this_thread::sleep_for(milliseconds(100));
      is_cut = peer.IsEnded();
    }
    EXPECT_TRUE(is_cut);
  }
}

TEST_F(StrayBytesTest, ASlowUploadOfAStreamGoesOn) {
  StartStrict(20'000, 1);
  grpc::ClientContext context;
  const auto stream = clips_->ConvertClips(&context);
  Request request;
  request.mutable_begin()->mutable_options()->add_outputs()->mutable_csv();
  ASSERT_TRUE(stream->Write(request));
  const std::string text = SmallClip(20'000);
  constexpr size_t kPiece = 10'000;
  for (size_t at = 0; at < text.size(); at += kPiece) {
    request.set_chunk(text.substr(at, kPiece));
    ASSERT_TRUE(stream->Write(request));
    std::this_thread::sleep_for(milliseconds(100));
  }
  request.mutable_end();
  ASSERT_TRUE(stream->Write(request));
  stream->WritesDone();
  Response response;
  while (stream->Read(&response)) {
  }
  EXPECT_TRUE(response.has_result());
  EXPECT_TRUE(stream->Finish().ok());
}

// Their metadata is the larger part of what they send, and no two are alike.
TEST_F(StrayBytesTest, ManySmallCallsGoOn) {
  StartStrict(20'000, 1);
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([this, i] {
      int call = 0;
      For(seconds(5), [&] {
        grpc::ClientContext context;
        const std::string id = std::to_string(i) + "-" + std::to_string(call++);
        context.AddMetadata("x-request-id", id);
        context.AddMetadata("authorization", std::string(1'500, 'j') + id);
        ExpectConverts(clips_.get(), &context);
      });
    });
  }
  for (std::thread& caller : callers) caller.join();
}

// A reader sends updates of windows, and little else.
TEST_F(StrayBytesTest, ALongDownloadGoesOn) {
  StartStrict(20'000, 1);
  grpc::ClientContext context;
  const auto stream = clips_->ConvertClips(&context);
  Request request;
  request.mutable_begin()->set_complete(true);
  request.mutable_begin()->mutable_source()->set_data(SmallClip(10'000));
  request.mutable_begin()->mutable_options()->add_outputs()->mutable_csv();
  request.mutable_begin()->mutable_options()->add_outputs()->mutable_npz();
  Response response;
  For(seconds(6), [&] {
    ASSERT_TRUE(stream->Write(request));
    while (true) {
      ASSERT_TRUE(stream->Read(&response));
      if (response.has_result()) break;
    }
  });
  stream->WritesDone();
  EXPECT_TRUE(stream->Finish().ok());
}

// They are more bytes than came.
TEST_F(StrayBytesTest, CompressedMessagesGoOn) {
  StartStrict(20'000, 1);
  const std::string text = SmallClip(5'000);
  grpc::ClientContext context;
  context.set_compression_algorithm(GRPC_COMPRESS_GZIP);
  const auto stream = clips_->ConvertClips(&context);
  Request request;
  request.mutable_begin()->set_complete(true);
  request.mutable_begin()->mutable_source()->set_data(text);
  Response response;
  For(seconds(5), [&] {
    grpc::ClientContext unary;
    unary.set_compression_algorithm(GRPC_COMPRESS_DEFLATE);
    ExpectConverts(clips_.get(), &unary, text);
    ASSERT_TRUE(stream->Write(request));
    ASSERT_TRUE(stream->Read(&response));
  });
  context.TryCancel();
  stream->Finish();
}

TEST_F(StrayBytesTest, AnIdlePeerThatPingsStays) {
  StartWith([](server::ServerConfig* config) {
    config->transport.max_stray_bytes = 50;
    config->transport.max_request_seconds = 1;
    config->transport.min_ping_seconds = 0;
  });
  RawCaller peer(server_->address());
  // Uses up what is allowed for once.
  for (int i = 0; i < 200; ++i) peer.Send(Http2Frame(kPing, 0, 0, "12345678"));
  For(seconds(6), [&] {
    peer.Send(Http2Frame(kPing, 0, 0, "12345678"));
    std::this_thread::sleep_for(milliseconds(500));
    EXPECT_FALSE(peer.IsEnded());
  });
}

// Up to the limit on a message, in somewhat less than the time it may take; and
// more than one at a time, so that one is always under way.
TEST_F(StrayBytesTest, LargeMessagesThatCompleteInTimeGoOn) {
  StartStrict(20'000, 4);
  const std::string request =
      PositionsRequest(SmallClip(60'000)).SerializeAsString();
  ASSERT_GT(request.size(), 1'000'000);
  const std::string message = Prefixed(request);
  constexpr size_t kParts = 20;
  const size_t part = message.size() / kParts + 1;
  RawCaller peer(server_->address());
  struct Upload {
    uint32_t stream = 0;
    size_t at = 0;
  };
  std::vector<Upload> uploads;
  std::vector<uint32_t> sent;
  for (size_t round = 0; round < 5 * kParts || !uploads.empty(); ++round) {
    if (round < 4 * kParts && round % (kParts / 2) == 0) {
      uploads.push_back({peer.Begin(kConvertPath)});
    }
    for (Upload& upload : uploads) {
      ASSERT_TRUE(
          peer.SendData(upload.stream, message.substr(upload.at, part)));
      upload.at += part;
      if (upload.at < message.size()) continue;
      peer.Send(Http2Frame(kData, kEndStream, upload.stream, ""));
      sent.push_back(upload.stream);
    }
    std::erase_if(uploads, [&](const Upload& upload) {
      return upload.at >= message.size();
    });
    std::this_thread::sleep_for(milliseconds(100));
    ASSERT_FALSE(peer.IsEnded()) << round;
  }
  ASSERT_GT(sent.size(), 5);
  for (const uint32_t stream : sent) {
    EXPECT_TRUE(Eventually([&] { return peer.HasEnd(stream); })) << stream;
  }
}

// A client gives up calls within their messages, and goes on with others, one
// of which is always open.
TEST_F(StrayBytesTest, CancelledUploadsAreForgiven) {
  StartStrict(20'000, 5);
  RawCaller peer(server_->address());
  const uint32_t stream = peer.Begin(kStreamPath);
  Request request;
  request.mutable_begin()->set_key("k");
  const std::string begin = Prefixed(request.SerializeAsString());
  request.set_chunk("HIERARCHY\n");
  const std::string chunk = Prefixed(request.SerializeAsString());
  ASSERT_TRUE(peer.SendData(stream, begin));
  for (int i = 0; i < 30; ++i) {
    const uint32_t upload = peer.Begin(kConvertPath);
    ASSERT_TRUE(peer.SendData(upload, HeadOfAMegabyte()));
    ASSERT_TRUE(peer.SendData(upload, std::string(15'000, 'x')));
    peer.Send(Http2Frame(kReset, 0, upload, BigEndian(8, 4)));
    for (int k = 0; k < 4; ++k) {
      std::this_thread::sleep_for(milliseconds(90));
      peer.Call(kInfoPath);
      ASSERT_TRUE(peer.SendData(stream, chunk));
    }
    ASSERT_FALSE(peer.IsEnded()) << i;
  }
}

}  // namespace
}  // namespace bvhmill::testing
