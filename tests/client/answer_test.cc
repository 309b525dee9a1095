// Tests how the client reads an answer, message by message.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "client/cpp/clip_calls.h"
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

// The parts of an error reach terminals, too.
TEST(ResultFromServer, HasPrintablePartsOfErrors) {
  v1::ClipResult message;
  message.mutable_status()->set_code(3);
  message.mutable_status()->set_message("a\x1B[2J: no");
  message.mutable_status()->mutable_info()->set_reason("FIELD_INVALID");
  auto* const metadata =
      message.mutable_status()->mutable_info()->mutable_metadata();
  (*metadata)["field"] = "a\x1B[2J";
  (*metadata)["name\x07"] = "value\x1B[2J";
  const CallError error = CallErrorOf(ResultFromServer(message).status);
  EXPECT_EQ(error.field, "a\\x1B[2J");
  ASSERT_EQ(error.args.size(), 1U);
  EXPECT_EQ(error.args[0].first, "name\\x07");
  EXPECT_EQ(error.args[0].second, "value\\x1B[2J");
}

// An array of floats has four bytes for each number.
TEST(Answer, HasTheShapeOfItsBytes) {
  struct Case {
    std::vector<int64_t> shape;
    size_t bytes;
    bool is_good;
  };
  const Case cases[] = {
      {{}, 4, true},         {{}, 0, false},      {{}, 8, false},
      {{1}, 4, true},        {{2, 3}, 24, true},  {{2, 3}, 20, false},
      {{2, 3}, 28, false},   {{2, 3}, 25, false}, {{4}, 24, false},
      {{12}, 24, false},     {{0}, 0, true},      {{0, 7}, 0, true},
      {{7, 0}, 0, true},     {{0}, 4, false},     {{-1}, 4, false},
      {{-2, -3}, 24, false}, {{0, -1}, 0, false}, {{5, 2}, 24, false}};
  for (const Case& c : cases) {
    v1::ConvertOptions options;
    options.add_outputs()->mutable_positions();
    StringReceiver receiver;
    Answer answer(options.outputs(), 0, &receiver);
    v1::ClipResult result;
    result.mutable_report();
    v1::Output* const output = result.add_outputs();
    output->set_id("positions");
    output->set_size_bytes(static_cast<int64_t>(c.bytes));
    for (const int64_t size : c.shape)
      output->mutable_tensor()->add_shape(size);
    output->mutable_tensor();
    ASSERT_TRUE(answer.Begin({}, result.outputs()).ok());
    if (c.bytes > 0) {
      ASSERT_TRUE(answer.Data(0, 0, std::string(c.bytes, 'x')).ok());
    }
    EXPECT_EQ(answer.End(result).ok(), c.is_good)
        << ::testing::PrintToString(c.shape) << " " << c.bytes;
  }
}

// The format names an output for which the caller has no name.
TEST(Answer, HasTheOutputsThatWereAskedFor) {
  v1::ConvertOptions options;
  options.add_outputs()->set_id("mine");
  options.mutable_outputs(0)->mutable_csv();
  options.add_outputs()->mutable_csv();
  const std::pair<std::vector<const char*>, bool> cases[] = {
      {{"mine", "csv"}, true}, {{"csv", "mine"}, false},
      {{"csv", "csv"}, false}, {{"mine", "mine"}, false},
      {{"mine"}, false},       {{"mine", "csv", "csv"}, false}};
  for (const auto& [ids, is_good] : cases) {
    StringReceiver receiver;
    Answer answer(options.outputs(), 0, &receiver);
    google::protobuf::RepeatedPtrField<v1::Output> outputs;
    for (const char* id : ids) outputs.Add()->set_id(id);
    EXPECT_EQ(answer.Begin({}, outputs).ok(), is_good)
        << ::testing::PrintToString(ids);
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
