// Many streams at once, and streams that are cancelled or end too early,
// against the server process.

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "bench/server/load_client.h"
#include "tests/server/fixture.h"
#include "tests/server/program/fault.h"

namespace bvhmill::testing {
namespace {

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
  AwaitStall([this] { return process_->PeakMb(); });
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
  // With a sanitizer, memory grows by more than what comes.
  std::vector<std::string> args;
  if (BVHMILL_SANITIZED != 0) args = {"--max-transport-bytes", "0"};
  Start(args);
  constexpr int kConnections = 5;
  constexpr int kStreams = 200;
  // A comment is an issue, which comes at once.
  const std::string text = "# a comment\n" + SmallClip(200);
  v1::ConvertClipsRequest open;
  open.mutable_open()->set_report_issues_early(true);
  std::vector<std::unique_ptr<bench::Stub>> stubs;
  std::vector<std::unique_ptr<grpc::ClientContext>> contexts;
  std::vector<std::unique_ptr<Stream>> streams;
  for (int i = 0; i < kConnections * kStreams; ++i) {
    if (i % kStreams == 0) stubs.push_back(Connect());
    contexts.push_back(std::make_unique<grpc::ClientContext>());
    streams.push_back(stubs.back()->ConvertClips(contexts.back().get()));
    streams.back()->Write(open);
    bench::BeginClip("k", streams.back().get());
    bench::SendChunk(text, streams.back().get());
  }
  for (const auto& stream : streams) {
    Response response;
    EXPECT_TRUE(stream->Read(&response) && response.has_issues_found());
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

}  // namespace
}  // namespace bvhmill::testing
