// The JSON of reports is that of protobuf.

#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "bvhmill/encode/report_json.h"
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

TEST(Json, IsTheMappingOfProtobuf) { ExpectJsonOf(FullReport(), FullInfo()); }

TEST(Json, OfDefaultsIsTheMappingOfProtobuf) { ExpectJsonOf({}, {}); }

TEST(Json, OfEveryVerdictIsTheMappingOfProtobuf) {
  for (int number = 1; number <= 4; ++number) {
    Report report = FullReport();
    report.verdict = static_cast<Verdict>(number);
    report.issues[0].severity = static_cast<Severity>(number);
    ExpectJsonOf(report, FullInfo());
  }
}

TEST(Json, OfARealClipIsTheMappingOfProtobuf) {
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

// Numbers that JSON has no word for, or that need all of their digits.
TEST(Json, OfOddNumbersIsTheMappingOfProtobuf) {
  ClipInfo info = FullInfo();
  info.frame_time = std::numeric_limits<double>::infinity();
  info.frames_per_second = std::numeric_limits<double>::denorm_min();
  info.joints =
      WithOffset(info.joints, {0, std::numeric_limits<float>::denorm_min(),
                               std::numeric_limits<float>::max()});
  ExpectJsonOf(FullReport(), info);
}

// No file gives such an OFFSET, but code may.
TEST(Json, OfInfiniteOffsetsIsTheMappingOfProtobuf) {
  ClipInfo info = FullInfo();
  info.joints =
      WithOffset(info.joints, {-std::numeric_limits<float>::infinity(), 1, 2});
  ExpectJsonOf(FullReport(), info);
}

TEST(Json, OfInfoAloneIsTheSame) {
  ExpectReadsAs(ClipInfoJson(FullInfo()), ToMessage(FullInfo()));
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
