// The memory that clips keep counts as in flight, and stays within the limit.

#include <gmock/gmock.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <fstream>
#include <functional>
#include <thread>

#include "tests/server/fixture.h"
#include "tests/support/pack.h"

namespace bvhmill::testing {
namespace {

using Request = v1::ConvertClipsRequest;
using Response = v1::ConvertClipsResponse;
using Stream = grpc::ClientReaderWriter<Request, Response>;

constexpr int64_t kMb = 1'000'000;

// Resident memory of this process, which is server and client.
int64_t ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  int64_t pages = 0;
  statm >> pages >> pages;
  return pages * sysconf(_SC_PAGESIZE);
}

// Memory that earlier tests have freed goes back to the system: none of a later
// one can take its place unseen.
int64_t ResidentBytesInUse() {
  malloc_trim(0);
  return ResidentBytes();
}

// The most memory that the process has had while it lives.
class MemoryWatch {
 public:
  MemoryWatch() : before_(ResidentBytesInUse()), thread_([this] { Watch(); }) {}
  ~MemoryWatch() { thread_.join(); }
  int64_t Stop() {
    stopped_ = true;
    return most_ - before_;
  }

 private:
  void Watch() {
    while (!stopped_) {
      most_ = std::max<int64_t>(most_, ResidentBytes());
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  const int64_t before_;
  std::atomic<int64_t> most_ = before_;
  std::atomic<bool> stopped_ = false;
  std::thread thread_;
};

std::string Head(int64_t frames) {
  return "HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation "
         "Yrotation\n}\nMOTION\nFrames: " +
         std::to_string(frames) + "\nFrame Time: 0.01\n";
}

std::string Repeat(const std::string& text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

class MemoryTest : public ServerTest {
 protected:
  void StartWith(int64_t max_inflight_bytes) {
    Start([=](server::ServerConfig* config) {
      LimitBytes(config, max_inflight_bytes);
      config->metrics = "127.0.0.1:0";
      config->log = server::LogFormat::kOff;
      config->threads = 2;
    });
  }

  // The result of one clip of a stream; frames are taken and dropped. Calls
  // `before_end`, if there is one, when all was sent but the end.
  v1::ClipResult Convert(const v1::ConvertOptions& options,
                         v1::ContentEncoding encoding, const std::string& data,
                         const std::function<void()>& before_end = {}) {
    grpc::ClientContext context;
    const auto stream = clips_->ConvertClips(&context);
    v1::ClipResult result;
    std::thread reader([&] {
      Response response;
      while (stream->Read(&response)) {
        if (response.has_result()) result = response.result();
      }
    });
    Request request;
    *request.mutable_begin()->mutable_options() = options;
    request.mutable_begin()->mutable_source()->set_encoding(encoding);
    stream->Write(request);
    constexpr size_t kChunk = 1 << 20;
    for (size_t at = 0; at < data.size(); at += kChunk) {
      request.set_chunk(data.substr(at, kChunk));
      stream->Write(request);
    }
    if (before_end) before_end();
    request.mutable_end();
    stream->Write(request);
    stream->WritesDone();
    reader.join();
    const grpc::Status status = stream->Finish();
    EXPECT_TRUE(status.ok()) << status.error_message();
    return result;
  }

  int64_t BytesInFlight() {
    return FetchGauge(server_->metrics_address(), "bvhmill_inflight_bytes");
  }

  // Waits until the server has freed the call after its last frame.
  void ExpectNothingInFlight() {
    EXPECT_TRUE(Eventually([this] { return BytesInFlight() == 0; }));
  }
};

// Sanitizers take memory of their own.
void ExpectLess(int64_t resident, int64_t limit) {
  if (BVHMILL_SANITIZED == 0) {
    EXPECT_LT(resident, limit);
  }
}

void ExpectBusy(const v1::Status& status, bool may_retry) {
  EXPECT_EQ(status.code(), grpc::StatusCode::RESOURCE_EXHAUSTED)
      << status.message();
  EXPECT_EQ(status.info().reason(), "SERVER_BUSY");
  const auto& metadata = status.info().metadata();
  ASSERT_TRUE(metadata.contains("limit_name"));
  EXPECT_EQ(metadata.at("limit_name"), "max_inflight_bytes");
  EXPECT_EQ(metadata.contains("retry_after_ms"), may_retry);
}

v1::ConvertOptions Npz(double fps = 0) {
  v1::ConvertOptions options;
  options.add_outputs()->mutable_npz();
  if (fps > 0) {
    options.mutable_edits()->set_fps(fps);
  }
  return options;
}

TEST_F(MemoryTest, RowsThatAreKeptAreCounted) {
  constexpr int kRows = 20'000'000;
  const std::string rows = Head(kRows) + Repeat("1 1 1\n", kRows);
  constexpr int kFew = 50'000;
  const std::string few = Head(kFew) + Repeat("1 1 1\n", kFew);
  struct Case {
    const char* name;
    v1::ContentEncoding encoding;
    std::string data;
    v1::ConvertOptions options;
  };
  const Case cases[] = {
      {"zstd", v1::CONTENT_ENCODING_ZSTD, Zstd(rows), Npz()},
      {"gzip", v1::CONTENT_ENCODING_GZIP, Gzip(rows), Npz()},
      {"edited", v1::CONTENT_ENCODING_ZSTD, Zstd(rows), Npz(300)},
      {"resampled", v1::CONTENT_ENCODING_IDENTITY, few, Npz(6'000)}};
  StartWith(32 * kMb);
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    MemoryWatch watch;
    ExpectBusy(Convert(c.options, c.encoding, c.data).status(),
               /*may_retry=*/false);
    ExpectLess(watch.Stop(), 100 * kMb);
    ExpectNothingInFlight();
  }
}

TEST_F(MemoryTest, RowsOfUnaryCallsAreCounted) {
  constexpr int kRows = 500'000;
  v1::ConvertClipRequest convert;
  convert.mutable_source()->set_data(Head(kRows) + Repeat("1 1 1\n", kRows));
  *convert.mutable_options() = Npz();
  v1::ConvertClipRequest more_rows = convert;
  // The `Frames` line must not decide how much memory is taken.
  more_rows.mutable_source()->set_data(Head(1 << 30) +
                                       Repeat("1 1 1\n", kRows));
  v1::ConvertClipRequest edited;
  constexpr int kFew = 20'000;
  edited.mutable_source()->set_data(Head(kFew) + Repeat("1 1 1\n", kFew));
  *edited.mutable_options() = Npz(6'000);
  StartWith(8 * kMb);
  for (const v1::ConvertClipRequest& request : {convert, more_rows, edited}) {
    grpc::ClientContext context;
    v1::ConvertClipResponse response;
    const grpc::Status status =
        clips_->ConvertClip(&context, request, &response);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
    const Details details = DetailsOf(status);
    EXPECT_EQ(details.info.reason(), "SERVER_BUSY");
    ASSERT_EQ(details.quota.violations_size(), 1);
    EXPECT_EQ(details.quota.violations(0).subject(), "max_inflight_bytes");
    ExpectNothingInFlight();
  }
  // A check holds its rows, too.
  for (const auto* source : {&convert, &edited}) {
    grpc::ClientContext context;
    v1::ValidateClipRequest validate;
    *validate.mutable_source() = source->source();
    v1::ValidateClipResponse response;
    EXPECT_EQ(clips_->ValidateClip(&context, validate, &response).ok(),
              source == &edited);
    ExpectNothingInFlight();
  }
}

TEST_F(MemoryTest, TextThatCannotBeReadYetIsCounted) {
  const std::string blanks(size_t{60} << 20, ' ');
  const std::string heads[] = {"HIERARCHY\n" + blanks,
                               Head(2) + "1 1 1\n1 1" + blanks};
  StartWith(200 * kMb);
  for (const std::string& text : heads) {
    Convert({}, v1::CONTENT_ENCODING_IDENTITY, text, [this] {
      EXPECT_TRUE(Eventually([this] { return BytesInFlight() >= 60 * kMb; }));
      EXPECT_LT(BytesInFlight(), 100 * kMb);
    });
    ExpectNothingInFlight();
  }
  server_.reset();
  StartWith(16 * kMb);
  for (const std::string& text : heads) {
    MemoryWatch watch;
    ExpectBusy(Convert({}, v1::CONTENT_ENCODING_IDENTITY, text).status(),
               /*may_retry=*/false);
    ExpectLess(watch.Stop(), 75 * kMb);
    ExpectNothingInFlight();
  }
}

TEST_F(MemoryTest, WindowsOfDecodersAreCounted) {
  struct Case {
    v1::ContentEncoding encoding;
    int64_t least;
    int64_t most;
  };
  // Each clip counts 128 KiB, and its options.
  constexpr int64_t kClip = 131'072;
  const Case cases[] = {{v1::CONTENT_ENCODING_IDENTITY, kClip, kClip + 2'000},
                        {v1::CONTENT_ENCODING_GZIP, kClip + 32'768, kMb},
                        {v1::CONTENT_ENCODING_ZSTD, 8 << 20, 16 * kMb}};
  StartWith(15 * kMb);
  for (const Case& c : cases) {
    Convert({}, c.encoding, "", [&] {
      // Not before it is there.
      EXPECT_TRUE(Eventually([&] { return BytesInFlight() >= c.least; }));
      EXPECT_LE(BytesInFlight(), c.most);
      if (c.encoding != v1::CONTENT_ENCODING_ZSTD) return;
      // No room for a second one: it may come again.
      ExpectBusy(Convert({}, c.encoding, Zstd(SmallClip())).status(),
                 /*may_retry=*/true);
    });
    ExpectNothingInFlight();
  }
}

// Sends a clip without bytes, and reads until its result is here. False if the
// stream ends before.
bool ResultOfEmptyClip(Stream* stream) {
  Request request;
  request.mutable_begin()->set_key("empty");
  stream->Write(request);
  request.mutable_end();
  stream->Write(request);
  Response response;
  while (stream->Read(&response)) {
    if (response.has_result()) return true;
  }
  return false;
}

// A stream keeps the options that it began with. While they are read, they are
// in memory twice.
TEST_F(MemoryTest, OptionsOfStreamsAreCounted) {
  // Two of 1.2 MB, and a message while it is read.
  StartWith(7 * kMb / 2);
  Request request;
  v1::ConvertOptions* options = request.mutable_open()->mutable_options();
  options->add_outputs()->mutable_positions();
  for (int i = 0; i < 900; ++i) {
    options->mutable_edits()->add_keep(std::string(1000, 'j'));
  }
  constexpr int kStreams = 4;
  constexpr int kFit = 2;
  std::array<grpc::ClientContext, kStreams> contexts;
  std::vector<std::unique_ptr<Stream>> streams;
  for (int i = 0; i < kStreams; ++i) {
    // A stream that is admitted by mistake ends, and does not hang the test.
    contexts[i].set_deadline(std::chrono::system_clock::now() +
                             std::chrono::minutes(1));
    streams.push_back(clips_->ConvertClips(&contexts[i]));
    streams.back()->Write(request);
    if (i >= kFit) continue;
    // The result of a clip shows that the options are read: the memory that
    // reading them takes is free again.
    ASSERT_TRUE(ResultOfEmptyClip(streams.back().get()));
    EXPECT_GE(BytesInFlight(), (i + 1) * 9 * kMb / 10);
  }
  for (int i = kFit; i < kStreams; ++i) {
    const grpc::Status status = streams[i]->Finish();
    EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
    const Details details = DetailsOf(status);
    EXPECT_EQ(details.info.reason(), "SERVER_BUSY");
    EXPECT_EQ(details.quota.violations(0).subject(), "max_inflight_bytes");
    EXPECT_EQ(details.retry.retry_delay().seconds(), 1);
  }
  for (int i = 0; i < kFit; ++i) {
    streams[i]->WritesDone();
    EXPECT_TRUE(streams[i]->Finish().ok());
  }
  ExpectNothingInFlight();
}

}  // namespace
}  // namespace bvhmill::testing
