// Clients that send or read slowly, or not at all, against the server process.

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bench/server/load_client.h"
#include "tests/server/fixture.h"
#include "tests/server/program/fault.h"

namespace bvhmill::testing {
namespace {

TEST_F(FaultTest, StreamsThatStopWithinAClipEndAsIdle) {
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
TEST_F(FaultTest, StreamsBelowTheUploadRateEndAsSlow) {
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

// Longer than the timeout, but never below the rate.
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

}  // namespace
}  // namespace bvhmill::testing
