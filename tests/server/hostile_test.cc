// Hostile peers: broken HTTP/2, compressed bombs, work that is abandoned. The
// server goes on, and frees all that it held for them.

#include <gmock/gmock.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "bench/server/load_client.h"
#include "bench/server/server_process.h"
#include "tests/server/bomb.h"
#include "tests/server/fixture.h"
#include "tests/server/http2.h"

namespace bvhmill::testing {
namespace {

using ::testing::HasSubstr;

class HostileTest : public ::testing::Test {
 protected:
  // Measures what the server holds when it has done some work.
  void Start(const std::vector<std::string>& more = {}) {
    std::vector<std::string> args = {"--listen", "127.0.0.1:0", "--log", "off"};
    args.insert(args.end(), more.begin(), more.end());
    mill_ =
        std::make_unique<bench::ServerProcess>(BVHMILL_BIN "/bvhmilld", args);
    ExpectServes();
    mb_ = mill_->Mb();
    files_ = OpenFiles();
  }

  int OpenFiles() const {
    const auto all = std::filesystem::directory_iterator(
        "/proc/" + std::to_string(mill_->pid()) + "/fd");
    return static_cast<int>(std::distance(begin(all), end(all)));
  }

  // Over a connection of its own.
  grpc::Status Serves() const {
    const auto stub = bench::Connect(mill_->address());
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() +
                         std::chrono::seconds(60));
    v1::ConvertClipResponse response;
    return stub->ConvertClip(&context, PositionsRequest(SmallClip(10)),
                             &response);
  }

  void ExpectServes() const {
    const grpc::Status status = Serves();
    EXPECT_TRUE(status.ok()) << status.error_message();
  }

  // Sanitizers take memory of their own.
  void ExpectTook(double most_mb) const {
    const double took = mill_->PeakMb() - mb_;
    EXPECT_TRUE(BVHMILL_SANITIZED != 0 || took < most_mb) << took;
  }

  // The number of open files is that of before, and at most one more for a
  // connection of the test.
  void ExpectClosed() const {
    EXPECT_TRUE(Eventually([&] { return OpenFiles() <= files_ + 1; }))
        << OpenFiles() << " files are open, " << files_ << " before";
  }

  std::unique_ptr<bench::ServerProcess> mill_;
  double mb_ = 0;
  int files_ = 0;
};

struct WireCase {
  const char* name;
  std::string (*bytes)();
  // The answer that the server must give; empty if none.
  std::string answer = "";
};

void PrintTo(const WireCase& wire, std::ostream* out) { *out << wire.name; }

const WireCase kWireCases[] = {
    {"FrameTooLarge",
     [] {
       return Hello() +
              Http2Frame(kHeaders, kEndHeaders, 1, CallHeaders("ConvertClip")) +
              Http2Frame(kData, 0, 1, std::string((1 << 24) - 1, 'x'));
     }},
    {"DataOnStreamZero",
     [] { return Hello() + Http2Frame(kData, 0, 0, "data"); }},
    {"BrokenHpack",
     [] {
       return Hello() +
              Http2Frame(kHeaders, kEndHeaders, 1, std::string(40, '\xFF'));
     }},
    {"ContinuationOfNothing",
     [] { return Hello() + Http2Frame(kContinuation, kEndHeaders, 1, "x"); }},
    {"EmptyContinuations",
     [] {
       return Hello() + Http2Frame(kHeaders, 0, 1, CallHeaders("ConvertClip")) +
              Repeat(Http2Frame(kContinuation, 0, 1, ""), 1'000'000);
     }},
    {"FloodOfSettings",
     [] {
       return Hello() + Repeat(Http2Frame(kSettings, 0, 0, ""), 1'000'000);
     }},
    {"FloodOfPings",
     [] {
       return Hello() + Repeat(Http2Frame(kPing, 0, 0, "12345678"), 1'000'000);
     }},
    {"WindowUpdateOfNothing",
     [] { return Hello() + Http2Frame(kWindowUpdate, 0, 0, BigEndian(0, 4)); }},
    {"WindowUpdateThatOverflows",
     [] {
       return Hello() +
              Repeat(Http2Frame(kWindowUpdate, 0, 0, BigEndian(0x7FFFFFFF, 4)),
                     9);
     }},
    {"ResetOfAnIdleStream",
     [] { return Hello() + Http2Frame(kReset, 0, 7, BigEndian(8, 4)); }},
    {"PriorityToItself",
     [] {
       return Hello() +
              Http2Frame(kPriority, 0, 1, BigEndian(1, 4) + BigEndian(16, 1));
     }},
    {"LengthOfFourGigabytes",
     [] {
       return HalfCall("ConvertClip", BigEndian(0, 1) +
                                          BigEndian(0xFFFFFFFF, 4) +
                                          std::string(16'000, 'x'));
     }},
    {"PackedByNothing",
     [] {
       return HalfCall("ConvertClip",
                       BigEndian(1, 1) + BigEndian(5, 4) + "12345");
     },
     // INVALID_ARGUMENT.
     std::string("grpc-status\x01"
                 "3")},
    {"HalfAPreface", [] { return std::string("PRI * HTTP/2.0\r\n\r\nS"); }},
    {"TlsClientHello",
     [] {
       const std::string hello = BigEndian(0x0303, 2) + std::string(32, 'r') +
                                 BigEndian(0, 1) + BigEndian(2, 2) +
                                 BigEndian(0x1301, 2) + BigEndian(0x0100, 2);
       const std::string handshake =
           BigEndian(1, 1) + BigEndian(hello.size(), 3) + hello;
       return BigEndian(0x160301, 3) + BigEndian(handshake.size(), 2) +
              handshake;
     }},
    {"Http1",
     [] { return std::string("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"); }},
};

// Reads until the bytes hold `text`, and returns them.
std::string ReadUntil(int fd, const std::string& text) {
  const timeval wait = {60, 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
  std::string got;
  for (char byte = 0; got.find(text) == std::string::npos;) {
    if (recv(fd, &byte, 1, 0) != 1) break;
    got += byte;
  }
  return got;
}

class WireTest : public HostileTest,
                 public ::testing::WithParamInterface<WireCase> {};

TEST_P(WireTest, TheServerGoesOnAndKeepsNothing) {
  Start();
  constexpr int kConnections = 8;
  constexpr double kMaxMb = 150;
  const std::string bytes = GetParam().bytes();
  std::vector<int> open;
  for (int i = 0; i < kConnections; ++i) {
    open.push_back(DialLoopback(mill_->address()));
    ASSERT_GE(open.back(), 0);
    SendAll(open.back(), bytes);
    EXPECT_THAT(ReadUntil(open.back(), GetParam().answer),
                HasSubstr(GetParam().answer));
  }
  ExpectServes();
  for (const int fd : open) close(fd);
  ExpectClosed();
  ExpectTook(kMaxMb);
}

INSTANTIATE_TEST_SUITE_P(Bytes, WireTest, ::testing::ValuesIn(kWireCases),
                         [](const auto& info) { return info.param.name; });

// gRPC 1.51 keeps fields of headers that do not end, fifty times as large, and
// counts none of that.
TEST_F(HostileTest, HeadersWithoutEnd) {
  Start({"--max-transport-bytes", std::to_string(64 << 20)});
  const std::string frame =
      Http2Frame(kContinuation, 0, 1, Repeat(Http2Header("a", ""), 4'000));
  const std::string start =
      Hello() + Http2Frame(kHeaders, 0, 1, CallHeaders("ConvertClip"));
  constexpr int kPeers = 8;
  std::vector<std::thread> peers;
  peers.reserve(kPeers);
  for (int i = 0; i < kPeers; ++i) {
    peers.emplace_back([&] {
      const int fd = DialLoopback(mill_->address());
      SendAll(fd, start + Repeat(frame, 1'000), 20'000);
      close(fd);
    });
  }
  for (std::thread& peer : peers) peer.join();
  // Connections that come while memory is short are sent away, too.
  EXPECT_TRUE(Eventually([&] { return Serves().ok(); }));
  ExpectClosed();
  // A quarter of what it would be.
  ExpectTook(3'000);
}

// True once the server has reset the connection.
bool IsReset(int fd) {
  pollfd ready = {fd, 0, 0};
  return poll(&ready, 1, 0) == 1 && (ready.revents & (POLLERR | POLLHUP)) != 0;
}

// gRPC 1.51 reads what it has of an unfinished string again with each frame
// that comes, so that a few megabytes take it minutes.
TEST_F(HostileTest, AHeaderOfAGigabyteInFramesOfAByteIsCut) {
  Start();
  // HPACK: a length of 2^30 as 127 and five groups of seven bits.
  const std::string length("\x7F\x81\xFF\xFF\xFF\x03", 6);
  const std::string start =
      Hello() + Http2Frame(kHeaders, 0, 1,
                           CallHeaders("ConvertClip") + BigEndian(0, 1) +
                               "\x01" + "a" + length);
  const int fd = DialLoopback(mill_->address());
  ASSERT_GE(fd, 0);
  SendAll(fd, start + Repeat(Http2Frame(kContinuation, 0, 1, "x"), 650'000),
          20'000);
  EXPECT_TRUE(Eventually([&] { return IsReset(fd); }));
  close(fd);
  ExpectServes();
  ExpectClosed();
}

// With less memory than the server needs for much, health says so at once.
TEST_F(HostileTest, HealthAndNewClipsWhileMemoryIsShort) {
  if (BVHMILL_SANITIZED) GTEST_SKIP() << "sanitizers take any address space";
  Start();
  std::string word;
  int64_t kb = 0;
  std::ifstream status("/proc/" + std::to_string(mill_->pid()) + "/status");
  while (status >> word && word != "VmSize:") {
  }
  ASSERT_TRUE(status >> kb);
  mill_ = std::make_unique<bench::ServerProcess>(
      "/bin/sh", std::vector<std::string>{
                     "-c", "ulimit -v " + std::to_string(kb + kb / 20) +
                               "; exec " BVHMILL_BIN
                               "/bvhmilld --listen 127.0.0.1:0 --log off"});
  // HealthCheckResponse{status: NOT_SERVING}.
  const auto channel =
      grpc::CreateChannel(mill_->address(), grpc::InsecureChannelCredentials());
  EXPECT_TRUE(Eventually([&] {
    return CallRaw(channel.get(), "/grpc.health.v1.Health/Check", "") ==
           "\x08\x02";
  }));
  const grpc::Status refused = Serves();
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(DetailsOf(refused).info.metadata().at("limit_name"),
            "available_memory");
}

struct BombCase {
  const char* name;
  std::string head;
  std::string more;
};

const BombCase kBombs[] = {{"blanks", "HIERARCHY\n", " "},
                           {"one line", Head("9") + "1 1 ", "1"},
                           {"rows", Head("900000000"), "1 1 1\n"}};

// The name of the limit that a compressed clip of a stream exceeds.
std::string LimitInStream(bench::Stub* stub, const v1::Source& source) {
  grpc::ClientContext context;
  const auto stream = stub->ConvertClips(&context);
  v1::ConvertClipsRequest request;
  *request.mutable_begin()->mutable_source() = source;
  request.mutable_begin()->set_complete(true);
  stream->Write(request);
  stream->WritesDone();
  v1::ConvertClipsResponse response;
  EXPECT_TRUE(stream->Read(&response) && response.has_result());
  EXPECT_TRUE(stream->Finish().ok());
  const v1::Status& status = response.result().status();
  EXPECT_EQ(status.code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  const auto limit = status.info().metadata().find("limit_name");
  return limit == status.info().metadata().end() ? "" : limit->second;
}

// The same of a call.
std::string LimitInCall(bench::Stub* stub,
                        const v1::ConvertClipRequest& request) {
  grpc::ClientContext context;
  v1::ConvertClipResponse response;
  const grpc::Status status = stub->ConvertClip(&context, request, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  const v1::QuotaFailure quota = DetailsOf(status).quota;
  return quota.violations_size() == 1 ? quota.violations(0).subject() : "";
}

TEST_F(HostileTest, ArchivesThatUnfoldToGigabytes) {
  Start({"--max-clip-bytes", "33554432"});
  const auto stub = bench::Connect(mill_->address());
  for (const BombCase& bomb : kBombs) {
    for (const bool is_gzip : {true, false}) {
      SCOPED_TRACE(std::string(bomb.name) + (is_gzip ? ", gzip" : ", zstd"));
      v1::ConvertClipRequest request = PositionsRequest(
          Bomb(is_gzip ? bench::Gzip : PackZstd, bomb.head, bomb.more));
      request.mutable_source()->set_encoding(
          is_gzip ? v1::CONTENT_ENCODING_GZIP : v1::CONTENT_ENCODING_ZSTD);
      EXPECT_EQ(LimitInStream(stub.get(), request.source()), "max_clip_bytes");
      EXPECT_EQ(LimitInCall(stub.get(), request), "max_clip_bytes");
    }
  }
  ExpectServes();
  // The text of a call, as it grows, and what buffers keep.
  ExpectTook(150);
}

// Where the system gives no more memory, the call fails, and nothing else.
class NoMemoryTest : public HostileTest {
 protected:
  void SetUp() override {
    if (BVHMILL_SANITIZED) {
      GTEST_SKIP() << "sanitizers need memory of their own";
    }
    mill_ = std::make_unique<bench::ServerProcess>(
        "/bin/sh", std::vector<std::string>{
                       "-c", "ulimit -v 1200000; exec " BVHMILL_BIN
                             "/bvhmilld --listen 127.0.0.1:0 "
                             "--max-unary-response-bytes 0 "
                             "--max-clip-work 0 --max-inflight-bytes 0"});
  }
};

// A small archive that becomes gigabytes of frames.
v1::ConvertClipRequest ManyFrames() {
  v1::ConvertClipRequest request =
      PositionsRequest(bench::Gzip(SmallClip(600'000)));
  request.mutable_source()->set_encoding(v1::CONTENT_ENCODING_GZIP);
  v1::ConvertOptions* options = request.mutable_options();
  options->mutable_edits()->set_resample_fps(1800);
  // So that all frames are kept.
  options->mutable_outputs(0)->mutable_positions()->set_layout(
      v1::TENSOR_LAYOUT_JOINT_MAJOR);
  return request;
}

TEST_F(NoMemoryTest, ForFramesOfACall) {
  const auto stub = bench::Connect(mill_->address());
  for (int i = 0; i < 3; ++i) {
    SCOPED_TRACE(i);
    v1::ConvertClipResponse response;
    grpc::ClientContext context;
    const grpc::Status status =
        stub->ConvertClip(&context, ManyFrames(), &response);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
    EXPECT_EQ(DetailsOf(status).info.reason(), "SERVER_BUSY");
    ExpectServes();
  }
}

// Sends a clip whole, and returns what becomes of it.
v1::ClipResult ResultOf(const v1::ConvertClipRequest& clip,
                        bench::ClipStream* stream) {
  v1::ConvertClipsRequest request;
  *request.mutable_begin()->mutable_source() = clip.source();
  *request.mutable_begin()->mutable_options() = clip.options();
  request.mutable_begin()->set_complete(true);
  EXPECT_TRUE(stream->Write(request));
  v1::ConvertClipsResponse response;
  while (stream->Read(&response)) {
    if (response.has_result()) return response.result();
  }
  ADD_FAILURE() << "the stream ended";
  return {};
}

TEST_F(NoMemoryTest, ForFramesOfAStream) {
  const auto stub = bench::Connect(mill_->address());
  grpc::ClientContext context;
  const auto stream = stub->ConvertClips(&context);
  for (int i = 0; i < 3; ++i) {
    SCOPED_TRACE(i);
    const v1::Status refused = ResultOf(ManyFrames(), stream.get()).status();
    EXPECT_EQ(refused.code(), int{grpc::StatusCode::RESOURCE_EXHAUSTED});
    EXPECT_EQ(refused.info().reason(), "SERVER_BUSY");
    EXPECT_TRUE(refused.info().metadata().contains("retry_after_ms"));
    // The stream goes on.
    const v1::ConvertClipRequest small = PositionsRequest(SmallClip(10));
    EXPECT_EQ(ResultOf(small, stream.get()).status().code(), 0);
  }
  stream->WritesDone();
  EXPECT_TRUE(stream->Finish().ok());
  ExpectServes();
}

}  // namespace
}  // namespace bvhmill::testing
