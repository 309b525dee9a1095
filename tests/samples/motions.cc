#include "tests/samples/motions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace bvhmill::samples {
namespace {

constexpr double kTwoPi = 2 * std::numbers::pi;

// Both soles flat, `apart` cm from the middle, toes out by `yaw` degrees.
std::array<LegPose, 2> FlatFeet(double apart, double yaw) {
  return {PlantedFoot({apart, kAnkleHeight, 0}, yaw, 0),
          PlantedFoot({-apart, kAnkleHeight, 0}, -yaw, 0)};
}

constexpr double kTurnSpeed = 60;  // degrees a second
constexpr double kStepTime = 0.8;  // seconds between lifts of the same foot

// In the first half of its step a foot is in the air and turns; in the second
// it stands and the body turns over it.
LegPose TurnLeg(int side, double place, double seconds) {
  const double ahead = side == kLeft ? 0 : 0.5;  // the feet take turns
  const double steps = seconds / kStepTime + ahead;
  const double aloft = std::min(1.0, 2 * (steps - std::floor(steps)));
  // A quarter of a step back, so that the feet are on average below the hips.
  const double turned = std::floor(steps) + Ease(aloft) - ahead - 0.25;
  const double yaw = kTurnSpeed * kStepTime * turned;
  const Vec3 ankle =
      Vec3{place, kAnkleHeight + 9 * std::sin(kTwoPi / 2 * aloft), 0} +
      RotateY(yaw) * Vec3{Sign(side) * 12, 0, 0};
  return PlantedFoot(ankle, yaw + Sign(side) * 8, 0);
}

}  // namespace

double Ease(double x) { return x * x * (3 - 2 * x); }

BodyPose SquatBody(double seconds) {
  const double depth = 0.5 - 0.5 * std::cos(kTwoPi * seconds / 2);
  BodyPose body;
  body.hips = {0, kHipsHeight - 2 - 36 * depth, -14 * depth};
  body.pelvis = RotateX(32 * depth);
  body.chest = {12 * depth, 0, 0};
  body.head = {-30 * depth, 0, 0};
  body.arms[kLeft] = {.raise = -72, .swing = 112 * depth, .elbow = 12};
  body.arms[kRight] = body.arms[kLeft];
  body.legs = FlatFeet(15, 14);
  return body;
}

BodyPose GreetBody(double seconds) {
  const double wave = std::sin(kTwoPi * seconds / 0.75);
  const double sway = std::sin(kTwoPi * seconds / 1.5);
  BodyPose body;
  body.hips = {2 + 1.5 * sway, kHipsHeight - 1.2, 0};
  body.pelvis = RotateZ(1.5 + sway);
  body.chest = {1, 4 * sway, -3 - sway};
  body.head = {2, -6, 3 * wave};
  body.arms[kLeft] = {.raise = -79, .swing = 3 + 2 * sway, .elbow = 14};
  body.arms[kRight] = {.raise = -8 + 4 * wave,
                       .swing = 68,
                       .elbow = 72 + 18 * wave,
                       .wrist = -12 * wave};
  body.legs = FlatFeet(11, 10);
  return body;
}

BodyPose CalibrationBody() {
  BodyPose body;
  body.hips = {0, kHipsHeight - 1, 0};
  body.arms[kLeft] = {.raise = -45, .swing = 4, .elbow = 6};
  body.arms[kRight] = body.arms[kLeft];
  body.legs = FlatFeet(13, 7);
  return body;
}

BodyPose SwayBody(double place, double seconds) {
  const double sway = std::sin(kTwoPi * seconds / 2);
  const double beat = std::cos(kTwoPi * seconds * 2);
  const double wave = std::sin(kTwoPi * seconds / 2 - 0.8);
  BodyPose body;
  body.hips = {place + 9 * sway, kHipsHeight - 6 - 2.5 * beat, 2 * beat};
  body.pelvis = RotateY(8 * sway) * RotateZ(4 * sway);
  body.chest = {3 + 3 * beat, -14 * sway, -10 * sway};
  body.head = {4 * beat, 8 * sway, 6 * sway};
  for (const int side : {kLeft, kRight}) {
    const double up = Sign(side) * wave;
    const double free = std::max(0.0, -Sign(side) * sway);  // carries nothing
    body.arms[side] = {.raise = -12 + 38 * up,
                       .swing = 20 + 10 * beat,
                       .elbow = 40 - 25 * up,
                       .wrist = 20 * up};
    body.legs[side] = PlantedFoot({place + Sign(side) * 17, kAnkleHeight, 0},
                                  Sign(side) * 16, 14 * free * free);
  }
  return body;
}

BodyPose TurnBody(double place, double seconds) {
  const double beat = std::cos(2 * kTwoPi * seconds / kStepTime);
  BodyPose body;
  body.hips = {place, kHipsHeight - 4 - 1.5 * beat, 0};
  body.pelvis = RotateY(kTurnSpeed * seconds) * RotateX(2);
  body.chest = {-2, 12 * std::sin(kTwoPi * seconds / 4), 0};
  body.head = {-3, 14, 0};
  for (const int side : {kLeft, kRight}) {
    body.arms[side] = {.raise = -5 + 12 * beat, .swing = 10, .elbow = 30};
    body.legs[side] = TurnLeg(side, place, seconds);
  }
  return body;
}

}  // namespace bvhmill::samples
