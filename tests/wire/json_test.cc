// The JSON of reports has all fields of the messages, under their names: a
// parser of protobuf reads the same messages from it.

#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "bvhmill/encode/report_json.h"
#include "bvhmill/v1/report.pb.h"
#include "bvhmill/v1/result.pb.h"
#include "bvhmill/wire/result.h"
#include "tests/wire/samples.h"

namespace bvhmill::testing {
namespace {

using google::protobuf::util::JsonStringToMessage;
using google::protobuf::util::MessageDifferencer;

// Fails the test unless `json` reads as `expected`.
template <typename Message>
void ExpectReadsAs(const std::string& json, const Message& expected) {
  Message actual;
  const auto status = JsonStringToMessage(json, &actual);
  ASSERT_TRUE(status.ok()) << status.ToString() << "\n" << json;
  MessageDifferencer differencer;
  std::string difference;
  differencer.ReportDifferencesToString(&difference);
  EXPECT_TRUE(differencer.Compare(expected, actual)) << difference;
}

void ExpectJsonOf(const Report& report, const ClipInfo& info) {
  const auto json = nlohmann::json::parse(ReportJson("", report, info));
  ExpectReadsAs(json.at("report").dump(), ToMessage(report));
  ExpectReadsAs(json.at("info").dump(), ToMessage(info));
}

TEST(Json, ReadsAsTheMessages) { ExpectJsonOf(FullReport(), FullInfo()); }

TEST(Json, OfDefaultsReadsAsTheMessages) { ExpectJsonOf({}, {}); }

TEST(Json, OfEveryVerdictReadsAsTheMessages) {
  for (int number = 1; number <= 4; ++number) {
    Report report = FullReport();
    report.verdict = static_cast<Verdict>(number);
    report.issues[0].severity = static_cast<Severity>(number);
    ExpectJsonOf(report, FullInfo());
  }
}

void ExpectJsonOf(const ClipMeasures& measures) {
  v1::ClipMeasures message;
  wire::ToProto(measures, &message);
  ExpectReadsAs(MeasuresJson(measures), message);
}

TEST(Json, OfMeasuresReadsAsTheMessage) {
  ClipMeasures measures;
  ExpectJsonOf(measures);
  measures.duration = 0.1;
  measures.depth = 2;
  measures.channels = 9;
  measures.extents = ClipExtents{{-1, 0.1F, 2}, {3, 4, 5}};
  measures.rest_pose = RestPoseKind::kT;
  measures.rest_size = {0.1, 0.2, 0.3};
  measures.height = 1.7;
  measures.reach = 1.5;
  measures.body_root = 1;
  measures.root_path = 10;
  measures.root_speed = 1 / 3.0;
  measures.fastest = FastestJoint{2.5, 1, 7};
  measures.loop_degrees = 5;
  measures.loop_distance = 0;
  measures.joints = {{{0.1F}, {0.7F}, 30}, {}};
  ExpectJsonOf(measures);
}

TEST(Json, OfARealClipReadsAsTheMessages) {
  const std::string text =
      "# \x83\x52\nHIERARCHY\nROOT \"a\\\n{\nOFFSET 0 0 0\nCHANNELS 1 "
      "Zrotation\n}\nMOTION\nFrames: 2\nFrame Time: 0.1\n1\nx\n";
  const ConvertResult result = Convert(text, {}, nullptr, nullptr);
  EXPECT_FALSE(result.report.issues.empty());
  ExpectJsonOf(result.report, result.info);
}

JointList WithOffset(const JointList& joints, std::array<float, 3> offset) {
  std::vector<JointInfo> changed(joints.begin(), joints.end());
  changed[0].offset = offset;
  return JointList(std::move(changed));
}

// Numbers that need all of their digits.
TEST(Json, OfExtremeNumbersReadsAsTheMessages) {
  ClipInfo info = FullInfo();
  info.frames_per_second = std::numeric_limits<double>::denorm_min();
  info.joints =
      WithOffset(info.joints, {0, std::numeric_limits<float>::denorm_min(),
                               std::numeric_limits<float>::max()});
  ExpectJsonOf(FullReport(), info);
}

TEST(Json, OfInfoAloneIsTheSame) {
  ExpectReadsAs(ClipInfoJson(FullInfo()), ToMessage(FullInfo()));
}

// Fails the test unless `json` has a key for each field of `message`, also in
// the messages and lists below it.
void ExpectEveryField(const nlohmann::json& json,
                      const google::protobuf::Descriptor& message) {
  EXPECT_EQ(json.size(), static_cast<size_t>(message.field_count())) << json;
  for (int i = 0; i < message.field_count(); ++i) {
    const auto* field = message.field(i);
    ASSERT_TRUE(json.contains(field->name())) << field->full_name();
    const auto& value = json.at(field->name());
    if (field->message_type() == nullptr || field->is_map()) continue;
    if (!field->is_repeated()) {
      ExpectEveryField(value, *field->message_type());
      continue;
    }
    for (const auto& item : value)
      ExpectEveryField(item, *field->message_type());
  }
}

TEST(Json, HasEveryFieldOfTheMessages) {
  for (const bool full : {true, false}) {
    const auto json =
        nlohmann::json::parse(full ? ReportJson("", FullReport(), FullInfo())
                                   : ReportJson("", {}, {}));
    ExpectEveryField(json.at("report"), *v1::ValidationReport::descriptor());
    ExpectEveryField(json.at("info"), *v1::ClipInfo::descriptor());
  }
}

TEST(Json, HasProtoFieldNamesOnOneLine) {
  const std::string text = ReportJson("a \"b\".bvh", FullReport(), FullInfo());
  EXPECT_EQ(text.find('\n'), std::string::npos);
  EXPECT_TRUE(text.starts_with("{\"file\"")) << text;
  const auto json = nlohmann::json::parse(text);
  EXPECT_EQ(json.at("file"), "a \"b\".bvh");
  EXPECT_TRUE(json.at("report").contains("rules_version"));
  EXPECT_TRUE(json.at("info").contains("frame_time_seconds"));
  EXPECT_TRUE(
      json.at("report").at("issues").at(0).at("location").contains("line"));
  EXPECT_FALSE(nlohmann::json::parse(ReportJson("", {}, {})).contains("file"));
}

}  // namespace
}  // namespace bvhmill::testing
