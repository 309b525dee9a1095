#include <gtest/gtest.h>

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

}  // namespace
}  // namespace bvhmill::testing
