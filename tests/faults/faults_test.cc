// The rules find faults that were put into clean clips, at the right place, and
// say nothing about the clean clips.
//
// The targets are the least shares of faults that are found. They hold over all
// kinds together; a blatant fault must always be found.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/faults/corpus.h"
#include "tests/faults/corpus_files.h"
#include "tests/faults/score.h"
#include "tests/support/files.h"

namespace bvhmill::faults {
namespace {

using ::testing::IsEmpty;
using testing::RealData;

constexpr int kCopies = 4;

const std::map<Strength, double> kRecall = {{Strength::kBlatant, 0.95},
                                            {Strength::kPlain, 0.9},
                                            {Strength::kSubtle, 0.8}};
constexpr double kPlaced = 0.9;

class GeneratedFaults : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    clips_ = new auto(GeneratedClips());
    files_ = new auto(MakeFaultyFiles(*clips_, kCopies));
  }
  static void TearDownTestSuite() {
    delete files_;
    delete clips_;
  }
  static std::vector<CleanClip>* clips_;
  static std::vector<FaultyFile>* files_;
};

std::vector<CleanClip>* GeneratedFaults::clips_ = nullptr;
std::vector<FaultyFile>* GeneratedFaults::files_ = nullptr;

void ExpectTargets(const Scores& scores) {
  for (const auto& [strength, tally] : scores.all) {
    EXPECT_GE(tally.Recall(), kRecall.at(strength)) << StrengthName(strength);
    EXPECT_GE(tally.Placed(), kPlaced) << StrengthName(strength);
  }
}

void Print(const Scores& scores) {
  std::cout << ScoreTable(scores.by_rule) << "\n" << ScoreTable(scores.by_kind);
  for (const std::string& name : scores.missed) {
    std::cout << "not found: " << name << "\n";
  }
  for (const std::string& name : scores.misplaced) {
    std::cout << "not at its place: " << name << "\n";
  }
}

TEST_F(GeneratedFaults, CleanClipsHaveNoWarning) {
  EXPECT_THAT(FalseAlarms(*clips_), IsEmpty());
}

// Every kind has files of every strength that it has.
TEST_F(GeneratedFaults, AreMany) {
  std::map<std::string, std::set<Strength>> strengths;
  for (const FaultyFile& file : *files_) {
    strengths[file.kind].insert(file.strength);
  }
  for (const FaultKind& kind : AllFaults()) {
    EXPECT_TRUE(strengths[kind.name].contains(Strength::kBlatant)) << kind.name;
    EXPECT_GE(strengths[kind.name].size(), 2u) << kind.name;
  }
  EXPECT_GE(strengths.size(), 30u);
  EXPECT_GE(files_->size(), 120u);
}

TEST_F(GeneratedFaults, AreTheSameOnEveryRun) {
  const std::vector<FaultyFile> again = MakeFaultyFiles(*clips_, 1);
  std::map<std::string, const FaultyFile*> by_name;
  for (const FaultyFile& file : *files_) by_name[file.name] = &file;
  int compared = 0;
  for (const FaultyFile& file : again) {
    const auto at = by_name.find(file.name);
    if (at == by_name.end()) continue;
    EXPECT_EQ(file.text, at->second->text) << file.name;
    EXPECT_EQ(GoldenRow(file), GoldenRow(*at->second));
    ++compared;
  }
  EXPECT_GT(compared, 10);
}

// Files of a folder are judged by their golden rows.
TEST_F(GeneratedFaults, AreFoundWhereTheyAre) {
  const testing::TempDir folder;
  ASSERT_TRUE(WriteCorpus(folder.path(), *clips_, *files_));
  const std::vector<FaultyFile> files = ReadFaultyFiles(folder.path());
  ASSERT_EQ(files.size(), files_->size());
  const Scores scores = Score(files);
  Print(scores);
  ExpectTargets(scores);
}

// Real takes without a warning of their own.
TEST(RealFaults, AreFoundWhereTheyAre) {
  if (RealData().empty()) {
    GTEST_SKIP() << "SKIPPED: set BVHMILL_DATA to put faults into real takes";
  }
  const std::vector<CleanClip> clips = RealClips(RealData() + "/bvh");
  ASSERT_GT(clips.size(), 5u);
  const Scores scores = Score(MakeFaultyFiles(clips, kCopies));
  Print(scores);
  ExpectTargets(scores);
}

}  // namespace
}  // namespace bvhmill::faults
