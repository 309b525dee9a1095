#pragma once

// A clip as the rules see it: the rows as the file has them, before any edit,
// with what the caller states and the facts that rules share.
//
//   log->Add(IssueCode::DATA_REST_POSE, LocationAtFrame(clip, node, 0),
//            {{"degrees", Short(LargestAngle(clip.skeleton, clip.Row(0),
//            {}))}});

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "bvhmill/base/text.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/math/linear.h"
#include "bvhmill/report/report.h"
#include "bvhmill/report/thresholds.h"
#include "bvhmill/validate/motion/motion_clip.h"
#include "bvhmill/validate/skeleton_facts.h"

namespace bvhmill {

// All references outlive the check.
struct CheckedClip {
  const Skeleton& skeleton;
  const SkeletonFacts& facts;
  // The text position of each node; empty if the source is no text.
  std::span<const TextPosition> node_positions;
  // Units and axes, as far as the caller states them.
  const SourceSpace& source;
  // Seconds; 0 if the file does not state it.
  double frame_time = 0;
  // The thresholds in force.
  const Thresholds& thresholds;
  // Facts that rules write for those after them.
  MotionFacts& motion;
  // How position channels are to be read, as far as the caller states it.
  Conventions conventions = {};
  // frames x channels, in the units of the file.
  int64_t frames = 0;
  std::span<const float> values = {};
  // facts.landmarks.nodes.size() x judged frames x 3: world positions of the
  // landmarks, in the units of the file. A frame is judged if its number is a
  // multiple of LandmarkStep (floor/landmarks.h).
  std::span<const float> landmarks = {};

  double operator[](Threshold threshold) const { return thresholds[threshold]; }
  std::span<const float> Row(int64_t frame) const {
    const size_t width = skeleton.channels.size();
    return values.subspan(static_cast<size_t>(frame) * width, width);
  }
};

// Parts of issues.

// The index and the name of the node, and its position in the text.
Location LocationOf(const CheckedClip& clip, int32_t node);
// The index and the name alone, at a frame.
Location LocationAtFrame(const CheckedClip& clip, int32_t node, int64_t frame);
// The name of a node in quotes.
std::string QuotedName(const Skeleton& skeleton, int32_t node);

// Values of single frames.

// The first frame, the last one whose number is a power of two, and the last
// one. In short clips several are the same. Requires a frame.
std::array<int64_t, 3> SampleFrames(const CheckedClip& clip);

// The local rotation of `node` in `row`, in double precision. `row` has a value
// for each channel of the skeleton. Several rotation channels of one axis
// compose. Slow: for few rows.
Quat<double> RotationOf(const Skeleton& skeleton, const Node& node,
                        std::span<const float> row);

// The largest angle in degrees by which a joint turns between the rows `a` and
// `b`; an empty `b` is the rest pose. Returns the first angle above `enough`,
// or NaN at the first value that is not a number. O(channels).
double LargestAngle(const Skeleton& skeleton, std::span<const float> a,
                    std::span<const float> b,
                    double enough = std::numeric_limits<double>::infinity());

}  // namespace bvhmill
