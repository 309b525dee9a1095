// A converter uses the threads that it was told to use, and no others; it works
// in a child process after a fork.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <iterator>
#include <ostream>
#include <string>
#include <thread>

#include "bvhmill/pipeline/convert.h"
#include "tests/pipeline/clip_text.h"
#include "tests/support/converted.h"

namespace bvhmill::testing {
namespace {

constexpr int kLongFrames = 30'000;

ConvertOptions Options() {
  ConvertOptions options;
  options.outputs = {{"p", PositionsFormat{}},
                     {"j", PositionsFormat{TensorLayout::kJointMajor, true}}};
  return options;
}

int64_t ThreadsOfProcess() {
  using Entries = std::filesystem::directory_iterator;
  return std::distance(Entries("/proc/self/task"), Entries());
}

// Runs `work` in a child process. True if it returns true within a minute.
template <typename Work>
bool RunsInChild(const Work& work) {
  const pid_t child = fork();
  if (child == 0) _exit(work() ? 0 : 1);
  for (int i = 0; i < 6'000; ++i) {
    int status = 0;
    if (waitpid(child, &status, WNOHANG) == child) {
      return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return false;
}

struct ForkCase {
  const char* name;
  Parallelism parallelism;
};

void PrintTo(const ForkCase& fork, std::ostream* out) { *out << fork.name; }

class ForkTest : public ::testing::TestWithParam<ForkCase> {};

INSTANTIATE_TEST_SUITE_P(
    Parallelism, ForkTest,
    ::testing::Values(ForkCase{"None", Parallelism::None()},
                      ForkCase{"Threads", Parallelism::Threads(4)}),
    [](const auto& info) { return info.param.name; });

TEST_P(ForkTest, AUsedConverterConvertsInTheChild) {
  const std::string text = ChainText(8, kLongFrames);
  Converter converter(GetParam().parallelism);
  const Converted expected = ConvertWhole(text, Options(), &converter);
  ASSERT_TRUE(expected.result.status.ok()) << expected.result.status;
  EXPECT_TRUE(RunsInChild([&] {
    const Converted whole = ConvertWhole(text, Options(), &converter);
    const Converted pieces = ConvertPieces(text, Options(), 10'000, &converter);
    return whole.outputs == expected.outputs &&
           pieces.outputs == expected.outputs;
  }));
  EXPECT_TRUE(ConvertWhole(text, Options(), &converter).outputs ==
              expected.outputs);
}

// In a child process, which begins without the threads of other tests. The
// thread sanitizer has a thread of its own there.
TEST(ParallelismTest, NoneStartsNoThread) {
  const std::string text = ChainText(8, kLongFrames);
  EXPECT_TRUE(RunsInChild([&] {
    const int64_t threads = ThreadsOfProcess();
    Converter converter(Parallelism::None());
    const bool is_good =
        ConvertWhole(text, Options(), &converter).result.status.ok() &&
        ConvertPieces(text, Options(), 10'000, &converter).result.status.ok();
    return is_good && ThreadsOfProcess() == threads;
  }));
}

TEST(ParallelismTest, ResultsAreEqual) {
  const std::string text = ChainText(8, kLongFrames);
  Converter alone(Parallelism::None());
  const Converted expected = ConvertWhole(text, Options(), &alone);
  for (const Parallelism& parallelism :
       {Parallelism::Threads(1), Parallelism::Threads(3),
        Parallelism::Threads(0), Parallelism::CallersPool()}) {
    Converter converter(parallelism);
    EXPECT_TRUE(ConvertWhole(text, Options(), &converter).outputs ==
                expected.outputs);
  }
}

TEST(ConverterTest, KeepsMemoryUntilItIsFreed) {
  Converter converter;
  EXPECT_EQ(converter.KeptBytes(), 0U);
  ConvertWhole(ChainText(8, 100), Options(), &converter);
  EXPECT_GT(converter.KeptBytes(), 0U);
  converter.FreeMemory();
  EXPECT_EQ(converter.KeptBytes(), 0U);
  EXPECT_TRUE(ConvertWhole(ChainText(8, 100), Options(), &converter)
                  .result.status.ok());
}

}  // namespace
}  // namespace bvhmill::testing
