// Tests how the client reads an answer, message by message.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "client/cpp/response.h"
#include "tests/support/error_parts.h"

namespace bvhmill::client {
namespace {

// A server may ask for a minute at most.
TEST(RetryDelay, IsSetForTemporaryRefusals) {
  using Code = absl::StatusCode;
  struct Case {
    Code code;
    const char* name;
    const char* value;
    int64_t milliseconds;
  };
  const Case cases[] = {
      {Code::kResourceExhausted, "retry_after_ms", "1000", 1000},
      {Code::kResourceExhausted, "retry_after_ms", "60000", 60'000},
      {Code::kResourceExhausted, "retry_after_ms", "60001", 60'000},
      {Code::kResourceExhausted, "retry_after_ms", "-5", 0},
      {Code::kResourceExhausted, "retry_after_ms", "soon", 0},
      {Code::kResourceExhausted, "retry_after_s", "5", 0},
      {Code::kUnavailable, "retry_after_ms", "1000", 0}};
  for (const Case& c : cases) {
    ConvertResult result;
    result.status = bvhmill::testing::WithParts(
        MakeStatus(c.code, ""),
        {"SERVER_BUSY", {{"limit", "9"}, {c.name, c.value}}});
    EXPECT_EQ(RetryDelayOf(result).count(), c.milliseconds)
        << c.name << " " << c.value;
  }
}

// Nothing that a terminal would obey.
TEST(ResultFromServer, IsPrintable) {
  const std::pair<const char*, const char*> cases[] = {
      {"plain", "plain"},          {"caf\xC3\xA9", "caf\xC3\xA9"},
      {"a\x1B[2Jb", "a\\x1B[2Jb"}, {"a\x7F", "a\\x7F"},
      {"a\nb", "a\\x0Ab"},         {"a\xFF", "a\\xFF"}};
  for (const auto& [text, shown] : cases) {
    v1::ClipResult message;
    message.mutable_status()->set_code(3);
    message.mutable_status()->set_message(text);
    v1::Issue* const issue = message.mutable_report()->add_issues();
    issue->set_code(text);
    issue->set_message(text);
    message.mutable_info()->add_joints()->set_channels(text);
    const ConvertResult result = ResultFromServer(message);
    EXPECT_EQ(MessageOf(result.status), shown);
    EXPECT_EQ(result.report.issues.at(0).code, shown);
    EXPECT_EQ(result.report.issues.at(0).message, shown);
    EXPECT_EQ(ResultOf({grpc::StatusCode::INTERNAL, text}).status.message(),
              shown);
  }
}

// Beyond its limit an output is refused, not cut.
TEST(Answer, HasNoMoreBytesThanItMay) {
  v1::ConvertOptions options;
  options.add_outputs()->mutable_csv();
  options.add_outputs()->mutable_npz();
  for (const int64_t most : {0, 9, 10, 11}) {
    StringReceiver receiver;
    Answer answer(options.outputs(), most, &receiver);
    google::protobuf::RepeatedPtrField<v1::Output> outputs;
    outputs.Add()->set_id("csv");
    outputs.Add()->set_id("npz");
    ASSERT_TRUE(answer.Begin({}, outputs).ok());
    EXPECT_FALSE(answer.Begin({}, outputs).ok());
    EXPECT_TRUE(answer.Data(0, 0, "1234").ok());
    EXPECT_FALSE(answer.Data(0, 3, "5").ok());
    EXPECT_FALSE(answer.Data(2, 0, "5").ok());
    EXPECT_FALSE(answer.Data(-1, 0, "5").ok());
    EXPECT_EQ(answer.Data(1, 0, "123456").ok(), most == 0 || most >= 10)
        << most;
  }
}

}  // namespace
}  // namespace bvhmill::client
