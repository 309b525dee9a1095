// Answers of unary calls to good clips, broken clips and wrong requests.

#include "tests/server/convert/unary.h"

#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <grpcpp/grpcpp.h>

#include <string>
#include <utility>

#include "bvhmill/encode/encode.h"
#include "server/app/config.h"
#include "tests/server/fixture.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

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

TEST_F(UnaryTest, ConvertOfABrokenClipIsOkWithItsReport) {
  Start();
  std::string broken = SmallClip(3);
  broken.replace(broken.find("OFFSET 0 5 0"), 12, "OFFSET 0 five 0");
  ASSERT_TRUE(Convert(PositionsRequest(broken)).ok());
  const v1::ClipResult& result = converted_.result();
  EXPECT_EQ(result.status().code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(result.status().message(), HasSubstr("'five'"));
  const v1::ErrorInfo& info = result.status().info();
  EXPECT_EQ(info.reason(), "HIERARCHY_OFFSET_INVALID");
  EXPECT_EQ(info.domain(), "bvhmill.v1");
  EXPECT_EQ(info.metadata().at("line"), "8");
  EXPECT_EQ(info.metadata().at("column"), "12");
  EXPECT_EQ(result.report().verdict(), v1::VERDICT_UNREADABLE);
  ASSERT_EQ(result.report().issues_size(), 1);
  EXPECT_EQ(result.report().issues(0).code(), "HIERARCHY_OFFSET_INVALID");
  EXPECT_EQ(result.outputs_size(), 0);
}

TEST_F(UnaryTest, ARefusedClipHasTheReportOfValidate) {
  Start();
  std::string broken = SmallClip(3);
  broken.insert(broken.size() - 1, ",5");
  ASSERT_TRUE(Convert(PositionsRequest(broken)).ok());
  ASSERT_TRUE(Validate(broken).ok());
  EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(
      converted_.result().report(), validated_.result().report()));
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
  code.mutable_options()->mutable_validation()->add_ignore("NO_SUCH");
  const std::pair<v1::ConvertClipRequest, std::string> cases[] = {
      {empty, "options.outputs"},
      {unset, "options.outputs[0].format"},
      {twice, "options.outputs[1].id"},
      {code, "options.validation.ignore"}};
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
  options.mutable_read()->set_units(0.01);
  v1::ClipEdits& edits = *options.mutable_edits();
  edits.set_to_units(1);
  edits.add_drop("Spine");
  edits.mutable_frames()->set_end(4);
  (*edits.mutable_rename())["Hips"] = "mPelvis";
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
  units.mutable_options()->mutable_edits()->set_to_units(1);
  v1::ConvertClipRequest rate = PositionsRequest(still);
  rate.mutable_options()->mutable_edits()->set_fps(30);
  v1::ConvertClipRequest joint = PositionsRequest(SmallClip());
  joint.mutable_options()->mutable_edits()->add_drop("Tail");
  struct Case {
    const v1::ConvertClipRequest& request;
    bool is_fault_of_clip;
    grpc::StatusCode code;
    std::string reason;
    std::string field;
  };
  const Case cases[] = {{units, false, grpc::StatusCode::FAILED_PRECONDITION,
                         "SOURCE_CONVENTION_UNKNOWN", "options.edits.to_units"},
                        {rate, true, grpc::StatusCode::FAILED_PRECONDITION,
                         "FRAME_RATE_UNKNOWN", "options.edits.fps"},
                        {joint, true, grpc::StatusCode::INVALID_ARGUMENT,
                         "EDIT_DOES_NOT_FIT", "options.edits.drop"}};
  for (const Case& c : cases) {
    const grpc::Status status = Convert(c.request);
    EXPECT_EQ(status.ok(), c.is_fault_of_clip) << c.reason;
    const v1::Status refusal = OutcomeOf(status, converted_.result());
    EXPECT_EQ(refusal.code(), c.code) << refusal.message();
    EXPECT_EQ(refusal.info().reason(), c.reason);
    EXPECT_EQ(refusal.info().metadata().at("field"), c.field);
  }
}

TEST_F(UnaryTest, ValidateTriesTheEdits) {
  Start();
  v1::ValidateClipRequest request;
  request.mutable_source()->set_data(SmallClip());
  request.mutable_options()->mutable_edits()->add_drop("Tail");
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
  request.mutable_options()->clear_outputs();
  request.mutable_options()->add_outputs()->mutable_anim();
  ASSERT_TRUE(Convert(request).ok());
  const v1::Status& status = converted_.result().status();
  EXPECT_EQ(status.code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(status.info().reason(), "TARGET_ANIM_NO_JOINTS");
  EXPECT_EQ(converted_.result().outputs_size(), 0);
}

TEST_F(UnaryTest, AnOutputThatCannotBeMadeLeavesTheOthers) {
  Start();
  v1::ConvertClipRequest request = PositionsRequest(SmallClip());
  request.mutable_options()->add_outputs()->mutable_anim();
  ASSERT_TRUE(Convert(request).ok());
  const v1::ClipResult& result = converted_.result();
  EXPECT_EQ(result.status().code(), 0);
  EXPECT_EQ(result.report().verdict(), v1::VERDICT_VALID);
  EXPECT_EQ(result.report().counts().errors(), 1);
  ASSERT_EQ(result.outputs_size(), 2);
  EXPECT_FALSE(result.outputs(0).has_status());
  EXPECT_FALSE(result.outputs(0).data().empty());
  const v1::Output& anim = result.outputs(1);
  EXPECT_EQ(anim.status().code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(anim.status().info().reason(), "TARGET_ANIM_NO_JOINTS");
  EXPECT_EQ(anim.size_bytes(), 0);
  EXPECT_TRUE(anim.data().empty());
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
  anim->add_joint_priority()->set_joint("mPelvis");
  const grpc::Status status = Convert(request);
  ASSERT_TRUE(status.ok()) << status.error_message();
  const v1::Output& output = converted_.result().outputs(0);
  EXPECT_EQ(output.media_type(), "application/vnd.ll.animation");
  EXPECT_EQ(output.data(), LocalOutputs(text, request.options())[0]);
  EXPECT_EQ(output.data()[4], 4);
  // The rib drives nothing.
  std::vector<std::string> codes;
  for (const v1::Issue& issue : converted_.result().report().issues()) {
    if (issue.code().starts_with("ANIM_")) codes.push_back(issue.code());
  }
  EXPECT_THAT(codes,
              ElementsAre("ANIM_REFERENCE_CHOSEN", "ANIM_JOINT_LEFT_OUT"));
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

}  // namespace
}  // namespace bvhmill::testing
