// A database that fails for a while: what the log and the metrics say.

#include <gtest/gtest.h>

#include <latch>
#include <memory>
#include <string>
#include <utility>

#include "server/store/fault_points.h"
#include "tests/server/observe/job_log.h"

namespace bvhmill::testing {
namespace {

using server::Effect;
using server::Fault;
using server::FaultPoints;

// Each task that needs the database says so, and when it works again. Old blobs
// are looked for each second, and leases are renewed each second.
TEST_F(JobLogTest, ADatabaseThatFailsIsShownAndSoIsItsEnd) {
  StartLogged(server::LogFormat::kErrors, [](server::ServerConfig* config) {
    config->jobs.blob_retention_seconds = 1;
    config->jobs.job_lease_seconds = 6;
  });
  // The blobs of this job are old, and named.
  EXPECT_EQ(RunJob({SmallClip()}).items().ok(), 1);
  EXPECT_TRUE(Shows("bvhmill_database_up 1"));
  FaultPoints::Arm(
      {.at = 1, .fault = Fault::kIoError, .lasts = true, .only = Effect::kSql});
  const std::pair<const char*, const char*> lines[] = {
      {"bvhmilld: jobs pause: ", "bvhmilld: jobs no longer pause"},
      {"bvhmilld: cannot renew the leases of jobs: ",
       "bvhmilld: the leases of jobs are renewed again"},
      {"bvhmilld: cannot remove old data: ",
       "bvhmilld: old data are removed again"}};
  EXPECT_TRUE(Shows("bvhmill_database_up 0"));
  for (const auto& [begin, end] : lines) {
    EXPECT_TRUE(Logs(begin)) << begin;
    EXPECT_FALSE(HasLine(end)) << end;
  }
  FaultPoints::Disarm();
  EXPECT_TRUE(Shows("bvhmill_database_up 1"));
  // No item waits, so that none is stored.
  for (const auto& [begin, end] : lines) EXPECT_TRUE(Logs(end)) << end;
}

// The page waits two seconds for the database. The statement that hangs is that
// of the page, unless another thread comes first.
TEST_F(JobLogTest, APageIsMadeWhileTheDatabaseHangs) {
  StartLogged(server::LogFormat::kOff);
  calls_->Store("x");
  EXPECT_TRUE(Shows("bvhmill_database_up 1"));
  bool shows_it = false;
  for (int i = 0; i < 20 && !shows_it; ++i) {
    const auto may_go_on = std::make_shared<std::latch>(1);
    FaultPoints::Arm({.at = 1, .only = Effect::kSql, .meanwhile = [may_go_on] {
                        may_go_on->wait();
                      }});
    shows_it = Page().find("\nbvhmill_database_up 0\n") != std::string::npos;
    may_go_on->count_down();
    FaultPoints::Disarm();
  }
  EXPECT_TRUE(shows_it);
  EXPECT_TRUE(Shows("bvhmill_database_up 1"));
}

}  // namespace
}  // namespace bvhmill::testing
