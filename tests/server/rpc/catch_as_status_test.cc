#include "server/rpc/catch_as_status.h"

#include <gmock/gmock.h>

#include <exception>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>

#include "bvhmill/base/status.h"
#include "server/observe/log.h"
#include "tests/server/observe/log_lines.h"

namespace bvhmill::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(CatchAsStatusTest, ExceptionsAreLogged) {
  struct Case {
    std::function<void()> thrower;
    absl::StatusCode code;
    const char* line;
  };
  const Case cases[] = {
      {[] { throw std::bad_alloc(); }, absl::StatusCode::kResourceExhausted,
       "exception in a place: std::bad_alloc"},
      {[] { throw std::length_error("long"); },
       absl::StatusCode::kResourceExhausted, "exception in a place: long"},
      {[] { throw std::runtime_error("odd"); }, absl::StatusCode::kInternal,
       "exception in a place: odd"},
      {[] { throw 7; }, absl::StatusCode::kInternal,
       "exception in a place: not a std::exception"}};
  for (const Case& c : cases) {
    ::testing::internal::CaptureStderr();
    const server::Log log(server::LogFormat::kErrors);
    const absl::Status status = server::CatchAsStatus(log, "a place", [&] {
      c.thrower();
      return absl::OkStatus();
    });
    EXPECT_EQ(status.code(), c.code);
    EXPECT_FALSE(server::CatchAndLog(log, "a place", c.thrower));
    const std::string line = std::string("bvhmilld: ") + c.line + "\n";
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), line + line);
    // The text of the exception is not sent to peers.
    EXPECT_THAT(std::string(status.message()), Not(HasSubstr("odd")));
  }
}

TEST(CatchAsStatusTest, RepeatedExceptionsAreHeldBack) {
  ::testing::internal::CaptureStderr();
  {
    const server::Log log(server::LogFormat::kErrors);
    for (int i = 0; i < 10'000; ++i) {
      server::CatchAndLog(log, "a place", [] { throw std::bad_alloc(); });
    }
  }
  EXPECT_LT(LinesIn(::testing::internal::GetCapturedStderr()).size(), 200);
}

}  // namespace
}  // namespace bvhmill::testing
