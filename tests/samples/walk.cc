#include <algorithm>
#include <cmath>
#include <numbers>

#include "tests/samples/motions.h"

namespace bvhmill::samples {
namespace {

constexpr double kStride = 124;   // cm from one left heel strike to the next
constexpr double kLead = 32;      // cm from the hips to the foot ahead
constexpr double kFootApart = 6;  // cm from the middle line
constexpr double kToeOut = 6;     // degrees
constexpr double kToeOff = 0.60;  // share of the stride on the floor
constexpr double kClearance = 4;  // cm added to the foot in mid-swing

struct Key {
  double phase;
  double value;
};

// Foot against floor, degrees, from heel strike to heel strike: toes up, sole
// down, heel up until after toe-off, toes up again.
constexpr Key kPitch[] = {{0.00, -20}, {0.10, 0},   {0.34, 0},
                          {0.66, 58},  {0.93, -24}, {1.00, -20}};

double FootPitch(double phase) {
  const Key* key = kPitch;
  while (key[1].phase < phase) ++key;
  const double along = (phase - key[0].phase) / (key[1].phase - key[0].phase);
  return key[0].value + (key[1].value - key[0].value) * Ease(along);
}

// The cubic from `a` to `b` with end speeds `va`, `vb` per unit of `x`.
Vec3 Hermite(const Vec3& a, const Vec3& va, const Vec3& b, const Vec3& vb,
             double x) {
  const double x2 = x * x;
  const double x3 = x2 * x;
  return (2 * x3 - 3 * x2 + 1) * a + (x3 - 2 * x2 + x) * va +
         (3 * x2 - 2 * x3) * b + (x3 - x2) * vb;
}

// The foot that struck the floor at `phase` = 0, until it leaves it.
LegPose Stance(int side, double step, double phase) {
  const Vec3 flat = {Sign(side) * kFootApart, kAnkleHeight,
                     kStride * step + kLead};
  return PlantedFoot(flat, Sign(side) * kToeOut, FootPitch(phase));
}

LegPose Swing(int side, double step, double phase) {
  constexpr double kSpan = 1 - kToeOff;
  constexpr double kDelta = 1e-3;  // of the stride, for the end speeds
  const LegPose off = Stance(side, step, kToeOff);
  const Vec3 strike = Stance(side, step + 1, 0).ankle;
  const Vec3 off_speed =
      (kSpan / kDelta) *
      (off.ankle - Stance(side, step, kToeOff - kDelta).ankle);
  const Vec3 strike_speed =
      (kSpan / kDelta) * (Stance(side, step + 1, kDelta).ankle - strike);
  const double along = (phase - kToeOff) / kSpan;
  const double mid = 4 * along * (1 - along);
  LegPose leg;
  leg.ankle = Hermite(off.ankle, off_speed, strike, strike_speed, along) +
              Vec3{0, kClearance * mid * mid, 0};
  leg.foot = RotateY(Sign(side) * kToeOut) * RotateX(FootPitch(phase));
  leg.toe = off.toe * (1 - Ease(std::min(1.0, along / 0.8)));
  return leg;
}

LegPose WalkLeg(int side, double strides) {
  // The phase counts strides of this foot; the right one is half a stride off.
  const double lag = side == kLeft ? 0 : 0.5;
  const double phase = strides + lag - std::floor(strides + lag);
  const double step = strides - phase;
  return phase < kToeOff ? Stance(side, step, phase) : Swing(side, step, phase);
}

// `ahead` is 1 when the arm on this side is fully forward, -1 when back.
ArmPose WalkArm(double ahead, double ahead_late) {
  return {.raise = -80 + 2 * ahead,
          .swing = 2 + 21 * ahead,
          .elbow = 20 + 11 * ahead_late,
          .wrist = 4 + 4 * ahead_late,
          .twist = -8};
}

}  // namespace

BodyPose WalkBody(double seconds) {
  const double strides = seconds;  // one stride takes one second
  const double turn = 2 * std::numbers::pi * strides;
  const double along = std::cos(turn);   // 1 when the left foot strikes
  const double across = std::sin(turn);  // 1 amid the stance of the left foot
  BodyPose body;
  // Lowest just after each heel strike, highest over the standing leg.
  body.hips = {1.8 * across, kHipsHeight - 2.7 - 1.7 * std::cos(2 * turn - 0.5),
               kStride * strides + 0.8 * std::sin(2 * turn)};
  // The hip of the leading leg goes forward, that of the swing leg drops.
  body.pelvis =
      RotateY(-6 * along) * RotateX(3) * RotateZ(3.5 * std::sin(turn + 0.3));
  // The shoulders turn against the pelvis and stay level.
  body.chest = {1 + std::cos(2 * turn), 11 * along, -3 * across};
  body.head = {-3, -5 * along, 0};
  const double late = std::cos(turn - 0.4);
  body.arms = {WalkArm(-along, -late), WalkArm(along, late)};
  body.legs = {WalkLeg(kLeft, strides), WalkLeg(kRight, strides)};
  return body;
}

}  // namespace bvhmill::samples
