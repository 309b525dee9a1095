#pragma once

// Clips of a figure on the floor, and the report of the floor rules about them.

#include <cstdint>
#include <functional>

#include "bvhmill/clip/clip.h"
#include "bvhmill/report/report.h"
#include "tests/support/clips.h"

namespace bvhmill::testing {

inline constexpr float kReach = 50;

// A figure of hips, feet and a head, whose reach is kReach. `up` is the unit
// vector from the feet to the head; `hips` gives the place of the hips in a
// frame.
Clip FigureClip(const Offset& up, int64_t frames, double frames_per_second,
                const std::function<Offset(int64_t)>& hips);

// The clip below a ROOT that stands still.
Clip BelowContainer(const Clip& clip);

// The report of the floor rules alone. `seems_z_up`: the rest pose hints at Z.
Report FloorReportOf(const Clip& clip, const SourceSpace& source = {},
                     bool seems_z_up = false);

}  // namespace bvhmill::testing
