// Results over the wire and back.

#include "bvhmill/wire/result.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "bvhmill/base/status.h"
#include "bvhmill/wire/status.h"
#include "tests/support/error_parts.h"
#include "tests/wire/samples.h"

namespace bvhmill::testing {
namespace {

// Through bytes, since a message in memory may hold what bytes cannot.
template <typename Message>
Message Sent(const Message& message) {
  Message out;
  EXPECT_TRUE(out.ParseFromString(message.SerializeAsString()));
  return out;
}

TEST(Result, ReportComesBack) {
  ExpectSame(wire::FromProto(Sent(ToMessage(FullReport()))), FullReport());
  ExpectSame(wire::FromProto(Sent(ToMessage(Report{}))), Report{});
}

TEST(Result, VerdictsAndSeveritiesAreThoseOfTheApi) {
  for (int number = 1; number <= 4; ++number) {
    Report report = FullReport();
    report.verdict = static_cast<Verdict>(number);
    report.issues[0].severity = static_cast<Severity>(number);
    const v1::ValidationReport message = ToMessage(report);
    EXPECT_EQ(message.verdict(), number);
    EXPECT_EQ(message.issues(0).severity(), number);
    ExpectSame(wire::FromProto(message), report);
  }
}

TEST(Result, PlacesAreSetOnlyWhereTheyApply) {
  const v1::ValidationReport message = ToMessage(FullReport());
  EXPECT_TRUE(message.issues(1).location().has_frame());
  EXPECT_EQ(message.issues(1).location().frame(), 0);
  EXPECT_FALSE(message.issues(1).location().has_line());
  EXPECT_FALSE(message.issues(2).location().has_byte_offset());
}

TEST(Result, InfoComesBack) {
  ExpectSame(wire::FromProto(Sent(ToMessage(FullInfo()))), FullInfo());
  ExpectSame(wire::FromProto(Sent(ToMessage(ClipInfo{}))), ClipInfo{});
}

// A peer may send any joints; reading must not fail.
TEST(Result, OddInfoIsTaken) {
  v1::ClipInfo message;
  message.add_joints()->add_offset(1);
  for (int i = 0; i < 9; ++i) message.mutable_joints(0)->add_offset(2);
  message.add_joints();
  const ClipInfo info = wire::FromProto(message);
  ASSERT_EQ(info.joints.size(), 2u);
  EXPECT_EQ(info.joints[0].offset, (std::array<float, 3>{1, 2, 2}));
  EXPECT_EQ(info.joints[1].offset, (std::array<float, 3>{0, 0, 0}));
}

TEST(Result, OutputsComeBack) {
  for (const OutputInfo& output : FullOutputs()) {
    ExpectSame(wire::FromProto(Sent(ToMessage(output))), output);
    EXPECT_EQ(ToMessage(output).data(), "");
  }
  const v1::Output tensor = ToMessage(FullOutputs()[0]);
  EXPECT_EQ(tensor.tensor().dtype(), v1::DATA_TYPE_FLOAT32);
}

TEST(Result, TimesComeBack) {
  const v1::StageTimes message = Sent(ToMessage(FullTimes()));
  ExpectSame(wire::FromProto(message), FullTimes());
  EXPECT_EQ(message.read().nanos(), 999'999'999);
  EXPECT_EQ(message.solve().seconds(), 86'400);
  EXPECT_EQ(message.solve().nanos(), 123'456'789);
}

// Such seconds had overflowed.
TEST(Result, TimesBeyondNanosecondsAreTheNearestThatThereAre) {
  using std::chrono::nanoseconds;
  v1::StageTimes message;
  message.mutable_read()->set_seconds(std::numeric_limits<int64_t>::max());
  message.mutable_edit()->set_seconds(-9'223'372'037);
  message.mutable_solve()->set_seconds(9'223'372'036);
  message.mutable_solve()->set_nanos(854'775'807);
  const StageTimes times = wire::FromProto(message);
  EXPECT_EQ(times.read, nanoseconds::max());
  EXPECT_EQ(times.edit, nanoseconds::min());
  EXPECT_EQ(times.solve, nanoseconds::max());
}

TEST(Result, GoodResultComesBack) {
  const ConvertResult result = FullResult();
  const ConvertResult back = wire::FromProto(Sent(ToMessage(result)));
  EXPECT_TRUE(back.status.ok()) << back.status;
  ExpectSame(back.report, result.report);
  ExpectSame(back.info, result.info);
  ExpectSame(back.times, result.times);
  ASSERT_EQ(back.outputs.size(), result.outputs.size());
  for (size_t i = 0; i < back.outputs.size(); ++i) {
    ExpectSame(back.outputs[i], result.outputs[i]);
  }
}

TEST(Result, FailedResultHasNoOutputs) {
  ConvertResult result = FullResult();
  result.status =
      WithParts(MakeStatus(absl::StatusCode::kInvalidArgument, "broken"),
                {"TEXT_EMPTY", {{"column", "2"}, {"line", "1"}}});
  const v1::ClipResult message = Sent(ToMessage(result));
  EXPECT_EQ(message.outputs_size(), 0);
  const ConvertResult back = wire::FromProto(message);
  EXPECT_EQ(back.status, result.status);
  ExpectSame(back.report, result.report);
  EXPECT_TRUE(back.outputs.empty());
}

class StatusTest : public ::testing::TestWithParam<int> {};

INSTANTIATE_TEST_SUITE_P(Result, StatusTest, ::testing::Range(0, 17));

TEST_P(StatusTest, EachCodeComesBack) {
  const auto code = static_cast<absl::StatusCode>(GetParam());
  const absl::Status status = MakeStatus(code, "what it was");
  const v1::Status message = Sent(wire::ToProto(status));
  EXPECT_EQ(message.code(), GetParam());
  EXPECT_EQ(wire::FromProto(message), status);
  EXPECT_FALSE(message.has_info());
}

TEST(Status, NamesReasonAndDomain) {
  const v1::Status message = wire::ToProto(
      WithParts(MakeStatus(absl::StatusCode::kResourceExhausted, "too many"),
                {"LIMIT_JOINTS", {{"limit", "4"}}}));
  EXPECT_EQ(message.info().reason(), "LIMIT_JOINTS");
  EXPECT_EQ(message.info().domain(), wire::kErrorDomain);
  EXPECT_EQ(message.info().metadata().at("limit"), "4");
}

// A newer peer may know more codes; what is no error must not come of it.
TEST(Status, UnknownCodesStayErrors) {
  for (const int code : {17, 99, -1, 2'000'000'000}) {
    v1::Status message;
    message.set_code(code);
    message.set_message("from the future");
    EXPECT_FALSE(wire::FromProto(message).ok()) << code;
  }
}

}  // namespace
}  // namespace bvhmill::testing
