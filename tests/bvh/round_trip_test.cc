// A clip that is written and read again is the same clip, bit for bit.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>

#include "bvhmill/base/text.h"
#include "bvhmill/bvh/reader.h"
#include "bvhmill/bvh/writer.h"
#include "tests/samples/samples.h"
#include "tests/support/clips.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

std::string TextOf(const Clip& clip) {
  std::string text;
  StringSink sink(&text);
  EXPECT_TRUE(WriteBvh(clip, {}, &sink).ok());
  return text;
}

ReadResult ReadClean(std::string_view text) {
  IssueLog log({});
  ReadResult result = ReadBvh(text, {}, &log);
  if (log.faults() == 0) return result;
  for (const Issue& issue : log.Finish(true, true).issues) {
    ADD_FAILURE() << RenderIssue(issue);
  }
  return result;
}

void CheckRoundTrip(const Clip& clip) {
  const std::string text = TextOf(clip);
  const ReadResult result = ReadClean(text);
  ASSERT_TRUE(result.motion_read) << text.substr(0, 2000);
  ExpectSameClip(result.clip, clip);
  EXPECT_EQ(result.node_positions.size(), clip.skeleton.nodes.size());
  EXPECT_EQ(TextOf(result.clip), text);
}

TEST(RoundTrip, SmallLeg) { CheckRoundTrip(SmallLeg(10)); }

TEST(RoundTrip, RandomSkeletons) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    CheckRoundTrip(RandomClip({.scales = true}, 1 + seed % 7, seed));
  }
}

TEST(RoundTrip, RandomBitsAsValues) {
  std::mt19937_64 random(3);
  Clip clip = SmallLeg(2'000);
  for (float& value : clip.motion.values) {
    do {
      value = std::bit_cast<float>(static_cast<uint32_t>(random()));
    } while (std::isnan(value));
  }
  CheckRoundTrip(clip);
}

TEST(RoundTrip, SpecialValues) {
  using Limits = std::numeric_limits<float>;
  const float values[] = {0.0f,
                          -0.0f,
                          Limits::denorm_min(),
                          -Limits::denorm_min(),
                          Limits::min(),
                          Limits::max(),
                          Limits::lowest(),
                          Limits::infinity(),
                          -Limits::infinity(),
                          Limits::quiet_NaN(),
                          0.1f,
                          1e-7f,
                          16777216.0f,
                          std::nextafterf(1, 2),
                          1.0f / 3};
  SkeletonBuilder builder;
  builder.Root("Root", "XYZ", {-0.0f, Limits::denorm_min(), Limits::lowest()});
  Clip clip = CountingClip(builder.Build(), 5);
  std::copy(std::begin(values), std::end(values), clip.motion.values.begin());
  CheckRoundTrip(clip);
}

TEST(RoundTrip, FrameTimes) {
  for (const double frame_time :
       {1.0 / 120, 0.0083333, 1.0, 0.0, -0.0, -0.5, 5e-324, 1e300,
        std::numeric_limits<double>::infinity(),
        std::numeric_limits<double>::quiet_NaN(), 0.1, 1.0 / 3}) {
    SCOPED_TRACE(frame_time);
    Clip clip = SmallLeg(2);
    clip.motion.frame_time = frame_time;
    CheckRoundTrip(clip);
  }
}

TEST(RoundTrip, EndSitesWithLabelsAndChannels) {
  SkeletonBuilder builder;
  const int root = builder.Root("Root", "XYZzxy");
  builder.EndSite(root);
  builder.EndSite(root, "Tip of the tail", {1, 2, 3}, "zxy");
  const int joint = builder.Joint(root, "Joint", "");
  builder.EndSite(joint, "Site", {0, 0, 0}, "X");
  builder.EndSite(joint, "7", {0, 0, 0});
  builder.Joint(joint, "After", "z");
  CheckRoundTrip(CountingClip(builder.Build(), 4));
}

TEST(RoundTrip, SeveralRoots) {
  SkeletonBuilder builder;
  const int first = builder.Root("First", "XYZzxy", {1, 2, 3});
  builder.EndSite(builder.Joint(first, "Joint", "zxy"));
  builder.Root("Second", "");
  builder.Root("Third", "y");
  CheckRoundTrip(CountingClip(builder.Build(), 4));
}

TEST(RoundTrip, NoFramesAndNoChannels) {
  CheckRoundTrip(SmallLeg(0));
  SkeletonBuilder builder;
  builder.EndSite(builder.Joint(builder.Root("Root", ""), "Joint", ""));
  for (const int64_t frames : {0, 1, 1000}) {
    SCOPED_TRACE(frames);
    CheckRoundTrip(CountingClip(builder.Build(), frames));
  }
}

// As they may stand in files: no line ends, no blanks around.
TEST(RoundTrip, OddNames) {
  for (const std::string name :
       {"Left Hand",  "a\tb",       "a  b",         "#Hips", "//Hips",
        "Bip01:Hips", "JOINT",      "End Site",     "}",     "a}",
        "a{",         "a{b",        "a } b",        "7",     "-1.5",
        "MOTION",     "\"quoted\"", "\xE5\xB7\xA6", "\x01",  "a\x7F",
        "CHANNELS 3"}) {
    SCOPED_TRACE(name);
    SkeletonBuilder builder;
    const int root = builder.Root(name, "XYZzxy");
    const int joint = builder.Joint(root, name, "zxy");
    builder.EndSite(joint, name);
    CheckRoundTrip(CountingClip(builder.Build(), 2));
  }
}

TEST(RoundTrip, NamesThatAreNotUtf8BecomeUtf8) {
  for (const char* name :
       {"\x83\x7B", "\x8D\xB6\x98\x72", "Ren\xE9", "\xFF\xFE"}) {
    SkeletonBuilder builder;
    const int root = builder.Root(name, "XYZzxy");
    builder.EndSite(root, name);
    Clip clip = CountingClip(builder.Build(), 2);
    const std::string text = TextOf(clip);
    for (Node& node : clip.skeleton.nodes) node.name = ToUtf8(name);
    ExpectSameClip(ReadClean(text).clip, clip);
    CheckRoundTrip(clip);
  }
}

TEST(RoundTrip, NulInANameAndALongName) {
  for (const std::string& name :
       {std::string("a\0b", 3), std::string(4096, 'x')}) {
    SkeletonBuilder builder;
    builder.Root(name, "z");
    CheckRoundTrip(CountingClip(builder.Build(), 1));
  }
}

TEST(RoundTrip, DeepAndWide) {
  SkeletonBuilder deep;
  int joint = deep.Root("Root", "XYZzxy");
  for (int i = 0; i < 3'000; ++i) joint = deep.Joint(joint, "J", "z");
  deep.EndSite(joint);
  CheckRoundTrip(CountingClip(deep.Build(), 3));
  SkeletonBuilder wide;
  const int root = wide.Root("Root", "XYZzxy");
  for (int i = 0; i < 3'000; ++i) wide.Joint(root, "J", "zxy");
  CheckRoundTrip(CountingClip(wide.Build(), 3));
}

TEST(RoundTrip, Samples) {
  for (const samples::Take& take : samples::AllTakes()) {
    SCOPED_TRACE(take.name);
    std::ostringstream text;
    samples::WriteBvh(take, text);
    CheckRoundTrip(ReadClean(text.str()).clip);
  }
}

TEST(RoundTrip, EveryCaseThatIsRead) {
  int read = 0;
  for (const std::string& path : FilesIn(TestData("cases"), ".bvh")) {
    IssueLog log({});
    const std::string text = ReadFile(path);
    const ReadResult result = ReadBvh(text, {}, &log);
    if (!result.motion_read) continue;
    SCOPED_TRACE(path);
    CheckRoundTrip(result.clip);
    ++read;
  }
  EXPECT_GT(read, 300);
}

TEST(RoundTrip, RealFiles) {
  if (RealData().empty()) {
    GTEST_SKIP() << "SKIPPED: set BVHMILL_DATA to write the files there again";
  }
  for (const std::string& path : FilesIn(RealData() + "/bvh", ".bvh")) {
    IssueLog log({});
    const std::string text = ReadFile(path);
    const ReadResult result = ReadBvh(text, {}, &log);
    if (!result.motion_read) continue;
    SCOPED_TRACE(path);
    ASSERT_NO_FATAL_FAILURE(CheckRoundTrip(result.clip));
  }
}

}  // namespace
}  // namespace bvhmill::testing
