#include "tests/anim/anim_support.h"

#include <gtest/gtest.h>

#include <random>

#include "bvhmill/anim/avatar/avatar.h"
#include "bvhmill/anim/format/anim_file.h"
#include "bvhmill/base/sink.h"

namespace bvhmill::testing {
namespace {

using Random = std::mt19937_64;

int64_t Below(int64_t end, Random* random) {
  return static_cast<int64_t>((*random)() % static_cast<uint64_t>(end));
}

float AnyFloat(Random* random) {
  return static_cast<float>(Below(2'000'001, random) - 1'000'000) / 1000.0F;
}

Vec3<float> AnyVector(Random* random) {
  const float x = AnyFloat(random);
  const float y = AnyFloat(random);
  return {x, y, AnyFloat(random)};
}

std::string AnyName(int64_t most, Random* random) {
  std::string name(static_cast<size_t>(Below(most + 1, random)), ' ');
  for (char& c : name) c = static_cast<char>(1 + Below(255, random));
  return name;
}

std::string AnyJointName(Random* random) {
  const auto joints = static_cast<int64_t>(AvatarJoints().size());
  if (Below(4, random) == 0) return AnyName(20, random);
  return std::string(
      AvatarJoints()[static_cast<size_t>(Below(joints, random))].name);
}

std::vector<AnimKey> AnyKeys(Random* random) {
  std::vector<AnimKey> keys(static_cast<size_t>(Below(20, random)));
  for (AnimKey& key : keys) {
    const uint64_t bits = (*random)();
    key = {static_cast<uint16_t>(bits), static_cast<uint16_t>(bits >> 16),
           static_cast<uint16_t>(bits >> 32),
           static_cast<uint16_t>(bits >> 48)};
  }
  return keys;
}

AnimConstraint AnyConstraint(Random* random) {
  AnimConstraint c;
  c.chain_length = static_cast<uint8_t>(Below(256, random));
  c.type = static_cast<uint8_t>(Below(256, random));
  c.source_volume = AnyName(16, random);
  c.source_offset = AnyVector(random);
  c.target_volume = AnyName(16, random);
  c.target_offset = AnyVector(random);
  c.target_direction = AnyVector(random);
  c.ease_in_start = AnyFloat(random);
  c.ease_in_stop = AnyFloat(random);
  c.ease_out_start = AnyFloat(random);
  c.ease_out_stop = AnyFloat(random);
  return c;
}

}  // namespace

std::string BytesOf(const AnimMotion& motion) {
  std::string bytes;
  StringSink sink(&bytes);
  EXPECT_TRUE(WriteAnim(motion, &sink).ok());
  return bytes;
}

AnimMotion MotionOf(std::string_view bytes) {
  IssueLog log({});
  AnimReadResult result = ReadAnim(bytes, {}, &log);
  EXPECT_TRUE(result.read);
  return std::move(result.motion);
}

AnimMotion SmallMotion() {
  AnimMotion motion;
  motion.duration = 2;
  motion.loop_out = 2;
  motion.joints = {{"mPelvis",
                    3,
                    {{0, 32767, 32767, 32767}, {65535, 40000, 32767, 32767}},
                    {{0, 32767, 32767, 40000}, {65535, 32767, 32767, 41000}}},
                   {"mTorso", -1, {{0, 30000, 32767, 32767}}, {}}};
  AnimConstraint constraint;
  constraint.source_volume = "PELVIS";
  constraint.target_volume = "GROUND";
  constraint.ease_in_stop = 0.5F;
  motion.constraints = {constraint};
  return motion;
}

AnimMotion RandomMotion(uint64_t seed) {
  Random random(seed);
  AnimMotion motion;
  motion.base_priority = static_cast<int32_t>(random());
  motion.duration = AnyFloat(&random);
  motion.emote = AnyName(20, &random);
  motion.loop_in = AnyFloat(&random);
  motion.loop_out = AnyFloat(&random);
  motion.loop = static_cast<int32_t>(random());
  motion.ease_in = AnyFloat(&random);
  motion.ease_out = AnyFloat(&random);
  motion.hand_pose = static_cast<uint32_t>(random());
  motion.joints.resize(static_cast<size_t>(Below(30, &random)));
  for (AnimJoint& joint : motion.joints) {
    joint.name = AnyJointName(&random);
    joint.priority = static_cast<int32_t>(random());
    joint.rotations = AnyKeys(&random);
    joint.positions = AnyKeys(&random);
  }
  motion.constraints.resize(static_cast<size_t>(Below(11, &random)));
  for (AnimConstraint& c : motion.constraints) c = AnyConstraint(&random);
  return motion;
}

void ExpectSameMotion(const AnimMotion& actual, const AnimMotion& expected) {
  EXPECT_EQ(actual.duration, expected.duration);
  ASSERT_EQ(actual.joints.size(), expected.joints.size());
  for (size_t i = 0; i < actual.joints.size(); ++i) {
    const AnimJoint& a = actual.joints[i];
    const AnimJoint& b = expected.joints[i];
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.priority, b.priority) << a.name;
    EXPECT_EQ(a.rotations.size(), b.rotations.size()) << a.name;
    EXPECT_EQ(a.positions.size(), b.positions.size()) << a.name;
    EXPECT_TRUE(a == b) << a.name;
  }
  EXPECT_TRUE(actual == expected);
}

}  // namespace bvhmill::testing
