// The motions of the sample bipeds: functions of time, without state.
//
// Each returns the body at `seconds` for a figure of `biped.h`.
#pragma once

#include "tests/samples/biped.h"

namespace bvhmill::samples {

// Walks along +Z at 1.24 m/s, two steps a second; the left heel strikes at
// every whole second, the right one half a second later.
BodyPose WalkBody(double seconds);

// Squats with the arms held forward, once in two seconds.
BodyPose SquatBody(double seconds);

// Stands and greets with the raised right hand.
BodyPose GreetBody(double seconds);

// Stands with the arms lowered by half, as suits and cameras are calibrated.
BodyPose CalibrationBody();

// Dances on the spot around x = `place` (cm), facing +Z: sways from foot to
// foot, arms in a wave.
BodyPose SwayBody(double place, double seconds);

// Turns to the left in small steps around x = `place` (cm), arms spread.
BodyPose TurnBody(double place, double seconds);

// Goes from 0 to 1 as `x` does, with no speed at both ends.
double Ease(double x);

}  // namespace bvhmill::samples
