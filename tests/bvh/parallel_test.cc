// Several threads read what one reads.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "bvhmill/bvh/reader.h"
#include "bvhmill/encode/report_json.h"
#include "tests/bvh/threads.h"
#include "tests/support/clips.h"
#include "tests/support/read_in_pieces.h"

namespace bvhmill::testing {
namespace {

constexpr std::string_view kOneJoint =
    "HIERARCHY\nROOT a\n{\n OFFSET 0 0 0\n CHANNELS 3 Xposition Yposition "
    "Zposition\n End Site\n {\n OFFSET 0 1 0\n }\n}\nMOTION\n";

std::string Take(int64_t declared, int64_t rows, std::string_view line_end) {
  std::string text = std::string(kOneJoint) +
                     "Frames: " + std::to_string(declared) +
                     "\nFrame Time: 0.01\n";
  for (int64_t i = 0; i < rows; ++i) {
    text += std::to_string(i) + " " + std::to_string(i % 77) + ".125 -" +
            std::to_string(i % 1000) + "e-3";
    text += line_end;
  }
  return text;
}

std::string Read(std::string_view text, Parallel* parallel, ReadResult* read) {
  IssueLog log({});
  ReadOptions options;
  options.parallel = parallel;
  *read = ReadBvh(text, options, &log);
  return ReportJson("", log.Finish(read->skeleton_read, read->motion_read), {});
}

void ExpectAsOneThread(std::string_view text, int runs = 1) {
  ReadResult one;
  const std::string expected = Read(text, nullptr, &one);
  for (const int count : {2, 5}) {
    Threads threads(count);
    ReadResult many;
    EXPECT_EQ(Read(text, &threads, &many), expected);
    ExpectSameClip(many.clip, one.clip);
    EXPECT_EQ(threads.runs(), runs);
  }
}

constexpr int64_t kManyRows = 200'000;

TEST(Parallel, RegularFiles) {
  for (const std::string_view end : {"\n", "\r\n", "\r", " \n"}) {
    SCOPED_TRACE(end.size());
    // Blocks are cut at line feeds.
    const int runs = end == "\r" ? 0 : 1;
    ExpectAsOneThread(Take(kManyRows, kManyRows, end), runs);
    ExpectAsOneThread(Take(kManyRows, kManyRows, end) + "\n\n", runs);
    ExpectAsOneThread(Take(kManyRows - 100, kManyRows, end), runs);
    ExpectAsOneThread(Take(kManyRows + 100, kManyRows, end), runs);
    ExpectAsOneThread(Take(1, kManyRows, end), runs);
    // The lines count if the count cannot be.
    ExpectAsOneThread(Take(0, kManyRows, end), runs);
    ExpectAsOneThread(Take(100 * kManyRows, kManyRows, end), runs);
  }
}

TEST(Parallel, LongPieces) {
  std::string text = Take(kManyRows, kManyRows, "\n");
  text.replace(text.find('\n', 2 * text.size() / 3), 1, "\n\n# note\n");
  ReadResult one;
  const std::string expected = Read(text, nullptr, &one);
  Threads threads(3);
  ReadOptions options;
  options.parallel = &threads;
  for (const size_t size : {size_t{1} << 21, text.size() / 2}) {
    IssueLog log({});
    const ReadResult many = ReadInPieces(
        text, options, [&](int64_t) { return size; }, &log);
    ExpectSameClip(many.clip, one.clip);
    EXPECT_EQ(ReportJson("", log.Finish(true, true), {}), expected);
  }
  EXPECT_GE(threads.runs(), 4);
}

TEST(Parallel, WithoutTheLastLineEnd) {
  std::string text = Take(kManyRows, kManyRows, "\n");
  text.pop_back();
  ExpectAsOneThread(text);
  ExpectAsOneThread(text + " 1");
}

// Wherever it stops being regular.
TEST(Parallel, OddLinesAnywhere) {
  const std::string text = Take(kManyRows, kManyRows, "\n");
  const char* const odd[] = {"\n\n",    "\n# note\n",  "\nx\n",
                             "\n1 2\n", "\n1 2 nan\n", "\n1 2 3 4\n"};
  std::mt19937 random(3);
  for (const char* line : odd) {
    for (int i = 0; i < 4; ++i) {
      std::string changed = text;
      const size_t at = text.find('\n', 300 + random() % (text.size() - 400));
      changed.replace(at, 1, line);
      SCOPED_TRACE(std::string(line) + std::to_string(at));
      ExpectAsOneThread(changed);
    }
  }
}

TEST(Parallel, LinesLongerThanBlocks) {
  std::string text = Take(kManyRows, kManyRows, " ");
  ExpectAsOneThread(text, 0);
  text = Take(kManyRows, kManyRows, "\n");
  text.insert(text.find('\n', text.size() / 2), 300'000, ' ');
  ExpectAsOneThread(text);
}

TEST(Parallel, LimitsHold) {
  const std::string text = Take(kManyRows, kManyRows, "\n");
  for (const int64_t frames : {1, 1000, 100'000, 199'999, 200'000}) {
    ReadOptions options;
    options.limits.max_frames = frames;
    IssueLog one_log({});
    const ReadResult one = ReadBvh(text, options, &one_log);
    Threads threads(3);
    options.parallel = &threads;
    IssueLog log({});
    const ReadResult many = ReadBvh(text, options, &log);
    EXPECT_EQ(many.motion_read, one.motion_read);
    EXPECT_EQ(log.faults(), one_log.faults());
    ExpectSameClip(many.clip, one.clip);
  }
}

TEST(Parallel, CanBeCancelled) {
  CancelToken token;
  token.Cancel();
  Threads threads(2);
  ReadOptions options;
  options.cancel = &token;
  options.parallel = &threads;
  IssueLog log({});
  const ReadResult read =
      ReadBvh(Take(kManyRows, kManyRows, "\n"), options, &log);
  EXPECT_FALSE(read.motion_read);
  EXPECT_EQ(read.clip.motion.frames, 0);
  EXPECT_EQ(log.faults(), 0);
}

TEST(Parallel, ShortFilesAreReadByOneThread) {
  Threads threads(2);
  ReadResult read;
  Read(Take(3, 3, "\n"), &threads, &read);
  EXPECT_EQ(read.clip.motion.frames, 3);
  EXPECT_EQ(threads.runs(), 0);
}

}  // namespace
}  // namespace bvhmill::testing
