#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "bvhmill/clip/clip_info.h"
#include "bvhmill/encode/encode.h"
#include "tests/encode/encode_support.h"
#include "tests/support/clips.h"

namespace bvhmill::testing {
namespace {

TEST(Registry, NamesAndExtensionsAreUnique) {
  std::set<std::string_view> names;
  std::set<std::string_view> extensions;
  for (const Format& format : Formats()) {
    EXPECT_FALSE(format.name.empty());
    EXPECT_TRUE(names.insert(format.name).second) << format.name;
    EXPECT_TRUE(format.extension.starts_with('.')) << format.extension;
    EXPECT_TRUE(extensions.insert(format.extension).second) << format.extension;
    EXPECT_NE(format.media_type.find('/'), std::string_view::npos);
  }
}

TEST(Registry, RowsAreInTheOrderOfTheVariant) {
  ASSERT_EQ(Formats().size(), std::variant_size_v<FormatOptions>);
  for (size_t i = 0; i < Formats().size(); ++i) {
    const Format& format = Formats()[i];
    EXPECT_EQ(format.defaults.index(), i) << format.name;
    EXPECT_EQ(&FormatOf(format.defaults), &format) << format.name;
    EXPECT_EQ(FindFormat(format.name), &format) << format.name;
  }
}

TEST(Registry, FormatOfEachKindOfOptions) {
  EXPECT_EQ(FormatOf(PositionsFormat{}).name, "positions");
  EXPECT_EQ(FormatOf(RotationsFormat{}).name, "rotations");
  EXPECT_EQ(FormatOf(NpzFormat{}).name, "npz");
  EXPECT_EQ(FormatOf(CsvFormat{}).name, "csv");
  EXPECT_EQ(FormatOf(BvhFormat{}).name, "bvh");
  EXPECT_EQ(FormatOf(AnimFormat{}).name, "anim");
  EXPECT_EQ(FormatOf(GlbFormat{}).name, "glb");
}

TEST(Registry, UnknownNamesAreNotFound) {
  for (const std::string_view name :
       {"", "NPZ", "np", "npzz", ".npz", " npz"}) {
    EXPECT_EQ(FindFormat(name), nullptr) << name;
  }
}

TEST(Registry, OutputIdIsItsOwnOrThatOfTheFormat) {
  EXPECT_EQ(OutputId({"mine", CsvFormat{}}), "mine");
  for (const Format& format : Formats()) {
    EXPECT_EQ(OutputId({"", format.defaults}), format.name);
  }
}

TEST(Registry, OneMoreFrameIsOneMoreLineOfText) {
  const auto lines = [](const Format& format, int64_t frames) {
    const std::string bytes = Encode(SmallLeg(frames), format.defaults).bytes;
    return std::count(bytes.begin(), bytes.end(), '\n');
  };
  for (const Format& format : Formats()) {
    if (format.cost != FormatCost::kText) continue;
    EXPECT_EQ(lines(format, 9) - lines(format, 5), 4) << format.name;
  }
}

TEST(Registry, FormatsOfTheLeastCostAreMadeOfArrays) {
  for (const Format& format : Formats()) {
    OutputInfo info;
    const int64_t least =
        DescribeFormat(format.defaults, SmallLeg(1).skeleton, 100, &info);
    const bool is_array = format.cost == FormatCost::kArrays;
    EXPECT_EQ(least > 0, is_array) << format.name;
  }
}

TEST(DescribeClip, FactsOfAClip) {
  Clip clip = SmallLeg(7);
  clip.motion.frame_time = 0.25;
  const ClipInfo info =
      DescribeClip(clip.skeleton, clip.motion.frames, clip.motion.frame_time);
  EXPECT_EQ(info.frames, 7);
  EXPECT_EQ(info.frame_time, 0.25);
  EXPECT_EQ(info.frames_per_second, 4);
  EXPECT_EQ(info.joint_count, 3);
  ASSERT_EQ(info.joints.size(), 4);
  EXPECT_EQ(info.joints[0].name, "Hips");
  EXPECT_EQ(info.joints[0].parent, -1);
  EXPECT_EQ(info.joints[0].channels, "XYZzxy");
  EXPECT_EQ(info.joints[2].parent, 1);
  EXPECT_EQ(info.joints[2].channels, "xyz");
  EXPECT_FALSE(info.joints[2].end_site);
  EXPECT_EQ(info.joints[3].name, "Foot_End");
  EXPECT_EQ(info.joints[3].channels, "");
  EXPECT_TRUE(info.joints[3].end_site);
  EXPECT_EQ(info.joints[3].offset, (Offset{0, -5, 15}));
}

TEST(DescribeClip, RateIsZeroWithoutAUsableTime) {
  for (const double time : {0.0, -0.5, double{NAN}, double{INFINITY}}) {
    Clip clip = SmallLeg(1);
    clip.motion.frame_time = time;
    EXPECT_EQ(
        DescribeClip(clip.skeleton, clip.motion.frames, clip.motion.frame_time)
            .frames_per_second,
        0)
        << time;
  }
}

}  // namespace
}  // namespace bvhmill::testing
