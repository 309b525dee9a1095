#pragma once

// What can be changed about a clip before it is written. Plain data; zero
// values change nothing. Applied in the order of the fields, whatever the order
// in which a caller sets them.

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/clip/conventions.h"
#include "bvhmill/edit/joint_map.h"

namespace bvhmill {

// Frames begin, begin + step, ... below end. `end` 0: to the last; `step` 0: 1.
struct FrameRange {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t step = 1;
};

enum class Interpolation {
  // Joints turn the shortest way from pose to pose.
  kSlerp,
  // Each angle turns the shortest way for itself.
  kLerpAngle,
};

enum class RootMotion {
  kKeep,
  // Roots keep their height and stand at 0 0 of the ground.
  kInPlace,
  // Roots stay at 0 0 0.
  kOrigin,
};

// M_root = T(signs * permuted(p)) * R(correction) * R(motion): turns a capture
// to the ground and to where it should face; no joint below a root changes.
struct RootAlignment {
  // "xzy" gives Y the values of Z and Z those of Y. Empty: "xyz".
  std::string position_axes;
  // For X, Y and Z of the result: "-+-". Empty: "+++".
  std::string position_signs;
  // About X, Y, Z; composed Rz * Rx * Ry.
  std::array<double, 3> correction_degrees = {};
};

struct ClipEdits {
  // Joints are said by NAME (all of that name), NAME#2 (the second of that name
  // in file order) or PREFIX*. End sites go with their joint.
  std::vector<std::string> drop_joints;
  // If not empty, all others are dropped.
  std::vector<std::string> keep_joints;
  // Old name (or NAME#2, which counts more), new name; each old name once. All
  // old names are those of before.
  std::vector<std::pair<std::string, std::string>> rename_joints;
  // A map that is built in, or rows of the caller's own, each source once; not
  // both.
  std::string joint_map;
  std::vector<JointMapRow> joint_map_rows;
  FrameRange frames;
  // Frames per second; 0 keeps the rate. If the rate is that already, but for
  // the rounding of a frame time to four digits, only the time is put right.
  double resample_fps = 0;
  Interpolation interpolation = Interpolation::kSlerp;
  // Both need to be known of the source.
  UpAxis up_axis = UpAxis::kUnknown;
  double meters_per_unit = 0;
  RootMotion root_motion = RootMotion::kKeep;
  RootAlignment root_alignment;
  // Not an edit: what is known of the clip that comes in.
  SourceSpace source;
};

// True if the edits change nothing, whatever the clip.
bool IsEmpty(const ClipEdits& edits);
// True if the alignment changes nothing.
bool IsEmpty(const RootAlignment& alignment);

// What can be said without a clip. INVALID_ARGUMENT "options.edits.field: why"
// for a value that cannot be, or one beyond base/bounds.h; FAILED_PRECONDITION
// for a target (up_axis, meters_per_unit) whose source is not known.
absl::Status CheckEdits(const ClipEdits& edits);

// That part of CheckEdits which looks at the alignment.
absl::Status CheckAlignment(const RootAlignment& alignment);

// The axes of the alignment: component i of the result is component `axis[i]`
// times `sign[i]`. The alignment must be one that CheckEdits passes.
struct SignedAxes {
  std::array<int, 3> axis = {0, 1, 2};
  std::array<int, 3> sign = {1, 1, 1};
};
SignedAxes AxesOf(const RootAlignment& alignment);

}  // namespace bvhmill
