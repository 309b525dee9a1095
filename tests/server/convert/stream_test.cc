#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <map>
#include <random>
#include <thread>

#include "bvhmill/base/bounds.h"
#include "bvhmill/base/utf8.h"
#include "tests/server/fixture.h"

namespace bvhmill::testing {
namespace {

using Request = v1::ConvertClipsRequest;
using Response = v1::ConvertClipsResponse;

// The response frames of one clip.
struct Answer {
  bool begun = false;
  std::vector<std::string> outputs;
  int results = 0;
  v1::ClipResult result;
};

class StreamTest : public ServerTest {
 protected:
  // Sends `requests` while it reads, closes, and sorts what comes by key.
  grpc::Status Run(const std::vector<Request>& requests) {
    grpc::ClientContext context;
    const auto stream = clips_->ConvertClips(&context);
    std::thread reader([&] {
      Response response;
      while (stream->Read(&response)) Take(response);
    });
    for (const Request& request : requests) {
      if (!stream->Write(request)) break;
    }
    stream->WritesDone();
    reader.join();
    return stream->Finish();
  }

  void Take(const Response& response) {
    if (response.has_begin()) {
      Answer& answer = answers_[response.begin().key()];
      EXPECT_FALSE(answer.begun);
      answer.begun = true;
      answer.outputs.resize(response.begin().outputs_size());
    } else if (response.has_output_chunk()) {
      const v1::OutputChunk& chunk = response.output_chunk();
      Answer& answer = answers_[chunk.key()];
      EXPECT_EQ(answer.results, 0) << "a chunk after the result";
      std::string& output = answer.outputs.at(chunk.output());
      EXPECT_EQ(chunk.offset(), output.size());
      output += chunk.data();
    } else {
      Answer& answer = answers_[response.result().key()];
      ++answer.results;
      answer.result = response.result();
      order_.push_back(response.result().key());
    }
  }

  std::map<std::string, Answer> answers_;
  std::vector<std::string> order_;
};

v1::ConvertOptions Positions() {
  v1::ConvertOptions options;
  options.add_outputs()->mutable_positions();
  return options;
}

Request Open(bool ordered = false) {
  Request request;
  *request.mutable_open()->mutable_options() = Positions();
  request.mutable_open()->set_ordered(ordered);
  return request;
}

Request Whole(const std::string& key, const std::string& text) {
  Request request;
  request.mutable_begin()->set_key(key);
  request.mutable_begin()->mutable_source()->set_data(text);
  request.mutable_begin()->set_complete(true);
  return request;
}

Request Begin(const std::string& key) {
  Request request;
  request.mutable_begin()->set_key(key);
  return request;
}

Request Chunk(const std::string& bytes) {
  Request request;
  request.set_chunk(bytes);
  return request;
}

Request End(bool abandon = false) {
  Request request;
  request.mutable_end()->set_abandon(abandon);
  return request;
}

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

// Edits belong to one clip. A clip that fails changes no later clip.
TEST_F(StreamTest, EachClipHasItsOwnEdits) {
  Start();
  Request edited = Whole("edited", SmallClip(8));
  v1::ConvertOptions* options = edited.mutable_begin()->mutable_options();
  *options = Positions();
  options->mutable_edits()->mutable_frames()->set_step(2);
  Request joint = Whole("joint", SmallClip(8));
  *joint.mutable_begin()->mutable_options() = Positions();
  joint.mutable_begin()->mutable_options()->mutable_edits()->add_keep_joints(
      "Tail");
  Request units = Whole("units", SmallClip(8));
  *units.mutable_begin()->mutable_options() = Positions();
  units.mutable_begin()->mutable_options()->mutable_edits()->set_up_axis(
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

// Two bytes of text are a frame of many joints, and arrays are made whole.
TEST_F(StreamTest, MemoryForWholeOutputsIsAskedFor) {
  Start([](server::ServerConfig* config) {
    LimitBytes(config, 50'000'000);
    config->log = server::LogFormat::kOff;
  });
  std::string text =
      "HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n";
  for (int i = 0; i < 1'000; ++i) {
    text += "JOINT j\n{\nOFFSET 0 1 0\nCHANNELS 0\n}\n";
  }
  text += "}\nMOTION\nFrames: 3000\nFrame Time: 0.1\n";
  for (int i = 0; i < 3'000; ++i) text += "1\n";
  Request bomb = Whole("bomb", text);
  bomb.mutable_begin()->mutable_options()->add_outputs()->mutable_npz();
  ASSERT_TRUE(Run({Open(), bomb, Whole("good", SmallClip())}).ok());
  const v1::ClipResult& refused = answers_["bomb"].result;
  EXPECT_EQ(refused.status().code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(refused.status().info().reason(), "SERVER_BUSY");
  EXPECT_EQ(refused.status().info().metadata().at("limit_name"),
            "max_inflight_bytes");
  EXPECT_NE(refused.report().verdict(), v1::VERDICT_UNREADABLE);
  EXPECT_FALSE(answers_["bomb"].begun);
  EXPECT_EQ(answers_["good"].result.status().code(), 0);
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

// Every frame of a clip holds its key.
TEST_F(StreamTest, KeysOfMegabytes) {
  Start();
  const std::string longest(kMaxClipKeyBytes, 'k');
  const std::string huge(size_t{8} << 20, 'k');
  // In characters of three bytes, none of which may be cut in two.
  std::string wide;
  while (wide.size() <= kMaxClipKeyBytes) wide += "\xE3\x81\x82";
  const grpc::Status status =
      Run({Open(), Whole(longest, SmallClip()), Whole(huge, SmallClip()),
           Whole(wide, SmallClip()), Whole("", SmallClip())});
  ASSERT_TRUE(status.ok()) << status.error_message();
  ASSERT_EQ(answers_.size(), 4);
  EXPECT_EQ(answers_[longest].result.status().code(), 0);
  EXPECT_EQ(answers_[""].result.status().code(), 0);
  EXPECT_EQ(answers_[Excerpt(huge)].result.status().code(),
            grpc::StatusCode::INVALID_ARGUMENT);
  const v1::Status& refused = answers_[Excerpt(wide)].result.status();
  EXPECT_EQ(refused.code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(refused.message(), "begin.key: has 1026 bytes, more than 1024");
}

// Two bytes each on the wire, and a string for each in every clip.
TEST_F(StreamTest, MillionsOfEmptyNames) {
  Start([](server::ServerConfig* config) {
    config->log = server::LogFormat::kOff;
  });
  v1::ConvertOptions options = Positions();
  for (int i = 0; i < 2'000'000; ++i) {
    options.mutable_edits()->add_drop_joints();
  }
  Request open;
  *open.mutable_open()->mutable_options() = options;
  Request begin = Whole("many", SmallClip());
  *begin.mutable_begin()->mutable_options() = options;
  const std::vector<Request> cases[] = {{open}, {Open(), begin}};
  for (const std::vector<Request>& frames : cases) {
    const grpc::Status status = Run(frames);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
    EXPECT_EQ(DetailsOf(status).quota.violations(0).subject(),
              "max_option_bytes");
  }
}

TEST_F(StreamTest, ThousandsOfEmptyNames) {
  Start([](server::ServerConfig* config) {
    config->log = server::LogFormat::kOff;
  });
  const std::string field = "options.edits.drop_joints";
  v1::ConvertOptions options = Positions();
  for (int i = 0; i < 200'000; ++i) {
    options.mutable_edits()->add_drop_joints();
  }
  Request open;
  *open.mutable_open()->mutable_options() = options;
  const grpc::Status status = Run({open, Whole("clip", SmallClip())});
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  const v1::BadRequest bad = DetailsOf(status).bad_request;
  ASSERT_EQ(bad.field_violations_size(), 1);
  EXPECT_EQ(bad.field_violations(0).field(), field);

  Request begin = Whole("many", SmallClip());
  *begin.mutable_begin()->mutable_options() = options;
  ASSERT_TRUE(Run({Open(), begin, Whole("good", SmallClip())}).ok());
  EXPECT_EQ(answers_["many"].result.status().message(),
            field + ": has 200000 entries, more than 20000");
  EXPECT_EQ(answers_["good"].result.status().code(), 0);
}

TEST_F(StreamTest, OptionsOfAClipCount) {
  Start([](server::ServerConfig* config) {
    // For a clip with few options, and its frames.
    LimitBytes(config, 250'000);
    config->log = server::LogFormat::kOff;
  });
  Request begin = Begin("options");
  v1::ConvertOptions* options = begin.mutable_begin()->mutable_options();
  *options = Positions();
  for (int i = 0; i < 9'000; ++i) options->mutable_edits()->add_drop_joints("");
  const grpc::Status status =
      Run({Open(), begin, End(), Whole("good", SmallClip())});
  ASSERT_TRUE(status.ok()) << status.error_message();
  const v1::Status& refused = answers_["options"].result.status();
  EXPECT_EQ(refused.code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(refused.info().reason(), "SERVER_BUSY");
  EXPECT_EQ(refused.info().metadata().at("limit_name"), "max_inflight_bytes");
  EXPECT_EQ(answers_["good"].result.status().code(), 0);
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
  std::this_thread::sleep_for(std::chrono::seconds(2));
  EXPECT_LT(begun, kMaxBegun) << "of " << text.size() << " bytes each";
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
