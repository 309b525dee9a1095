// Signals that stop a program, each in a process of its own.

#include <gtest/gtest.h>
#include <unistd.h>

#include "server/app/process.h"

namespace bvhmill::testing {
namespace {

using ::testing::ExitedWithCode;

class StopSignalsDeathTest : public ::testing::Test {
 protected:
  StopSignalsDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

// One that hangs before it serves has no drain time.
TEST_F(StopSignalsDeathTest, AStartThatHangsEnds) {
  const auto start = [] {
    const server::StopSignals signals(/*drain_seconds=*/600);
    kill(getpid(), SIGTERM);
    while (true) pause();
  };
  EXPECT_EXIT(start(), ExitedWithCode(server::kStuckExit),
              "could not stop in time");
}

TEST_F(StopSignalsDeathTest, AStopBeforeItServesIsNotLost) {
  const auto start = [] {
    server::StopSignals signals(/*drain_seconds=*/600);
    kill(getpid(), SIGTERM);
    signals.Wait([] {});
    _exit(0);
  };
  EXPECT_EXIT(start(), ExitedWithCode(0), "");
}

TEST_F(StopSignalsDeathTest, AReloadThatHangsDelaysNoStop) {
  const auto serve = [] {
    server::StopSignals signals(/*drain_seconds=*/0);
    kill(getpid(), SIGHUP);
    signals.Wait([] {
      kill(getpid(), SIGINT);
      while (true) pause();
    });
  };
  EXPECT_EXIT(serve(), ExitedWithCode(server::kStuckExit),
              "could not stop in time");
}

TEST_F(StopSignalsDeathTest, TheSecondOneEndsItAtOnce) {
  const auto stop = [] {
    server::StopSignals signals(/*drain_seconds=*/600);
    kill(getpid(), SIGTERM);
    signals.Wait([] {});
    kill(getpid(), SIGTERM);
    while (true) pause();
  };
  EXPECT_EXIT(stop(), ExitedWithCode(server::kStuckExit), "told to stop twice");
}

}  // namespace
}  // namespace bvhmill::testing
