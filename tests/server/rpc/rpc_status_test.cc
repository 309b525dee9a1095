// Every status that the server makes itself: code, reason and what programs
// read of it. Clients rely on these; the words for people may change.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/wire/status.h"
#include "server/rpc/errors.h"
#include "server/rpc/statuses.h"
#include "tests/server/fixture.h"
#include "tests/support/error_parts.h"

namespace bvhmill::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAreArray;

struct StatusCase {
  absl::Status status;
  absl::StatusCode code;
  const char* reason;
  IssueArgs metadata;
  // A part of the message.
  const char* says;
};

std::vector<StatusCase> CallCases() {
  using Code = absl::StatusCode;
  return {
      {server::LimitExceeded("max_joints", 4, 5),
       Code::kResourceExhausted,
       "LIMIT_EXCEEDED",
       {{"limit_name", "max_joints"}, {"limit", "4"}, {"value", "5"}},
       "5 exceeds max_joints = 4"},
      {server::TokenUnknown(), Code::kUnauthenticated, "TOKEN_UNKNOWN", {}, ""},
      {server::ScopeMissing("ann", "M", server::Scope::kRead),
       Code::kPermissionDenied,
       "SCOPE_MISSING",
       {{"token", "ann"},
        {"scope", "read"},
        {"resource_type", "method"},
        {"resource_name", "M"}},
       "ann lacks the scope read"},
      {server::OutOfMemory(),
       Code::kResourceExhausted,
       "SERVER_BUSY",
       {{"retry_after_ms", "1000"}},
       "memory"},
      {server::InternalFault(), Code::kInternal, "SERVER_FAULT", {}, ""},
      {server::Stopping(),
       Code::kUnavailable,
       "SERVER_STOPPING",
       {{"retry_after_ms", "1000"}},
       "stopping"},
      {server::MethodUnknown("/a/b"),
       Code::kUnimplemented,
       "METHOD_UNKNOWN",
       {},
       "/a/b"},
      {server::UnknownEncoding(9),
       Code::kUnimplemented,
       "ENCODING_UNKNOWN",
       {{"encoding", "9"}, {"field", "source.encoding"}},
       "cannot decode 9"},
      {server::MessageBroken(),
       Code::kInvalidArgument,
       "MESSAGE_BROKEN",
       {},
       ""},
  };
}

std::vector<StatusCase> StreamCases() {
  using Code = absl::StatusCode;
  return {
      {server::StreamOutOfOrder("a chunk outside of a clip"),
       Code::kInvalidArgument,
       "STREAM_OUT_OF_ORDER",
       {},
       "a chunk outside of a clip"},
      {server::StreamIdle(60),
       Code::kDeadlineExceeded,
       "STREAM_IDLE",
       {{"limit_name", "idle_seconds"}, {"limit", "60"}},
       "idle_seconds = 60"},
      {server::StreamIdleBetween(300),
       Code::kDeadlineExceeded,
       "STREAM_IDLE",
       {{"limit_name", "idle_between_seconds"}, {"limit", "300"}},
       "idle_between_seconds = 300"},
      {server::StreamSlow(256),
       Code::kDeadlineExceeded,
       "STREAM_SLOW",
       {{"limit_name", "min_upload_bytes_per_second"}, {"limit", "256"}},
       "min_upload_bytes_per_second = 256"},
  };
}

void ExpectStates(const grpc::Status& status, const StatusCase& expected) {
  EXPECT_EQ(expected.status.code(), expected.code) << expected.reason;
  EXPECT_EQ(status.error_code(), static_cast<int>(expected.code));
  EXPECT_THAT(status.error_message(), HasSubstr(expected.says));
  EXPECT_NE(status.error_message(), "") << expected.reason;
  // As a result states it, and as the details of the call state it.
  for (const absl::Status& read :
       {expected.status,
        wire::FromDetails(expected.code, status.error_message(),
                          status.error_details())}) {
    const ErrorParts parts = PartsOf(read);
    EXPECT_EQ(parts.reason, expected.reason);
    EXPECT_THAT(parts.metadata, UnorderedElementsAreArray(expected.metadata));
  }
}

TEST(RpcStatusTest, HasCodeReasonAndMetadata) {
  for (const auto& cases : {CallCases(), StreamCases()}) {
    for (const StatusCase& expected : cases) {
      ExpectStates(server::ToGrpc(expected.status), expected);
    }
  }
}

// Stock clients read the details of google.rpc.
TEST(RpcStatusTest, HasTheDetailsOfItsKind) {
  const Details quota = DetailsOf(server::LimitExceeded("max_joints", 4, 5));
  ASSERT_EQ(quota.quota.violations_size(), 1);
  EXPECT_EQ(quota.quota.violations(0).subject(), "max_joints");
  EXPECT_EQ(DetailsOf(server::Stopping()).retry.retry_delay().seconds(), 1);
  EXPECT_EQ(DetailsOf(server::OutOfMemory()).retry.retry_delay().seconds(), 1);
  const Details scope =
      DetailsOf(server::ScopeMissing("ann", "M", server::Scope::kRead));
  EXPECT_EQ(scope.resource.resource_type(), "method");
  EXPECT_EQ(scope.resource.resource_name(), "M");
}

TEST(RpcStatusTest, EachScopeHasItsName) {
  const std::pair<server::Scope, const char*> scopes[] = {
      {server::Scope::kRead, "read"},
      {server::Scope::kConvert, "convert"},
      {server::Scope::kJobs, "jobs"},
      {server::Scope::kAdmin, "admin"}};
  for (const auto& [scope, name] : scopes) {
    EXPECT_THAT(std::string(MessageOf(server::ScopeMissing("t", "M", scope))),
                HasSubstr("scope " + std::string(name)));
  }
}

TEST(RpcStatusTest, CodesOfTheLibraryAreThoseOfGrpc) {
  EXPECT_TRUE(server::ToGrpc(absl::OkStatus()).ok());
  for (int code = 1; code <= 16; ++code) {
    const grpc::Status status =
        server::ToGrpc(MakeStatus(static_cast<absl::StatusCode>(code), "why"));
    EXPECT_EQ(status.error_code(), code);
    EXPECT_EQ(status.error_message(), "why");
  }
}

}  // namespace
}  // namespace bvhmill::testing
