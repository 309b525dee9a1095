// A log whose reader is slow or gone.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "server/observe/log.h"
#include "tests/server/observe/log_lines.h"

namespace bvhmill::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A pipe in the place of stderr that is full until the test reads it.
class FullLogTest : public ::testing::Test {
 protected:
  void SetUp() override {
    saved_ = dup(STDERR_FILENO);
    ASSERT_EQ(pipe(ends_), 0);
    dup2(ends_[1], STDERR_FILENO);
    close(ends_[1]);
  }

  void TearDown() override {
    dup2(saved_, STDERR_FILENO);
    close(saved_);
    if (ends_[0] >= 0) close(ends_[0]);
  }

  std::string ReadAll() {
    fcntl(ends_[0], F_SETFL, O_NONBLOCK);
    std::string out;
    char buffer[4096];
    ssize_t size = 0;
    while ((size = read(ends_[0], buffer, sizeof buffer)) > 0) {
      out.append(buffer, static_cast<size_t>(size));
    }
    return out;
  }

  // Writes more lines than the pipe holds, from several threads.
  void WriteMany(const server::Log& log) {
    std::vector<std::thread> threads;
    threads.reserve(4);
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&log] {
        for (int k = 0; k < kLines / 4; ++k) log.Call(SomeLine());
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

  static constexpr int kLines = 2000;
  int saved_ = -1;
  int ends_[2] = {-1, -1};
};

TEST_F(FullLogTest, LostLinesAreCounted) {
  const server::Log log(server::LogFormat::kText);
  WriteMany(log);
  const std::string taken = ReadAll();
  const auto lines = std::count(taken.begin(), taken.end(), '\n');
  EXPECT_GT(lines, 0);
  EXPECT_LT(lines, kLines);
  EXPECT_THAT(taken, Not(HasSubstr("lost")));
  log.Event("here again");
  EXPECT_EQ(ReadAll(), "bvhmilld: " + std::to_string(kLines - lines) +
                           " lines were lost\nbvhmilld: here again\n");
}

TEST_F(FullLogTest, ALogWithoutAReaderStopsNothing) {
  // As main() does.
  const auto handler = signal(SIGPIPE, SIG_IGN);
  close(std::exchange(ends_[0], -1));
  const server::Log log(server::LogFormat::kJson);
  WriteMany(log);
  ASSERT_EQ(pipe(ends_), 0);
  dup2(ends_[1], STDERR_FILENO);
  close(ends_[1]);
  log.Event("here again");
  signal(SIGPIPE, handler);
  EXPECT_THAT(ReadAll(), HasSubstr("\"event\":\"" + std::to_string(kLines) +
                                   " lines were lost\""));
}

}  // namespace
}  // namespace bvhmill::testing
