#pragma once

// A clip as the rules see it: the rows as the file has them, before any edit.

#include <cstdint>
#include <span>
#include <string>

#include "bvhmill/base/text_position.h"
#include "bvhmill/clip/skeleton.h"
#include "bvhmill/report/report.h"
#include "bvhmill/report/thresholds.h"
#include "bvhmill/validate/motion/motion_facts.h"
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
  // Facts that rules share.
  MotionFacts& motion;
  // How position channels are read, as far as the caller states it.
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

// The index and the name of the node, and its position in the text.
Location LocationOf(const CheckedClip& clip, int32_t node);
// The index and the name alone, at a frame.
Location LocationAtFrame(const CheckedClip& clip, int32_t node, int64_t frame);
// The name of a node in quotes.
std::string QuotedName(const Skeleton& skeleton, int32_t node);

}  // namespace bvhmill
