#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>

#include <string>
#include <vector>

#include "bvhmill/encode/encoder.h"
#include "tests/server/fixture.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

using ::testing::HasSubstr;

class UnaryTest : public ServerTest {
 protected:
  grpc::Status Convert(const v1::ConvertClipRequest& request) {
    grpc::ClientContext context;
    return clips_->ConvertClip(&context, request, &converted_);
  }

  grpc::Status Validate(const std::string& text) {
    grpc::ClientContext context;
    v1::ValidateClipRequest request;
    request.mutable_source()->set_data(text);
    return clips_->ValidateClip(&context, request, &validated_);
  }

  v1::ConvertClipResponse converted_;
  v1::ValidateClipResponse validated_;
};

TEST_F(UnaryTest, ValidateTellsAboutAGoodClip) {
  Start();
  ASSERT_TRUE(Validate(SmallClip()).ok());
  const v1::ClipResult& result = validated_.result();
  EXPECT_EQ(result.status().code(), 0);
  EXPECT_EQ(result.report().verdict(), v1::VERDICT_VALID);
  EXPECT_EQ(result.info().frames(), 2);
  EXPECT_EQ(result.info().joint_count(), 2);
  ASSERT_EQ(result.info().joints_size(), 3);
  EXPECT_EQ(result.info().joints(0).channels(), "XYZzxy");
  EXPECT_TRUE(result.info().joints(2).end_site());
}

TEST_F(UnaryTest, ValidateOfABrokenClipIsOkWithItsReport) {
  Start();
  ASSERT_TRUE(Validate(SmallClip() + "1 2 x\n").ok());
  EXPECT_EQ(validated_.result().report().verdict(), v1::VERDICT_ACCEPTED);
  std::string broken = SmallClip(3);
  broken.insert(broken.size() - 1, ",5");
  ASSERT_TRUE(Validate(broken).ok());
  const v1::ValidationReport& report = validated_.result().report();
  EXPECT_EQ(report.verdict(), v1::VERDICT_INVALID);
  ASSERT_EQ(report.issues_size(), 1);
  EXPECT_EQ(report.issues(0).code(), "MOTION_NUMBER_INVALID");
  EXPECT_EQ(report.issues(0).location().line(), 21);
  EXPECT_EQ(report.issues(0).location().frame(), 2);
}

TEST_F(UnaryTest, ConvertMakesWhatTheLibraryMakes) {
  Start();
  v1::ConvertClipRequest request = PositionsRequest(SmallClip(500));
  request.mutable_options()->add_outputs()->mutable_rotations();
  request.mutable_options()->add_outputs()->mutable_velocities();
  request.mutable_options()->add_outputs()->mutable_npz();
  request.mutable_options()->add_outputs()->mutable_csv();
  request.mutable_options()->add_outputs()->mutable_bvh();
  const grpc::Status status = Convert(request);
  ASSERT_TRUE(status.ok()) << status.error_message();
  const auto expected =
      LocalOutputs(request.source().data(), request.options());
  ASSERT_EQ(converted_.result().outputs_size(), 6);
  for (int i = 0; i < 6; ++i) {
    const v1::Output& output = converted_.result().outputs(i);
    EXPECT_EQ(output.id(), Formats()[i].name);
    EXPECT_EQ(output.data(), expected[i]) << output.id();
    EXPECT_EQ(output.size_bytes(), expected[i].size()) << output.id();
  }
  const v1::TensorInfo& tensor = converted_.result().outputs(0).tensor();
  EXPECT_EQ(tensor.dtype(), v1::DATA_TYPE_FLOAT32);
  EXPECT_THAT(tensor.shape(), ::testing::ElementsAre(500, 2, 3));
  EXPECT_THAT(tensor.axes(), ::testing::ElementsAre("frame", "joint", "xyz"));
}

TEST_F(UnaryTest, ConvertOfABrokenClipNamesTheFirstFault) {
  Start();
  std::string broken = SmallClip(3);
  broken.replace(broken.find("OFFSET 0 5 0"), 12, "OFFSET 0 five 0");
  const grpc::Status status = Convert(PositionsRequest(broken));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("'five'"));
  const Details details = DetailsOf(status);
  EXPECT_EQ(details.info.reason(), "HIERARCHY_OFFSET_INVALID");
  EXPECT_EQ(details.info.domain(), "bvhmill.v1");
  EXPECT_EQ(details.info.metadata().at("line"), "8");
  EXPECT_EQ(details.info.metadata().at("column"), "12");
}

TEST_F(UnaryTest, WrongFieldsAreNamed) {
  Start();
  v1::ConvertClipRequest empty;
  empty.mutable_source()->set_data(SmallClip());
  v1::ConvertClipRequest unset = empty;
  unset.mutable_options()->add_outputs();
  v1::ConvertClipRequest twice = PositionsRequest(SmallClip());
  *twice.mutable_options()->add_outputs() = twice.options().outputs(0);
  v1::ConvertClipRequest code = PositionsRequest(SmallClip());
  code.mutable_options()->mutable_validation()->add_ignore_codes("NO_SUCH");
  const std::pair<v1::ConvertClipRequest, std::string> cases[] = {
      {empty, "options.outputs"},
      {unset, "options.outputs[0].format"},
      {twice, "options.outputs[1].id"},
      {code, "options.validation.ignore_codes"}};
  for (const auto& [request, field] : cases) {
    const grpc::Status status = Convert(request);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    const v1::BadRequest bad = DetailsOf(status).bad_request;
    ASSERT_EQ(bad.field_violations_size(), 1) << field;
    EXPECT_EQ(bad.field_violations(0).field(), field);
  }
}

TEST_F(UnaryTest, ConvertsWhatWasEdited) {
  Start();
  v1::ConvertClipRequest request = PositionsRequest(SmallClip(9));
  v1::ConvertOptions& options = *request.mutable_options();
  options.mutable_read()->set_meters_per_unit(0.01);
  v1::ClipEdits& edits = *options.mutable_edits();
  edits.set_meters_per_unit(1);
  edits.add_drop_joints("Spine");
  edits.mutable_frames()->set_end(4);
  (*edits.mutable_rename_joints())["Hips"] = "mPelvis";
  options.add_outputs()->mutable_bvh();
  ASSERT_TRUE(Convert(request).ok());
  const v1::ClipResult& result = converted_.result();
  EXPECT_EQ(result.info().frames(), 4);
  EXPECT_EQ(result.info().joint_count(), 1);
  EXPECT_EQ(result.info().joints(0).name(), "mPelvis");
  EXPECT_THAT(result.outputs(0).tensor().shape(),
              ::testing::ElementsAre(4, 1, 3));
  const auto local = LocalOutputs(request.source().data(), options);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(result.outputs(i).data(), local[static_cast<size_t>(i)]);
  }
}

TEST_F(UnaryTest, ImpossibleEditsAreExplained) {
  Start();
  const std::string still =
      SmallClip().replace(SmallClip().find("0.0333333"), 9, "0        ");
  v1::ConvertClipRequest units = PositionsRequest(SmallClip());
  units.mutable_options()->mutable_edits()->set_meters_per_unit(1);
  v1::ConvertClipRequest rate = PositionsRequest(still);
  rate.mutable_options()->mutable_edits()->set_resample_fps(30);
  v1::ConvertClipRequest joint = PositionsRequest(SmallClip());
  joint.mutable_options()->mutable_edits()->add_drop_joints("Tail");
  struct Case {
    const v1::ConvertClipRequest& request;
    grpc::StatusCode code;
    std::string reason;
    std::string field;
  };
  const Case cases[] = {
      {units, grpc::StatusCode::FAILED_PRECONDITION,
       "SOURCE_CONVENTION_UNKNOWN", "options.edits.meters_per_unit"},
      {rate, grpc::StatusCode::FAILED_PRECONDITION, "FRAME_RATE_UNKNOWN",
       "options.edits.resample_fps"},
      {joint, grpc::StatusCode::INVALID_ARGUMENT, "EDIT_DOES_NOT_FIT",
       "options.edits.drop_joints"}};
  for (const Case& c : cases) {
    const grpc::Status status = Convert(c.request);
    EXPECT_EQ(status.error_code(), c.code) << status.error_message();
    const Details details = DetailsOf(status);
    EXPECT_EQ(details.info.reason(), c.reason);
    EXPECT_EQ(details.info.metadata().at("field"), c.field);
    const bool is_bad = c.code == grpc::StatusCode::INVALID_ARGUMENT;
    ASSERT_EQ(details.bad_request.field_violations_size(), is_bad ? 1 : 0);
  }
}

TEST_F(UnaryTest, ValidateTriesTheEdits) {
  Start();
  v1::ValidateClipRequest request;
  request.mutable_source()->set_data(SmallClip());
  request.mutable_options()->mutable_edits()->add_drop_joints("Tail");
  grpc::ClientContext context;
  ASSERT_TRUE(clips_->ValidateClip(&context, request, &validated_).ok());
  const v1::ClipResult& result = validated_.result();
  EXPECT_EQ(result.status().code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(result.status().info().reason(), "EDIT_DOES_NOT_FIT");
  EXPECT_EQ(result.report().verdict(), v1::VERDICT_VALID);
}

// The names of the avatar's joints are others.
TEST_F(UnaryTest, AnOutputThatCannotBeMadeIsAFailedPrecondition) {
  Start();
  v1::ConvertClipRequest request = PositionsRequest(SmallClip());
  request.mutable_options()->add_outputs()->mutable_anim();
  const grpc::Status status = Convert(request);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(DetailsOf(status).info.reason(), "TARGET_ANIM_NO_JOINTS");
}

TEST_F(UnaryTest, ValidateSaysWhatCannotBeMade) {
  Start();
  v1::ValidateClipRequest request;
  request.mutable_source()->set_data(SmallClip());
  request.mutable_options()->add_outputs()->mutable_anim()->set_profile(
      v1::ANIM_PROFILE_VIEWER);
  grpc::ClientContext context;
  ASSERT_TRUE(clips_->ValidateClip(&context, request, &validated_).ok());
  const v1::ClipResult& result = validated_.result();
  EXPECT_EQ(result.status().code(), grpc::StatusCode::OK);
  EXPECT_EQ(result.report().verdict(), v1::VERDICT_INVALID);
  ASSERT_EQ(result.report().issues_size(), 1);
  EXPECT_EQ(result.report().issues(0).code(), "TARGET_ANIM_VIEWER");
  EXPECT_EQ(result.outputs_size(), 0);
}

TEST_F(UnaryTest, ConvertMakesAnim) {
  Start();
  std::string text = SmallClip(50);
  text.replace(text.find("Hips"), 4, "hip");
  text.replace(text.find("Spine"), 5, "Rib");
  v1::ConvertClipRequest request;
  request.mutable_source()->set_data(text);
  auto* anim = request.mutable_options()->add_outputs()->mutable_anim();
  anim->set_priority(4);
  anim->add_joint_priorities()->set_joint("mPelvis");
  const grpc::Status status = Convert(request);
  ASSERT_TRUE(status.ok()) << status.error_message();
  const v1::Output& output = converted_.result().outputs(0);
  EXPECT_EQ(output.media_type(), "application/vnd.ll.animation");
  EXPECT_EQ(output.data(), LocalOutputs(text, request.options())[0]);
  EXPECT_EQ(output.data()[4], 4);
  // The rib drives nothing.
  ASSERT_EQ(converted_.result().report().issues_size(), 2);
  EXPECT_EQ(converted_.result().report().issues(0).code(),
            "ANIM_REFERENCE_CHOSEN");
  EXPECT_EQ(converted_.result().report().issues(1).code(),
            "ANIM_JOINT_LEFT_OUT");
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
  const std::pair<v1::ConvertClipRequest, std::string> cases[] = {
      {PositionsRequest(SmallClip(80)), "max_clip_bytes"},
      {PositionsRequest(SmallClip(400)), "max_request_message_bytes"},
      {PositionsRequest(SmallClip(21)), "max_frames"},
      {PositionsRequest(SmallClip(20)), "max_output_bytes"},
      {PositionsRequest(joints), "max_joints"},
      {outputs, "max_outputs_per_clip"}};
  for (const auto& [request, limit] : cases) {
    const grpc::Status status = Convert(request);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED)
        << limit << ": " << status.error_message();
    EXPECT_THAT(status.error_message(), HasSubstr(limit));
    const v1::QuotaFailure quota = DetailsOf(status).quota;
    ASSERT_EQ(quota.violations_size(), 1) << limit;
    EXPECT_EQ(quota.violations(0).subject(), limit);
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
  EXPECT_EQ(DetailsOf(status).info.reason(), "RESPONSE_TOO_LARGE");
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
  Start();
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

TEST_F(UnaryTest, UnknownEncodingsAreUnimplemented) {
  Start();
  v1::ConvertClipRequest request = PositionsRequest(SmallClip());
  request.mutable_source()->set_encoding(static_cast<v1::ContentEncoding>(77));
  EXPECT_EQ(Convert(request).error_code(), grpc::StatusCode::UNIMPLEMENTED);
}

TEST_F(UnaryTest, TokensAreAskedForWhereTheyAreSet) {
  TempDir dir;
  WriteFile(dir.File("tokens"), "# ours\nfirst-token\n\nsecond-token\r\n");
  Start([&](server::ServerConfig* config) {
    config->token_file = dir.File("tokens");
  });
  const std::pair<std::string, bool> cases[] = {{"", false},
                                                {"Bearer first-token", true},
                                                {"Bearer second-token", true},
                                                {"Bearer first-toke", false},
                                                {"first-token", false}};
  for (const auto& [value, known] : cases) {
    grpc::ClientContext context;
    if (!value.empty()) context.AddMetadata("authorization", value);
    const grpc::Status status = clips_->ConvertClip(
        &context, PositionsRequest(SmallClip()), &converted_);
    EXPECT_EQ(status.error_code(),
              known ? grpc::StatusCode::OK : grpc::StatusCode::UNAUTHENTICATED)
        << value;
  }
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
  // A caller without a token has no limits per caller; the last has none by
  // default.
  EXPECT_THAT(unstated,
              ::testing::UnorderedElementsAre(
                  "max_clip_memory_bytes", "max_inflight_clips_per_caller",
                  "max_inflight_bytes_per_caller", "max_streams_per_caller",
                  "max_connection_age_grace_seconds"));
}

// Sets field 99 of `message`, which no version has.
void SetUnknownField(google::protobuf::Message* message) {
  message->GetReflection()->MutableUnknownFields(message)->AddVarint(99, 1);
}

// The fields that a report names as not known.
std::string UnknownFieldsIn(const v1::ValidationReport& report) {
  std::string named;
  for (const v1::Issue& issue : report.issues()) {
    if (issue.code() != "REQUEST_FIELD_UNKNOWN") continue;
    EXPECT_EQ(issue.severity(), v1::SEVERITY_WARNING);
    named += issue.args().at("fields");
  }
  return named;
}

TEST_F(UnaryTest, FieldsThatAreNotKnownAreNamedInTheReport) {
  Start();
  v1::ConvertClipRequest request = PositionsRequest(SmallClip());
  SetUnknownField(&request);
  SetUnknownField(request.mutable_source());
  SetUnknownField(request.mutable_options()->mutable_read());
  SetUnknownField(
      request.mutable_options()->mutable_outputs(0)->mutable_positions());
  ASSERT_TRUE(Convert(request).ok());
  EXPECT_EQ(UnknownFieldsIn(converted_.result().report()),
            "options.read: field 99, options.outputs[0].positions: field 99, "
            "field 99, source: field 99");
}

TEST_F(UnaryTest, StreamsNameFieldsThatAreNotKnown) {
  Start();
  grpc::ClientContext context;
  const auto stream = clips_->ConvertClips(&context);
  v1::ConvertClipsRequest frame;
  v1::ClipBegin* begin = frame.mutable_begin();
  begin->set_key("a");
  begin->set_complete(true);
  begin->mutable_source()->set_data(SmallClip());
  SetUnknownField(begin);
  SetUnknownField(begin->mutable_options()->mutable_validation());
  ASSERT_TRUE(stream->Write(frame));
  stream->WritesDone();
  v1::ConvertClipsResponse response;
  std::string named;
  while (stream->Read(&response)) {
    if (response.has_result()) {
      named += UnknownFieldsIn(response.result().report());
    }
  }
  EXPECT_TRUE(stream->Finish().ok());
  EXPECT_EQ(named, "options.validation: field 99, begin: field 99");
}

}  // namespace
}  // namespace bvhmill::testing
