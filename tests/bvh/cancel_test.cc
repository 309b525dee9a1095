#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "bvhmill/base/budget.h"
#include "bvhmill/bvh/reader.h"
#include "bvhmill/bvh/writer.h"
#include "tests/support/clips.h"

namespace bvhmill::testing {
namespace {

TEST(Cancel, ACancelledReadStopsWithoutAFault) {
  std::string text;
  StringSink sink(&text);
  ASSERT_TRUE(WriteBvh(SmallLeg(50'000), {}, &sink).ok());
  CancelToken token;
  token.Cancel();
  IssueLog log({});
  const ReadResult result =
      ReadBvh(text, {.limits = {}, .cancel = &token}, &log);
  EXPECT_FALSE(result.motion_read);
  EXPECT_LT(result.clip.motion.frames, 50'000);
  EXPECT_EQ(log.faults(), 0);
  EXPECT_TRUE(log.Finish(true, true).issues.empty());
}

TEST(Cancel, ATokenThatIsNotCancelledChangesNothing) {
  std::string text;
  StringSink sink(&text);
  const Clip clip = SmallLeg(3'000);
  ASSERT_TRUE(WriteBvh(clip, {}, &sink).ok());
  const CancelToken token;
  IssueLog log({});
  const ReadResult result =
      ReadBvh(text, {.limits = {}, .cancel = &token}, &log);
  EXPECT_TRUE(result.motion_read);
  ExpectSameClip(result.clip, clip);
}

// Rows over several lines take another path, which must stop as well.
TEST(Cancel, IrregularRowsStopToo) {
  std::string text;
  StringSink sink(&text);
  ASSERT_TRUE(WriteBvh(SmallLeg(50'000), {}, &sink).ok());
  const size_t row = text.find("Frame Time");
  text[text.find(' ', text.find('\n', row) + 1)] = '\n';
  CancelToken token;
  token.Cancel();
  IssueLog log({});
  EXPECT_FALSE(
      ReadBvh(text, {.limits = {}, .cancel = &token}, &log).motion_read);
  EXPECT_EQ(log.faults(), 0);
}

// Rows of one line each, rows over several lines, and all rows in one line.
TEST(Cancel, ABudgetThatRefusesEndsTheRowsOfEveryLayout) {
  std::string regular;
  StringSink sink(&regular);
  ASSERT_TRUE(WriteBvh(SmallLeg(50'000), {}, &sink).ok());
  const size_t rows = regular.find('\n', regular.find("Frame Time")) + 1;
  std::string broken = regular;
  broken[broken.find(' ', rows)] = '\n';
  std::string one_line = regular;
  std::replace(one_line.begin() + static_cast<ptrdiff_t>(rows),
               one_line.end() - 1, '\n', ' ');
  for (const std::string& text : {regular, broken, one_line}) {
    for (const size_t piece : {size_t{4096}, text.size()}) {
      Limits limits;
      limits.max_clip_memory_bytes = 200'000;
      Budget budget(limits, nullptr);
      ReadOptions options;
      options.budget = &budget;
      IssueLog log({});
      ParsedClip clip;
      BvhReader reader(options, &log, &clip);
      for (size_t at = 0; at < text.size(); at += piece) {
        reader.Add(std::string_view(text).substr(at, piece));
      }
      reader.Finish();
      EXPECT_FALSE(clip.motion_read);
      EXPECT_FALSE(budget.failure().ok());
      EXPECT_EQ(log.faults(), 0);
    }
  }
}

}  // namespace
}  // namespace bvhmill::testing
