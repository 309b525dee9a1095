// Human figures: their joints, and the pose that puts the feet where a motion
// wants them.
//
// All figures stand in the T-pose at rest, face +Z and measure about 178 cm.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "tests/samples/skeleton.h"

namespace bvhmill::samples {

enum Side { kLeft = 0, kRight = 1 };

// +1 for the left side, which lies at +X, -1 for the right.
inline double Sign(int side) { return side == kLeft ? 1 : -1; }

// Heights over the floor of a figure that stands straight, cm.
inline constexpr double kHipsHeight = 98;
inline constexpr double kAnkleHeight = 8;

// The points a foot rolls over, seen from the ankle: the heel on the floor and
// the ball of the foot, where the toe joint is.
inline constexpr Vec3 kHeel = {0, -8, -5};
inline constexpr Vec3 kBall = {0, -6, 13};

// A figure. The lists hold joint indices from the body outwards:
// arms: collar, upper arm, forearm, hand[, finger];
// legs: thigh, shank, foot[, toes].
struct Biped {
  std::vector<Joint> joints;
  std::vector<int> spine;  // without the hips, which are joint 0
  std::vector<int> neck;   // neck to head
  std::array<std::vector<int>, 2> arms;
  std::array<std::vector<int>, 2> legs;
};

// The 26 joints of a current marker or suit system. The ROOT gets three
// positions and then `rotations`, the others only `rotations` ("ZXY").
Biped DetailedBiped(const std::string& rotations);

// The 18 joints of early Biovision files, each name led by `prefix`.
Biped ClassicBiped(const std::string& rotations, const std::string& prefix);

// An arm, degrees; the same numbers give the mirror image on the other side.
struct ArmPose {
  double raise = -78;  // 0 is the T-pose, -90 hangs down
  double swing = 0;    // forward, about the axis through both shoulders
  double elbow = 15;   // flexion
  double wrist = 0;    // flexion
  double twist = 0;    // of the hand about its own axis
};

struct LegPose {
  Vec3 ankle;      // cm, in the world
  Mat3 foot;       // in the world
  double toe = 0;  // degrees against the foot, negative is up
};

// The pose of a biped in one frame, as a motion states it.
struct BodyPose {
  Vec3 hips;    // cm, in the world
  Mat3 pelvis;  // in the world
  Vec3 chest;   // degrees about X, Y, Z against the pelvis
  Vec3 head;    // degrees about X, Y, Z against the chest
  std::array<ArmPose, 2> arms;
  std::array<LegPose, 2> legs;
};

// A foot on the floor. `ankle` (cm, in the world) is where the ankle is when
// the sole is flat; `yaw` turns the toes to the left; a positive `pitch` lifts
// the heel over the ball with the toes flat, a negative one lifts the toes
// over the heel.
LegPose PlantedFoot(const Vec3& ankle, double yaw, double pitch);

// The joint rotations of `body`. The legs are solved as two bones in a plane
// (law of cosines), the knee forward of the foot; an ankle out of reach is
// approached with an almost straight leg.
Pose SolveBody(const Biped& biped, const BodyPose& body);

}  // namespace bvhmill::samples
