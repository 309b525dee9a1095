// Streams of clips: their answers, the order of these, and when they pause.

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "server/app/config.h"
#include "tests/server/convert/clip_stream.h"
#include "tests/server/fixture.h"

namespace bvhmill::testing {
namespace {

TEST_F(StreamTest, ManySmallClipsComeBackEachOnce) {
  Start();
  std::vector<Request> requests = {Open()};
  for (int i = 0; i < 300; ++i) {
    requests.push_back(Whole("clip" + std::to_string(i), SmallClip(1 + i)));
  }
  ASSERT_TRUE(Run(requests).ok());
  ASSERT_EQ(answers_.size(), 300);
  for (int i = 0; i < 300; ++i) {
    const Answer& answer = answers_["clip" + std::to_string(i)];
    EXPECT_EQ(answer.results, 1);
    EXPECT_EQ(answer.result.status().code(), 0);
    ASSERT_EQ(answer.outputs.size(), 1);
    EXPECT_EQ(answer.outputs[0],
              LocalOutputs(SmallClip(1 + i), Positions())[0]);
  }
}

// A client may wait for them before it sends anything.
TEST_F(StreamTest, HeadersComeBeforeTheFirstMessage) {
  Start();
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kTimeout);
  const auto stream = clips_->ConvertClips(&context);
  stream->WaitForInitialMetadata();
  EXPECT_TRUE(context.GetServerInitialMetadata().contains("x-request-id"));
  stream->WritesDone();
  EXPECT_TRUE(stream->Finish().ok());
}

// Edits belong to one clip. A clip that fails changes no later clip.
TEST_F(StreamTest, EachClipHasItsOwnEdits) {
  Start();
  Request edited = Whole("edited", SmallClip(8));
  v1::ConvertOptions* options = edited.mutable_begin()->mutable_options();
  *options = Positions();
  options->mutable_edits()->mutable_frames()->set_step(2);
  Request joint = Whole("joint", SmallClip(8));
  *joint.mutable_begin()->mutable_options() = Positions();
  joint.mutable_begin()->mutable_options()->mutable_edits()->add_keep("Tail");
  Request units = Whole("units", SmallClip(8));
  *units.mutable_begin()->mutable_options() = Positions();
  units.mutable_begin()->mutable_options()->mutable_edits()->set_to_up(
      v1::AXIS_Y);
  ASSERT_TRUE(
      Run({Open(), edited, joint, units, Whole("plain", SmallClip(8))}).ok());
  EXPECT_EQ(answers_["edited"].result.info().frames(), 4);
  EXPECT_EQ(answers_["edited"].outputs[0],
            LocalOutputs(SmallClip(8), *options)[0]);
  EXPECT_EQ(answers_["joint"].result.status().info().reason(),
            "EDIT_DOES_NOT_FIT");
  EXPECT_EQ(answers_["joint"].result.report().verdict(), v1::VERDICT_VALID);
  const v1::Status& status = answers_["units"].result.status();
  EXPECT_EQ(status.code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(status.info().reason(), "SOURCE_CONVENTION_UNKNOWN");
  EXPECT_EQ(answers_["plain"].result.info().frames(), 8);
}

TEST_F(StreamTest, OrderedResultsKeepTheOrderOfRequests) {
  Start();
  std::vector<Request> requests = {Open(/*ordered=*/true)};
  std::vector<std::string> keys;
  for (int i = 0; i < 60; ++i) {
    keys.push_back("k" + std::to_string(i));
    requests.push_back(Whole(keys.back(), SmallClip(i % 7 == 0 ? 5000 : 1)));
  }
  ASSERT_TRUE(Run(requests).ok());
  EXPECT_EQ(order_, keys);
}

TEST_F(StreamTest, ALargeClipInOddChunksEqualsTheLibrary) {
  Start();
  const std::string text = SmallClip(400'000);
  std::vector<Request> requests = {Open(), Begin("large")};
  std::mt19937 random(7);
  for (size_t at = 0; at < text.size();) {
    const size_t size = 1 + random() % 900'000;
    requests.push_back(Chunk(text.substr(at, size)));
    at += size;
  }
  requests.push_back(End());
  ASSERT_TRUE(Run(requests).ok());
  const Answer& answer = answers_["large"];
  ASSERT_EQ(answer.result.status().code(), 0);
  EXPECT_EQ(answer.outputs.at(0), LocalOutputs(text, Positions())[0]);
  EXPECT_EQ(answer.result.outputs(0).size_bytes(), answer.outputs[0].size());
}

TEST_F(StreamTest, ABadClipFailsAlone) {
  Start([](server::ServerConfig* config) {
    config->limits.max_clip_bytes = 100'000;
  });
  v1::ConvertOptions wrong;
  wrong.mutable_validation()->set_max_issues(-1);
  Request wrong_options = Whole("options", SmallClip());
  *wrong_options.mutable_begin()->mutable_options() = wrong;
  const grpc::Status status =
      Run({Open(), Whole("good", SmallClip()), Whole("broken", "HIERARCHY\nX"),
           wrong_options, Begin("long"), Chunk(std::string(90'000, ' ')),
           Chunk(std::string(90'000, ' ')), End(),
           Whole("also good", SmallClip(9))});
  ASSERT_TRUE(status.ok()) << status.error_message();
  const std::pair<std::string, grpc::StatusCode> expected[] = {
      {"good", grpc::StatusCode::OK},
      {"broken", grpc::StatusCode::INVALID_ARGUMENT},
      {"options", grpc::StatusCode::INVALID_ARGUMENT},
      {"long", grpc::StatusCode::RESOURCE_EXHAUSTED},
      {"also good", grpc::StatusCode::OK}};
  for (const auto& [key, code] : expected) {
    EXPECT_EQ(answers_[key].results, 1) << key;
    EXPECT_EQ(answers_[key].result.status().code(), code) << key;
  }
  EXPECT_EQ(answers_["broken"].result.report().verdict(),
            v1::VERDICT_UNREADABLE);
  EXPECT_EQ(answers_["long"].result.status().info().metadata().at("limit_name"),
            "max_clip_bytes");
}

TEST_F(StreamTest, WithoutOutputsOnlyTheReportIsMade) {
  Start();
  ASSERT_TRUE(Run({Whole("k", SmallClip())}).ok());
  EXPECT_FALSE(answers_["k"].begun);
  EXPECT_EQ(answers_["k"].result.report().verdict(), v1::VERDICT_VALID);
  EXPECT_EQ(answers_["k"].result.info().frames(), 2);
}

TEST_F(StreamTest, AnAbandonedClipGetsNoResult) {
  Start();
  ASSERT_TRUE(Run({Open(), Begin("gone"), Chunk("HIERARCHY"), End(true),
                   Whole("gone", SmallClip())})
                  .ok());
  EXPECT_EQ(answers_["gone"].results, 1);
  EXPECT_EQ(answers_["gone"].result.status().code(), 0);
}

TEST_F(StreamTest, AKeyOfAnUnfinishedClipIsRefused) {
  Start();
  grpc::ClientContext context;
  const auto stream = clips_->ConvertClips(&context);
  // Outputs beyond what the connection buffers: the clip cannot be finished
  // before it is read.
  Request open = Open(/*ordered=*/true);
  open.mutable_open()->mutable_options()->add_outputs()->mutable_npz();
  open.mutable_open()->mutable_options()->add_outputs()->mutable_csv();
  ASSERT_TRUE(stream->Write(open));
  ASSERT_TRUE(stream->Write(Whole("same", SmallClip(400'000))));
  ASSERT_TRUE(stream->Write(Whole("same", SmallClip())));
  stream->WritesDone();
  Response response;
  while (stream->Read(&response)) Take(response);
  EXPECT_TRUE(stream->Finish().ok());
  EXPECT_EQ(answers_["same"].results, 2);
  EXPECT_EQ(answers_["same"].result.status().code(),
            grpc::StatusCode::ALREADY_EXISTS);
}

// Clips without options of their own have those of the stream, whichever clips
// went before; without an open, the defaults.
TEST_F(StreamTest, ClipsShareTheOptionsOfTheirStream) {
  Start();
  Request own = Whole("own", SmallClip());
  own.mutable_begin()->mutable_options()->add_outputs()->mutable_csv();
  Request wrong = Whole("wrong", SmallClip());
  wrong.mutable_begin()->mutable_options()->add_outputs();
  Request none = Whole("none", SmallClip());
  none.mutable_begin()->mutable_options();
  ASSERT_TRUE(Run({Open(), Whole("a", SmallClip()), own, wrong, none,
                   Whole("b", SmallClip())})
                  .ok());
  const auto positions = LocalOutputs(SmallClip(), Positions());
  EXPECT_EQ(answers_["a"].outputs, positions);
  EXPECT_EQ(answers_["own"].outputs,
            LocalOutputs(SmallClip(), own.begin().options()));
  EXPECT_EQ(answers_["wrong"].result.status().code(),
            grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_TRUE(answers_["none"].outputs.empty());
  EXPECT_EQ(answers_["b"].outputs, positions);
  answers_.clear();
  // One that is refused before there are options.
  ASSERT_TRUE(Run({wrong, Whole("c", SmallClip())}).ok());
  EXPECT_EQ(answers_["wrong"].results, 1);
  EXPECT_TRUE(answers_["c"].outputs.empty());
  EXPECT_EQ(answers_["c"].result.status().code(), 0);
}

TEST_F(StreamTest, FramesOutOfOrderEndTheStream) {
  Start();
  const std::vector<Request> cases[] = {
      {Chunk("x")},
      {End()},
      {Request()},
      {Begin("a"), Begin("b")},
      {Whole("a", SmallClip()), Open()},
      {Begin("a"), Chunk("HIERARCHY")},
  };
  for (const auto& requests : cases) {
    const grpc::Status status = Run(requests);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT)
        << status.error_message();
    EXPECT_EQ(DetailsOf(status).info.reason(), "STREAM_OUT_OF_ORDER");
  }
}

TEST_F(StreamTest, TheWindowHoldsBackButNeverStalls) {
  Start([](server::ServerConfig* config) {
    config->service.max_unfinished_clips_per_stream = 2;
    config->service.max_unfinished_bytes_per_stream = 1000;
  });
  std::vector<Request> requests = {Open()};
  for (int i = 0; i < 40; ++i) {
    const std::string text = SmallClip(100);
    requests.push_back(Begin(std::to_string(i)));
    requests.push_back(Chunk(text.substr(0, 900)));
    requests.push_back(Chunk(text.substr(900)));
    requests.push_back(End());
  }
  ASSERT_TRUE(Run(requests).ok());
  EXPECT_EQ(order_.size(), 40);
}

// A client that does not read can send only a bounded amount: the window, and
// the buffers of gRPC and the kernel in both directions. That is 15 to 20 MB as
// a rule, and at most 30.
TEST_F(StreamTest, TheWindowStopsClientsThatDoNotRead) {
  constexpr int kClips = 240;
  constexpr int kMaxBegun = 120;
  Start();
  const std::string text = SmallClip(20'000);
  grpc::ClientContext context;
  const auto stream = clips_->ConvertClips(&context);
  std::atomic<int> begun = 0;
  std::thread writer([&] {
    stream->Write(Open());
    for (int i = 0; i < kClips; ++i) {
      stream->Write(Begin(std::to_string(i)));
      for (size_t at = 0; at < text.size(); at += 200'000) {
        stream->Write(Chunk(text.substr(at, 200'000)));
      }
      stream->Write(End());
      ++begun;
    }
    stream->WritesDone();
  });
  EXPECT_LT(AwaitStall([&] { return begun.load(); }), kMaxBegun)
      << "of " << text.size() << " bytes each";
  Response response;
  while (stream->Read(&response)) Take(response);
  writer.join();
  EXPECT_TRUE(stream->Finish().ok());
  EXPECT_EQ(order_.size(), kClips);
}

// A client that has the result of a clip may use its key again, even before the
// server knows that the result was written.
TEST_F(StreamTest, AClipWhoseResultIsSeenIsFinished) {
  Start([](server::ServerConfig* config) {
    config->admission.max_inflight_clips_per_connection = 1;
  });
  grpc::ClientContext context;
  const auto stream = clips_->ConvertClips(&context);
  ASSERT_TRUE(stream->Write(Open()));
  const Request whole = Whole("k", SmallClip());
  for (int i = 0; i < 500; ++i) {
    ASSERT_TRUE(stream->Write(whole));
    Response response;
    while (!response.has_result()) ASSERT_TRUE(stream->Read(&response));
    ASSERT_EQ(response.result().status().code(), 0)
        << i << ": " << response.result().status().message();
  }
  stream->WritesDone();
  EXPECT_TRUE(stream->Finish().ok());
}

TEST_F(StreamTest, ACancelledStreamLetsTheServerGoOn) {
  Start();
  for (int i = 0; i < 20; ++i) {
    grpc::ClientContext context;
    const auto stream = clips_->ConvertClips(&context);
    stream->Write(Open());
    stream->Write(Whole("k", SmallClip(50'000)));
    context.TryCancel();
    EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::CANCELLED);
  }
  ASSERT_TRUE(Run({Open(), Whole("k", SmallClip())}).ok());
  EXPECT_EQ(answers_["k"].results, 1);
}

}  // namespace
}  // namespace bvhmill::testing
