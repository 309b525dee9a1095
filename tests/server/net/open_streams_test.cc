// Streams that are open without work: their number, their time, their memory.

#include <gmock/gmock.h>
#include <malloc.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/auth/tokens.h"
#include "server/limits/memory.h"
#include "tests/server/limits.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

// A stream of one client.
struct OpenStream {
  explicit OpenStream(Stub* stub, const std::string& token = "") {
    if (!token.empty()) {
      context.AddMetadata("authorization", "Bearer " + token);
    }
    stream = stub->ConvertClips(&context);
  }

  // True if the server has let it in: it has converted a clip.
  bool IsServed() {
    stream->Write(Whole("k", PositionsRequest(SmallClip())));
    Response response;
    while (stream->Read(&response)) {
      if (response.has_result()) return response.result().status().code() == 0;
    }
    return false;
  }

  grpc::ClientContext context;
  std::unique_ptr<Stream> stream;
};

struct IdleCase {
  const char* name;
  std::vector<Request> requests;
  // Results that come before the stream is idle.
  int results;
};

Request Opening() {
  Request request;
  request.mutable_open();
  return request;
}

TEST_F(LimitsTest, AStreamThatBeginsNoClipEnds) {
  const Request clip = Whole("k", PositionsRequest(SmallClip()));
  const IdleCase cases[] = {{"without a message", {}, 0},
                            {"after open", {Opening()}, 0},
                            {"after a clip", {clip}, 1}};
  StartWith([](server::ServerConfig* config) {
    config->service.idle_between_seconds = 1;
  });
  std::vector<std::unique_ptr<OpenStream>> streams;
  for (const IdleCase& c : cases) {
    streams.push_back(std::make_unique<OpenStream>(clips_.get()));
    for (const Request& request : c.requests) {
      streams.back()->stream->Write(request);
    }
  }
  for (size_t i = 0; i < streams.size(); ++i) {
    const IdleCase& c = cases[i];
    const OpenStream& idle = *streams[i];
    SCOPED_TRACE(c.name);
    int results = 0;
    Response response;
    while (idle.stream->Read(&response)) results += response.has_result();
    EXPECT_EQ(results, c.results);
    const grpc::Status status = idle.stream->Finish();
    EXPECT_EQ(status.error_code(), StatusCode::DEADLINE_EXCEEDED);
    const v1::ErrorInfo info = DetailsOf(status).info;
    EXPECT_EQ(info.reason(), "STREAM_IDLE");
    EXPECT_EQ(ValueOf(info, "limit_name"), "idle_between_seconds");
    EXPECT_EQ(ValueOf(info, "limit"), "1");
  }
}

TEST_F(LimitsTest, MoreStreamsThanMayBeOpenAreRefused) {
  StartWith(
      [](server::ServerConfig* config) { config->admission.max_streams = 2; });
  // Each over a connection of its own, which may have half of them.
  const auto second_stub = Connect();
  const auto third_stub = Connect();
  OpenStream first(clips_.get());
  std::optional<OpenStream> second(std::in_place, second_stub.get());
  ASSERT_TRUE(first.IsServed() && second->IsServed());
  OpenStream third(third_stub.get());
  EXPECT_FALSE(third.IsServed());
  const grpc::Status status = third.stream->Finish();
  const v1::ErrorInfo info = RefusalOf(status);
  EXPECT_EQ(info.reason(), "SERVER_BUSY");
  EXPECT_EQ(ValueOf(info, "limit_name"), "max_streams");
  EXPECT_EQ(DetailsOf(status).retry.retry_delay().seconds(), 1);
  // Calls that are no streams are served.
  EXPECT_TRUE(Convert(PositionsRequest(SmallClip())).ok());
  second->stream->WritesDone();
  EXPECT_TRUE(second->stream->Finish().ok());
  EXPECT_TRUE(
      Eventually([&] { return OpenStream(third_stub.get()).IsServed(); }));
}

// By default a token may have seven eighths of the streams.
TEST_F(LimitsTest, StreamsOfOneTokenLeaveRoomForAnother) {
  const TempDir dir;
  std::string tokens;
  for (const char* token : {"one", "two"}) {
    std::string line;
    ASSERT_TRUE(server::HashToken(token, token, &line).ok());
    tokens += line + "\n";
  }
  WriteFile(dir.File("tokens"), tokens);
  StartWith([&](server::ServerConfig* config) {
    config->token_file = dir.File("tokens");
    config->admission.max_streams = 8;
  });
  std::list<OpenStream> streams;
  for (int i = 0; i < 7; ++i) {
    ASSERT_TRUE(streams.emplace_back(clips_.get(), "one").IsServed()) << i;
  }
  OpenStream last(clips_.get(), "one");
  EXPECT_FALSE(last.IsServed());
  const v1::ErrorInfo info = RefusalOf(last.stream->Finish());
  EXPECT_EQ(info.reason(), "CALLER_BUSY");
  EXPECT_EQ(ValueOf(info, "limit_name"), "max_streams_per_caller");
  EXPECT_EQ(ValueOf(info, "limit"), "7");
  const auto other_stub = Connect();
  OpenStream other(other_stub.get(), "two");
  EXPECT_TRUE(other.IsServed());
}

int64_t BytesInFlight(const server::Server& server) {
  return FetchGauge(server.metrics_address(), "bvhmill_inflight_bytes");
}

// 20,000 names of one byte are 60 kB on the wire, and 640 kB in memory.
TEST_F(LimitsTest, OptionsOfIdleStreamsCountByTheirMemory) {
  StartWith(
      [](server::ServerConfig* config) { config->metrics = "127.0.0.1:0"; });
  Request opening;
  v1::ClipEdits* edits =
      opening.mutable_open()->mutable_options()->mutable_edits();
  for (int i = 0; i < 20'000; ++i) {
    edits->add_drop("j");
    edits->add_keep("j");
  }
  // The first stream takes memory that stays for all: threads, buffers.
  OpenStream first(clips_.get());
  first.stream->Write(opening);
  ASSERT_TRUE(first.IsServed());
  const int64_t counted_before = BytesInFlight(*server_);
  // Memory that earlier tests freed would hide growth.
  malloc_trim(0);
  const int64_t resident_before = server::ResidentBytes();
  constexpr int kStreams = 150;
  std::vector<std::unique_ptr<OpenStream>> streams;
  for (int i = 0; i < kStreams; ++i) {
    streams.push_back(std::make_unique<OpenStream>(clips_.get()));
    ASSERT_TRUE(streams.back()->stream->Write(opening));
  }
  constexpr int64_t kEach = 2 * 20'000 * sizeof(std::string);
  // While an opening is parsed, its message counts, too.
  int64_t counted = 0;
  ASSERT_TRUE(Eventually([&] {
    counted = BytesInFlight(*server_) - counted_before;
    return counted >= kStreams * kEach && counted < kStreams * kEach * 11 / 10;
  })) << counted;
  const int64_t grown = server::ResidentBytes() - resident_before;
  // Sanitizers take memory of their own.
  if (BVHMILL_SANITIZED == 0) {
    EXPECT_LT(grown, counted * 6 / 5 + (16 << 20)) << counted;
  }
  for (const auto& open : streams) open->stream->WritesDone();
  for (const auto& open : streams) EXPECT_TRUE(open->stream->Finish().ok());
  EXPECT_TRUE(
      Eventually([&] { return BytesInFlight(*server_) <= counted_before; }));
}

}  // namespace
}  // namespace bvhmill::testing
