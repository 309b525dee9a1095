#include <gtest/gtest.h>

#include "bvhmill/anim/format/anim_file.h"
#include "bvhmill/base/sink.h"
#include "bvhmill/base/status.h"
#include "tests/anim/anim_support.h"

namespace bvhmill::testing {
namespace {

using namespace std::string_literals;

TEST(AnimWriter, WritesTheFormatToTheByte) {
  AnimMotion motion;
  motion.base_priority = 4;
  motion.duration = 1;
  motion.emote = "ab";
  motion.loop_in = 0.5F;
  motion.loop_out = 1;
  motion.loop = 1;
  motion.ease_in = 0;
  motion.ease_out = -2;
  motion.hand_pose = 2;
  motion.joints = {{"mHead", -1, {{1, 2, 3, 0xFEDC}}, {{4, 5, 6, 7}}}};
  motion.constraints.resize(1);
  motion.constraints[0].chain_length = 1;
  motion.constraints[0].type = 1;
  motion.constraints[0].source_volume = "CHEST";
  const std::string header =
      "\1\0\0\0\4\0\0\0\0\0\x80\x3f"
      "ab\0\0\0\0\x3f\0\0\x80\x3f\1\0\0\0\0\0\0\0\0\0\0\xc0\2\0\0\0\1\0\0\0"s;
  const std::string joint =
      "mHead\0\xff\xff\xff\xff\1\0\0\0\1\0\2\0\3\0\xdc\xfe"
      "\1\0\0\0\4\0\5\0\6\0\7\0"s;
  const std::string constraint =
      "\1\0\0\0\1\1"
      "CHEST"s +
      std::string(11 + 12 + 16 + 12 + 12 + 16, '\0');
  EXPECT_EQ(BytesOf(motion), header + joint + constraint);
  EXPECT_EQ(AnimBytes(motion), (header + joint + constraint).size());
}

TEST(AnimWriter, RefusesValuesThatAFileCannotHold) {
  const auto refuses = [](const AnimMotion& motion, std::string_view field) {
    std::string bytes;
    StringSink sink(&bytes);
    const absl::Status status = WriteAnim(motion, &sink);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_TRUE(MessageOf(status).starts_with(field)) << MessageOf(status);
    EXPECT_TRUE(bytes.empty());
  };
  AnimMotion motion = SmallMotion();
  motion.emote = "a\0b"s;
  refuses(motion, "emote");
  motion = SmallMotion();
  motion.joints[1].name = "a\0b"s;
  refuses(motion, "joints.name");
  motion = SmallMotion();
  motion.constraints[0].source_volume = std::string(17, 'a');
  refuses(motion, "constraints.source_volume");
  motion = SmallMotion();
  motion.constraints[0].target_volume = "\0"s;
  refuses(motion, "constraints.target_volume");
}

}  // namespace
}  // namespace bvhmill::testing
