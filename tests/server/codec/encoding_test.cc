#include <gmock/gmock.h>

#include "tests/server/fixture.h"
#include "tests/support/pack.h"

namespace bvhmill::testing {
namespace {

class EncodingTest : public ServerTest {
 protected:
  static v1::ConvertClipRequest Request(v1::ContentEncoding encoding,
                                        const std::string& data) {
    v1::ConvertClipRequest request = PositionsRequest(data);
    request.mutable_source()->set_encoding(encoding);
    return request;
  }

  grpc::Status Convert(const v1::ConvertClipRequest& request) {
    grpc::ClientContext context;
    return clips_->ConvertClip(&context, request, &response_);
  }

  v1::ConvertClipResponse response_;
};

TEST_F(EncodingTest, PackedClipsAreAsGoodAsPlainOnes) {
  Start();
  const std::string clip = SmallClip(3000);
  const auto plain = LocalOutputs(clip, PositionsRequest(clip).options());
  for (const auto& [encoding, data] :
       {std::pair(v1::CONTENT_ENCODING_GZIP, Gzip(clip)),
        std::pair(v1::CONTENT_ENCODING_ZSTD, Zstd(clip))}) {
    EXPECT_LT(data.size(), clip.size());
    const grpc::Status status = Convert(Request(encoding, data));
    ASSERT_TRUE(status.ok()) << status.error_message();
    EXPECT_EQ(response_.result().outputs(0).data(), plain[0]);
  }
}

TEST_F(EncodingTest, TheSameInStreams) {
  Start();
  const std::string clip = SmallClip(3000);
  const auto plain = LocalOutputs(clip, PositionsRequest(clip).options());
  const std::string packed = Zstd(clip);
  grpc::ClientContext context;
  const auto stream = clips_->ConvertClips(&context);
  v1::ConvertClipsRequest request;
  *request.mutable_open()->mutable_options() = PositionsRequest(clip).options();
  ASSERT_TRUE(stream->Write(request));
  request.mutable_begin()->mutable_source()->set_encoding(
      v1::CONTENT_ENCODING_ZSTD);
  request.mutable_begin()->mutable_source()->set_data(packed.substr(0, 100));
  ASSERT_TRUE(stream->Write(request));
  request.set_chunk(packed.substr(100));
  ASSERT_TRUE(stream->Write(request));
  request.mutable_end();
  ASSERT_TRUE(stream->Write(request));
  stream->WritesDone();
  std::string out;
  v1::ConvertClipsResponse answer;
  while (stream->Read(&answer)) out += answer.output_chunk().data();
  EXPECT_TRUE(stream->Finish().ok());
  EXPECT_EQ(out, plain[0]);
}

TEST_F(EncodingTest, ABombIsRefusedByTheNameOfTheLimit) {
  Start([](server::ServerConfig* config) {
    config->limits.max_clip_bytes = 1'000'000;
    config->log = server::LogFormat::kOff;
  });
  const std::string zeros(size_t{64} << 20, '0');
  for (const auto& [encoding, data] :
       {std::pair(v1::CONTENT_ENCODING_GZIP, Gzip(zeros)),
        std::pair(v1::CONTENT_ENCODING_ZSTD, Zstd(zeros))}) {
    const grpc::Status status = Convert(Request(encoding, data));
    EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
    const v1::QuotaFailure quota = DetailsOf(status).quota;
    ASSERT_EQ(quota.violations_size(), 1);
    EXPECT_EQ(quota.violations(0).subject(), "max_clip_bytes");
  }
}

TEST_F(EncodingTest, DecodedTextCountsAsInFlight) {
  Start([](server::ServerConfig* config) {
    LimitBytes(config, 100'000);
    config->log = server::LogFormat::kOff;
  });
  const std::string zeros(1'000'000, '0');
  const grpc::Status status =
      Convert(Request(v1::CONTENT_ENCODING_GZIP, Gzip(zeros)));
  EXPECT_EQ(DetailsOf(status).quota.violations(0).subject(),
            "max_inflight_bytes");
}

TEST_F(EncodingTest, OtherDataAreAFaultOfTheField) {
  Start();
  const grpc::Status status =
      Convert(Request(v1::CONTENT_ENCODING_ZSTD, SmallClip()));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  const Details details = DetailsOf(status);
  EXPECT_EQ(details.info.reason(), "ENCODING_BROKEN");
  EXPECT_EQ(details.bad_request.field_violations(0).field(), "source.data");
}

TEST_F(EncodingTest, ServerInfoListsThem) {
  Start();
  grpc::ClientContext context;
  v1::GetServerInfoResponse response;
  ASSERT_TRUE(info_->GetServerInfo(&context, {}, &response).ok());
  EXPECT_THAT(response.encodings(),
              ::testing::ElementsAre(v1::CONTENT_ENCODING_IDENTITY,
                                     v1::CONTENT_ENCODING_GZIP,
                                     v1::CONTENT_ENCODING_ZSTD));
}

}  // namespace
}  // namespace bvhmill::testing
