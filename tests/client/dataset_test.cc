// The parts of client/cli/dataset and client/cli/report that are functions of
// their arguments alone.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "client/cli/dataset/dataset_tally.h"
#include "client/cli/dataset/expectations.h"
#include "client/cli/report/sarif_writer.h"

namespace bvhmill::client {
namespace {

// The bytes 0, 1, 2, ...
std::string Counting(size_t size) {
  std::string bytes;
  for (size_t i = 0; i < size; ++i) bytes += static_cast<char>(i);
  return bytes;
}

// The values are those of the program xxhsum, version 0.8.
TEST(ContentHash, IsXxh64) {
  const struct {
    std::string bytes;
    uint64_t hash;
  } cases[] = {
      {"", 0xef46db3751d8e999},
      {"a", 0xd24ec4f1a98c6e5b},
      {"abc", 0x44bc2cf5ad770999},
      {"Nobody inspects the spammish repetition", 0xfbcea83c8a378bf1},
  };
  for (const auto& [bytes, hash] : cases)
    EXPECT_EQ(Xxh64(bytes), hash) << bytes;
}

TEST(ContentHash, SeesEveryByteOfEveryLength) {
  for (size_t size = 1; size < 100; ++size) {
    const std::string bytes = Counting(size);
    for (size_t i = 0; i < size; ++i) {
      std::string other = bytes;
      other[i] ^= 0x40;
      EXPECT_NE(Xxh64(other), Xxh64(bytes)) << size << " " << i;
    }
  }
}

TEST(ContentHash, EqualRowsAreEqualInAnyWriting) {
  const auto rows =
      HashRows("HIERARCHY\nMOTION\nFrames: 2\nFrame Time: 0.1\n1 2\n3 4\n");
  ASSERT_TRUE(rows);
  constexpr std::string_view kSame[] = {
      "MOTION\r\nFrames: 2\r\nFrame Time: 0.2\r\n1 2\r\n3 4\r\n",
      "Frame Time: 0.1\r1 2\r3 4",
      "Frame Time: 0.1\n\n 1 2\t \n\n3 4  \n \n",
      "motion\nFRAME TIME: 0.1\n1 2\n3 4\n",
      "motion\n frame  time 0.1\n1 2\n3 4\n",
      "ROOT Frame Time\n{\n}\nMOTION\nFrame Time: 0.1\n1 2\n3 4\n"};
  for (const std::string_view text : kSame) {
    EXPECT_EQ(HashRows(text), rows) << text;
  }
  constexpr std::string_view kOthers[] = {"Frame Time: 0.1\n1 2\n3 5\n",
                                          "Frame Time: 0.1\n1 2 3\n4\n",
                                          "Frame Time: 0.1\n3 4\n1 2\n"};
  for (const std::string_view text : kOthers) {
    EXPECT_TRUE(HashRows(text)) << text;
    EXPECT_NE(HashRows(text), rows) << text;
  }
}

TEST(ContentHash, FewerThanTwoRowsHaveNoHash) {
  for (const std::string_view text :
       {"Frame Time: 0.1\n1 2\n", "Frame Time: 0.1\n \n", "Frame Time: 0.1",
        "Frame Rate: 1\n1 2\n3 4\n", "1 2\n3 4\n", ""}) {
    EXPECT_FALSE(HashRows(text)) << text;
  }
}

TEST(ClipTraits, RatesAreNamedByThePrecisionOfFrameTimes) {
  const struct {
    double rate;
    std::string_view name;
  } cases[] = {
      {60, "60 fps"},
      {1 / 0.0166667, "60 fps"},
      {1 / 0.016667, "60 fps"},
      {1 / 0.008333, "120 fps"},
      {1 / 0.0083, "120.48 fps"},
      {30000.0 / 1001, "29.97 fps"},
      {1 / 0.033, "30.30 fps"},
      {1 / 0.0333333, "30 fps"},
      {1 / 0.004167, "240 fps"},
      {0.25, "0.25 fps"},
      {0, ""},
      {-1, ""},
      {1 / 0.0, ""},
  };
  for (const auto& [rate, name] : cases) EXPECT_EQ(RateName(rate), name);
}

TEST(PathPattern, MatchesAsDocumented) {
  const struct {
    std::string_view pattern;
    std::string_view path;
    bool matches;
  } cases[] = {
      {"raw/a.bvh", "raw/a.bvh", true},
      {"raw/a.bvh", "raw/b.bvh", false},
      {"raw/*", "raw/a.bvh", true},
      {"raw/*", "raw/x/a.bvh", false},
      {"raw/**", "raw/x/a.bvh", true},
      {"raw/**", "raw2/a.bvh", false},
      {"**/a.bvh", "x/y/a.bvh", true},
      {"**/a.bvh", "a.bvh", true},
      {"**/a.bvh", "xa.bvh", false},
      {"**/y/*", "x/y/a", true},
      {"**/y/*", "y/a", true},
      {"x**/a", "x/y/a", true},
      {"x**/a", "xa", false},
      {"./a.bvh", "a.bvh", true},
      {"./a.bvh", "x/a.bvh", false},
      {"././raw/*", "raw/a.bvh", true},
      {"a.bvh", "x/y/a.bvh", true},
      {"*.bvh", "x/a.bvh", true},
      {"*_old.bvh", "x/a_old.bvh", true},
      {"*_old.bvh", "x/a.bvh", false},
      {"take_?.bvh", "take_1.bvh", true},
      {"take_?.bvh", "take_12.bvh", false},
      {"x?a.bvh", "x/a.bvh", false},
      {"*", "a", true},
      {"x/*/z/*", "x/y/z/a", true},
      {"x/*/z/*", "x/y/y/z/a", false},
      {"x/**/z", "x/y/y/z", true},
      {"x/**/z", "x/z", true},
      {"x/**/z", "x/yz", false},
      {"[a].bvh", "a.bvh", false},
      {"", "a", false},
      {"x/", "x/a", false},
  };
  for (const auto& [pattern, path, matches] : cases) {
    EXPECT_EQ(MatchesPath(pattern, path), matches) << pattern << " " << path;
  }
}

TEST(PathPattern, SaysWhyAPatternMatchesNoFile) {
  const struct {
    std::string_view pattern;
    std::string_view why;
  } cases[] = {
      {"", "names no file"},
      {"/takes/*.bvh",
       "begins with a slash; patterns are relative to this file"},
      {"takes/", "names a folder; add ** for its files"},
      {"..", "has .. in it; only files below this file are meant"},
      {"../a.bvh", "has .. in it; only files below this file are meant"},
      {"a/../b.bvh", "has .. in it; only files below this file are meant"},
      {"a/..", "has .. in it; only files below this file are meant"},
      {"a..bvh", ""},
      {"..a/b..", ""},
      {"**", ""},
      {"*", ""},
      {"./a.bvh", ""},
      {"{a,b}.bvh", ""},
  };
  for (const auto& [pattern, why] : cases) {
    EXPECT_EQ(WhyNoPattern(pattern), why) << pattern;
  }
}

TEST(RelativePath, GoesFromTheFolderToTheFile) {
  const struct {
    const char* folder;
    const char* path;
    const char* relative;
  } cases[] = {
      {"takes", "takes/a.bvh", "a.bvh"},
      {"", "takes/a.bvh", "takes/a.bvh"},
      {".", "./a.bvh", "a.bvh"},
      {"takes", "b.bvh", "../b.bvh"},
      {"takes/", "takes//x/../a.bvh", "a.bvh"},
      {"/a/b", "/a/c/d", "../c/d"},
  };
  for (const auto& [folder, path, relative] : cases) {
    EXPECT_EQ(PathFrom(folder, path), relative) << folder << " " << path;
  }
}

TEST(ArtifactUri, IsAUri) {
  const struct {
    const char* path;
    const char* uri;
  } cases[] = {
      {"takes/a.bvh", "takes/a.bvh"},
      {"./takes//a b.bvh", "takes/a%20b.bvh"},
      {"a:b%+.bvh", "a%3Ab%25%2B.bvh"},
      {"../a.bvh", "../a.bvh"},
      {"\xC3\xBC\xFF.bvh", "%C3%BC%FF.bvh"},
      {"/no such folder/a.bvh", "file:///no%20such%20folder/a.bvh"},
  };
  for (const auto& [path, uri] : cases) EXPECT_EQ(ArtifactUri(path), uri);
}

JointList Skeleton(std::vector<JointInfo> joints) {
  return JointList(std::move(joints));
}

TEST(Skeletons, AreComparedByNamesParentsAndChannels) {
  const std::vector<JointInfo> joints = {{"Hips", -1, "XYZzxy", false, {}},
                                         {"Spine", 0, "zxy", false, {}},
                                         {"Site", 1, "", true, {}},
                                         {"Leg", 0, "zxy", false, {}}};
  const JointList expected = Skeleton(joints);
  const struct {
    const char* difference;
    int32_t joint;
    void (*change)(std::vector<JointInfo>*);
  } cases[] = {
      {"joint 1 is 'Chest', not 'Spine'", 1,
       [](auto* list) { (*list)[1].name = "Chest"; }},
      {"the parent of joint 3 'Leg' is 'Spine', not 'Hips'", 3,
       [](auto* list) { (*list)[3].parent = 1; }},
      {"the channels of joint 3 'Leg' are xyz, not zxy", 3,
       [](auto* list) { (*list)[3].channels = "xyz"; }},
      {"joint 3 is an end site, not 'Leg'", 3,
       [](auto* list) { (*list)[3].end_site = true; }},
      {"3 joints and end sites, not 4", -1,
       [](auto* list) { list->pop_back(); }},
      {"5 joints and end sites, not 4", 4,
       [](auto* list) {
         list->push_back({"Arm", 0, "zxy", false, {}});
       }},
      // Names of end sites and offsets do not count.
      {"", -1, [](auto* list) { (*list)[2].name = "Other"; }},
      {"", -1,
       [](auto* list) {
         (*list)[1].offset = {1, 2, 3};
       }},
  };
  for (const auto& [difference, joint, change] : cases) {
    std::vector<JointInfo> changed = joints;
    change(&changed);
    const JointList found = Skeleton(changed);
    const SkeletonDifference result = CompareSkeletons(expected, found);
    EXPECT_EQ(result.text, difference);
    EXPECT_EQ(result.joint, joint) << difference;
    EXPECT_EQ(SkeletonKey(found) == SkeletonKey(expected), result.text.empty())
        << difference;
  }
}

TEST(Skeletons, AreComparedByNamesAlone) {
  const JointList found = Skeleton({{"Hips", -1, "XYZzxy", false, {}},
                                    {"Site", 0, "", true, {}},
                                    {"Leg", 0, "zxy", false, {}}});
  const struct {
    std::vector<std::string> names;
    const char* difference;
    int32_t joint;
  } cases[] = {{{"Hips", "Leg"}, "", -1},
               {{"Hips", "Arm"}, "joint 2 is 'Leg', not 'Arm'", 2},
               // The surplus joint comes after an end site.
               {{"Hips"}, "2 joints, not 1", 2},
               {{"Hips", "Leg", "Arm"}, "2 joints, not 3", -1}};
  for (const auto& [names, difference, joint] : cases) {
    const SkeletonDifference found_difference = CompareNames(names, found);
    EXPECT_EQ(found_difference.text, difference);
    EXPECT_EQ(found_difference.joint, joint) << difference;
  }
}

}  // namespace
}  // namespace bvhmill::client
