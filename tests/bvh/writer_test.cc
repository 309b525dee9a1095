#include "bvhmill/bvh/writer.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>

#include "tests/support/clips.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

std::string Written(const Clip& clip, int decimals = -1) {
  std::string text;
  StringSink sink(&text);
  EXPECT_TRUE(WriteBvh(clip, {.decimals = decimals}, &sink).ok());
  return text;
}

std::string LastLine(const std::string& text) {
  EXPECT_TRUE(text.ends_with('\n'));
  return Split(text.substr(0, text.size() - 1), '\n').back();
}

TEST(Writer, PlainestDialect) {
  SkeletonBuilder builder;
  const int hips = builder.Root("Hips", "XYZzxy", {1, 2.5f, -3});
  const int knee = builder.Joint(hips, "Left Knee", "ijk", {0, -40, 0});
  builder.EndSite(knee, "", {0, -5, 15});
  builder.EndSite(knee, "Toe", {0, 0, 0.1f});
  builder.Root("Prop", "");
  Clip clip = CountingClip(builder.Build(), 2);
  clip.motion.frame_time = 0.0083333;
  clip.motion.values[0] = 0.1f;
  EXPECT_EQ(Written(clip),
            "HIERARCHY\n"
            "ROOT Hips\n"
            "{\n"
            "\tOFFSET 1 2.5 -3\n"
            "\tCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation "
            "Yrotation\n"
            "\tJOINT Left Knee\n"
            "\t{\n"
            "\t\tOFFSET 0 -40 0\n"
            "\t\tCHANNELS 3 Xscale Yscale Zscale\n"
            "\t\tEnd Site\n"
            "\t\t{\n"
            "\t\t\tOFFSET 0 -5 15\n"
            "\t\t}\n"
            "\t\tEnd Site Toe\n"
            "\t\t{\n"
            "\t\t\tOFFSET 0 0 0.1\n"
            "\t\t}\n"
            "\t}\n"
            "}\n"
            "ROOT Prop\n"
            "{\n"
            "\tOFFSET 0 0 0\n"
            "\tCHANNELS 0\n"
            "}\n"
            "MOTION\n"
            "Frames: 2\n"
            "Frame Time: 0.0083333\n"
            "0.1 1 2 3 4 5 6 7 8\n"
            "1000 1001 1002 1003 1004 1005 1006 1007 1008\n");
}

TEST(Writer, DecimalsAreFixedWhereAskedFor) {
  SkeletonBuilder builder;
  builder.Root("Hips", "XYZ", {0.125f, 1e-9f, -2});
  Clip clip = CountingClip(builder.Build(), 1);
  clip.motion.values = {1.23456f, -0.5f, 1e10f};
  struct {
    int decimals;
    std::string_view offset;
    std::string_view row;
  } constexpr kCases[] = {
      {0, "\tOFFSET 0 0 -2\n", "1 -0 10000000000"},
      {2, "\tOFFSET 0.12 0.00 -2.00\n", "1.23 -0.50 10000000000.00"},
      {6, "\tOFFSET 0.125000 0.000000 -2.000000\n",
       "1.234560 -0.500000 10000000000.000000"},
  };
  for (const auto& [decimals, offset, row] : kCases) {
    const std::string text = Written(clip, decimals);
    EXPECT_NE(text.find(offset), text.npos) << text;
    EXPECT_EQ(LastLine(text), row);
  }
}

TEST(Writer, DecimalsAreSixtyAtMost) {
  SkeletonBuilder builder;
  builder.Root("Hips", "X");
  Clip clip = CountingClip(builder.Build(), 1);
  clip.motion.values = {-1.5F};
  for (const int decimals : {59, 60, 61, 1000}) {
    const auto zeros = static_cast<size_t>(std::min(decimals, 60) - 1);
    EXPECT_EQ(LastLine(Written(clip, decimals)),
              "-1.5" + std::string(zeros, '0'));
  }
}

TEST(Writer, DecimalsOfNumbersThatAreNotFinite) {
  SkeletonBuilder builder;
  builder.Root("Hips", "XYZ");
  Clip clip = CountingClip(builder.Build(), 1);
  clip.motion.values = {NAN, INFINITY, -INFINITY};
  EXPECT_EQ(LastLine(Written(clip)), "nan inf -inf");
  EXPECT_EQ(LastLine(Written(clip, 3)), "nan inf -inf");
}

TEST(Writer, ShortestDecimalsNeedAtMostNineDigits) {
  std::mt19937_64 random(9);
  SkeletonBuilder builder;
  builder.Root("Hips", "z");
  for (int i = 0; i < 1000; ++i) {
    Clip clip = CountingClip(builder.Build(), 1);
    clip.motion.values[0] = std::uniform_real_distribution<float>()(random);
    const std::string row = LastLine(Written(clip));
    EXPECT_EQ(std::strtof(row.c_str(), nullptr), clip.motion.values[0]);
    EXPECT_LE(row.size(), 15) << row;
  }
}

TEST(Writer, TilesGiveTheSameBytes) {
  const Clip clip = SmallLeg(50);
  const size_t columns = clip.skeleton.channels.size();
  for (const size_t tile : {1, 7, 49, 50, 100}) {
    std::string text;
    StringSink sink(&text);
    EXPECT_TRUE(
        WriteBvhHead(clip.skeleton, 50, clip.motion.frame_time, {}, &sink)
            .ok());
    for (size_t frame = 0; frame < 50; frame += tile) {
      const auto values = std::span<const float>(clip.motion.values)
                              .subspan(frame * columns)
                              .first(std::min(tile, 50 - frame) * columns);
      EXPECT_TRUE(WriteBvhRows(clip.skeleton, values, {}, &sink).ok());
    }
    EXPECT_EQ(text, Written(clip)) << tile;
  }
}

TEST(Writer, LinesAreIndentedByTheirDepthUpToSixtyFourTabs) {
  SkeletonBuilder builder;
  int last = builder.Root("Hips", "");
  for (int i = 1; i < 70; ++i) last = builder.Joint(last, "Joint", "");
  const std::string text = Written(CountingClip(builder.Build(), 1));
  for (const size_t depth : {1, 63, 64, 65, 69}) {
    const std::string line =
        "\n" + std::string(std::min<size_t>(depth, 64), '\t') + "JOINT Joint\n";
    EXPECT_NE(text.find(line), text.npos) << depth;
  }
  EXPECT_EQ(text.find(std::string(65, '\t')), text.npos);
}

// Takes `room` bytes and then no more.
class FullSink final : public Sink {
 public:
  explicit FullSink(size_t room) : room_(room) {}
  absl::Status Append(std::string_view bytes) override {
    if (bytes.size() > room_) return absl::DataLossError("the disk is full");
    room_ -= bytes.size();
    return absl::OkStatus();
  }

 private:
  size_t room_;
};

TEST(Writer, ReturnsTheStatusOfTheSink) {
  const Clip clip = SmallLeg(2'000);
  const size_t size = Written(clip).size();
  for (const size_t room : {size_t{0}, size_t{10}, size / 2, size - 1}) {
    FullSink sink(room);
    EXPECT_EQ(WriteBvh(clip, {}, &sink),
              absl::DataLossError("the disk is full"))
        << room;
  }
  FullSink sink(size);
  EXPECT_TRUE(WriteBvh(clip, {}, &sink).ok());
}

}  // namespace
}  // namespace bvhmill::testing
