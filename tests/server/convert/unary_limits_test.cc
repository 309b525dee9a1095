// Limits as unary calls meet them, and as GetServerInfo states them.

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <grpcpp/grpcpp.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bvhmill/encode/encode.h"
#include "server/app/config.h"
#include "tests/server/convert/unary.h"
#include "tests/server/fixture.h"

namespace bvhmill::testing {
namespace {

using ::testing::HasSubstr;

// Only a worker states a time that a call has waited.
TEST_F(UnaryTest, AShortTextThatClaimsMuchIsLeftToAWorker) {
  Start();
  const auto waited = [this](const std::string& text) {
    EXPECT_TRUE(Validate(text).ok());
    const auto& queued = validated_.result().times().queued();
    return queued.seconds() > 0 || queued.nanos() > 0;
  };
  EXPECT_FALSE(waited(SmallClip()));
  const std::string claim =
      "HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS 0\n}\nMOTION\n"
      "Frames: 20000000\nFrame Time: 0.01\n";
  EXPECT_TRUE(waited(claim));
}

TEST_F(UnaryTest, EveryLimitIsNamed) {
  Start([](server::ServerConfig* config) {
    config->limits.max_clip_bytes = 2000;
    config->limits.max_joints = 4;
    config->limits.max_frames = 20;
    config->limits.max_outputs_per_clip = 2;
    config->limits.max_output_bytes = 400;
    config->service.max_request_message_bytes = 4000;
  });
  v1::ConvertClipRequest outputs = PositionsRequest(SmallClip());
  outputs.mutable_options()->add_outputs()->mutable_npz();
  outputs.mutable_options()->add_outputs()->mutable_csv();
  std::string joints = SmallClip();
  joints.insert(
      joints.find("\t\tEnd Site"),
      "\t\tJOINT a\n\t\t{\n\t\tOFFSET 1 1 1\n\t\tCHANNELS 0\n\t\t}\n"
      "\t\tJOINT b\n\t\t{\n\t\tOFFSET 1 1 1\n\t\tCHANNELS 0\n\t\t}\n");
  struct Case {
    v1::ConvertClipRequest request;
    std::string limit;
    bool is_fault_of_clip;
  };
  const Case cases[] = {
      {PositionsRequest(SmallClip(80)), "max_clip_bytes", false},
      {PositionsRequest(SmallClip(200)), "max_request_message_bytes", false},
      {PositionsRequest(SmallClip(21)), "max_frames", true},
      {PositionsRequest(SmallClip(20)), "max_output_bytes", true},
      {PositionsRequest(joints), "max_joints", true},
      {outputs, "max_outputs_per_clip", false}};
  for (const Case& c : cases) {
    const grpc::Status status = Convert(c.request);
    EXPECT_EQ(status.ok(), c.is_fault_of_clip) << c.limit;
    const v1::Status refusal = OutcomeOf(status, converted_.result());
    EXPECT_EQ(refusal.code(), grpc::StatusCode::RESOURCE_EXHAUSTED) << c.limit;
    EXPECT_THAT(refusal.message(), HasSubstr(c.limit));
    EXPECT_EQ(refusal.info().metadata().at("limit_name"), c.limit);
    if (status.ok()) continue;
    const v1::QuotaFailure quota = DetailsOf(status).quota;
    ASSERT_EQ(quota.violations_size(), 1) << c.limit;
    EXPECT_EQ(quota.violations(0).subject(), c.limit);
  }
  // ValidateClip is OK for any file; the report has the issues.
  ASSERT_TRUE(Validate(joints).ok());
  EXPECT_EQ(validated_.result().report().issues(0).code(), "LIMIT_JOINTS");
}

TEST_F(UnaryTest, LargeReportsAreSentToTheStream) {
  Start([](server::ServerConfig* config) {
    config->service.max_unary_response_bytes = 100;
  });
  const grpc::Status status = Validate(SmallClip());
  EXPECT_EQ(status.error_code(), grpc::StatusCode::OUT_OF_RANGE);
  const v1::ErrorInfo info = DetailsOf(status).info;
  EXPECT_EQ(info.reason(), "RESPONSE_TOO_LARGE");
  EXPECT_EQ(info.metadata().at("limit_name"), "max_unary_response_bytes");
  EXPECT_EQ(info.metadata().at("limit"), "100");
  EXPECT_THAT(status.error_message(),
              HasSubstr("max_unary_response_bytes = 100"));
}

// 0 = no limit. A clip that is too large for any call is not sent to the
// stream.
TEST_F(UnaryTest, TheLesserOfTheTwoLimitsOnOutputsIsNamed) {
  struct Case {
    int64_t max_unary_response_bytes;
    int64_t max_output_bytes;
    const char* limit_name;
  };
  const Case cases[] = {{0, 4000, "max_output_bytes"},
                        {4000, 4000, "max_output_bytes"},
                        {5000, 4000, "max_output_bytes"},
                        {4000, 5000, "max_unary_response_bytes"},
                        {4000, 0, "max_unary_response_bytes"}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.limit_name);
    Start([&](server::ServerConfig* config) {
      config->service.max_unary_response_bytes = c.max_unary_response_bytes;
      config->limits.max_output_bytes = c.max_output_bytes;
    });
    const grpc::Status status = Convert(PositionsRequest(SmallClip(500)));
    const v1::Status refusal = OutcomeOf(status, converted_.result());
    EXPECT_EQ(refusal.info().metadata().at("limit_name"), c.limit_name);
    // A refused clip is a good call.
    EXPECT_EQ(status.ok(), c.limit_name == std::string("max_output_bytes"));
  }
}

TEST_F(UnaryTest, LargeAnswersAreSentToTheStream) {
  Start([](server::ServerConfig* config) {
    config->service.max_unary_response_bytes = 10'000;
  });
  EXPECT_TRUE(Convert(PositionsRequest(SmallClip(100))).ok());
  const grpc::Status status = Convert(PositionsRequest(SmallClip(2000)));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::OUT_OF_RANGE);
  const v1::ErrorInfo info = DetailsOf(status).info;
  EXPECT_EQ(info.reason(), "RESPONSE_TOO_LARGE");
  EXPECT_EQ(info.metadata().at("use"), "ConvertClips");
}

// Outputs that are made whole are not made if they are too large.
TEST_F(UnaryTest, LargeAnswersOfEachFormatAreRefused) {
  Start([](server::ServerConfig* config) {
    config->service.max_unary_response_bytes = 10'000;
    config->limits.max_output_bytes = 1'000'000'000;
  });
  for (const char* format : {"npz", "csv", "bvh", "joint-major"}) {
    v1::ConvertClipRequest request = PositionsRequest(SmallClip(2000));
    v1::OutputRequest* output = request.mutable_options()->mutable_outputs(0);
    const std::string_view name = format;
    if (name == "npz") output->mutable_npz();
    if (name == "csv") output->mutable_csv();
    if (name == "bvh") output->mutable_bvh();
    if (name == "joint-major") {
      output->mutable_positions()->set_layout(v1::TENSOR_LAYOUT_JOINT_MAJOR);
    }
    const grpc::Status status = Convert(request);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::OUT_OF_RANGE) << name;
    EXPECT_EQ(DetailsOf(status).info.reason(), "RESPONSE_TOO_LARGE") << name;
  }
}

TEST_F(UnaryTest, AnUnconfiguredClientReceivesTheLargestUnaryAnswer) {
  // The client and the tests before have memory in this process, too. The
  // server would take it for that of a peer, and cut the connection.
  Start([](server::ServerConfig* config) {
    config->transport.max_transport_bytes = 0;
  });
  const auto plain = v1::ClipService::NewStub(grpc::CreateChannel(
      server_->address(), grpc::InsecureChannelCredentials()));
  int ok = 0;
  for (const int frames : {170'000, 171'000, 172'000, 176'000}) {
    grpc::ClientContext context;
    const grpc::Status status = plain->ConvertClip(
        &context, PositionsRequest(SmallClip(frames)), &converted_);
    ok += status.ok() ? 1 : 0;
    EXPECT_TRUE(status.ok() ||
                status.error_code() == grpc::StatusCode::OUT_OF_RANGE)
        << status.error_message();
  }
  EXPECT_GT(ok, 0);
}

TEST_F(UnaryTest, ServerInfoStatesLimitsAndFormats) {
  Start([](server::ServerConfig* config) {
    config->limits.max_clip_bytes = 12345;
  });
  grpc::ClientContext context;
  v1::GetServerInfoResponse response;
  ASSERT_TRUE(info_->GetServerInfo(&context, {}, &response).ok());
  EXPECT_EQ(response.limits().max_clip_bytes(), 12345);
  EXPECT_GT(response.limits().max_unary_response_bytes(), 0);
  EXPECT_EQ(response.formats_size(), static_cast<int>(Formats().size()));
  EXPECT_THAT(response.api_packages(), ::testing::Contains("bvhmill.v1"));
  EXPECT_THAT(response.joint_maps(), ::testing::Contains("second_life"));
}

TEST_F(UnaryTest, ServerInfoStatesEveryLimit) {
  Start();
  grpc::ClientContext context;
  v1::GetServerInfoResponse response;
  ASSERT_TRUE(info_->GetServerInfo(&context, {}, &response).ok());
  const google::protobuf::Descriptor* type = v1::Limits::descriptor();
  std::vector<std::string> unstated;
  for (int i = 0; i < type->field_count(); ++i) {
    const google::protobuf::FieldDescriptor* field = type->field(i);
    const bool is_stated =
        v1::Limits::GetReflection()->HasField(response.limits(), field);
    if (!is_stated) unstated.push_back(field->name());
  }
  // A caller without a token has no limits per caller; the others have none by
  // default.
  EXPECT_THAT(unstated,
              ::testing::UnorderedElementsAre(
                  "max_clip_memory_bytes", "max_inflight_clips_per_caller",
                  "max_inflight_bytes_per_caller", "max_streams_per_caller",
                  "max_connection_age_grace_seconds", "max_data_bytes",
                  "max_queued_items_per_caller", "max_data_bytes_per_caller"));
}

}  // namespace
}  // namespace bvhmill::testing
