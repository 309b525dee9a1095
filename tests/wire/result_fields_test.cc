// Every field of ClipResult against hand-written text protos: what the server
// writes, by message and by Serialize, and what the client reads.

#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "bvhmill/base/status.h"
#include "bvhmill/report/report.h"
#include "bvhmill/wire/result.h"
#include "bvhmill/wire/serialize.h"
#include "tests/support/error_parts.h"
#include "tests/wire/coverage.h"
#include "tests/wire/plain_text.h"

namespace bvhmill::testing {

// A plain result that differs from the default by `change`, as the message
// kBase with the fields of `text`.
struct ResultCase {
  const char* text;
  void (*change)(ConvertResult*);
};

void PrintTo(const ResultCase& result, std::ostream* out) {
  *out << result.text;
}

namespace {

using google::protobuf::util::MessageDifferencer;
using std::chrono::nanoseconds;
using ::testing::IsEmpty;

constexpr char kBase[] =
    "status {} report { verdict: VERDICT_UNREADABLE counts {} "
    "} info {} times { queued {} read {} validate {} "
    "edit {} solve {} encode {} }";

// A report with one issue, which `change` makes.
template <typename Change>
void AddIssue(const Change& change, ConvertResult* result) {
  Issue issue;
  issue.code = "TEXT_EMPTY";
  change(&issue);
  result->report.issues = {issue};
}

void SetJoints(std::vector<JointInfo> joints, ConvertResult* result) {
  result->info.joints = JointList(std::move(joints));
}

const ResultCase kResultCases[] = {
    {"", [](ConvertResult*) {}},

    // Status
    {"status { code: 3 message: 'it is broken' }",
     [](ConvertResult* r) {
       r->status =
           MakeStatus(absl::StatusCode::kInvalidArgument, "it is broken");
     }},
    {R"(status { code: 8 message: 'too many' info {
          reason: 'LIMIT_JOINTS' domain: 'bvhmill.v1'
          metadata { key: 'limit' value: '4' }
          metadata { key: 'limit_name' value: 'max_joints' } } })",
     [](ConvertResult* r) {
       r->status = WithParts(
           MakeStatus(absl::StatusCode::kResourceExhausted, "too many"),
           {"LIMIT_JOINTS", {{"limit", "4"}, {"limit_name", "max_joints"}}});
     }},

    // ValidationReport
    {"report { verdict: VERDICT_VALID }",
     [](ConvertResult* r) { r->report.verdict = Verdict::kValid; }},
    {"report { verdict: VERDICT_ACCEPTED }",
     [](ConvertResult* r) { r->report.verdict = Verdict::kAccepted; }},
    {"report { verdict: VERDICT_INVALID }",
     [](ConvertResult* r) { r->report.verdict = Verdict::kInvalid; }},
    {"report { verdict: VERDICT_UNREADABLE }",
     [](ConvertResult* r) { r->report.verdict = Verdict::kUnreadable; }},
    {"report { counts { errors: 4294967297 } }",
     [](ConvertResult* r) { r->report.counts.errors = 4294967297; }},
    {"report { counts { warnings: 4294967298 } }",
     [](ConvertResult* r) { r->report.counts.warnings = 4294967298; }},
    {"report { counts { infos: 4294967299 } }",
     [](ConvertResult* r) { r->report.counts.infos = 4294967299; }},
    {"report { counts { hints: 4294967300 } }",
     [](ConvertResult* r) { r->report.counts.hints = 4294967300; }},
    {"report { truncated: true }",
     [](ConvertResult* r) { r->report.truncated = true; }},
    {"report { rules_version: '17' }",
     [](ConvertResult* r) { r->report.rules_version = "17"; }},
    {R"(report { thresholds { code: 'DATA_SPIKE' name: 'degrees' value: 4.5 }
          thresholds { code: 'NEW' name: 'newer' value: 0 } })",
     [](ConvertResult* r) {
       r->report.thresholds = {{"DATA_SPIKE", "degrees", 4.5},
                               {"NEW", "newer", 0}};
     }},

    // Issue
    {R"(report { issues { code: 'TEXT_EMPTY' severity: SEVERITY_ERROR
          location {} occurrences: 1 } })",
     [](ConvertResult* r) { AddIssue([](Issue*) {}, r); }},
    {R"(report { issues { code: 'TEXT_COMMENT' severity: SEVERITY_WARNING
          location {} occurrences: 4294967296 message: 'says \303\244' } })",
     [](ConvertResult* r) {
       AddIssue(
           [](Issue* issue) {
             issue->code = "TEXT_COMMENT";
             issue->severity = Severity::kWarning;
             issue->occurrences = int64_t{1} << 32;
             issue->message = "says \xc3\xa4";
           },
           r);
     }},
    {R"(report { issues { code: 'TEXT_EMPTY' severity: SEVERITY_INFO
          location {} occurrences: 1
          args { key: 'word' value: 'x' }
          args { key: 'joint' value: 'H' } } })",
     [](ConvertResult* r) {
       AddIssue(
           [](Issue* issue) {
             issue->severity = Severity::kInfo;
             issue->args = {{"joint", "H"}, {"word", "x"}};
           },
           r);
     }},
    {R"(report { issues { code: 'TEXT_EMPTY' severity: SEVERITY_HINT
          occurrences: 1 location {
            byte_offset: 8589934592 line: 4294967296 column: 7
            frame: 17179869184 joint: 9 channel: 2 joint_name: 'Knee'
            last_frame: 34359738368 } } })",
     [](ConvertResult* r) {
       AddIssue(
           [](Issue* issue) {
             issue->severity = Severity::kHint;
             issue->location = {
                 int64_t{1} << 33, int64_t{1} << 32, 7, int64_t{1} << 34, 9, 2,
                 "Knee",           int64_t{1} << 35};
           },
           r);
     }},
    // 0 is a place, which a field that is not set is not.
    {R"(report { issues { code: 'TEXT_EMPTY' severity: SEVERITY_ERROR
          occurrences: 1 location { byte_offset: 0 line: 0 column: 0
            frame: 0 joint: 0 channel: 0 last_frame: 0 } } })",
     [](ConvertResult* r) {
       AddIssue(
           [](Issue* issue) { issue->location = {0, 0, 0, 0, 0, 0, "", 0}; },
           r);
     }},

    // ClipInfo
    {"info { frames: 4294967301 }",
     [](ConvertResult* r) { r->info.frames = 4294967301; }},
    {"info { frames_per_second: 120.5 }",
     [](ConvertResult* r) { r->info.frames_per_second = 120.5; }},
    {"info { frame_time_seconds: 0.0083 }",
     [](ConvertResult* r) { r->info.frame_time = 0.0083; }},
    {"info { joint_count: 12 }",
     [](ConvertResult* r) { r->info.joint_count = 12; }},
    {R"(info { joints { name: 'Hips' parent: -1 channels: 'XYZzxy'
                        offset: 0.5 offset: -1 offset: 2 }
               joints { name: 'Tip' parent: 0 end_site: true
                        offset: 0 offset: 3 offset: 0 } })",
     [](ConvertResult* r) {
       SetJoints({{"Hips", -1, "XYZzxy", false, {0.5F, -1, 2}},
                  {"Tip", 0, "", true, {0, 3, 0}}},
                 r);
     }},

    // Output
    {R"(outputs { id: 'first' media_type: 'text/csv' size_bytes: 4294967302 }
        outputs { id: 'second' media_type: 'text/plain' size_bytes: -1 })",
     [](ConvertResult* r) {
       r->outputs = {{"first", "text/csv", 4294967302, {}},
                     {"second", "text/plain", -1, {}}};
     }},
    {R"(outputs { id: 'p' media_type: 'm' size_bytes: 24 tensor {
          dtype: DATA_TYPE_FLOAT32 shape: 2 shape: 4294967296
          axes: 'frame' axes: 'xyz' } })",
     [](ConvertResult* r) {
       r->outputs = {
           {"p", "m", 24, TensorInfo{{2, int64_t{1} << 32}, {"frame", "xyz"}}}};
     }},

    {R"(outputs { id: 'a' media_type: 'm' status { code: 9
          message: 'an .anim cannot hold the clip' } })",
     [](ConvertResult* r) {
       r->outputs = {
           {"a",
            "m",
            0,
            {},
            absl::FailedPreconditionError("an .anim cannot hold the clip")}};
     }},

    // ClipMeasures
    {"measures { rest_size: 0 rest_size: 0 rest_size: 0 }",
     [](ConvertResult* r) { r->measures.emplace(); }},
    {R"(measures { rest_size: 1 rest_size: 2 rest_size: 3
          duration_seconds: 2.5 depth: 3 channel_count: 9 reach: 15
          rest_pose: REST_POSE_A })",
     [](ConvertResult* r) {
       ClipMeasures& measures = r->measures.emplace();
       measures.rest_size = {1, 2, 3};
       measures.duration = 2.5;
       measures.depth = 3;
       measures.channels = 9;
       measures.reach = 15;
       measures.rest_pose = RestPoseKind::kA;
     }},
    {R"(measures { rest_size: 0 rest_size: 0 rest_size: 0
          extents { min: -1 min: 0 min: 0.5 max: 1 max: 2 max: 3 }
          rest_pose: REST_POSE_ALIGNED })",
     [](ConvertResult* r) {
       ClipMeasures& measures = r->measures.emplace();
       measures.extents = ClipExtents{{-1, 0, 0.5F}, {1, 2, 3}};
       measures.rest_pose = RestPoseKind::kAligned;
     }},
    {R"(measures { rest_size: 0 rest_size: 0 rest_size: 0
          rest_pose: REST_POSE_T })",
     [](ConvertResult* r) {
       r->measures.emplace().rest_pose = RestPoseKind::kT;
     }},
    {R"(measures { rest_size: 0 rest_size: 0 rest_size: 0
          rest_pose: REST_POSE_ARMS_DOWN })",
     [](ConvertResult* r) {
       r->measures.emplace().rest_pose = RestPoseKind::kArmsDown;
     }},
    {R"(measures { rest_size: 0 rest_size: 0 rest_size: 0
          rest_pose: REST_POSE_OTHER })",
     [](ConvertResult* r) {
       r->measures.emplace().rest_pose = RestPoseKind::kOther;
     }},
    // 0 is a number, which a field that is not set is not.
    {R"(measures { rest_size: 0 rest_size: 0 rest_size: 0 height: 0
          root_path: 0 root_speed: 0 loop_degrees: 0 loop_distance: 0
          body_root: 0 })",
     [](ConvertResult* r) {
       ClipMeasures& measures = r->measures.emplace();
       measures.height = measures.root_path = measures.root_speed = 0;
       measures.loop_degrees = measures.loop_distance = 0;
       measures.body_root = 0;
     }},
    {R"(measures { rest_size: 0 rest_size: 0 rest_size: 0 height: 3
          root_path: 4 root_speed: 5 loop_degrees: 6 loop_distance: 7
          body_root: 9
          fastest { speed: 8.5 joint: 2 frame: 4294967296 } })",
     [](ConvertResult* r) {
       ClipMeasures& measures = r->measures.emplace();
       measures.height = 3;
       measures.root_path = 4;
       measures.root_speed = 5;
       measures.loop_degrees = 6;
       measures.loop_distance = 7;
       measures.body_root = 9;
       measures.fastest = FastestJoint{8.5, 2, int64_t{1} << 32};
     }},
    {R"(measures { rest_size: 0 rest_size: 0 rest_size: 0
          joints { min: -1 min: 0.5 max: 2 max: 3 degrees: 90 } joints {} })",
     [](ConvertResult* r) {
       r->measures.emplace().joints = {{{-1, 0.5F}, {2, 3}, 90}, {}};
     }},

    // StageTimes
    {"times { queued { nanos: 1 } }",
     [](ConvertResult* r) { r->times.queued = nanoseconds(1); }},
    {"times { read { nanos: 999999999 } }",
     [](ConvertResult* r) { r->times.read = nanoseconds(999'999'999); }},
    {"times { validate { seconds: 1 } }",
     [](ConvertResult* r) { r->times.validate = nanoseconds(1'000'000'000); }},
    {"times { edit { seconds: 2 nanos: 3 } }",
     [](ConvertResult* r) { r->times.edit = nanoseconds(2'000'000'003); }},
    {"times { solve { seconds: 86400 nanos: 123456789 } }",
     [](ConvertResult* r) {
       r->times.solve = nanoseconds(86'400'123'456'789);
     }},
    {"times { encode { seconds: 5 nanos: 500000000 } }",
     [](ConvertResult* r) { r->times.encode = nanoseconds(5'500'000'000); }},
};

v1::ClipResult MessageOfResult(const ResultCase& result) {
  auto message = ParseText<v1::ClipResult>(kBase);
  message.mutable_report()->set_rules_version(std::string(kRulesVersion));
  message.MergeFrom(ParseText<v1::ClipResult>(result.text));
  return message;
}

ConvertResult PlainOf(const ResultCase& result) {
  ConvertResult plain;
  result.change(&plain);
  return plain;
}

void ExpectSameMessage(const v1::ClipResult& actual,
                       const v1::ClipResult& expected) {
  MessageDifferencer differencer;
  std::string difference;
  differencer.ReportDifferencesToString(&difference);
  EXPECT_TRUE(differencer.Compare(expected, actual)) << difference;
}

class ResultFieldTest : public ::testing::TestWithParam<ResultCase> {};

INSTANTIATE_TEST_SUITE_P(Wire, ResultFieldTest,
                         ::testing::ValuesIn(kResultCases));

TEST_P(ResultFieldTest, IsWrittenForThePlainResult) {
  v1::ClipResult message;
  wire::ToProto(PlainOf(GetParam()), &message);
  ExpectSameMessage(message, MessageOfResult(GetParam()));
}

// The bytes that the server sends are not made by Protobuf alone.
TEST_P(ResultFieldTest, IsSerializedWithKeyAndData) {
  v1::ClipResult expected = MessageOfResult(GetParam());
  expected.set_key("the key");
  std::vector<size_t> sizes;
  for (v1::Output& output : *expected.mutable_outputs()) {
    output.set_data("data of " + output.id());
    sizes.push_back(output.data().size());
  }
  const std::vector<std::string> pieces =
      wire::Serialize("the key", PlainOf(GetParam()), sizes);
  ASSERT_EQ(pieces.size(), sizes.size() + 1);
  std::string bytes = pieces[0];
  for (size_t i = 0; i < sizes.size(); ++i) {
    bytes += expected.outputs(static_cast<int>(i)).data() + pieces[i + 1];
  }
  v1::ClipResult message;
  ASSERT_TRUE(message.ParseFromString(bytes));
  ExpectSameMessage(message, expected);
  EXPECT_TRUE(message.GetReflection()->GetUnknownFields(message).empty());
}

TEST_P(ResultFieldTest, ReadsAsThePlainResult) {
  EXPECT_EQ(PlainText(wire::FromProto(MessageOfResult(GetParam()))),
            PlainText(PlainOf(GetParam())));
}

// Values that only a server of another version sends.
TEST(ResultFields, UnknownValuesReadAsTheCarefulOnes) {
  const char* unknown[] = {"report { verdict: 99 issues { severity: 99 } }",
                           "report { verdict: -1 issues { severity: -1 } }",
                           "report { verdict: VERDICT_UNSPECIFIED "
                           "issues { severity: SEVERITY_UNSPECIFIED } }"};
  for (const char* text : unknown) {
    const ConvertResult result =
        wire::FromProto(ParseText<v1::ClipResult>(text));
    EXPECT_EQ(result.report.verdict, Verdict::kUnreadable) << text;
    ASSERT_EQ(result.report.issues.size(), 1u);
    EXPECT_EQ(result.report.issues[0].severity, Severity::kWarning) << text;
  }
}

TEST(ResultFields, NoMoreThanThreeNumbersOfAnOffsetAreRead) {
  const ConvertResult result = wire::FromProto(ParseText<v1::ClipResult>(
      "info { joints { offset: 1 } joints { offset: [1, 2, 3, 4] } }"));
  EXPECT_EQ(result.info.joints[0].offset, (std::array<float, 3>{1, 0, 0}));
  EXPECT_EQ(result.info.joints[1].offset, (std::array<float, 3>{1, 2, 3}));
}

// If this fails, add a row to the cases above for each name that is listed.
TEST(ResultFields, AreAllInACase) {
  FieldCoverage coverage;
  for (const ResultCase& result : kResultCases)
    coverage.Add(MessageOfResult(result));
  EXPECT_THAT(Without(
                  {
                      // IsSerializedWithKeyAndData sets them in each case.
                      "ClipResult.key",
                      "Output.data",
                      // Only results of jobs have them.
                      "ClipResult.display_name",
                      "ClipResult.left_out",
                      "Output.blob",
                      // No output has numbers of 64 bits.
                      "TensorInfo.dtype: DATA_TYPE_FLOAT64",
                  },
                  coverage.Missing(v1::ClipResult::descriptor())),
              IsEmpty());
}

}  // namespace
}  // namespace bvhmill::testing
