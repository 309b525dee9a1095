// The messages of the server to systemd over the socket NOTIFY_SOCKET.

#include <gmock/gmock.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <latch>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "server/app/process.h"
#include "server/app/server.h"
#include "tests/support/eventually.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Clock = server::Watchdog::Clock;

// Plays systemd: has the socket, and the variables of a service.
class Supervisor {
 public:
  Supervisor() {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = dir_.File("notify");
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    EXPECT_EQ(bind(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address),
              0);
    setenv("NOTIFY_SOCKET", path.c_str(), 1);
  }
  ~Supervisor() {
    for (const char* name :
         {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"}) {
      unsetenv(name);
    }
    close(fd_);
  }
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  // The messages since the last call.
  std::vector<std::string> Told() {
    std::vector<std::string> messages;
    char buffer[256];
    while (true) {
      const ssize_t size = recv(fd_, buffer, sizeof buffer, MSG_DONTWAIT);
      if (size < 0) return messages;
      messages.emplace_back(buffer, static_cast<size_t>(size));
    }
  }

 private:
  TempDir dir_;
  const int fd_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
};

TEST(NotifyTest, TellsTheSocketOfTheEnvironment) {
  EXPECT_FALSE(server::NotifySupervisor("READY=1"));
  EXPECT_FALSE(server::NotifyReloading());
  Supervisor supervisor;
  EXPECT_TRUE(server::NotifySupervisor("READY=1"));
  EXPECT_THAT(supervisor.Told(), ElementsAre("READY=1"));
}

int64_t MonotonicMicros() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000;
}

TEST(NotifyTest, AReloadHasTheTimeOfItsBegin) {
  Supervisor supervisor;
  const int64_t before = MonotonicMicros();
  EXPECT_TRUE(server::NotifyReloading());
  const int64_t after = MonotonicMicros();
  const std::vector<std::string> told = supervisor.Told();
  ASSERT_EQ(told.size(), 1u);
  const std::string begin = "RELOADING=1\nMONOTONIC_USEC=";
  ASSERT_TRUE(told[0].starts_with(begin)) << told[0];
  const int64_t micros = std::stoll(told[0].substr(begin.size()));
  EXPECT_LE(before, micros);
  EXPECT_LE(micros, after);
}

TEST(WatchdogTest, PingsAtHalfOfTheTime) {
  Supervisor supervisor;
  setenv("WATCHDOG_USEC", "3000000", 1);
  server::Watchdog watchdog;
  const Clock::time_point begin = Clock::now();
  const std::pair<milliseconds, bool> ticks[] = {
      {milliseconds(0), true},      {milliseconds(0), false},
      {milliseconds(1499), false},  {milliseconds(1500), true},
      {milliseconds(2999), false},  {milliseconds(3001), true},
      {milliseconds(4500), false},  {milliseconds(4501), true},
      {milliseconds(60'000), true}, {milliseconds(61'499), false}};
  for (const auto& [time, pings] : ticks) {
    watchdog.Tick(begin + time);
    EXPECT_EQ(supervisor.Told(), pings ? std::vector<std::string>{"WATCHDOG=1"}
                                       : std::vector<std::string>{})
        << time.count();
  }
}

struct WatchdogCase {
  const char* micros;
  std::string process;
  bool pings;
};

TEST(WatchdogTest, NeedsATimeAndItsOwnProcess) {
  const std::string own = std::to_string(getpid());
  const WatchdogCase cases[] = {
      {"1000000", own, true},   {"1", own, true},
      {"1000000", "1", false},  {"0", own, false},
      {"-1000000", own, false}, {"", own, false},
      {"30s", own, false},      {"99999999999999999999", own, false}};
  for (const WatchdogCase& c : cases) {
    Supervisor supervisor;
    setenv("WATCHDOG_USEC", c.micros, 1);
    setenv("WATCHDOG_PID", c.process.c_str(), 1);
    server::Watchdog().Tick(Clock::now());
    EXPECT_EQ(supervisor.Told().size(), c.pings ? 1u : 0u)
        << c.micros << " " << c.process;
  }
  Supervisor supervisor;
  server::Watchdog().Tick(Clock::now());
  EXPECT_THAT(supervisor.Told(), IsEmpty());
}

// The work of the server does not wait until systemd reads.
TEST(WatchdogTest, TriesAgainIfTheSupervisorDoesNotRead) {
  Supervisor supervisor;
  setenv("WATCHDOG_USEC", "2", 1);
  server::Watchdog watchdog;
  const Clock::time_point begin = Clock::now();
  // More than the socket holds.
  for (int i = 0; i < 2000; ++i) watchdog.Tick(begin + microseconds(i));
  EXPECT_LT(supervisor.Told().size(), 2000u);
  watchdog.Tick(begin + microseconds(2000));
  EXPECT_THAT(supervisor.Told(), ElementsAre("WATCHDOG=1"));
}

// A housekeeping whose check of memory waits for the test.
TEST(WatchdogTest, AStuckHousekeepingIsSilent) {
  Supervisor supervisor;
  setenv("WATCHDOG_USEC", "100000", 1);
  std::atomic<bool> must_stick = false;
  std::latch is_stuck(1);
  std::latch may_go_on(1);
  server::MemoryGuard guard({.counted_bytes =
                                 [&] {
                                   if (must_stick.exchange(false)) {
                                     is_stuck.count_down();
                                     may_go_on.wait();
                                   }
                                   return int64_t{0};
                                 },
                             .is_idle = [] { return true; },
                             .on_change = [](bool) {}});
  server::Log log(server::LogFormat::kOff);
  server::Metrics metrics;
  server::Admission admission({});
  server::Connections connections({});
  server::CallRegistry calls(/*max_calls=*/0, [](const std::string&) {});
  const server::Housekeeping housekeeping(
      {log, metrics, admission, connections, calls, guard});
  const auto pings = [&] { return !supervisor.Told().empty(); };
  EXPECT_TRUE(Eventually(pings));
  EXPECT_TRUE(Eventually(pings));
  must_stick = true;
  is_stuck.wait();
  supervisor.Told();
  std::this_thread::sleep_for(milliseconds(200));
  EXPECT_FALSE(pings());
  may_go_on.count_down();
  EXPECT_TRUE(Eventually(pings));
}

}  // namespace
}  // namespace bvhmill::testing
