// The formats that are text: csv and bvh.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "bvhmill/bvh/reader.h"
#include "tests/encode/encode_support.h"
#include "tests/support/clips.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

using CsvRow = std::vector<std::string>;

// By RFC 4180; a line may end with LF alone.
std::vector<CsvRow> ParseCsv(const std::string& text) {
  std::vector<CsvRow> rows(1, CsvRow(1));
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    std::string& cell = rows.back().back();
    if (quoted) {
      if (c != '"') {
        cell += c;
      } else if (i + 1 < text.size() && text[i + 1] == '"') {
        cell += text[++i];
      } else {
        quoted = false;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',') {
      rows.back().emplace_back();
    } else if (c == '\n') {
      if (cell.ends_with('\r')) cell.pop_back();
      rows.emplace_back(1);
    } else {
      cell += c;
    }
  }
  EXPECT_EQ(rows.back(), CsvRow(1)) << "the last line has an end";
  rows.pop_back();
  return rows;
}

std::vector<CsvRow> EncodeCsv(const Clip& clip, const CsvFormat& format) {
  const Encoded encoded = Encode(clip, format);
  EXPECT_TRUE(encoded.status.ok()) << encoded.status;
  EXPECT_EQ(encoded.info.media_type, "text/csv");
  return ParseCsv(encoded.bytes);
}

TEST(Csv, HeaderNamesEveryJoint) {
  const Clip clip = SmallLeg(1);
  const CsvRow joints = {"frame",  "time",   "Hips.x", "Hips.y",
                         "Hips.z", "Knee.x", "Knee.y", "Knee.z",
                         "Foot.x", "Foot.y", "Foot.z"};
  EXPECT_EQ(EncodeCsv(clip, {})[0], joints);
  CsvRow nodes = joints;
  for (const char* name : {"Foot_End.x", "Foot_End.y", "Foot_End.z"}) {
    nodes.push_back(name);
  }
  EXPECT_EQ(EncodeCsv(clip, {.with_end_sites = true})[0], nodes);
}

void ExpectNumbers(const std::vector<CsvRow>& rows, const Clip& clip,
                   const std::vector<float>& positions) {
  ASSERT_EQ(rows.size(), static_cast<size_t>(clip.motion.frames) + 1);
  size_t next = 0;
  for (size_t line = 1; line < rows.size(); ++line) {
    ASSERT_EQ(rows[line].size(), rows[0].size());
    EXPECT_EQ(rows[line][0], std::to_string(line - 1));
    EXPECT_EQ(std::strtod(rows[line][1].c_str(), nullptr),
              static_cast<double>(line - 1) * clip.motion.frame_time);
    for (size_t i = 2; i < rows[line].size(); ++i) {
      EXPECT_EQ(std::strtof(rows[line][i].c_str(), nullptr), positions[next++]);
    }
  }
  EXPECT_EQ(next, positions.size());
}

// The sign of a NaN depends on the processor.
TEST(Csv, ANanHasNoSign) {
  for (const float sign : {1.0F, -1.0F}) {
    Clip clip = SmallLeg(1);
    clip.motion.values[0] = std::copysign(NAN, sign);
    clip.motion.frame_time = std::copysign(double{NAN}, sign);
    const std::vector<CsvRow> rows = EncodeCsv(clip, {});
    EXPECT_EQ(rows.at(1).at(1), "nan");
    EXPECT_EQ(rows.at(1).at(2), "nan");
  }
}

TEST(Csv, NumbersReadBackEqual) {
  const Clip clip = RandomClip({.max_joints = 12}, 9, 31);
  ExpectNumbers(EncodeCsv(clip, {}), clip, PosesOf(clip, Positions(false)));
  ExpectNumbers(EncodeCsv(clip, {.with_end_sites = true}), clip,
                PosesOf(clip, Positions(true)));
}

TEST(Csv, NamesAreQuotedWhereTheyMustBe) {
  const std::string names[] = {"plain", "with blank", "a,b", "say \"hi\"",
                               "\"",    "\xC3\xA4",   ",",   "a'b;c"};
  SkeletonBuilder builder;
  for (const std::string& name : names) builder.Root(name, "");
  const CsvRow header = EncodeCsv(CountingClip(builder.Build(), 1), {})[0];
  ASSERT_EQ(header.size(), 2 + 3 * std::size(names));
  for (size_t i = 0; i < std::size(names); ++i) {
    EXPECT_EQ(header[2 + 3 * i], names[i] + ".x");
    EXPECT_EQ(header[4 + 3 * i], names[i] + ".z");
  }
}

TEST(Csv, PlainNamesAreNotQuoted) {
  const std::string bytes = Encode(SmallLeg(1), CsvFormat{}).bytes;
  EXPECT_TRUE(bytes.starts_with("frame,time,Hips.x,Hips.y,")) << bytes;
  EXPECT_EQ(bytes.find('"'), std::string::npos);
}

TEST(Csv, WithoutFramesIsTheHeader) {
  EXPECT_EQ(EncodeCsv(SmallLeg(0), {}).size(), 1);
}

Clip ReadBack(const std::string& text) {
  IssueLog log({});
  ReadResult result = ReadBvh(text, {}, &log);
  EXPECT_TRUE(result.motion_read) << text.substr(0, 500);
  const Report report = log.Finish(result.skeleton_read, result.motion_read);
  EXPECT_EQ(report.counts.errors, 0);
  return std::move(result.clip);
}

TEST(Bvh, ReadsBackTheSame) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    const Clip clip = RandomClip({.scales = true}, 6, seed);
    const Encoded encoded = Encode(clip, BvhFormat{});
    ASSERT_TRUE(encoded.status.ok()) << encoded.status;
    EXPECT_EQ(encoded.info.media_type, "text/x-bvh");
    ExpectSameClip(ReadBack(encoded.bytes), clip);
  }
}

TEST(Bvh, WithoutFramesReadsBack) {
  const Clip clip = SmallLeg(0);
  const Clip read = ReadBack(Encode(clip, BvhFormat{}).bytes);
  EXPECT_EQ(read.motion.frames, 0);
  EXPECT_EQ(read.skeleton.nodes.size(), 4);
}

TEST(Bvh, NamesAreThoseOfTheClip) {
  SkeletonBuilder builder;
  const int root = builder.Root("a b:c.\xC3\xBC\xC3\xA4", "XYZzxy");
  builder.EndSite(root, "label");
  const Clip clip = CountingClip(builder.Build(), 2);
  ExpectSameClip(ReadBack(Encode(clip, BvhFormat{}).bytes), clip);
}

// The number of decimals of each value of the last line.
TEST(Bvh, DecimalsAreThoseAskedFor) {
  const Clip clip = SmallLeg(3);
  for (const int decimals : {0, 1, 4, 6}) {
    SCOPED_TRACE(decimals);
    const std::string text = Encode(clip, BvhFormat{decimals}).bytes;
    const std::string row = Split(text, '\n').at(Split(text, '\n').size() - 2);
    for (const std::string& word : Split(row, ' ')) {
      const size_t point = word.find('.');
      const size_t count =
          point == std::string::npos ? 0 : word.size() - point - 1;
      EXPECT_EQ(count, static_cast<size_t>(decimals)) << word;
    }
    const Clip read = ReadBack(text);
    ASSERT_EQ(read.motion.values.size(), clip.motion.values.size());
    for (size_t i = 0; i < clip.motion.values.size(); ++i) {
      EXPECT_NEAR(read.motion.values[i], clip.motion.values[i],
                  0.5 * std::pow(10, -decimals) + 1e-5);
    }
  }
}

constexpr RotationOrder kOrders[] = {RotationOrder::kFile, RotationOrder::kXyz,
                                     RotationOrder::kXzy,  RotationOrder::kYxz,
                                     RotationOrder::kYzx,  RotationOrder::kZxy,
                                     RotationOrder::kZyx};
constexpr ChannelSet kChannelSets[] = {ChannelSet::kFile, ChannelSet::kThree,
                                       ChannelSet::kSix, ChannelSet::kRootOnly};

BvhFormat With(RotationOrder order, ChannelSet channels) {
  BvhFormat format;
  format.order = order;
  format.channels = channels;
  return format;
}

// Joints of all kinds: their own orders, one rotation, none, four, positions
// that do not move.
Clip MixedChannels(int64_t frames) {
  SkeletonBuilder builder;
  const int hips = builder.Root("Hips", "YXZyxz", {1, 2, 3});
  const int knee = builder.Joint(hips, "Knee", "x", {0, -4, 0});
  builder.EndSite(builder.Joint(knee, "Foot", "yz", {0, -3, 1}));
  const int chest = builder.Joint(hips, "Chest", "xyzx", {0, 5, 0});
  const int head = builder.Joint(chest, "Head", "", {0, 2, 0});
  builder.EndSite(builder.Joint(head, "Eye", "zyx", {0, 0, 1}));
  builder.EndSite(builder.Root("Prop", "zxyXYZ"));
  Clip clip = CountingClip(builder.Build(), frames);
  for (size_t i = 0; i < clip.motion.values.size(); ++i) {
    clip.motion.values[i] = std::fmod(clip.motion.values[i] * 37.3F, 300.0F);
  }
  return clip;
}

void ExpectNear(const std::vector<float>& actual,
                const std::vector<float>& wanted, double tolerance) {
  ASSERT_EQ(actual.size(), wanted.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    ASSERT_NEAR(actual[i], wanted[i], tolerance) << i;
  }
}

TEST(Bvh, OtherChannelsKeepThePoses) {
  const Clip clip = MixedChannels(30);
  for (const RotationOrder order : kOrders) {
    for (const ChannelSet channels : kChannelSets) {
      if (channels == ChannelSet::kThree) continue;
      SCOPED_TRACE(static_cast<int>(order) * 10 + static_cast<int>(channels));
      const Encoded encoded = Encode(clip, With(order, channels));
      ASSERT_TRUE(encoded.status.ok()) << encoded.status;
      EXPECT_TRUE(encoded.report.issues.empty());
      const Clip read = ReadBack(encoded.bytes);
      ExpectNear(PosesOf(read, Positions(true)), PosesOf(clip, Positions(true)),
                 1e-3);
    }
  }
}

TEST(Bvh, OtherChannelsKeepThePosesOfAnySkeleton) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const Clip clip = RandomClip({.max_joints = 15, .scales = true}, 7, seed);
    for (const RotationOrder order :
         {RotationOrder::kFile, RotationOrder::kYzx}) {
      SCOPED_TRACE(seed);
      const Encoded encoded = Encode(clip, With(order, ChannelSet::kSix));
      ASSERT_TRUE(encoded.status.ok()) << encoded.status;
      ExpectNear(PosesOf(ReadBack(encoded.bytes), Positions(true)),
                 PosesOf(clip, Positions(true)), 3e-3);
    }
  }
}

std::string LettersOf(const Clip& clip, size_t node) {
  return ChannelLetters(clip.skeleton, clip.skeleton.nodes[node]);
}

TEST(Bvh, ChannelsAreThoseAskedFor) {
  const Clip clip = MixedChannels(2);
  const auto read = [&](RotationOrder order, ChannelSet channels) {
    return ReadBack(Encode(clip, With(order, channels)).bytes);
  };
  const Clip six = read(RotationOrder::kZxy, ChannelSet::kSix);
  for (size_t i = 0; i < six.skeleton.nodes.size(); ++i) {
    if (IsEndSite(six.skeleton.nodes[i])) {
      EXPECT_EQ(LettersOf(six, i), "");
      continue;
    }
    std::string letters = LettersOf(six, i);
    EXPECT_EQ(letters.size(), 6);
    std::erase_if(letters, [](char c) { return c < 'a'; });
    EXPECT_EQ(letters, "zxy");
  }
  EXPECT_EQ(LettersOf(six, 1), "XYZzxy");
  const Clip three = read(RotationOrder::kXyz, ChannelSet::kThree);
  EXPECT_EQ(LettersOf(three, 0), "xyz");
  EXPECT_EQ(LettersOf(three, 1), "xyz");
  const Clip root = read(RotationOrder::kFile, ChannelSet::kRootOnly);
  EXPECT_EQ(LettersOf(root, 0), "YXZyxz");
  EXPECT_EQ(LettersOf(root, 1), "xyz");
  EXPECT_EQ(LettersOf(root, 2), "yzx");
  EXPECT_EQ(LettersOf(root, 4), "zxy");
  const Clip order = read(RotationOrder::kXyz, ChannelSet::kFile);
  EXPECT_EQ(LettersOf(order, 0), "YXZxyz");
  EXPECT_EQ(LettersOf(order, 5), "");
}

// Values that need no change keep their bits.
TEST(Bvh, RotationsInTheirOrderAreCopied) {
  const Clip clip = MixedChannels(5);
  const Clip read = ReadBack(
      Encode(clip, With(RotationOrder::kFile, ChannelSet::kSix)).bytes);
  EXPECT_EQ(read.motion.values[0], clip.motion.values[0]);
  EXPECT_EQ(read.motion.values[3], clip.motion.values[3]);
  EXPECT_EQ(read.motion.values[5], clip.motion.values[5]);
}

TEST(Bvh, AnglesInAnotherOrderDoNotJump) {
  Clip clip = SmallLeg(400);
  for (size_t i = 0; i < 400; ++i) {
    float* row = &clip.motion.values[i * clip.skeleton.channels.size()];
    for (size_t k = 0; k < clip.skeleton.channels.size(); ++k) {
      row[k] = static_cast<float>(i * (k % 2 == 0 ? 1.0 : -1.5));
    }
    row[4] = 30 * std::sin(static_cast<float>(i) / 40);
  }
  const Clip read = ReadBack(
      Encode(clip, With(RotationOrder::kYzx, ChannelSet::kFile)).bytes);
  const size_t width = read.skeleton.channels.size();
  for (size_t i = width; i < read.motion.values.size(); ++i) {
    ASSERT_LT(std::abs(read.motion.values[i] - read.motion.values[i - width]),
              60)
        << i;
  }
}

TEST(Bvh, ALostPlaceIsReported) {
  const Clip clip = SmallLeg(5);
  const Encoded encoded =
      Encode(clip, With(RotationOrder::kFile, ChannelSet::kThree));
  ASSERT_EQ(encoded.report.issues.size(), 1);
  EXPECT_EQ(encoded.report.issues[0].code, "TARGET_BVH_PLACE_LOST");
  EXPECT_EQ(encoded.report.issues[0].location.joint_name, "Hips");
  const Clip read = ReadBack(encoded.bytes);
  // The place in the first frame is the OFFSET.
  const auto was = PosesOf(clip, Positions(false));
  const auto is = PosesOf(read, Positions(false));
  for (size_t k = 0; k < 3; ++k) EXPECT_NEAR(is[k], was[k], 1e-4);
}

}  // namespace
}  // namespace bvhmill::testing
