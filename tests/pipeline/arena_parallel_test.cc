#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "bvhmill/pipeline/convert.h"
#include "bvhmill/pipeline/internal/converter_state.h"
#include "bvhmill/pipeline/workers.h"

namespace bvhmill::testing {
namespace {

TEST(ArenaParallel, RunsEachTaskOnce) {
  ArenaParallel parallel;
  EXPECT_GE(parallel.threads(), 1);
  std::vector<std::atomic<int>> runs(100);
  parallel.Run(100, [&](int64_t i) { ++runs[static_cast<size_t>(i)]; });
  for (const std::atomic<int>& n : runs) EXPECT_EQ(n, 1);
}

std::string LongClip() {
  constexpr int kFrames = 150'000;
  std::string text =
      "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Xposition Yposition "
      "Zposition\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\nMOTION\nFrames: " +
      std::to_string(kFrames) + "\nFrame Time: 0.01\n";
  for (int i = 0; i < kFrames; ++i) {
    text += std::to_string(i) + ".5 " + std::to_string(i % 100) + " 0.125\n";
  }
  return text;
}

// While a clip waits for the threads that help it, its own thread must not
// begin another one.
TEST(ArenaParallel, LongClipsSideBySide) {
  const std::string text = LongClip();
  constexpr int kClips = 12;
  std::atomic<int> good = 0;
  std::atomic<int> deepest = 0;
  RunBatch(kClips, 3, [&](int64_t) {
    thread_local int depth = 0;
    deepest = std::max(deepest.load(), ++depth);
    const ConvertResult result = Converter(Parallelism::CallersPool())
                                     .Convert(text, {}, nullptr, nullptr);
    good += result.status.ok() && result.info.frames == 150'000 ? 1 : 0;
    --depth;
  });
  EXPECT_EQ(good, kClips);
  EXPECT_EQ(deepest, 1);
}

}  // namespace
}  // namespace bvhmill::testing
