#include "tests/samples/natural.h"

#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "tests/samples/rig.h"

namespace bvhmill::samples {
namespace {

constexpr double kTwoPi = 2 * std::numbers::pi;

// A slow body sways as a whole: the parts that Waver numbers.
enum Part { kHips, kPelvis = 3, kChest = 6, kHead = 9, kArm = 12, kToe = 30 };

Vec3 Waver3(int part, double seconds) {
  return {Waver(part, seconds), Waver(part + 1, seconds),
          Waver(part + 2, seconds)};
}

void LoosenArm(int side, double seconds, ArmPose* arm) {
  const int part = kArm + 6 * side;
  arm->raise += 3 * Waver(part, seconds);
  arm->swing += 4 * Waver(part + 1, seconds);
  arm->elbow += 4 * Waver(part + 2, seconds);
  arm->wrist += 4 * Waver(part + 3, seconds);
  arm->twist += 3 * Waver(part + 4, seconds);
}

// Feet flat and apart, one slightly ahead.
std::array<LegPose, 2> StandingFeet() {
  return {PlantedFoot({12, kAnkleHeight, 3}, 9, 0),
          PlantedFoot({-12, kAnkleHeight, -2}, -12, 0)};
}

enum class Rig { kDetailed, kClassic, kAlongBones, kAnyAxes, kSixChannels };

struct NaturalTake {
  const char* name;
  BodyPose (*motion)(double);
  Rig rig;
  double unit;  // lengths of the file in a centimetre
  int rate;
};

BodyPose BriskWalk(double seconds) { return WalkBody(1.2 * seconds); }
BodyPose LeftTurn(double seconds) { return OnCircle(WalkBody(seconds), 260); }
BodyPose RightTurn(double seconds) { return OnCircle(WalkBody(seconds), -350); }
BodyPose SwayHere(double seconds) { return SwayBody(0, 0.8 * seconds); }
BodyPose TurnHere(double seconds) { return TurnBody(0, 0.9 * seconds); }

constexpr NaturalTake kNaturalTakes[] = {
    {"walk_60", WalkBody, Rig::kDetailed, 1, 60},
    {"walk_30", WalkBody, Rig::kAlongBones, 1, 30},
    {"walk_120", BriskWalk, Rig::kClassic, 1 / 2.54, 120},
    {"left_turn_60", LeftTurn, Rig::kSixChannels, 1, 60},
    {"right_turn_30", RightTurn, Rig::kClassic, 1, 30},
    {"idle_60", IdleBody, Rig::kAlongBones, 1, 60},
    {"idle_30", IdleBody, Rig::kSixChannels, 0.01, 30},
    {"wave_120", GreetBody, Rig::kDetailed, 1, 120},
    {"gesture_30", GestureBody, Rig::kDetailed, 1, 30},
    {"squat_60", SquatBody, Rig::kAnyAxes, 1, 60},
    {"sway_60", SwayHere, Rig::kDetailed, 0.01, 60},
    {"turn_120", TurnHere, Rig::kAlongBones, 1, 120},
};

Biped BipedOf(Rig rig) {
  if (rig == Rig::kClassic) return ClassicBiped("YXZ", "");
  Biped biped = DetailedBiped("ZYX");
  if (rig == Rig::kSixChannels) {
    for (Joint& joint : biped.joints) joint.channels = "xyzZYX";
  }
  return biped;
}

Take MakeTake(const NaturalTake& natural, double seconds) {
  const Biped biped = BipedOf(natural.rig);
  Take take;
  take.joints = biped.joints;
  take.pose = [biped, motion = natural.motion](double seconds) {
    return SolveBody(biped, Loosened(motion(seconds), seconds));
  };
  if (natural.rig == Rig::kAlongBones)
    take = OnRig(take, {}, Axes::kAlongBones);
  if (natural.rig == Rig::kAnyAxes) take = OnRig(take, {}, Axes::kAny);
  if (natural.unit != 1) take = Scaled(take, natural.unit);
  take.name = std::string(natural.name) + ".bvh";
  take.frame_time = 1.0 / natural.rate;
  take.frames = static_cast<int>(seconds * natural.rate);
  take.layout.frame_time = std::to_string(take.frame_time);
  take.layout.offset_decimals = 6;
  take.layout.row_decimals = 6;
  return take;
}

}  // namespace

double Waver(int part, double seconds) {
  constexpr double kHertz[] = {0.31, 0.73, 1.31, 2.27};
  constexpr double kShare[] = {0.40, 0.30, 0.20, 0.10};
  double sum = 0;
  for (int i = 0; i < 4; ++i) {
    // Parts differ in phase and, a little, in frequency.
    const double hertz = kHertz[i] * (1 + 0.013 * (part % 7));
    const double phase = 2.399963 * part + 1.7 * i;
    sum += kShare[i] * std::sin(kTwoPi * hertz * seconds + phase);
  }
  return sum;
}

BodyPose Loosened(const BodyPose& body, double seconds) {
  BodyPose out = body;
  const Vec3 turn = Waver3(kPelvis, seconds);
  out.hips = body.hips + 0.4 * Waver3(kHips, seconds);
  out.pelvis = body.pelvis * RotateY(1.2 * turn.x) * RotateX(turn.y) *
               RotateZ(0.8 * turn.z);
  out.chest = body.chest + 2 * Waver3(kChest, seconds);
  out.head = body.head + 3 * Waver3(kHead, seconds);
  for (const int side : {kLeft, kRight}) {
    LoosenArm(side, seconds, &out.arms[side]);
    out.legs[side].toe += 0.4 * Waver(kToe + side, seconds);
  }
  return out;
}

BodyPose IdleBody(double seconds) {
  const double breath = std::sin(kTwoPi * seconds / 3.7);
  const double shift = std::sin(kTwoPi * seconds / 5.3);
  BodyPose body;
  body.hips = {2.5 * shift, kHipsHeight - 2.5 - 0.4 * std::fabs(shift), 0.5};
  body.pelvis = RotateY(2 * shift) * RotateZ(1.5 * shift);
  body.chest = {2 - 1.5 * breath, -3 * shift, -2 * shift};
  body.head = {1 + breath, 9 * shift, 0};
  for (const int side : {kLeft, kRight}) {
    body.arms[side] = {.raise = -77 + 1.5 * breath,
                       .swing = 3 + 2 * shift,
                       .elbow = 16 + 2 * breath};
  }
  body.legs = StandingFeet();
  return body;
}

BodyPose GestureBody(double seconds) {
  BodyPose body = IdleBody(seconds);
  for (const int side : {kLeft, kRight}) {
    const double beat = std::sin(kTwoPi * seconds / 0.9 + 1.1 * side);
    const double phrase = std::sin(kTwoPi * seconds / 2.6 - 0.8 * side);
    body.arms[side] = {.raise = -62 + 7 * phrase,
                       .swing = 24 + 12 * phrase,
                       .elbow = 74 + 14 * beat + 8 * phrase,
                       .wrist = 10 * beat,
                       .twist = 14 * phrase};
  }
  return body;
}

BodyPose OnCircle(const BodyPose& body, double radius) {
  // A map of the plane: a point stays a point, whenever it is reached.
  const auto turn_at = [radius](const Vec3& at) {
    return RotateY(360 / kTwoPi * at.z / radius);
  };
  const auto bend = [&](const Vec3& at) {
    return turn_at(at) * Vec3{at.x - radius, at.y, 0};
  };
  BodyPose out = body;
  out.hips = bend(body.hips);
  out.pelvis = turn_at(body.hips) * body.pelvis;
  for (LegPose& leg : out.legs) {
    leg.foot = turn_at(leg.ankle) * leg.foot;
    leg.ankle = bend(leg.ankle);
  }
  return out;
}

Take Scaled(const Take& take, double factor) {
  Take out = take;
  for (Joint& joint : out.joints) {
    joint.offset = factor * joint.offset;
    if (joint.end_site) joint.end_site = factor * *joint.end_site;
  }
  out.pose = [pose = take.pose, factor](double seconds) {
    Pose now = pose(seconds);
    for (Vec3& position : now.positions) position = factor * position;
    return now;
  };
  return out;
}

Take LongWalk(double seconds) {
  return MakeTake({"long_walk", LeftTurn, Rig::kDetailed, 1, 60}, seconds);
}

std::vector<Take> NaturalTakes() {
  std::vector<Take> takes;
  for (const NaturalTake& natural : kNaturalTakes) {
    takes.push_back(MakeTake(natural, kTakeSeconds));
  }
  return takes;
}

}  // namespace bvhmill::samples
