// Files after public reports: BVHMILL_DATA.

#include <gtest/gtest.h>

#include <string>

#include "bvhmill/bvh/reader.h"
#include "bvhmill/report/issue_log.h"
#include "bvhmill/skeletons/recognize.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

Skeleton SkeletonOf(const std::string& path) {
  IssueLog log({});
  ReadResult read = ReadBvh(ReadFile(path), {}, &log);
  EXPECT_TRUE(read.skeleton_read) << path;
  return std::move(read.clip.skeleton);
}

// "mixamo, 22 of 22", and the prefix.
std::string TextOf(const Recognition& recognition) {
  const std::string count = std::to_string(recognition.matched) + " of " +
                            std::to_string(recognition.joints);
  const std::string scheme = recognition.scheme == nullptr
                                 ? "-"
                                 : std::string(recognition.scheme->name);
  return scheme + ", " + count + " " + recognition.prefix;
}

TEST(RealNames, FilesAfterReportsAreRecognized) {
  if (RealData().empty()) GTEST_SKIP() << "BVHMILL_DATA is not set";
  constexpr std::pair<const char*, const char*> kCases[] = {
      {"below_floor", "mixamo, 22 of 22 "},
      {"cmu_names_z_up", "cmu_blender, 24 of 24 "},
      {"face_translations", "second_life, 23 of 23 "},
      {"far_under_armature", "mixamo, 22 of 23 "},
      {"names_bvhtools_unity", "rigify_old, 22 of 22 "},
      {"names_daz_genesis8", "daz, 22 of 22 "},
      {"names_gbk", "-, 22 of 22 "},
      {"names_poser", "poser, 22 of 22 "},
      {"names_rigify", "rigify_old, 22 of 22 "},
      {"names_unity_humanoid", "unity, 22 of 22 "},
      {"names_vrm_unity", "vroid, 22 of 22 "},
      {"prefix_mixamorig", "mixamo, 22 of 22 mixamorig:"},
      {"prefix_underscore", "mixamo, 22 of 22 Take_01_"},
      {"two_figures", "mixamo, 22 of 44 "},
      {"zero_offsets", "mixamo, 22 of 22 "},
  };
  for (const auto& [name, expected] : kCases) {
    const Skeleton skeleton =
        SkeletonOf(RealData() + "/reports/" + name + ".bvh");
    EXPECT_EQ(TextOf(Recognize(skeleton)), expected) << name;
  }
}

}  // namespace
}  // namespace bvhmill::testing
