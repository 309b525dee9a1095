#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <vector>

#include "tests/samples/samples.h"

namespace bvhmill::samples {
namespace {

constexpr double kPeriod = 1.5;  // seconds for all five fingers
constexpr int kFirstFinger = 2;  // joint index, after forearm and hand
constexpr int kPhalanges = 3;

// A finger of a right hand held up, palm to +Z: the thumb is at +X.
struct Finger {
  const char* name;
  Vec3 base;                               // cm from the wrist
  Vec3 toward;                             // unit vector of the straight finger
  std::array<double, kPhalanges> lengths;  // cm
};

constexpr std::array<Finger, 5> kFingers = {{
    {"Thumb", {2.5, 2.5, 1.0}, {0.8, 0.6, 0.0}, {4.6, 3.2, 2.7}},
    {"Index", {2.6, 9.2, 0.0}, {0.0, 1.0, 0.0}, {4.4, 2.6, 2.2}},
    {"Middle", {0.3, 9.5, 0.0}, {0.0, 1.0, 0.0}, {4.9, 3.0, 2.4}},
    {"Ring", {-1.9, 9.0, 0.0}, {0.0, 1.0, 0.0}, {4.5, 2.8, 2.3}},
    {"Pinky", {-3.9, 8.2, 0.0}, {0.0, 1.0, 0.0}, {3.5, 2.1, 2.0}},
}};

void AddFinger(const Finger& finger, int hand, std::vector<Joint>* joints) {
  int parent = hand;
  Vec3 offset = finger.base;
  for (int i = 0; i < kPhalanges; ++i) {
    joints->push_back(
        {.name = "RightHand" + std::string(finger.name) + std::to_string(i + 1),
         .parent = parent,
         .offset = offset,
         .channels = "XYZ"});
    parent = static_cast<int>(joints->size()) - 1;
    offset = finger.lengths[i] * finger.toward;
  }
  joints->back().end_site = offset;
}

std::vector<Joint> HandJoints() {
  std::vector<Joint> joints = {
      {.name = "RightForeArm", .channels = "xyzXYZ"},
      {.name = "RightHand",
       .parent = 0,
       .offset = {0, 26, 0},
       .channels = "XYZ"},
  };
  for (const Finger& finger : kFingers) AddFinger(finger, 1, &joints);
  return joints;
}

// How far finger number `finger` is curled, 0 to 1: each takes 0.4 of the
// period and starts 0.15 of it after its neighbour.
double Curl(int finger, double seconds) {
  const double phase = seconds / kPeriod - 0.15 * finger;
  const double along = (phase - std::floor(phase)) / 0.4;
  if (along >= 1) return 0;
  const double sine = std::sin(std::numbers::pi * along);
  return sine * sine;
}

// Fingers bend toward the palm; the thumb folds across it.
Mat3 PhalanxRotation(int finger, int phalanx, double curl) {
  constexpr double kBend[kPhalanges] = {70, 95, 55};
  constexpr double kThumbFold[kPhalanges] = {35, 50, 65};
  if (finger > 0) return RotateX(4 + kBend[phalanx] * curl);
  const double side = phalanx == 0 ? -20 * curl : 0;
  return RotateX(side) * RotateY(-kThumbFold[phalanx] * curl);
}

Pose HandPose(const std::vector<Joint>& joints, double seconds) {
  const double wave = std::sin(2 * std::numbers::pi * seconds / kPeriod);
  Pose pose = RestPose(joints);
  pose.positions[0] = {-30, 110, 20};
  pose.rotations[0] = RotateX(6) * RotateZ(16 * wave);
  pose.rotations[1] = RotateX(-8) * RotateZ(10 * wave);
  for (int finger = 0; finger < static_cast<int>(kFingers.size()); ++finger) {
    const double curl = Curl(finger, seconds);
    for (int i = 0; i < kPhalanges; ++i) {
      pose.rotations[kFirstFinger + kPhalanges * finger + i] =
          PhalanxRotation(finger, i, curl);
    }
  }
  return pose;
}

}  // namespace

Take HandWave() {
  Take take;
  take.name = "hand_wave.bvh";
  take.joints = HandJoints();
  take.pose = [joints = take.joints](double seconds) {
    return HandPose(joints, seconds);
  };
  take.frame_time = 1.0 / 30;
  take.frames = 90;
  take.layout.frame_time = "0.0333333";
  take.layout.row_decimals = 6;
  return take;
}

}  // namespace bvhmill::samples
