// Every field of the error model against hand-written text protos, which are
// those of google.rpc.

#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/wire/status.h"
#include "tests/support/error_parts.h"
#include "tests/wire/coverage.h"

namespace bvhmill::testing {

// A detail: its name in google.rpc, and its text proto.
using DetailText = std::pair<const char*, const char*>;

struct StatusCase {
  absl::StatusCode code;
  const char* message;
  ErrorParts parts;
  // In order; none: nothing is sent at all.
  std::vector<DetailText> details;
};

void PrintTo(const StatusCase& status, std::ostream* out) {
  *out << status.message;
}

namespace {

using google::protobuf::Message;
using google::protobuf::util::MessageDifferencer;
using ::testing::IsEmpty;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
constexpr auto kLimitHit = absl::StatusCode::kResourceExhausted;

const StatusCase kStatusCases[] = {
    {absl::StatusCode::kInternal, "nothing is known", {}, {}},
    {kInvalid, "no field is named", {}, {}},
    {absl::StatusCode::kUnavailable, "a: colon of another code", {}, {}},
    {kInvalid,
     "3:4: it is broken",
     {"TEXT_EMPTY", {{"line", "3"}, {"column", "4"}}},
     {{"ErrorInfo", R"(reason: 'TEXT_EMPTY' domain: 'bvhmill.v1'
          metadata { key: 'line' value: '3' }
          metadata { key: 'column' value: '4' })"}}},
    {kInvalid,
     "options.read.up: unknown value 9",
     {"FIELD_INVALID", {{"field", "options.read.up"}}},
     {{"ErrorInfo", R"(reason: 'FIELD_INVALID' domain: 'bvhmill.v1'
          metadata { key: 'field' value: 'options.read.up' })"},
      {"BadRequest", R"(field_violations { field: 'options.read.up'
          description: 'unknown value 9' })"}}},
    {kInvalid,
     "options.edits.frames: begins at 9",
     {"EDIT_DOES_NOT_FIT", {{"field", "options.edits.frames"}}},
     {{"ErrorInfo", R"(reason: 'EDIT_DOES_NOT_FIT' domain: 'bvhmill.v1'
          metadata { key: 'field' value: 'options.edits.frames' })"},
      {"BadRequest", R"(field_violations { field: 'options.edits.frames'
          description: 'begins at 9' })"}}},
    {kLimitHit,
     "5 joints are more than 4",
     {"LIMIT_JOINTS", {{"limit_name", "max_joints"}, {"limit", "4"}}},
     {{"ErrorInfo", R"(reason: 'LIMIT_JOINTS' domain: 'bvhmill.v1'
          metadata { key: 'limit_name' value: 'max_joints' }
          metadata { key: 'limit' value: '4' })"},
      {"QuotaFailure", R"(violations { subject: 'max_joints'
          description: '5 joints are more than 4' })"}}},
    {kLimitHit,
     "the server is busy",
     {"SERVER_BUSY", {{"retry_after_ms", "2750"}}},
     {{"ErrorInfo", R"(reason: 'SERVER_BUSY' domain: 'bvhmill.v1'
          metadata { key: 'retry_after_ms' value: '2750' })"},
      {"RetryInfo", "retry_delay { seconds: 2 nanos: 750000000 }"}}},
    {absl::StatusCode::kPermissionDenied,
     "the token lacks a scope",
     {"SCOPE_MISSING",
      {{"resource_type", "method"}, {"resource_name", "Convert"}}},
     {{"ErrorInfo", R"(reason: 'SCOPE_MISSING' domain: 'bvhmill.v1'
          metadata { key: 'resource_type' value: 'method' }
          metadata { key: 'resource_name' value: 'Convert' })"},
      {"ResourceInfo", R"(resource_type: 'method' resource_name: 'Convert'
          description: 'the token lacks a scope')"}}},
};

std::unique_ptr<Message> NewDetail(std::string_view name) {
  if (name == "ErrorInfo") return std::make_unique<v1::ErrorInfo>();
  if (name == "BadRequest") return std::make_unique<v1::BadRequest>();
  if (name == "QuotaFailure") return std::make_unique<v1::QuotaFailure>();
  if (name == "RetryInfo") return std::make_unique<v1::RetryInfo>();
  return std::make_unique<v1::ResourceInfo>();
}

// The error of a case, as it is made: the message without the field.
absl::Status ErrorOfCase(const StatusCase& status) {
  CallError error{.code = status.code, .reason = status.parts.reason};
  SetMetadata(status.parts.metadata, &error);
  error.message = status.message;
  if (!error.field.empty()) error.message.erase(0, error.field.size() + 2);
  return MakeCallError(std::move(error));
}

v1::RpcStatus MessageOfCase(const StatusCase& status) {
  v1::RpcStatus message;
  message.set_code(static_cast<int>(status.code));
  message.set_message(status.message);
  for (const auto& [name, text] : status.details) {
    google::protobuf::Any* any = message.add_details();
    any->set_type_url(std::string("type.googleapis.com/google.rpc.") + name);
    const std::unique_ptr<Message> detail = NewDetail(name);
    ParseTextInto(text, detail.get());
    any->set_value(detail->SerializeAsString());
  }
  return message;
}

// Serialized maps have any order; so details are compared one by one.
void ExpectSameDetail(const google::protobuf::Any& actual,
                      const google::protobuf::Any& expected) {
  EXPECT_EQ(actual.type_url(), expected.type_url());
  const std::string name =
      expected.type_url().substr(expected.type_url().rfind('.') + 1);
  const auto left = NewDetail(name);
  const auto right = NewDetail(name);
  ASSERT_TRUE(left->ParseFromString(actual.value()));
  ASSERT_TRUE(right->ParseFromString(expected.value()));
  EXPECT_TRUE(MessageDifferencer::Equals(*left, *right)) << left->DebugString();
}

class StatusFieldTest : public ::testing::TestWithParam<StatusCase> {};

INSTANTIATE_TEST_SUITE_P(Wire, StatusFieldTest,
                         ::testing::ValuesIn(kStatusCases));

TEST_P(StatusFieldTest, IsWritten) {
  const std::string bytes = wire::SerializeDetails(ErrorOfCase(GetParam()));
  const auto& details = GetParam().details;
  if (details.empty()) {
    EXPECT_EQ(bytes, "");
    return;
  }
  v1::RpcStatus actual;
  ASSERT_TRUE(actual.ParseFromString(bytes));
  const v1::RpcStatus expected = MessageOfCase(GetParam());
  EXPECT_EQ(actual.code(), expected.code());
  EXPECT_EQ(actual.message(), expected.message());
  ASSERT_EQ(actual.details_size(), expected.details_size())
      << actual.DebugString();
  for (int i = 0; i < expected.details_size(); ++i) {
    ExpectSameDetail(actual.details(i), expected.details(i));
  }
}

TEST_P(StatusFieldTest, IsRead) {
  const absl::Status status =
      wire::FromDetails(GetParam().code, GetParam().message,
                        MessageOfCase(GetParam()).SerializeAsString());
  EXPECT_EQ(MessageOf(status), GetParam().message);
  const ErrorParts parts = PartsOf(status);
  EXPECT_EQ(parts.reason, GetParam().parts.reason);
  EXPECT_THAT(parts.metadata,
              ::testing::UnorderedElementsAreArray(GetParam().parts.metadata));
}

// The numbers are those of google.rpc.Code.
TEST(StatusFields, CodesHaveTheNumbersOfGoogleRpc) {
  const std::pair<absl::StatusCode, int> codes[] = {
      {absl::StatusCode::kCancelled, 1},
      {absl::StatusCode::kUnknown, 2},
      {absl::StatusCode::kInvalidArgument, 3},
      {absl::StatusCode::kDeadlineExceeded, 4},
      {absl::StatusCode::kNotFound, 5},
      {absl::StatusCode::kAlreadyExists, 6},
      {absl::StatusCode::kPermissionDenied, 7},
      {absl::StatusCode::kResourceExhausted, 8},
      {absl::StatusCode::kFailedPrecondition, 9},
      {absl::StatusCode::kAborted, 10},
      {absl::StatusCode::kOutOfRange, 11},
      {absl::StatusCode::kUnimplemented, 12},
      {absl::StatusCode::kInternal, 13},
      {absl::StatusCode::kUnavailable, 14},
      {absl::StatusCode::kDataLoss, 15},
      {absl::StatusCode::kUnauthenticated, 16},
  };
  for (const auto& [code, number] : codes) {
    const absl::Status status = MakeStatus(code, "why");
    EXPECT_EQ(wire::ToProto(status).code(), number);
    v1::Status message;
    message.set_code(number);
    message.set_message("why");
    EXPECT_EQ(wire::FromProto(message), status);
  }
}

// If this fails, add a row to the cases above for each name that is listed.
TEST(StatusFields, AreAllInACase) {
  FieldCoverage coverage;
  for (const StatusCase& status : kStatusCases) {
    coverage.Add(MessageOfCase(status));
    for (const auto& [name, text] : status.details) {
      const auto detail = NewDetail(name);
      ParseTextInto(text, detail.get());
      coverage.Add(*detail);
    }
  }
  std::vector<std::string> missing;
  for (const auto* root :
       {v1::RpcStatus::descriptor(), v1::ErrorInfo::descriptor(),
        v1::BadRequest::descriptor(), v1::QuotaFailure::descriptor(),
        v1::RetryInfo::descriptor(), v1::ResourceInfo::descriptor()}) {
    for (std::string& name : coverage.Missing(root)) {
      missing.push_back(std::move(name));
    }
  }
  // The owner is never set.
  EXPECT_THAT(Without({"ResourceInfo.owner"}, missing), IsEmpty());
}

}  // namespace
}  // namespace bvhmill::testing
