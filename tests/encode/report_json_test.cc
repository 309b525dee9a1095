// The JSON of reports, read with a JSON library.

#include "bvhmill/encode/report_json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/support/clips.h"

namespace bvhmill::testing {
namespace {

using nlohmann::json;

json Parse(const Report& report, const ClipInfo& info = {},
           std::string_view file = "") {
  const std::string text = ReportJson(file, report, info);
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  json parsed = json::parse(text, nullptr, false);
  EXPECT_FALSE(parsed.is_discarded()) << text;
  return parsed;
}

json ParseInfo(const ClipInfo& info) {
  return json::parse(ClipInfoJson(info), nullptr, false);
}

Issue FullIssue() {
  Issue issue;
  issue.code = "MOTION_NUMBER_INVALID";
  issue.severity = Severity::kError;
  issue.message = "'1,5' is not a number";
  issue.location.byte_offset = int64_t{1} << 40;
  issue.location.line = 12;
  issue.location.column = 5;
  issue.location.frame = 3;
  issue.location.joint = 7;
  issue.location.channel = 2;
  issue.location.joint_name = "Hips";
  issue.occurrences = int64_t{1} << 53;
  issue.args = {{"word", "1,5"}};
  return issue;
}

TEST(ReportJson, FullReport) {
  Report report;
  report.verdict = Verdict::kInvalid;
  report.counts = {(int64_t{1} << 53) + 1, 2, 3, 4};
  report.issues = {FullIssue()};
  report.truncated = true;
  const json wanted = json::parse(R"({
    "verdict": "VERDICT_INVALID",
    "counts": {"errors": 9007199254740993, "warnings": 2, "infos": 3,
               "hints": 4},
    "issues": [{
      "code": "MOTION_NUMBER_INVALID", "severity": "SEVERITY_ERROR",
      "message": "'1,5' is not a number",
      "location": {"byte_offset": 1099511627776, "line": 12, "column": 5,
                   "frame": 3, "last_frame": null, "joint": 7, "channel": 2,
                   "joint_name": "Hips"},
      "occurrences": 9007199254740992, "args": {"word": "1,5"}}],
    "truncated": true, "thresholds": []})");
  json parsed = Parse(report)["report"];
  EXPECT_EQ(parsed["rules_version"], kRulesVersion);
  parsed.erase("rules_version");
  EXPECT_EQ(parsed, wanted) << parsed.dump(1);
}

TEST(ReportJson, EveryFieldOfAnEmptyReportIsPresent) {
  Report report;
  report.verdict = Verdict::kValid;
  json parsed = Parse(report);
  EXPECT_FALSE(parsed.contains("file"));
  EXPECT_TRUE(parsed.contains("info"));
  parsed["report"].erase("rules_version");
  const json wanted = json::parse(R"({
    "verdict": "VERDICT_VALID",
    "counts": {"errors": 0, "warnings": 0, "infos": 0, "hints": 0},
    "issues": [], "truncated": false, "thresholds": []})");
  EXPECT_EQ(parsed["report"], wanted) << parsed.dump(1);
}

TEST(ReportJson, AnUnknownLocationIsNull) {
  Report report;
  Issue issue;
  issue.code = "TEXT_EMPTY";
  issue.severity = Severity::kError;
  report.issues = {issue};
  const json wanted = json::parse(R"({
    "code": "TEXT_EMPTY", "severity": "SEVERITY_ERROR", "message": "",
    "location": {"byte_offset": null, "line": null, "column": null,
                 "frame": null, "last_frame": null, "joint": null,
                 "channel": null,
                 "joint_name": null},
    "occurrences": 1, "args": {}})");
  EXPECT_EQ(Parse(report)["report"]["issues"][0], wanted);
}

TEST(ReportJson, ZeroInALocationIsANumber) {
  Report report;
  Issue issue = FullIssue();
  issue.location = {};
  issue.location.byte_offset = 0;
  issue.location.frame = 0;
  issue.location.joint = 0;
  issue.location.channel = 0;
  report.issues = {issue};
  const json wanted = json::parse(R"({
    "byte_offset": 0, "line": null, "column": null, "frame": 0,
    "last_frame": null, "joint": 0, "channel": 0, "joint_name": null})");
  EXPECT_EQ(Parse(report)["report"]["issues"][0]["location"], wanted);
}

TEST(ReportJson, EnumsAreNames) {
  const std::pair<Verdict, std::string> verdicts[] = {
      {Verdict::kValid, "VERDICT_VALID"},
      {Verdict::kAccepted, "VERDICT_ACCEPTED"},
      {Verdict::kInvalid, "VERDICT_INVALID"},
      {Verdict::kUnreadable, "VERDICT_UNREADABLE"}};
  for (const auto& [verdict, name] : verdicts) {
    Report report;
    report.verdict = verdict;
    EXPECT_EQ(Parse(report)["report"]["verdict"], name);
  }
  const std::pair<Severity, std::string> severities[] = {
      {Severity::kError, "SEVERITY_ERROR"},
      {Severity::kWarning, "SEVERITY_WARNING"},
      {Severity::kInfo, "SEVERITY_INFO"},
      {Severity::kHint, "SEVERITY_HINT"}};
  for (const auto& [severity, name] : severities) {
    Report report;
    report.issues = {FullIssue()};
    report.issues[0].severity = severity;
    EXPECT_EQ(Parse(report)["report"]["issues"][0]["severity"], name);
  }
}

TEST(ReportJson, TextIsEscaped) {
  const std::string odd =
      "\"\\/\b\f\n\r\t\x01\x1F\x7F <&> \xC3\xA4 \xF0\x9F"
      "\xA6\xB5";
  Report report;
  report.issues = {FullIssue()};
  report.issues[0].message = odd;
  report.issues[0].location.joint_name = odd;
  report.issues[0].args = {{"word", odd}, {odd, "x"}};
  const json parsed = Parse(report, {}, odd);
  EXPECT_EQ(parsed["file"], odd);
  const json& issue = parsed["report"]["issues"][0];
  EXPECT_EQ(issue["message"], odd);
  EXPECT_EQ(issue["location"]["joint_name"], odd);
  EXPECT_EQ(issue["args"]["word"], odd);
  EXPECT_EQ(issue["args"][odd], "x");
}

TEST(ReportJson, FileComesFirst) {
  const std::string text = ReportJson("a.bvh", {}, {});
  EXPECT_TRUE(text.starts_with(R"({"file":"a.bvh",)")) << text;
}

TEST(ClipInfoJson, FactsOfAClip) {
  Clip clip = SmallLeg(7);
  clip.motion.frame_time = 0.25;
  clip.skeleton.nodes[1].offset = {0.1f, -40, 0};
  const json wanted = json::parse(R"({
    "frames": 7, "frames_per_second": 4.0, "frame_time_seconds": 0.25,
    "joint_count": 3, "joints": [
      {"name": "Hips", "parent": -1, "channels": "XYZzxy",
       "end_site": false, "offset": [0.0, 0.0, 0.0]},
      {"name": "Knee", "parent": 0, "channels": "zxy", "end_site": false,
       "offset": [0.1, -40.0, 0.0]},
      {"name": "Foot", "parent": 1, "channels": "xyz", "end_site": false,
       "offset": [0.0, -42.0, 1.0]},
      {"name": "Foot_End", "parent": 2, "channels": "", "end_site": true,
       "offset": [0.0, -5.0, 15.0]}]})");
  const json parsed = ParseInfo(
      DescribeClip(clip.skeleton, clip.motion.frames, clip.motion.frame_time));
  EXPECT_EQ(parsed, wanted) << parsed.dump(1);
  EXPECT_EQ(Parse({}, DescribeClip(clip.skeleton, clip.motion.frames,
                                   clip.motion.frame_time))["info"],
            wanted);
}

TEST(ClipInfoJson, EveryFieldOfAnEmptyClipIsPresent) {
  const json wanted = json::parse(R"({
    "frames": 0, "frames_per_second": 0.0, "joints": [],
    "frame_time_seconds": 0.0, "joint_count": 0})");
  EXPECT_EQ(ParseInfo({}), wanted);
}

// JSON has no such numbers.
TEST(ClipInfoJson, NumbersThatAreNotFiniteAreNull) {
  for (const double value :
       {double{NAN}, double{INFINITY}, double{-INFINITY}}) {
    ClipInfo info;
    info.frame_time = value;
    EXPECT_TRUE(ParseInfo(info)["frame_time_seconds"].is_null()) << value;
  }
}

TEST(ClipInfoJson, FrameTimeReadsBackEqual) {
  for (const double time : {1.0 / 3, 0.0083333, 1e-300, 0.1}) {
    ClipInfo info;
    info.frame_time = time;
    EXPECT_EQ(ParseInfo(info)["frame_time_seconds"].get<double>(), time);
  }
}

}  // namespace
}  // namespace bvhmill::testing
