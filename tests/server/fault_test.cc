// A server process under clients that do what they should not. Its memory is
// read from /proc, and in the end it must still do its work.

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <iostream>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "bench/server/load_client.h"
#include "bench/server/server_process.h"
#include "tests/server/fixture.h"
#include "tests/server/http2.h"

namespace bvhmill::testing {
namespace {

using Response = v1::ConvertClipsResponse;
using Stream = bench::ClipStream;

// The most memory that a server may hold in any test; idle it holds 30 MB.
constexpr double kMaxMb = 250;

class FaultTest : public ::testing::Test {
 protected:
  void Start(std::vector<std::string> args = {}) {
    args.insert(args.begin(), {"--listen", "127.0.0.1:0"});
    mill_ =
        std::make_unique<bench::ServerProcess>(BVHMILL_BIN "/bvhmilld", args);
    stub_ = Connect();
  }

  // A connection of its own.
  std::unique_ptr<bench::Stub> Connect() const {
    return bench::Connect(mill_->address());
  }

  // The server still does its work, and never held too much.
  void ExpectHealthy() {
    const auto stub = Connect();
    const v1::ConvertClipRequest request = PositionsRequest(SmallClip(10));
    v1::ConvertClipResponse response;
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() +
                         std::chrono::seconds(20));
    const grpc::Status status = stub->ConvertClip(&context, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    if (BVHMILL_SANITIZED) {
      std::cerr
          << "SKIPPED: what a server with sanitizers holds says nothing\n";
    } else {
      EXPECT_LT(mill_->PeakMb(), kMaxMb);
    }
  }

  std::unique_ptr<bench::ServerProcess> mill_;
  std::unique_ptr<bench::Stub> stub_;
};

// Answers that are good results.
int GoodResults(Stream* stream) {
  int good = 0;
  Response response;
  while (stream->Read(&response)) {
    good += response.has_result() && response.result().status().code() == 0;
  }
  return good;
}

TEST_F(FaultTest, SlowLoris) {
  Start({"--idle-seconds", "1", "--min-upload-bytes-per-second", "0"});
  constexpr int kStreams = 50;
  std::vector<std::unique_ptr<grpc::ClientContext>> contexts;
  std::vector<std::unique_ptr<Stream>> streams;
  for (int i = 0; i < kStreams; ++i) {
    contexts.push_back(std::make_unique<grpc::ClientContext>());
    streams.push_back(stub_->ConvertClips(contexts.back().get()));
    bench::OpenStream(streams.back().get());
    bench::BeginClip("k", streams.back().get());
    bench::SendChunk("HIERARCHY\n", streams.back().get());
  }
  for (const auto& stream : streams) {
    EXPECT_EQ(GoodResults(stream.get()), 0);
    const grpc::Status status = stream->Finish();
    EXPECT_EQ(status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
    const Details details = DetailsOf(status);
    EXPECT_EQ(details.info.reason(), "STREAM_IDLE");
    EXPECT_EQ(details.info.metadata().at("limit_name"), "idle_seconds");
  }
  ExpectHealthy();
}

// A byte now and then would hold the place of a clip for ever.
TEST_F(FaultTest, SlowLorisThatNeverStops) {
  Start({"--idle-seconds", "2", "--max-inflight-clips", "1"});
  grpc::ClientContext context;
  const auto stream = stub_->ConvertClips(&context);
  bench::OpenStream(stream.get());
  bench::BeginClip("k", stream.get());
  // Until the server has had enough.
  while (bench::SendChunk("H", stream.get())) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  EXPECT_EQ(GoodResults(stream.get()), 0);
  const grpc::Status status = stream->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  const Details details = DetailsOf(status);
  EXPECT_EQ(details.info.reason(), "STREAM_SLOW");
  EXPECT_EQ(details.info.metadata().at("limit_name"),
            "min_upload_bytes_per_second");
  EXPECT_EQ(details.info.metadata().at("limit"), "256");
  ExpectHealthy();
}

// Longer than the patience, but never below the rate.
TEST_F(FaultTest, SlowWriterThatGoesOn) {
  Start({"--idle-seconds", "2", "--min-upload-bytes-per-second", "100"});
  grpc::ClientContext context;
  const auto stream = stub_->ConvertClips(&context);
  bench::OpenStream(stream.get());
  const std::string text = SmallClip();
  const size_t step = text.size() / 40 + 100;
  bench::BeginClip("slow", stream.get());
  for (size_t at = 0; at < text.size(); at += step) {
    ASSERT_TRUE(bench::SendChunk(text.substr(at, step), stream.get()));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  bench::EndClip(stream.get());
  stream->WritesDone();
  EXPECT_EQ(GoodResults(stream.get()), 1);
  EXPECT_TRUE(stream->Finish().ok());
}

// Between clips a stream may be idle for as long as it likes.
TEST_F(FaultTest, PatienceBetweenClips) {
  Start({"--idle-seconds", "1"});
  grpc::ClientContext context;
  const auto stream = stub_->ConvertClips(&context);
  bench::OpenStream(stream.get());
  std::this_thread::sleep_for(std::chrono::milliseconds(2500));
  bench::SendWhole("late", SmallClip(), stream.get());
  stream->WritesDone();
  EXPECT_EQ(GoodResults(stream.get()), 1);
  EXPECT_TRUE(stream->Finish().ok());
}

TEST_F(FaultTest, SlowReader) {
  Start({"--idle-seconds", "2"});
  grpc::ClientContext context;
  const auto stream = stub_->ConvertClips(&context);
  const std::string text = SmallClip(20'000);
  std::thread writer([&] {
    bench::OpenStream(stream.get());
    // Until nothing is taken any more, and the server has had enough.
    for (int i = 0; i < 2'000; ++i) {
      bench::BeginClip(std::to_string(i), stream.get());
      for (size_t at = 0; at < text.size(); at += 100'000) {
        if (!bench::SendChunk(text.substr(at, 100'000), stream.get())) return;
      }
      bench::EndClip(stream.get());
    }
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  ExpectHealthy();
  writer.join();
  GoodResults(stream.get());
  // Unread frames hide the reason from the client; the log has it.
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::CANCELLED);
  ExpectHealthy();
}

// Two bytes of text are a frame of 15,000 joints. Rows are only read once there
// is more text than twice what the hierarchy took, or no more to come.
TEST_F(FaultTest, LittleTextOfManyPosesToNobody) {
  // Should all be made at once: not too much for the machine.
  Start({"--idle-seconds", "2", "--max-output-bytes", "2000000000"});
  std::string heads =
      "HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n";
  for (int i = 0; i < 15'000; ++i) {
    heads += "JOINT j\n{\nOFFSET 0 1 0\nCHANNELS 0\n}\n";
  }
  heads += "}\nMOTION\nFrames: 1000000\nFrame Time: 0.1\n";
  for (const bool ends : {false, true}) {
    std::string text = heads;
    for (int i = 0; i < (ends ? 100'000 : 600'000); ++i) text += "1\n";
    grpc::ClientContext context;
    const auto stream = stub_->ConvertClips(&context);
    bench::OpenStream(stream.get());
    bench::BeginClip("bomb", stream.get());
    for (size_t at = 0; at < text.size(); at += 200'000) {
      bench::SendChunk(text.substr(at, 200'000), stream.get());
    }
    if (ends) bench::EndClip(stream.get());
    // Until the server has waited for us; with sanitizers it has more to do
    // before that.
    std::this_thread::sleep_for(
        std::chrono::seconds(BVHMILL_SANITIZED != 0 ? 20 : 4));
    ExpectHealthy();
    GoodResults(stream.get());
    EXPECT_FALSE(stream->Finish().ok());
    ExpectHealthy();
  }
}

// Large options, of a stream whose clips wait for a reader.
TEST_F(FaultTest, OptionsCopiedIntoEveryClip) {
  Start();
  constexpr int kStreams = 4;
  constexpr int kClips = 63;
  v1::ConvertClipsRequest open;
  open.mutable_open()->set_ordered(true);
  v1::ConvertOptions* options = open.mutable_open()->mutable_options();
  options->add_outputs()->mutable_positions();
  options->add_outputs()->mutable_csv();
  // 2 MB when they are read.
  for (int i = 0; i < 14'000; ++i) {
    v1::JointMapRow* row = options->mutable_edits()->add_joint_map_rows();
    row->set_source(std::string(24, 'a') + std::to_string(i));
    row->set_target(std::string(24, 'b') + std::to_string(i));
  }
  options->mutable_edits()->mutable_joint_map_rows(0)->set_source("Hips");
  std::vector<std::unique_ptr<grpc::ClientContext>> contexts;
  std::vector<std::unique_ptr<Stream>> streams;
  for (int i = 0; i < kStreams; ++i) {
    contexts.push_back(std::make_unique<grpc::ClientContext>());
    streams.push_back(stub_->ConvertClips(contexts.back().get()));
    streams.back()->Write(open);
    // Outputs of 14 MB, which delay those after them.
    bench::SendWhole("large", SmallClip(100'000), streams.back().get());
    for (int k = 0; k < kClips; ++k) {
      bench::SendWhole(std::to_string(k), SmallClip(), streams.back().get());
    }
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  ExpectHealthy();
  for (const auto& stream : streams) {
    stream->WritesDone();
    EXPECT_EQ(GoodResults(stream.get()), kClips + 1);
    EXPECT_TRUE(stream->Finish().ok());
  }
}

TEST_F(FaultTest, HalfAStream) {
  Start();
  for (int i = 0; i < 20; ++i) {
    grpc::ClientContext context;
    const auto stream = Connect()->ConvertClips(&context);
    bench::OpenStream(stream.get());
    bench::BeginClip("k", stream.get());
    bench::SendChunk(SmallClip(1'000).substr(0, size_t{100} * i), stream.get());
    if (i % 2 == 0) {
      stream->WritesDone();
      GoodResults(stream.get());
      EXPECT_EQ(stream->Finish().error_code(),
                grpc::StatusCode::INVALID_ARGUMENT);
    } else {
      context.TryCancel();
      GoodResults(stream.get());
      EXPECT_FALSE(stream->Finish().ok());
    }
  }
  ExpectHealthy();
}

TEST_F(FaultTest, CancelStorm) {
  Start();
  const std::string text = SmallClip(5'000);
  std::mt19937 random(11);
  for (int round = 0; round < 10; ++round) {
    std::vector<std::unique_ptr<grpc::ClientContext>> contexts;
    std::vector<std::unique_ptr<Stream>> streams;
    for (int i = 0; i < 30; ++i) {
      contexts.push_back(std::make_unique<grpc::ClientContext>());
      streams.push_back(stub_->ConvertClips(contexts.back().get()));
      bench::OpenStream(streams.back().get());
      bench::SendWhole("a", text, streams.back().get());
      bench::SendWhole("b", text, streams.back().get());
    }
    std::shuffle(contexts.begin(), contexts.end(), random);
    for (const auto& context : contexts) context->TryCancel();
    for (const auto& stream : streams) {
      GoodResults(stream.get());
      stream->Finish();
    }
  }
  ExpectHealthy();
}

// Clips in small pieces, so that it is workers that ask for more of them, some
// right when the call ends.
TEST_F(FaultTest, CancelStormWithinClips) {
  Start({"--max-unfinished-bytes-per-stream", "1000"});
  const std::string text = SmallClip(2'000);
  std::mt19937 random(12);
  for (int round = 0; round < 20; ++round) {
    std::vector<std::thread> clients;
    for (int i = 0; i < 8; ++i) {
      const size_t end = random() % text.size();
      clients.emplace_back([this, &text, end] {
        grpc::ClientContext context;
        const auto stream = stub_->ConvertClips(&context);
        bench::OpenStream(stream.get());
        bench::BeginClip("k", stream.get());
        for (size_t at = 0; at < end; at += 500) {
          if (!bench::SendChunk(text.substr(at, 500), stream.get())) break;
        }
        context.TryCancel();
        EXPECT_EQ(GoodResults(stream.get()), 0);
        EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::CANCELLED);
      });
    }
    for (std::thread& client : clients) client.join();
  }
  ExpectHealthy();
}

TEST_F(FaultTest, AThousandStreams) {
  Start();
  constexpr int kStreams = 1'000;
  const std::string text = SmallClip(200);
  std::vector<std::unique_ptr<grpc::ClientContext>> contexts;
  std::vector<std::unique_ptr<Stream>> streams;
  for (int i = 0; i < kStreams; ++i) {
    contexts.push_back(std::make_unique<grpc::ClientContext>());
    streams.push_back(stub_->ConvertClips(contexts.back().get()));
    bench::OpenStream(streams.back().get());
    bench::SendWhole("k", text, streams.back().get());
    // The server takes some hundred streams of a connection at once.
    streams.back()->WritesDone();
  }
  int good = 0;
  for (const auto& stream : streams) {
    good += GoodResults(stream.get());
    EXPECT_TRUE(stream->Finish().ok());
  }
  EXPECT_EQ(good, kStreams);
  ExpectHealthy();
}

// All of them within a clip.
TEST_F(FaultTest, AThousandStreamsAtOnce) {
  Start();
  constexpr int kConnections = 5;
  constexpr int kStreams = 200;
  const std::string text = SmallClip(200);
  std::vector<std::unique_ptr<bench::Stub>> stubs;
  std::vector<std::unique_ptr<grpc::ClientContext>> contexts;
  std::vector<std::unique_ptr<Stream>> streams;
  for (int i = 0; i < kConnections * kStreams; ++i) {
    if (i % kStreams == 0) stubs.push_back(Connect());
    contexts.push_back(std::make_unique<grpc::ClientContext>());
    streams.push_back(stubs.back()->ConvertClips(contexts.back().get()));
    bench::OpenStream(streams.back().get());
    bench::BeginClip("k", streams.back().get());
    bench::SendChunk(text, streams.back().get());
  }
  for (const auto& stream : streams) {
    Response begun;
    EXPECT_TRUE(stream->Read(&begun) && begun.has_begin());
  }
  int good = 0;
  for (const auto& stream : streams) {
    bench::EndClip(stream.get());
    stream->WritesDone();
    good += GoodResults(stream.get());
    EXPECT_TRUE(stream->Finish().ok());
  }
  EXPECT_EQ(good, kConnections * kStreams);
  ExpectHealthy();
}

// The bytes of a client that makes one call and gives no window for the answer.
std::string CallWithoutWindow(const std::string& method,
                              const std::string& message) {
  const std::string no_window("\x00\x04\x00\x00\x00\x00", 6);
  return kPreface + Http2Frame(kSettings, 0, 0, no_window) +
         Http2Frame(kHeaders, kEndHeaders, 1, CallHeaders(method)) +
         Http2Frame(kData, kEndStream, 1, Prefixed(message));
}

// True if a frame that resets a stream comes before the time is over.
bool IsReset(int fd, std::chrono::seconds patience) {
  const timeval wait = {patience.count(), 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
  std::string bytes;
  char buffer[4096];
  for (ssize_t got = 0; (got = recv(fd, buffer, sizeof(buffer), 0)) > 0;) {
    bytes.append(buffer, static_cast<size_t>(got));
    for (size_t at = 0; at + 9 <= bytes.size();) {
      const auto byte = [&](size_t i) {
        return static_cast<size_t>(static_cast<uint8_t>(bytes[at + i]));
      };
      if (byte(3) == 3) return true;
      at += 9 + (byte(0) << 16 | byte(1) << 8 | byte(2));
    }
  }
  return false;
}

// A peer that gives calls up faster than gRPC ends them has no more streams
// open than it may, and yet fills any memory.
TEST_F(FaultTest, RapidReset) {
  Start();
  const int fd = DialLoopback(mill_->address());
  ASSERT_GE(fd, 0);
  const std::string call = CallHeaders("ConvertClips");
  const std::string cancel = BigEndian(8, 4);
  std::string sent = Hello();
  for (uint32_t stream = 1; stream < 60'000; stream += 2) {
    sent += Http2Frame(kHeaders, kEndHeaders, stream, call) +
            Http2Frame(kReset, 0, stream, cancel);
  }
  SendAll(fd, sent, 2'000);
  ExpectHealthy();
  close(fd);
}

// The server must not stop to listen when it has had all the files it may.
TEST_F(FaultTest, MoreConnectionsThanFiles) {
  mill_ = std::make_unique<bench::ServerProcess>(
      "/bin/sh",
      std::vector<std::string>{"-c", "ulimit -n 64; exec " BVHMILL_BIN
                                     "/bvhmilld --listen 127.0.0.1:0"});
  stub_ = bench::Connect(mill_->address());
  const auto converts = [](bench::Stub* stub) {
    grpc::ClientContext context;
    v1::ConvertClipResponse response;
    return stub->ConvertClip(&context, PositionsRequest(SmallClip()), &response)
        .ok();
  };
  ASSERT_TRUE(converts(stub_.get()));
  std::vector<int> files;
  files.reserve(200);
  for (int i = 0; i < 200; ++i) files.push_back(DialLoopback(mill_->address()));
  EXPECT_TRUE(converts(stub_.get()));
  for (const int file : files) close(file);
  EXPECT_TRUE(Eventually([&] { return converts(Connect().get()); }));
}

// gRPC would unpack all of it before it looks how much it is.
TEST_F(FaultTest, ArchiveThatGrpcWouldUnpack) {
  Start();
  v1::ConvertClipRequest request;
  request.mutable_source()->mutable_data()->resize(300'000'000);
  v1::ConvertClipResponse response;
  grpc::ClientContext context;
  context.set_compression_algorithm(GRPC_COMPRESS_GZIP);
  const grpc::Status status = stub_->ConvertClip(&context, request, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(DetailsOf(status).quota.violations(0).subject(),
            "max_request_message_bytes");
  ExpectHealthy();
}

TEST_F(FaultTest, AnAnswerThatIsNotRead) {
  Start({"--idle-seconds", "1"});
  const int fd = DialLoopback(mill_->address());
  ASSERT_GE(fd, 0);
  const std::string sent = CallWithoutWindow(
      "ConvertClip", PositionsRequest(SmallClip(100)).SerializeAsString());
  send(fd, sent.data(), sent.size(), MSG_NOSIGNAL);
  EXPECT_TRUE(IsReset(fd, std::chrono::seconds(10)));
  close(fd);
  ExpectHealthy();
}

TEST_F(FaultTest, GarbageOnTheWire) {
  Start();
  std::mt19937 random(5);
  const std::string prefaces[] = {"", "GET / HTTP/1.1\r\n\r\n",
                                  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"};
  std::vector<int> open;
  for (int i = 0; i < 150; ++i) {
    const int fd = DialLoopback(mill_->address());
    ASSERT_GE(fd, 0);
    std::string bytes = prefaces[i % 3];
    for (int k = 0; k < 2'000; ++k) bytes += static_cast<char>(random());
    send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    // Some hang up, some never say another word.
    if (i % 2 == 0) {
      close(fd);
    } else {
      open.push_back(fd);
    }
  }
  ExpectHealthy();
  for (const int fd : open) close(fd);
}

TEST_F(FaultTest, AClientThatIsKilled) {
  Start();
  const std::string path = ::testing::TempDir() + "/killed.bvh";
  std::ofstream(path) << SmallClip(400'000);
  const std::string out = ::testing::TempDir() + "/killed_out";
  for (int i = 0; i < 6; ++i) {
    const pid_t pid = fork();
    if (pid == 0) {
      execl(BVHMILL_BIN "/bvhmill", "bvhmill", "convert", path.c_str(), "-o",
            out.c_str(), "-f", "--emit", "positions,npz", "-q", "--server",
            mill_->address().c_str(), nullptr);
      _exit(127);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20 + 30 * i));
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
  ExpectHealthy();
}

}  // namespace
}  // namespace bvhmill::testing
