// Sources of other formats than BVH, over a real socket: the same results as in
// the process, in unary calls and in streams.

#include <gmock/gmock.h>

#include <map>
#include <string>
#include <vector>

#include "bvhmill/pipeline/convert.h"
#include "bvhmill/wire/options.h"
#include "tests/anim/anim_support.h"
#include "tests/server/convert/clip_stream.h"
#include "tests/server/fixture.h"
#include "tests/support/pack.h"

namespace bvhmill::testing {
namespace {

using ::testing::HasSubstr;

std::string SmallAnim() { return BytesOf(SmallMotion()); }

v1::ConvertClipRequest AnimRequest(const std::string& bytes) {
  v1::ConvertClipRequest request = PositionsRequest(bytes);
  request.mutable_options()->add_outputs()->mutable_bvh();
  request.mutable_source()->set_format(v1::SOURCE_FORMAT_ANIM);
  return request;
}

// Outputs by index, made in this process.
std::vector<std::string> AnimOutputs(const std::string& bytes,
                                     const v1::ConvertOptions& message) {
  ConvertOptions options;
  EXPECT_TRUE(wire::FromProto(message, &options).ok());
  options.source_format = SourceFormat::kAnim;
  StringReceiver outputs;
  const ConvertResult result = Convert(bytes, options, &outputs, nullptr);
  EXPECT_TRUE(result.status.ok()) << result.status;
  return outputs.data();
}

class SourceFormatTest : public ServerTest {
 protected:
  grpc::Status Convert(const v1::ConvertClipRequest& request) {
    grpc::ClientContext context;
    return clips_->ConvertClip(&context, request, &response_);
  }

  grpc::Status Validate(const std::string& bytes) {
    v1::ValidateClipRequest request;
    *request.mutable_source() = AnimRequest(bytes).source();
    grpc::ClientContext context;
    return clips_->ValidateClip(&context, request, &checked_);
  }

  // Sends whole clips, and sorts their results and first outputs by key. The
  // clips are small: the window holds them all.
  void Stream(const std::vector<Request>& requests) {
    grpc::ClientContext context;
    const auto stream = clips_->ConvertClips(&context);
    for (const Request& request : requests) {
      ASSERT_TRUE(stream->Write(request));
    }
    stream->WritesDone();
    for (Response response; stream->Read(&response);) {
      if (response.has_output_chunk()) {
        const v1::OutputChunk& chunk = response.output_chunk();
        if (chunk.output_index() == 0) first_[chunk.key()] += chunk.data();
      } else if (response.has_result()) {
        results_[response.result().key()] = response.result();
      }
      EXPECT_FALSE(response.has_issues_found());
    }
    EXPECT_TRUE(stream->Finish().ok());
  }

  v1::ConvertClipResponse response_;
  v1::ValidateClipResponse checked_;
  std::map<std::string, v1::ClipResult> results_;
  std::map<std::string, std::string> first_;
};

Request WholeSource(const std::string& key, const v1::Source& source) {
  Request request;
  request.mutable_begin()->set_key(key);
  *request.mutable_begin()->mutable_source() = source;
  request.mutable_begin()->set_complete(true);
  return request;
}

TEST_F(SourceFormatTest, ServersListTheFormatsThatTheyRead) {
  Start();
  grpc::ClientContext context;
  v1::GetServerInfoResponse info;
  ASSERT_TRUE(info_->GetServerInfo(&context, {}, &info).ok());
  std::string listed;
  for (const v1::SourceFormatInfo& format : info.source_formats()) {
    listed += v1::SourceFormat_Name(format.format()) + " " + format.name() +
              " " + format.media_type() + " " + format.file_extension() + "\n";
  }
  EXPECT_EQ(listed,
            "SOURCE_FORMAT_BVH bvh text/x-bvh .bvh\n"
            "SOURCE_FORMAT_ANIM anim application/vnd.ll.animation .anim\n");
}

TEST_F(SourceFormatTest, UnaryCallsGiveTheOutputsOfTheProcess) {
  Start();
  for (const auto& [encoding, data] :
       {std::pair(v1::CONTENT_ENCODING_IDENTITY, SmallAnim()),
        std::pair(v1::CONTENT_ENCODING_GZIP, Gzip(SmallAnim())),
        std::pair(v1::CONTENT_ENCODING_ZSTD, Zstd(SmallAnim()))}) {
    v1::ConvertClipRequest request = AnimRequest(data);
    request.mutable_source()->set_encoding(encoding);
    const grpc::Status status = Convert(request);
    ASSERT_TRUE(status.ok()) << status.error_message();
    const auto expected = AnimOutputs(SmallAnim(), request.options());
    ASSERT_EQ(response_.result().outputs_size(), 2);
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(response_.result().outputs(i).data(),
                expected[static_cast<size_t>(i)]);
    }
  }
  ASSERT_TRUE(Validate(SmallAnim()).ok());
  EXPECT_EQ(checked_.result().report().verdict(), v1::VERDICT_VALID);
}

TEST_F(SourceFormatTest, AStreamMixesFormats) {
  Start();
  v1::Source bvh;
  bvh.set_data(SmallClip());
  v1::Source anim = AnimRequest(SmallAnim()).source();
  v1::Source stated = bvh;
  stated.set_format(v1::SOURCE_FORMAT_BVH);
  v1::Source mistaken = anim;
  mistaken.set_format(v1::SOURCE_FORMAT_BVH);
  Request own = WholeSource("anim with options", anim);
  *own.mutable_begin()->mutable_options() = PositionsRequest("").options();
  own.mutable_begin()->mutable_options()->mutable_edits()->set_fps(5);
  Stream({Open(), WholeSource("bvh", bvh), WholeSource("anim", anim),
          WholeSource("stated bvh", stated), WholeSource("anim again", anim),
          own, WholeSource("mistaken", mistaken)});
  const v1::ConvertOptions options = Open().open().options();
  const std::string positions = AnimOutputs(SmallAnim(), options)[0];
  EXPECT_EQ(first_["bvh"], LocalOutputs(SmallClip(), options)[0]);
  EXPECT_EQ(first_["stated bvh"], first_["bvh"]);
  EXPECT_EQ(first_["anim"], positions);
  EXPECT_EQ(first_["anim again"], positions);
  EXPECT_EQ(first_["anim with options"],
            AnimOutputs(SmallAnim(), own.begin().options())[0]);
  EXPECT_EQ(results_["mistaken"].status().info().reason(), "TEXT_NOT_BVH");
}

// The bytes come one at a time.
TEST_F(SourceFormatTest, AnAnimMayComeInPieces) {
  Start();
  std::vector<Request> requests = {Open()};
  Request begin = WholeSource("a", AnimRequest("").source());
  begin.mutable_begin()->set_complete(false);
  requests.push_back(begin);
  for (const char c : SmallAnim()) {
    requests.emplace_back().set_chunk(std::string(1, c));
  }
  requests.emplace_back().mutable_end();
  Stream(requests);
  EXPECT_EQ(first_["a"],
            AnimOutputs(SmallAnim(), requests[0].open().options())[0]);
}

TEST_F(SourceFormatTest, AnUnknownFormatIsNotImplemented) {
  Start();
  v1::ConvertClipRequest request = AnimRequest(SmallAnim());
  request.mutable_source()->set_format(static_cast<v1::SourceFormat>(77));
  const grpc::Status status = Convert(request);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNIMPLEMENTED);
  EXPECT_EQ(DetailsOf(status).info.reason(), "SOURCE_FORMAT_UNKNOWN");
  EXPECT_EQ(DetailsOf(status).info.metadata().at("format"), "77");
  Stream({Open(), WholeSource("unknown", request.source()),
          WholeSource("good", AnimRequest(SmallAnim()).source())});
  EXPECT_EQ(results_["unknown"].status().code(), 12);
  EXPECT_EQ(results_["unknown"].status().info().reason(),
            "SOURCE_FORMAT_UNKNOWN");
  EXPECT_EQ(results_["good"].status().code(), 0);
}

// Files that are cut, or whose counts are far too large.
TEST_F(SourceFormatTest, ABrokenAnimGetsAReport) {
  Start();
  const std::string whole = SmallAnim();
  for (size_t at = 0; at < whole.size(); at += 7) {
    std::string huge = whole;
    huge.replace(at, 4, "\xFF\xFF\xFF\x7F", 4);
    for (const std::string& bytes : {whole.substr(0, at), huge}) {
      const grpc::Status checked = Validate(bytes);
      ASSERT_TRUE(checked.ok()) << checked.error_message();
      const v1::ValidationReport& report = checked_.result().report();
      ASSERT_TRUE(Convert(AnimRequest(bytes)).ok());
      const v1::Status& status = response_.result().status();
      EXPECT_EQ(report.counts().errors() == 0, status.code() == 0) << at;
      if (status.code() == 0) continue;
      EXPECT_EQ(status.code(), grpc::StatusCode::INVALID_ARGUMENT);
      EXPECT_EQ(status.info().reason(), report.issues(0).code());
      EXPECT_THAT(report.issues(0).code(), HasSubstr("ANIM_"));
    }
  }
}

// A minute of rows, which a few hundred bytes state.
std::string LongAnim() {
  AnimMotion motion = SmallMotion();
  motion.duration = 60;
  motion.joints[0].rotations.push_back({20011, 30000, 32767, 32767});
  return BytesOf(motion);
}

TEST_F(SourceFormatTest, ItsRowsCountAgainstTheMemoryInFlight) {
  Start([](server::ServerConfig* config) {
    LimitBytes(config, int64_t{180} << 10);
  });
  EXPECT_TRUE(Convert(AnimRequest(SmallAnim())).ok());
  const grpc::Status status = Convert(AnimRequest(LongAnim()));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(DetailsOf(status).info.reason(), "SERVER_BUSY");
  Stream({Open(), WholeSource("long", AnimRequest(LongAnim()).source())});
  EXPECT_EQ(results_["long"].status().info().reason(), "SERVER_BUSY");
}

TEST_F(SourceFormatTest, LimitsOfTheServerHold) {
  Start([](server::ServerConfig* config) { config->limits.max_frames = 30; });
  ASSERT_TRUE(Convert(AnimRequest(SmallAnim())).ok());
  const v1::Status& status = response_.result().status();
  EXPECT_EQ(status.code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(status.info().reason(), "LIMIT_FRAMES");
}

}  // namespace
}  // namespace bvhmill::testing
