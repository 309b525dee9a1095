// Sample takes that move as people do, and are clean: smooth, feet on the
// floor, no two cycles equal. Tests of rules about motion begin with them.
//
// They differ in motion, skeleton, axes, unit and rate.
#pragma once

#include <vector>

#include "tests/samples/motions.h"

namespace bvhmill::samples {

// A slow, smooth, aperiodic number from -1 to 1, made of sines from 0.3 to 2.3
// Hz. Each `part` of a body has its own.
double Waver(int part, double seconds);

// `body` with small movements of hips, trunk, head and arms. The feet stay
// where they are.
BodyPose Loosened(const BodyPose& body, double seconds);

// Stands and breathes; the weight shifts from foot to foot.
BodyPose IdleBody(double seconds);

// Stands and talks with both hands.
BodyPose GestureBody(double seconds);

// `body`, which moves along +Z, on a circle instead: a turn to the left with
// that radius (cm), to the right if it is negative. A foot that stands on the
// floor still does.
BodyPose OnCircle(const BodyPose& body, double radius);

// `take` with all lengths multiplied.
Take Scaled(const Take& take, double factor);

// Twelve clean takes, at 30, 60 and 120 Hz.
inline constexpr double kTakeSeconds = 6.4;
std::vector<Take> NaturalTakes();

// A clean take at 60 Hz that walks on a circle, as in a room.
Take LongWalk(double seconds);

}  // namespace bvhmill::samples
