// A short campaign: a process is killed at each point once, and at some random
// moments; some points fail in other ways. tests/crash/crash.cc runs the long
// one.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "tests/crash/crash_load.h"

namespace bvhmill::testing {
namespace {

using server::Fault;

// Killed processes leave the same in memory as on a disk, which is slower.
std::string FastFolder() {
  const std::string memory = "/dev/shm/";
  return access(memory.c_str(), W_OK) == 0 ? memory : ::testing::TempDir();
}

class CrashTest : public ::testing::Test {
 protected:
  ~CrashTest() override { std::filesystem::remove_all(folder_); }

  void ExpectNoDamage() const {
    const Damage& damage = campaign_.damage;
    EXPECT_EQ(damage.lost, 0);
    EXPECT_EQ(damage.duplicated, 0);
    EXPECT_EQ(damage.leaked, 0);
    EXPECT_EQ(damage.wrong, 0);
    for (const std::string& why : damage.why) ADD_FAILURE() << why;
  }

  const std::string folder_ =
      FastFolder() + "crash-" +
      ::testing::UnitTest::GetInstance()->current_test_info()->name();
  Campaign campaign_;
};

TEST_F(CrashTest, AProcessKilledAtEachPointLosesNothing) {
  FailAtEachPoint(folder_, Fault::kKill, 1, 1, &campaign_);
  EXPECT_GT(campaign_.kills, 100);
  EXPECT_GT(campaign_.acknowledged, 100);
  ExpectNoDamage();
}

TEST_F(CrashTest, AProcessKilledWithinAWriteLosesNothing) {
  FailAtEachPoint(folder_, Fault::kKillWithinWrite, 5, 7, &campaign_);
  EXPECT_GT(campaign_.kills, 20);
  ExpectNoDamage();
}

TEST_F(CrashTest, AFullDiskAtAPointLosesNothing) {
  FailAtEachPoint(folder_, Fault::kNoSpace, 3, 7, &campaign_);
  EXPECT_GT(campaign_.faults, 20);
  ExpectNoDamage();
}

TEST_F(CrashTest, AnErrorOfTheDiskAtAPointLosesNothing) {
  FailAtEachPoint(folder_, Fault::kIoError, 4, 7, &campaign_);
  EXPECT_GT(campaign_.faults, 20);
  ExpectNoDamage();
}

TEST_F(CrashTest, AShortWriteAtAPointLosesNothing) {
  FailAtEachPoint(folder_, Fault::kShortWrite, 2, 11, &campaign_);
  EXPECT_GT(campaign_.faults, 15);
  ExpectNoDamage();
}

TEST_F(CrashTest, ProcessesKilledAtRandomMomentsLoseNothing) {
  KillAtRandom(folder_, 40, 7, &campaign_);
  EXPECT_GT(campaign_.kills, 35);
  EXPECT_GT(campaign_.acknowledged, 40);
  ExpectNoDamage();
}

}  // namespace
}  // namespace bvhmill::testing
