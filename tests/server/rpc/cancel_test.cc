// Calls that are cancelled while the server is at one stage of their work. Each
// would take minutes; the worker is free of it soon.

#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <iterator>
#include <memory>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "tests/server/abandon.h"
#include "tests/server/bomb.h"

namespace bvhmill::testing {
namespace {

enum class Route { kValidate, kUnary, kStream };

// One stage that takes nearly all the time of a clip.
struct StageCase {
  const char* name;
  std::vector<Route> routes;
  std::function<v1::ConvertClipRequest()> make;
};

void PrintTo(const StageCase& stage, std::ostream* out) { *out << stage.name; }

v1::ConvertClipRequest Encoded(v1::ContentEncoding encoding,
                               const std::string& packed) {
  v1::ConvertClipRequest request = PositionsRequest(packed);
  request.mutable_source()->set_encoding(encoding);
  return request;
}

// Empty lines, which are read faster than they are decoded.
v1::ConvertClipRequest GzipOfNothing() {
  const std::string more = Gzip(Repeat("\n", 48 << 20));
  const size_t pieces = (size_t{15} << 20) / more.size();
  return Encoded(
      v1::CONTENT_ENCODING_GZIP,
      Gzip(Head("900000000")) + Repeat(more, static_cast<int>(pieces)));
}

v1::ConvertClipRequest ZstdOfNothing() {
  const std::string more = Zstd(Repeat("\n", 48 << 20));
  return Encoded(v1::CONTENT_ENCODING_ZSTD,
                 Zstd(Head("900000000")) + Repeat(more, 3'000));
}

// Rows without an output: they are read and checked.
v1::ConvertClipRequest ManyRows() {
  const std::string more = Zstd(Repeat("1 1 1\n", 8 << 20));
  v1::ConvertClipRequest request = Encoded(
      v1::CONTENT_ENCODING_ZSTD, Zstd(Head("900000000")) + Repeat(more, 1'000));
  request.mutable_options()->clear_outputs();
  return request;
}

v1::ConvertClipRequest ManyFramesOfManyJoints() {
  return PositionsRequest(ManyJoints() + Repeat("1\n", 100'000));
}

v1::ConvertClipRequest ManyFramesAsCsv() {
  v1::ConvertClipRequest request = ManyFramesOfManyJoints();
  request.mutable_options()->mutable_outputs(0)->mutable_csv();
  return request;
}

// A chest and arms that shake, so that an .anim needs a key for nearly every
// frame.
v1::ConvertClipRequest ManyKeys() {
  constexpr int kFrames = 60'000;
  constexpr const char* kJoints[] = {
      "mPelvis", "mTorso",      "mChest",        "mNeck",
      "mHead",   "mCollarLeft", "mShoulderLeft", "mElbowLeft"};
  std::string text = "HIERARCHY\n";
  std::string ends;
  for (const char* joint : kJoints) {
    text += (ends.empty() ? "ROOT " : "JOINT ") + std::string(joint) +
            "\n{\nOFFSET 0 1 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n";
    ends += "}\n";
  }
  text += "End Site\n{\nOFFSET 0 1 0\n}\n" + ends +
          "MOTION\nFrames: " + std::to_string(kFrames) +
          "\nFrame Time: 0.0009\n";
  for (int frame = 0; frame < kFrames; ++frame) {
    for (size_t i = 0; i < std::size(kJoints) * 3; ++i) {
      const double angle = 60 * std::sin(frame * 0.7 + static_cast<double>(i));
      text += std::to_string(static_cast<int>(angle * 10)) + " ";
    }
    text += "\n";
  }
  v1::ConvertClipRequest request;
  request.mutable_source()->set_data(text);
  for (int i = 0; i < 16; ++i) {
    v1::OutputRequest* output = request.mutable_options()->add_outputs();
    output->set_id(std::to_string(i));
    output->mutable_anim();
  }
  return request;
}

const StageCase kStages[] = {
    {"DecodingGzip", {Route::kValidate, Route::kStream}, GzipOfNothing},
    {"DecodingZstd", {Route::kValidate, Route::kStream}, ZstdOfNothing},
    {"Reading", {Route::kValidate, Route::kStream}, ManyRows},
    {"Editing",
     {Route::kValidate, Route::kUnary, Route::kStream},
     [] { return ManyFrames(kEndless); }},
    // The answer of a unary call is too small for these to take long.
    {"Solving", {Route::kStream}, ManyFramesOfManyJoints},
    {"EncodingCsv", {Route::kStream}, ManyFramesAsCsv},
    {"FittingAnim", {Route::kUnary, Route::kStream}, ManyKeys}};

// A call that is made in a thread of its own.
class RunningCall {
 public:
  RunningCall(v1::ClipService::Stub* stub, Route route,
              const v1::ConvertClipRequest& clip)
      : thread_([=, this] { status_ = Run(stub, route, clip); }) {}

  grpc::Status Cancel() {
    context_.TryCancel();
    thread_.join();
    return status_;
  }

 private:
  grpc::Status Run(v1::ClipService::Stub* stub, Route route,
                   const v1::ConvertClipRequest& clip) {
    if (route == Route::kStream) {
      const auto stream = stub->ConvertClips(&context_);
      stream->Write(WholeClip(clip));
      v1::ConvertClipsResponse response;
      while (stream->Read(&response)) {
      }
      return stream->Finish();
    }
    if (route == Route::kUnary) {
      v1::ConvertClipResponse response;
      return stub->ConvertClip(&context_, clip, &response);
    }
    v1::ValidateClipRequest request;
    *request.mutable_source() = clip.source();
    *request.mutable_options() = clip.options();
    v1::ValidateClipResponse response;
    return stub->ValidateClip(&context_, request, &response);
  }

  grpc::ClientContext context_;
  grpc::Status status_;
  std::thread thread_;
};

class CancelTest : public AbandonTest,
                   public ::testing::WithParamInterface<StageCase> {};

INSTANTIATE_TEST_SUITE_P(Stages, CancelTest, ::testing::ValuesIn(kStages),
                         [](const auto& info) { return info.param.name; });

TEST_P(CancelTest, TheWorkerIsFreeSoon) {
  const v1::ConvertClipRequest clip = GetParam().make();
  for (const Route route : GetParam().routes) {
    SCOPED_TRACE(static_cast<int>(route));
    StartOne();
    RunningCall call(clips_.get(), route, clip);
    EXPECT_TRUE(Becomes("bvhmill_workers_busy", 1));
    const grpc::Status status = call.Cancel();
    EXPECT_EQ(status.error_code(), grpc::StatusCode::CANCELLED)
        << status.error_message();
    ExpectIdle();
  }
}

// The calls that wait for the worker are never worked on.
TEST_F(AbandonTest, CallsThatAreCancelledInTheQueueAreNotBegun) {
  for (const Route route : {Route::kValidate, Route::kUnary, Route::kStream}) {
    SCOPED_TRACE(static_cast<int>(route));
    StartOne();
    const v1::ConvertClipRequest endless = ManyFrames(kEndless);
    RunningCall running(clips_.get(), Route::kUnary, endless);
    EXPECT_TRUE(Becomes("bvhmill_workers_busy", 1));
    RunningCall queued(clips_.get(), route, endless);
    EXPECT_TRUE(Becomes("bvhmill_inflight_clips", 2));
    EXPECT_EQ(queued.Cancel().error_code(), grpc::StatusCode::CANCELLED);
    EXPECT_EQ(running.Cancel().error_code(), grpc::StatusCode::CANCELLED);
    ExpectIdle();
    EXPECT_EQ(
        Value("bvhmill_clips_total{result=\"failed\",reason=\"CANCELLED\"}"),
        1);
  }
}

// Long work of one connection fills the worker; the clip of another is
// converted by a worker, since csv takes long.
TEST_F(AbandonTest, ALongClipOfOneConnectionKeepsNoOtherWaiting) {
  StartOne();
  std::vector<std::unique_ptr<RunningCall>> calls;
  for (int i = 0; i < 5; ++i) {
    calls.push_back(std::make_unique<RunningCall>(clips_.get(), Route::kUnary,
                                                  ManyFrames(kEndless)));
  }
  EXPECT_TRUE(Becomes("bvhmill_inflight_clips", 5));
  const auto other = Connect();
  for (int i = 0; i < 3; ++i) {
    v1::ConvertClipRequest request = PositionsRequest(SmallClip(100));
    request.mutable_options()->mutable_outputs(0)->mutable_csv();
    grpc::ClientContext context;
    v1::ConvertClipResponse response;
    EXPECT_TRUE(other->ConvertClip(&context, request, &response).ok());
  }
  for (const auto& call : calls) call->Cancel();
}

}  // namespace
}  // namespace bvhmill::testing
