#include <gmock/gmock.h>

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include "bvhmill/anim/format/anim_file.h"
#include "tests/anim/anim_support.h"
#include "tests/anim/format/judged_anim.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

using ::testing::IsEmpty;

TEST(AnimReader, RefusesOtherVersions) {
  for (const uint32_t version : {0U, 1U << 16 | 1U, 2U, 0x4D554C47U}) {
    std::string bytes = BytesOf(SmallMotion());
    Poke(0, version, &bytes);
    const Judged judged = Judge(bytes);
    EXPECT_FALSE(judged.result.read);
    EXPECT_EQ(CodesOf(judged.report), "ANIM_VERSION");
  }
}

TEST(AnimReader, SaysWhereAFileWasCut) {
  const std::string bytes = BytesOf(SmallMotion());
  for (size_t size = 0; size < bytes.size(); ++size) {
    const Judged judged = Judge(bytes.substr(0, size));
    EXPECT_EQ(VerdictOf(judged.result), kUnread) << size;
    ASSERT_EQ(CodesOf(judged.report), "ANIM_TRUNCATED") << size;
    EXPECT_LE(judged.report.issues[0].location.byte_offset,
              static_cast<int64_t>(size));
  }
}

TEST(AnimReader, IgnoresBytesAfterTheEnd) {
  const Judged judged = Judge(BytesOf(SmallMotion()) + "more");
  EXPECT_EQ(VerdictOf(judged.result), kUploads);
  EXPECT_EQ(CodesOf(judged.report), "ANIM_TRAILING_DATA");
  ExpectSameMotion(judged.result.motion, SmallMotion());
}

// No memory is taken by a count.
TEST(AnimReader, HostileCounts) {
  struct {
    size_t place;
    uint32_t value;
    std::string_view code;
  } constexpr kCases[] = {
      {kJointCountAt, 0xFFFFFFFF, "ANIM_JOINT_COUNT"},
      {kJointCountAt, 216, "ANIM_TRUNCATED"},
      {kRotationCountAt, 0x7FFFFFFF, "ANIM_TRUNCATED"},
      {kRotationCountAt, 0x80000000, "ANIM_KEY_COUNT"},
      {kRotationCountAt, 0xFFFFFFFF, "ANIM_KEY_COUNT"},
      {kRotationCountAt, 1000, "ANIM_TRUNCATED"},
  };
  for (const auto& c : kCases) {
    std::string bytes = BytesOf(SmallMotion());
    Poke(c.place, c.value, &bytes);
    const Judged judged = Judge(bytes);
    EXPECT_FALSE(judged.result.read);
    EXPECT_EQ(judged.report.issues[0].code, c.code) << c.value;
    for (const AnimJoint& joint : judged.result.motion.joints) {
      EXPECT_LE(joint.rotations.capacity(), bytes.size() / 8);
    }
  }
}

TEST(AnimReader, AnInvalidConstraintCountEndsReading) {
  for (const uint32_t count : {11U, 0x80000000U, 0xFFFFFFFFU}) {
    AnimMotion motion = SmallMotion();
    std::string bytes = BytesOf(motion);
    Poke(bytes.size() - 90, count, &bytes);
    const Judged judged = Judge(bytes);
    EXPECT_EQ(VerdictOf(judged.result), kUploads);
    EXPECT_EQ(CodesOf(judged.report), "ANIM_CONSTRAINTS_IGNORED");
    motion.constraints.clear();
    ExpectSameMotion(judged.result.motion, motion);
  }
}

TEST(AnimReader, LimitsHold) {
  const std::string bytes = BytesOf(SmallMotion());
  AnimReadOptions options;
  options.limits.max_clip_bytes = static_cast<int64_t>(bytes.size()) - 1;
  IssueLog log({});
  EXPECT_FALSE(ReadAnim(bytes, options, &log).read);
  options.limits = {};
  options.limits.max_name_bytes = 6;
  EXPECT_FALSE(ReadAnim(bytes, options, &log).read);
  EXPECT_EQ(CodesOf(log.Finish(true, false)),
            "LIMIT_CLIP_BYTES LIMIT_NAME_BYTES");
}

std::string Float(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  std::string out(4, '\0');
  Poke(0, bits, &out);
  return out;
}

// A joint with one rotation and one position of version 0.1.
std::string LegacyBytes() {
  AnimMotion motion = SmallMotion();
  motion.joints.clear();
  motion.constraints.clear();
  std::string bytes = BytesOf(motion).substr(0, kJointCountAt);
  Poke(0, 1U << 16, &bytes);
  const std::string one("\1\0\0\0", 4);
  bytes += one + std::string("mHead\0\3\0\0\0", 10);
  bytes += one + Float(1) + Float(90) + Float(0) + Float(90);
  bytes += one + Float(5) + Float(-7) + Float(0) + Float(2.5F);
  return bytes + std::string(4, '\0');
}

TEST(AnimReader, ReadsTheOldVersion) {
  const Judged judged = Judge(LegacyBytes());
  EXPECT_EQ(VerdictOf(judged.result), kUploads);
  EXPECT_EQ(CodesOf(judged.report), "ANIM_VERSION_OLD");
  const AnimJoint& joint = judged.result.motion.joints.at(0);
  const AnimKey& rotation = joint.rotations.at(0);
  EXPECT_EQ(rotation.time, 32767);
  EXPECT_NEAR(RotationOf(rotation).x, 0.5F, 1e-4F);
  EXPECT_NEAR(RotationOf(rotation).y, -0.5F, 1e-4F);
  EXPECT_NEAR(RotationOf(rotation).z, 0.5F, 1e-4F);
  EXPECT_EQ(joint.positions.at(0).time, 65535);
  EXPECT_EQ(PositionOf(joint.positions[0])[0], -5);
  EXPECT_NEAR(PositionOf(joint.positions[0])[2], 2.5F, 4e-4F);
  // It is written as 1.0, and then stays as it is.
  ExpectSameMotion(MotionOf(BytesOf(judged.result.motion)),
                   judged.result.motion);
}

TEST(AnimReader, RefusesOldKeysThatAreNotFinite) {
  std::string bytes = LegacyBytes();
  Poke(kRotationCountAt + 2, std::bit_cast<uint32_t>(kNan), &bytes);
  const Judged judged = Judge(bytes);
  EXPECT_EQ(VerdictOf(judged.result), kRefused);
  EXPECT_EQ(judged.report.issues[0].code, "ANIM_NOT_FINITE");
}

constexpr size_t kDurationAt = 8;

// The viewer clamps old positions before it looks at them, and compares no old
// times with the duration.
TEST(AnimReader, OldPositionsMayBeInfiniteAndOldDurationsNegative) {
  std::string bytes = LegacyBytes();
  const size_t position = bytes.rfind(Float(-7));
  ASSERT_NE(position, std::string::npos);
  Poke(position, std::bit_cast<uint32_t>(-INFINITY), &bytes);
  const Judged judged = Judge(bytes);
  EXPECT_EQ(VerdictOf(judged.result), kUploads);
  EXPECT_EQ(PositionOf(judged.result.motion.joints.at(0).positions.at(0))[0],
            -5);
  Poke(kDurationAt, std::bit_cast<uint32_t>(-1.0F), &bytes);
  for (const Issue& issue : Judge(bytes).report.issues) {
    EXPECT_NE(issue.code, "ANIM_KEY_TIME");
  }
}

TEST(AnimReader, RoundTripsAnyMotion) {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    const AnimMotion motion = RandomMotion(seed);
    const std::string bytes = BytesOf(motion);
    EXPECT_EQ(bytes.size(), AnimBytes(motion));
    ExpectSameMotion(MotionOf(bytes), motion);
  }
}

// The page on the format says what is done about each of them.
TEST(AnimReader, EveryCodeIsExplained) {
  const std::string page = ReadFile(SourceFile("docs/formats/anim.md"));
  for (const CatalogueEntry& entry : Catalogue()) {
    if (!entry.name.starts_with("ANIM_")) continue;
    const std::string code = "`" + std::string(entry.name) + "`";
    EXPECT_NE(page.find(code), page.npos) << entry.name;
  }
}

}  // namespace
}  // namespace bvhmill::testing
