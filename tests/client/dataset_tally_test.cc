// The comparison of the clips of a run, and its summary as text.

#include "client/cli/dataset/dataset_tally.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "client/cli/dataset/summary_text.h"

namespace bvhmill::client {
namespace {

using ::testing::HasSubstr;

ClipFinding ReadClip(size_t index, const std::string& path) {
  ClipFinding clip;
  clip.index = index;
  clip.path = path;
  clip.is_read = true;
  clip.result.report.verdict = Verdict::kValid;
  return clip;
}

// Adds a clip whose only joint is `joint`.
void AddClip(size_t index, const std::string& path, const std::string& joint,
             DatasetTally* tally) {
  ClipFinding clip = ReadClip(index, path);
  clip.result.info.joints =
      JointList(std::vector<JointInfo>{{joint, -1, "zxy", false, {}}});
  ClipTraits traits;
  traits.skeleton = SkeletonKey(clip.result.info.joints);
  tally->Add(clip, false, traits);
}

TEST(DatasetTally, ComparesOddSkeletonsWithAUsualOneThatComesLate) {
  DatasetTally tally;
  for (size_t i = 0; i < 64; ++i) {
    AddClip(i, i == 0 ? "odd\x1b[2J.bvh" : "odd.bvh", "Odd" + std::to_string(i),
            &tally);
  }
  for (size_t i = 64; i < 134; ++i) {
    AddClip(i, "usual\x1b[2J.bvh", "Hips", &tally);
  }
  EXPECT_EQ(SummaryText(tally.Summary()),
            "verdicts: 134 valid\n"
            "odd ones out:\n"
            "  skeleton: 70 of 134 clips have 1 joint, as in "
            "usual\\x1B[2J.bvh\n"
            "    odd\\x1B[2J.bvh: joint 0 is 'Odd0', not 'Hips'\n"
            "    odd.bvh: joint 0 is 'Odd1', not 'Hips'\n"
            "    odd.bvh: joint 0 is 'Odd2', not 'Hips'\n"
            "    odd.bvh: joint 0 is 'Odd3', not 'Hips'\n"
            "    odd.bvh: joint 0 is 'Odd4', not 'Hips'\n"
            "    and 59 more\n");
}

TEST(DatasetTally, SaysHowSkeletonsDifferIfNoneIsUsual) {
  DatasetTally tally;
  AddClip(0, "a.bvh", "Hips", &tally);
  AddClip(1, "b.bvh", "hip", &tally);
  AddClip(2, "c.bvh", "Hips", &tally);
  AddClip(3, "d.bvh", "Root", &tally);
  EXPECT_EQ(
      SummaryText(tally.Summary()),
      "verdicts: 4 valid\n"
      "odd ones out:\n"
      "  skeleton: no value is that of most clips\n"
      "    2 clips: 1 joint, as in a.bvh\n"
      "    1 clip: 1 joint, as in b.bvh; joint 0 is 'hip', not 'Hips'\n"
      "    1 clip: 1 joint, as in d.bvh; joint 0 is 'Root', not 'Hips'\n");
}

TEST(DatasetTally, CountsWhatItsListsLeaveOut) {
  // 100 rates of one clip each, and 60 pairs of equal files.
  DatasetTally tally;
  for (size_t i = 0; i < 120; ++i) {
    ClipTraits traits;
    if (i < 100) traits.rate = std::to_string(i + 1) + " fps";
    traits.content = {i / 2, i / 4};
    tally.Add(ReadClip(i, std::to_string(i) + ".bvh"), false, traits);
  }
  const DatasetSummary summary = tally.Summary();
  const std::string text = SummaryText(summary);
  EXPECT_THAT(text, HasSubstr("    1 clip: 5 fps\n    and 95 more\n"));
  EXPECT_THAT(text, HasSubstr("  8.bvh\n  = 9.bvh\n  and 55 more\n"));
  EXPECT_THAT(text, HasSubstr("  = 18.bvh\n  and 25 more\n"));
  ASSERT_EQ(summary.odd.size(), 1);
  EXPECT_EQ(summary.odd[0].value_count, 100);
  EXPECT_EQ(summary.equal_files.count, 60);
  EXPECT_EQ(summary.equal_files.listed.size(), 20);
  EXPECT_EQ(summary.equal_files.others.size(), 80);
  EXPECT_EQ(summary.equal_files.others.front(), 40);
  EXPECT_EQ(summary.equal_motions.count, 30);
}

TEST(DatasetTally, KnowsAllClipsThatDiffer) {
  DatasetTally tally;
  for (size_t i = 0; i < 250; ++i) {
    AddClip(i, std::to_string(i), i < 150 ? "Hips" : "Root", &tally);
  }
  const SharedTrait trait = tally.Summary().odd.at(0);
  EXPECT_EQ(trait.odd_clips, 100);
  EXPECT_EQ(trait.odd.size(), 20);
  ASSERT_EQ(trait.odd_indexes.size(), 100);
  EXPECT_EQ(trait.odd_indexes.front(), 150);
  EXPECT_EQ(trait.odd_indexes.back(), 249);
}

TEST(DatasetTally, EqualFilesAreNotEqualMotionsToo) {
  // Files 0, 1 and 2 are equal; 3 and 4 are, too, and have the rows of 0.
  DatasetTally tally;
  for (size_t i = 0; i < 5; ++i) {
    ClipTraits traits;
    traits.content = {i < 3 ? 1U : 2U, 7U};
    tally.Add(ReadClip(i, std::to_string(i) + ".bvh"), false, traits);
  }
  const EqualGroups motions = tally.Summary().equal_motions;
  ASSERT_EQ(motions.count, 1);
  EXPECT_EQ(motions.listed[0].paths,
            (std::vector<std::string>{"0.bvh", "3.bvh"}));
}

TEST(SummaryText, HasNoControlCharacters) {
  DatasetSummary summary;
  SharedTrait trait;
  trait.trait = "unit";
  trait.usual = "u\x1b";
  trait.values = {{"u\x1b", 2}, {"v\x1b", 1}};
  trait.usual_clips = 2;
  trait.known_clips = 3;
  trait.odd_clips = 1;
  trait.odd = {{"a\x1b.bvh", "v\x1b"}};
  summary.odd = {trait};
  EXPECT_EQ(SummaryText(summary),
            "odd ones out:\n"
            "  unit: 2 of 3 clips have u\\x1B\n"
            "    a\\x1B.bvh: v\\x1B\n");
}

}  // namespace
}  // namespace bvhmill::client
