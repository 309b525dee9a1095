// The sample takes. Each is complete BVH, computed without recorded data, the
// same on every run, and shows some habits of real files.
//
// Units are centimetres, Y is up. `frames` is a default that the caller may
// change before writing; motions go on for any length.
#pragma once

#include <vector>

#include "tests/samples/skeleton.h"

namespace bvhmill::samples {

// A walk along +Z, 26 joints, ZXY, 60 Hz; two strides in 120 frames.
Take WalkCycle();

// A right forearm with five fingers that curl one after another, 17 joints,
// XYZ, 30 Hz.
Take HandWave();

// Two figures with a ROOT each, 18 joints each, ZXY and YXZ, 30 Hz, two
// decimals.
Take TwoDancers();

// The walk of WalkCycle() on the same joints, so the same world positions, but
// with all six rotation orders, joints with two, one and no channels, and a
// ROOT that lists rotations before positions.
Take MixedOrders();

// Squats with six channels on every joint, ZYX; the position channels of the
// JOINTs repeat their OFFSETs, and the ROOT OFFSET is the first position.
Take SixChannels();

// A greeting with CRLF line ends, `End site`, tabs, blanks at the line ends,
// exponents in small values and a frame time of .0333333.
Take CrlfEndSite();

// One frame, in the pose used for calibration.
Take StaticPose();

// All of the above, in this order.
std::vector<Take> AllTakes();

}  // namespace bvhmill::samples
