// Every status that the server makes itself: code, reason and what programs
// read of it. Clients rely on these; the words for people may change.

#include "server/rpc/statuses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "tests/server/fixture.h"

namespace bvhmill::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAreArray;

struct StatusCase {
  grpc::Status status;
  grpc::StatusCode code;
  const char* reason;
  IssueArgs metadata;
  // A part of the message.
  const char* says;
};

std::vector<StatusCase> Cases() {
  using Code = grpc::StatusCode;
  return {
      {server::LimitExceeded("max_joints", 4, 5),
       Code::RESOURCE_EXHAUSTED,
       "LIMIT_EXCEEDED",
       {{"limit_name", "max_joints"}, {"limit", "4"}, {"value", "5"}},
       "5 is more than max_joints = 4"},
      {server::TokenUnknown(), Code::UNAUTHENTICATED, "TOKEN_UNKNOWN", {}, ""},
      {server::ScopeMissing("ann", "M", server::Scope::kRead),
       Code::PERMISSION_DENIED,
       "SCOPE_MISSING",
       {{"token", "ann"},
        {"scope", "read"},
        {"resource_type", "method"},
        {"resource_name", "M"}},
       "ann lacks the scope read"},
      {server::OutOfMemory(),
       Code::RESOURCE_EXHAUSTED,
       "SERVER_BUSY",
       {{"retry_after_ms", "1000"}},
       "memory"},
      {server::InternalFault(), Code::INTERNAL, "SERVER_FAULT", {}, ""},
      {server::Stopping(),
       Code::UNAVAILABLE,
       "SERVER_STOPPING",
       {{"retry_after_ms", "1000"}},
       "stopping"},
      {server::MethodUnknown("/a/b"),
       Code::UNIMPLEMENTED,
       "METHOD_UNKNOWN",
       {},
       "/a/b"},
      {server::UnknownEncoding(9),
       Code::UNIMPLEMENTED,
       "ENCODING_UNKNOWN",
       {{"encoding", "9"}},
       "source.encoding: 9"},
      {server::MessageBroken(),
       Code::INVALID_ARGUMENT,
       "MESSAGE_BROKEN",
       {},
       ""},
      {server::StreamOutOfOrder("a chunk outside of a clip"),
       Code::INVALID_ARGUMENT,
       "STREAM_OUT_OF_ORDER",
       {},
       "a chunk outside of a clip"},
      {server::StreamIdle(60),
       Code::DEADLINE_EXCEEDED,
       "STREAM_IDLE",
       {{"limit_name", "stream_idle_seconds"}, {"limit", "60"}},
       "stream_idle_seconds = 60"},
      {server::StreamIdleBetween(300),
       Code::DEADLINE_EXCEEDED,
       "STREAM_IDLE",
       {{"limit_name", "stream_idle_between_seconds"}, {"limit", "300"}},
       "stream_idle_between_seconds = 300"},
      {server::StreamSlow(256),
       Code::DEADLINE_EXCEEDED,
       "STREAM_SLOW",
       {{"limit_name", "min_upload_bytes_per_second"}, {"limit", "256"}},
       "min_upload_bytes_per_second = 256"},
  };
}

TEST(RpcStatusTest, HasCodeReasonAndMetadata) {
  for (const StatusCase& expected : Cases()) {
    Fault fault;
    const absl::Status status = server::FromGrpc(expected.status, &fault);
    EXPECT_EQ(expected.status.error_code(), expected.code) << expected.reason;
    EXPECT_EQ(static_cast<int>(status.code()), expected.code);
    EXPECT_EQ(fault.reason, expected.reason);
    EXPECT_THAT(fault.metadata, UnorderedElementsAreArray(expected.metadata));
    EXPECT_THAT(std::string(MessageOf(status)), HasSubstr(expected.says));
    EXPECT_NE(expected.status.error_message(), "") << expected.reason;
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
    EXPECT_THAT(server::ScopeMissing("t", "M", scope).error_message(),
                HasSubstr("scope " + std::string(name)));
  }
}

TEST(RpcStatusTest, CodesOfTheLibraryAreThoseOfGrpc) {
  EXPECT_TRUE(server::ToGrpc(absl::OkStatus()).ok());
  for (int code = 1; code <= 16; ++code) {
    const grpc::Status status = server::ToGrpc(
        MakeStatus(static_cast<absl::StatusCode>(code), "why"), {});
    EXPECT_EQ(status.error_code(), code);
    EXPECT_EQ(status.error_message(), "why");
    Fault fault;
    EXPECT_EQ(static_cast<int>(server::FromGrpc(status, &fault).code()), code);
  }
}

}  // namespace
}  // namespace bvhmill::testing
