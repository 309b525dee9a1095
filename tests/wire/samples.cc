#include "tests/wire/samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bvhmill/wire/result.h"

namespace bvhmill::testing {
namespace {

using ::testing::UnorderedElementsAreArray;

Issue FullIssue() {
  Issue issue;
  issue.code = "MOTION_NUMBER_INVALID";
  issue.severity = Severity::kWarning;
  issue.message = "'1,5' is not a number \u00e4";
  issue.location = {.byte_offset = int64_t{5} << 32,
                    .line = int64_t{6} << 32,
                    .column = 7,
                    .frame = int64_t{8} << 32,
                    .joint = 9,
                    .channel = 2,
                    .joint_name = "\u817f",
                    .last_frame = int64_t{9} << 32};
  issue.occurrences = int64_t{3} << 40;
  issue.args = {{"joint", "Hips"}, {"word", "'1,5'"}};
  return issue;
}

template <typename Message, typename Value>
Message MakeMessage(const Value& value) {
  Message out;
  wire::ToProto(value, &out);
  return out;
}

void ExpectSameLocation(const Location& actual, const Location& expected) {
  EXPECT_EQ(actual.byte_offset, expected.byte_offset);
  EXPECT_EQ(actual.line, expected.line);
  EXPECT_EQ(actual.column, expected.column);
  EXPECT_EQ(actual.frame, expected.frame);
  EXPECT_EQ(actual.joint, expected.joint);
  EXPECT_EQ(actual.channel, expected.channel);
  EXPECT_EQ(actual.joint_name, expected.joint_name);
  EXPECT_EQ(actual.last_frame, expected.last_frame);
}

void ExpectSameIssue(const Issue& actual, const Issue& expected) {
  EXPECT_EQ(actual.code, expected.code);
  EXPECT_EQ(actual.severity, expected.severity);
  EXPECT_EQ(actual.message, expected.message);
  EXPECT_EQ(actual.occurrences, expected.occurrences);
  EXPECT_THAT(actual.args, UnorderedElementsAreArray(expected.args));
  ExpectSameLocation(actual.location, expected.location);
}

}  // namespace

Report FullReport() {
  Report report;
  report.verdict = Verdict::kInvalid;
  report.counts = {int64_t{1} << 40, 2, 3, 4};
  // One with every place, one at zero (which is not: no place), one without.
  report.issues = {FullIssue(), FullIssue(), FullIssue()};
  report.issues[1].severity = Severity::kError;
  report.issues[1].location = {};
  report.issues[1].location.byte_offset = 0;
  report.issues[1].location.frame = 0;
  report.issues[1].location.joint = 0;
  report.issues[1].args.clear();
  report.issues[2].severity = Severity::kHint;
  report.issues[2].location = {};
  report.truncated = true;
  report.rules_version = "17";
  report.thresholds = {{"DATA_SPIKE", "degrees", 0.25}};
  return report;
}

ClipInfo FullInfo() {
  ClipInfo info;
  info.frames = int64_t{1} << 33;
  info.frame_time = 0.0083333333333333332;
  info.frames_per_second = 120.00000000000001;
  info.joint_count = 2;
  info.joints =
      JointList({{"\u817f \"x\"", -1, "XYZzxy", false, {0, -1.5f, 1e-20f}},
                 {"Knee", 0, "zxyijk", false, {0.1f, 2, 3}},
                 {"Knee_End", 1, "", true, {0, 0, 0}}});
  return info;
}

std::vector<OutputInfo> FullOutputs() {
  const TensorInfo tensor{{int64_t{1} << 33, 0, 3}, {"frame", "joint", "xyz"}};
  return {{"positions", "application/vnd.bvhmill.tensor", 0, tensor},
          {"a b", "text/csv", -1, {}},
          {"c", "text/plain", int64_t{1} << 40, {}}};
}

StageTimes FullTimes() {
  using std::chrono::nanoseconds;
  return {nanoseconds(1),
          nanoseconds(999'999'999),
          nanoseconds(1'000'000'000),
          nanoseconds(7),
          nanoseconds(86'400'123'456'789),
          nanoseconds(0)};
}

ConvertResult FullResult() {
  ConvertResult result;
  result.report = FullReport();
  result.info = FullInfo();
  result.outputs = FullOutputs();
  result.times = FullTimes();
  return result;
}

v1::ValidationReport ToMessage(const Report& report) {
  return MakeMessage<v1::ValidationReport>(report);
}

v1::ClipInfo ToMessage(const ClipInfo& info) {
  return MakeMessage<v1::ClipInfo>(info);
}

v1::Output ToMessage(const OutputInfo& output) {
  return MakeMessage<v1::Output>(output);
}

v1::StageTimes ToMessage(const StageTimes& times) {
  return MakeMessage<v1::StageTimes>(times);
}

v1::ClipResult ToMessage(const ConvertResult& result) {
  return MakeMessage<v1::ClipResult>(result);
}

void ExpectSame(const Report& actual, const Report& expected) {
  EXPECT_EQ(actual.verdict, expected.verdict);
  EXPECT_EQ(actual.counts.errors, expected.counts.errors);
  EXPECT_EQ(actual.counts.warnings, expected.counts.warnings);
  EXPECT_EQ(actual.counts.infos, expected.counts.infos);
  EXPECT_EQ(actual.counts.hints, expected.counts.hints);
  EXPECT_EQ(actual.truncated, expected.truncated);
  EXPECT_EQ(actual.rules_version, expected.rules_version);
  ASSERT_EQ(actual.issues.size(), expected.issues.size());
  for (size_t i = 0; i < expected.issues.size(); ++i) {
    ExpectSameIssue(actual.issues[i], expected.issues[i]);
  }
}

void ExpectSame(const ClipInfo& actual, const ClipInfo& expected) {
  EXPECT_EQ(actual.frames, expected.frames);
  EXPECT_EQ(actual.frame_time, expected.frame_time);
  EXPECT_EQ(actual.frames_per_second, expected.frames_per_second);
  EXPECT_EQ(actual.joint_count, expected.joint_count);
  ASSERT_EQ(actual.joints.size(), expected.joints.size());
  for (size_t i = 0; i < expected.joints.size(); ++i) {
    EXPECT_EQ(actual.joints[i].name, expected.joints[i].name);
    EXPECT_EQ(actual.joints[i].parent, expected.joints[i].parent);
    EXPECT_EQ(actual.joints[i].channels, expected.joints[i].channels);
    EXPECT_EQ(actual.joints[i].end_site, expected.joints[i].end_site);
    EXPECT_EQ(actual.joints[i].offset, expected.joints[i].offset);
  }
}

void ExpectSame(const OutputInfo& actual, const OutputInfo& expected) {
  EXPECT_EQ(actual.id, expected.id);
  EXPECT_EQ(actual.media_type, expected.media_type);
  EXPECT_EQ(actual.size_bytes, expected.size_bytes);
  ASSERT_EQ(actual.tensor.has_value(), expected.tensor.has_value());
  if (!expected.tensor) return;
  EXPECT_EQ(actual.tensor->shape, expected.tensor->shape);
  EXPECT_EQ(actual.tensor->axes, expected.tensor->axes);
}

void ExpectSame(const StageTimes& actual, const StageTimes& expected) {
  EXPECT_EQ(actual.queued, expected.queued);
  EXPECT_EQ(actual.read, expected.read);
  EXPECT_EQ(actual.validate, expected.validate);
  EXPECT_EQ(actual.edit, expected.edit);
  EXPECT_EQ(actual.solve, expected.solve);
  EXPECT_EQ(actual.encode, expected.encode);
}

}  // namespace bvhmill::testing
