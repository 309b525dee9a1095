// A short campaign: a process is killed at each point once, and at some random
// moments; some points fail in other ways. tests/crash/crash.cc runs the long
// one.

#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "tests/crash/crash_places.h"
#include "tests/support/memory_folder.h"

namespace bvhmill::testing {
namespace {

using server::Fault;

class CrashTest : public ::testing::TestWithParam<Engine> {
 protected:
  void SetUp() override {
    std::string why;
    // Killed processes leave the same in memory as on a disk, which is slower.
    engine_ = std::make_unique<EngineCampaign>(
        GetParam(), MemoryFolder() + "crash-" + std::to_string(getpid()), &why);
    if (!why.empty()) GTEST_SKIP() << why;
  }
  Campaign& campaign() { return engine_->campaign(); }

  // Each point of the engine that is built in costs little. The others have
  // more of them, or each costs a database.
  int64_t Stride(int64_t of_sqlite, int64_t of_files, int64_t of_postgres) {
    const Engine engine = GetParam();
    return engine == Engine::kSqlite        ? of_sqlite
           : engine == Engine::kSqliteFiles ? of_files
                                            : of_postgres;
  }

  void ExpectNoDamage() {
    const Damage& damage = campaign().damage;
    EXPECT_EQ(damage.lost, 0);
    EXPECT_EQ(damage.duplicated, 0);
    EXPECT_EQ(damage.leaked, 0);
    EXPECT_EQ(damage.wrong, 0);
    for (const std::string& why : damage.why) ADD_FAILURE() << why;
  }

  std::unique_ptr<EngineCampaign> engine_;
};

TEST_P(CrashTest, AProcessKilledAtEachPointLosesNothing) {
  FailAtEachPoint(Fault::kKill, 1, Stride(1, 9, 11), &campaign());
  EXPECT_GT(campaign().kills, Stride(100, 50, 20));
  EXPECT_GT(campaign().acknowledged, Stride(100, 50, 20));
  ExpectNoDamage();
}

TEST_P(CrashTest, AProcessKilledWithinAWriteLosesNothing) {
  FailAtEachPoint(Fault::kKillWithinWrite, 5, Stride(7, 11, 61), &campaign());
  EXPECT_GT(campaign().kills, Stride(20, 40, 3));
  ExpectNoDamage();
}

TEST_P(CrashTest, AFullDiskAtAPointLosesNothing) {
  FailAtEachPoint(Fault::kNoSpace, 3, Stride(7, 23, 37), &campaign());
  EXPECT_GT(campaign().faults, Stride(20, 20, 5));
  ExpectNoDamage();
}

TEST_P(CrashTest, AnErrorOfTheDiskAtAPointLosesNothing) {
  FailAtEachPoint(Fault::kIoError, 4, Stride(7, 23, 37), &campaign());
  EXPECT_GT(campaign().faults, Stride(20, 20, 5));
  ExpectNoDamage();
}

TEST_P(CrashTest, AShortWriteAtAPointLosesNothing) {
  FailAtEachPoint(Fault::kShortWrite, 2, Stride(11, 23, 83), &campaign());
  EXPECT_GT(campaign().faults, Stride(15, 20, 2));
  ExpectNoDamage();
}

TEST_P(CrashTest, ALostAnswerAtAPointLosesNothing) {
  FailAtEachPoint(Fault::kLostAnswer, 1, Stride(29, 97, 19), &campaign());
  EXPECT_GT(campaign().faults, Stride(5, 5, 10));
  ExpectNoDamage();
}

TEST_P(CrashTest, ProcessesKilledAtRandomMomentsLoseNothing) {
  KillAtRandom(Stride(40, 10, 12), 7, &campaign());
  EXPECT_GT(campaign().kills, Stride(35, 8, 9));
  EXPECT_GT(campaign().acknowledged, Stride(40, 8, 4));
  ExpectNoDamage();
}

INSTANTIATE_TEST_SUITE_P(Sqlite, CrashTest, ::testing::Values(Engine::kSqlite));
INSTANTIATE_TEST_SUITE_P(SqliteFiles, CrashTest,
                         ::testing::Values(Engine::kSqliteFiles));
INSTANTIATE_TEST_SUITE_P(Postgres, CrashTest,
                         ::testing::Values(Engine::kPostgres));

}  // namespace
}  // namespace bvhmill::testing
