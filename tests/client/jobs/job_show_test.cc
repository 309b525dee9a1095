// The output of `bvhmill job show` for jobs of a server that is not ours.

#include <gtest/gtest.h>

#include <string>

#include "bvhmill/v1/job_service.pb.h"
#include "tests/client/command.h"
#include "tests/client/fake_server.h"
#include "tests/support/files.h"
#include "tests/wire/coverage.h"

namespace bvhmill::testing {
namespace {

struct ShowCase {
  // Fields of a Job with 9 clips, and what is printed.
  const char* job;
  const char* out;
};

constexpr ShowCase kCases[] = {
    {"state: JOB_STATE_PENDING items { total: 9 }"
     "create_time { seconds: 1000000000 }",
     "jobs/a: PENDING, 0 of 9 clips good\n"
     "created  2001-09-09 01:46:40Z\n"
     "started  -\n"
     "ended    -\n"
     "expires  -\n"},
    {"state: JOB_STATE_RUNNING items { total: 9 ok: 4 running: 2 }"
     "create_time { seconds: 1000000000 } start_time { seconds: 1000000001 }"
     "display_name: 'takes of\\nMay'"
     "blocked { code: 8 message: 'delete jobs\\nto make room' }",
     "jobs/a: RUNNING, 4 of 9 clips good\n"
     "created  2001-09-09 01:46:40Z\n"
     "started  2001-09-09 01:46:41Z\n"
     "ended    -\n"
     "expires  -\n"
     "name     takes of\\x0AMay\n"
     "blocked  delete jobs\\x0Ato make room\n"},
    {"state: JOB_STATE_CANCELLED items { total: 9 ok: 1 failed: 3 "
     "set_aside: 1 } create_time { seconds: 1000000000 }"
     "start_time { seconds: 1000000001 } end_time { seconds: 1000000002 }"
     "expire_time { seconds: 1000600002 }"
     "error { code: 1 message: 'it was cancelled' }",
     "jobs/a: CANCELLED, 1 of 9 clips good, 3 failed (1 of them set aside)\n"
     "created  2001-09-09 01:46:40Z\n"
     "started  2001-09-09 01:46:41Z\n"
     "ended    2001-09-09 01:46:42Z\n"
     "expires  2001-09-16 00:26:42Z\n"
     "error    it was cancelled\n"},
};

TEST(JobShow, PrintsEachPartThatTheJobHas) {
  for (const ShowCase& show : kCases) {
    FakeServer server([&](FakeCall* call) -> grpc::Status {
      call->Read();
      if (call->method() == "GetServerInfo") {
        call->Write(InfoBytes(""));
      } else {
        v1::GetJobResponse response;
        *response.mutable_job() = ParseText<v1::Job>(show.job);
        response.mutable_job()->set_name("jobs/a");
        call->Write(response.SerializeAsString());
      }
      return grpc::Status::OK;
    });
    const TempDir dir;
    const CommandResult shown = RunCommand(
        {"job", "show", "jobs/a", "--server=" + server.address()}, dir.path());
    EXPECT_EQ(shown.exit, 0);
    EXPECT_EQ(shown.err, "");
    EXPECT_EQ(shown.out, show.out) << show.job;
    EXPECT_EQ(server.calls("GetJob"), 1);
  }
}

}  // namespace
}  // namespace bvhmill::testing
