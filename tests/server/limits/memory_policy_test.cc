// How much memory the process may have, and what the server does when it has
// more than it can account for.

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "server/limits/admission.h"
#include "server/limits/memory.h"
#include "server/limits/memory_guard.h"
#include "tests/server/fixture.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

using server::MemoryPolicy;
using server::MemoryReading;
using std::chrono::seconds;

constexpr int64_t kMiB = int64_t{1} << 20;

struct GroupFile {
  const char* path;
  const char* text;
};

struct GroupCase {
  const char* name;
  const char* cgroups;
  std::vector<GroupFile> files;
  int64_t limit;
};

TEST(MemoryBoundsTest, TheLeastLimitOfAllGroupsCounts) {
  const GroupCase cases[] = {
      {"no groups", "", {}, 0},
      {"version 2", "0::/a/b\n", {{"a/b/memory.max", "1000\n"}}, 1000},
      {"a parent has less",
       "0::/a/b\n",
       {{"a/b/memory.max", "1000"}, {"a/memory.max", "700"}},
       700},
      {"max is no limit",
       "0::/a/b\n",
       {{"a/b/memory.max", "max"}, {"a/memory.max", "900"}},
       900},
      {"the root of a namespace", "0::/\n", {{"memory.max", "5000"}}, 5000},
      {"outside of the namespace", "0::/../x\n", {{"memory.max", "8"}}, 8},
      {"version 1",
       "5:cpu,memory:/x\n0::/\n",
       {{"memory/x/memory.limit_in_bytes", "300"}},
       300},
      {"version 1 without a limit",
       "5:memory:/x\n",
       {{"memory/x/memory.limit_in_bytes", "9223372036854771712"}},
       0},
      {"another controller",
       "5:cpu:/x\n",
       {{"memory/x/memory.limit_in_bytes", "300"}},
       0}};
  for (const GroupCase& c : cases) {
    SCOPED_TRACE(c.name);
    const TempDir dir;
    for (const GroupFile& file : c.files) {
      const std::filesystem::path path = dir.File(file.path);
      std::filesystem::create_directories(path.parent_path());
      WriteFile(path, file.text);
    }
    EXPECT_EQ(server::CgroupMemoryLimit(c.cgroups, dir.path()), c.limit);
  }
}

TEST(MemoryBoundsTest, TheTightestBoundSaysHowFullTheProcessIs) {
  EXPECT_EQ(server::LeastBound({0, 0}), 0);
  EXPECT_EQ(server::LeastBound({8, 0}), 8);
  EXPECT_EQ(server::LeastBound({8, 5}), 5);
  EXPECT_EQ(server::FullnessOf({50, 90}, {0, 0}), 0);
  EXPECT_EQ(server::FullnessOf({50, 90}, {100, 0}), 0.5);
  EXPECT_EQ(server::FullnessOf({50, 90}, {100, 100}), 0.9);
}

TEST(MemoryPolicyTest, MemoryIsShortUntilThereIsEnoughAgain) {
  MemoryPolicy guard;
  const std::pair<double, bool> steps[] = {
      {0.5, false}, {0.849, false}, {0.85, true}, {0.8, true},
      {0.75, true}, {0.749, false}, {0.8, false}};
  for (const auto& [fullness, is_short] : steps) {
    MemoryReading reading;
    reading.fullness = fullness;
    EXPECT_EQ(guard.IsShort(reading), is_short) << fullness;
  }
}

TEST(MemoryPolicyTest, TheAllocatorIsAskedOnceForWhatItDoesNotGiveBack) {
  MemoryPolicy guard;
  const auto start = MemoryPolicy::Clock::now();
  struct Step {
    int second;
    int64_t resident_mib;
    int64_t counted_mib;
    bool releases;
  };
  const Step steps[] = {
      {0, 112, 0, false}, {0, 113, 0, true},  {1, 200, 100, false},
      {2, 200, 0, true},  {4, 200, 0, false}, {6, 232, 0, false},
      {8, 233, 0, true},  {8, 400, 0, false}, {10, 400, 0, true},
      {12, 81, 0, false}, {14, 114, 0, true}};
  for (const Step& step : steps) {
    MemoryReading reading;
    reading.resident = step.resident_mib * kMiB;
    reading.counted = step.counted_mib * kMiB;
    EXPECT_EQ(guard.ShouldRelease(start + seconds(step.second), reading),
              step.releases)
        << step.second;
  }
}

TEST(MemoryPolicyTest, TheAllocatorIsAskedFiveTimesASecondIfMemoryIsShort) {
  using std::chrono::milliseconds;
  MemoryPolicy guard;
  const auto start = MemoryPolicy::Clock::now();
  struct Step {
    int millisecond;
    double fullness;
    bool releases;
  };
  const Step steps[] = {{0, 0.849, false}, {0, 0.85, true},
                        {199, 0.9, false}, {200, 0.9, true},
                        {399, 0.9, false}, {5000, 0.8, false}};
  for (const Step& step : steps) {
    MemoryReading reading;
    reading.fullness = step.fullness;
    EXPECT_EQ(
        guard.ShouldRelease(start + milliseconds(step.millisecond), reading),
        step.releases)
        << step.millisecond;
  }
}

// Then again and again: buffers of connections become free later.
TEST(MemoryPolicyTest, AnIdleServerReleasesItsMemory) {
  MemoryPolicy guard;
  const auto start = MemoryPolicy::Clock::now();
  struct Step {
    int second;
    bool is_idle;
    bool releases;
  };
  const Step steps[] = {{0, false, false}, {9, true, false}, {10, true, true},
                        {19, true, false}, {20, true, true}, {25, false, false},
                        {34, true, false}, {35, true, true}};
  for (const Step& step : steps) {
    MemoryReading reading;
    reading.is_idle = step.is_idle;
    EXPECT_EQ(guard.ShouldRelease(start + seconds(step.second), reading),
              step.releases)
        << step.second;
  }
}

TEST(MemoryPolicyTest, NewClipsAreRefusedAndThoseThatRunGoOn) {
  server::Admission admission({});
  server::Ticket running;
  server::Ticket late;
  const auto& caller = *server::AnonymousCaller();
  EXPECT_TRUE(admission.TryEnter(caller, "ipv4:1.2.3.4:5", 1, &running).ok());
  admission.RefuseNewClips(true);
  const absl::Status refused =
      admission.TryEnter(caller, "ipv4:1.2.3.4:5", 1, &late);
  EXPECT_TRUE(absl::IsResourceExhausted(refused));
  const Details details = DetailsOf(refused);
  EXPECT_EQ(details.info.reason(), "SERVER_BUSY");
  EXPECT_EQ(details.info.metadata().at("limit_name"), "available_memory");
  EXPECT_EQ(details.retry.retry_delay().seconds(), 1);
  EXPECT_TRUE(running.Grow(100).ok());
  admission.RefuseNewClips(false);
  EXPECT_TRUE(admission.TryEnter(caller, "ipv4:1.2.3.4:5", 1, &late).ok());
}

}  // namespace
}  // namespace bvhmill::testing
