#pragma once

// The edits of a clip before it is written: plain data. Zero values change
// nothing. Edits are applied in the order of the fields; the order in which a
// caller sets them does not matter.
//
//   ClipEdits edits;
//   edits.drop = {"LeftHand*", "RightHand*"};
//   edits.fps = 30;
//   edits.in_place = true;
//   BVHMILL_RETURN_IF_ERROR(CheckEdits(edits));

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/clip/clip.h"

namespace bvhmill {

// The frames begin, begin + step, ..., below `end`. `end` 0, or beyond the
// clip: to the last frame. `step` 0: the same as 1. The frame time is `step`
// times as long. A `begin` above 0 must be a frame of the clip.
struct FrameRange {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t step = 1;

  bool operator==(const FrameRange&) const = default;
};

// The frames from the first one at `begin_seconds` or after it, and before
// `end_seconds`; frame 0 is at 0. `end_seconds` 0: to the last frame.
struct TimeRange {
  double begin_seconds = 0;
  double end_seconds = 0;

  bool operator==(const TimeRange&) const = default;
};

// How joints that stay move after others are dropped.
enum class DropMode {
  // Kept joints keep their poses in the world. A joint whose place below its
  // new parent then changes gets position channels.
  kKeepPoses,
  // Kept joints keep their channels, and bones their lengths: the motion of the
  // dropped joints is lost.
  kRigid,
};

enum class Interpolation {
  // Joints turn by the shortest rotation from pose to pose.
  kSlerp,
  // Each angle takes the shortest way, independently of the others.
  kLerp,
};

// A change to the motion of the body roots (docs/conventions.md), by their
// pose in the world:
//
//   M_root = T(signs * permuted(p)) * R(correction) * R(motion)
//
// It moves a capture to the ground and turns it to the wanted direction. Other
// joints do not change.
struct RootAlignment {
  // "xzy": Y takes the values of Z, and Z those of Y. Empty: "xyz".
  std::string position_axes;
  // Signs for X, Y and Z of the result, for example "-+-". Empty: "+++".
  std::string position_signs;
  // Degrees about X, Y, Z; composed as Rz * Rx * Ry.
  std::array<double, 3> correction_degrees = {};
};

// The repairs of a motion, applied in the order of the fields, before all other
// edits. Each is off by default. All values that a repair does not concern stay
// as they are, bit for bit.
struct Repairs {
  // If all frames but every n-th repeat the frame before (DATA_REPEATED_FRAMES
  // with a stride of n), they are dropped, and the frame time is n times as
  // long. The first and the last pose may last for fewer frames. Clips with
  // fewer than four poses, or with another pattern of repeats, stay as they
  // are.
  bool drop_repeated = false;
  // A frame time near that of a common rate becomes that of the rate: within
  // 1.1 %, the threshold DATA_FRAME_TIME_ODD.difference. See NearestFrameRate.
  bool snap_rate = false;
  // Values of a rotation or a position that are not finite (DATA_NOT_FINITE)
  // are interpolated if at most this many frames in a row lack some of them,
  // and both neighbours have all. Values of scale channels stay. 0: none.
  int32_t fill_gaps = 0;
  // A joint that is elsewhere for one frame (DATA_SPIKE) gets the pose halfway
  // between the frames before and after. Clips with fewer than 8 frames
  // (kFewestMotionFrames), or in which many frames repeat the one before, stay
  // as they are.
  bool replace_spikes = false;
  // Where angles jump by a full turn and the rotation does not (the wraps of
  // DATA_EULER_FLIP), they continue beyond 180 degrees instead.
  bool unwrap = false;
};

struct ClipEdits {
  // RepairClip applies them, before EditClip applies the other edits. Each
  // change is an issue REPAIR_* of the report.
  Repairs repairs;
  // A joint is given by NAME (every joint of that name), NAME#2 (the second
  // joint of that name in file order) or PREFIX* (every joint whose name begins
  // with PREFIX). End sites are dropped with their joint.
  std::vector<std::string> drop;
  // If not empty, all other joints are dropped.
  std::vector<std::string> keep;
  DropMode drop_mode = DropMode::kKeepPoses;
  // If not 0, only the tree of the figure-th root is kept, counted from 1.
  int32_t figure = 0;
  // Old name and new name. The old name is NAME or NAME#2; NAME#2 takes
  // precedence. Each old name may be given once. Old names are those before any
  // renaming.
  std::vector<std::pair<std::string, std::string>> rename;
  // Removes the common prefix of the names, such as "mixamorig:", if the joints
  // of a body are recognized without it (Recognition::prefix). Applied after
  // rename; a name that rename sets keeps its prefix.
  bool strip_prefix = false;
  // The name of a built-in map, or the rows of another map; not both. Each
  // source may be given once.
  std::string joint_map;
  std::vector<JointMapRow> joint_map_rows;
  // The name of a naming scheme (JointMapNames). The scheme of the clip is
  // recognized, and its joints get their names in this one. Applied after the
  // joint map.
  std::string names_to;
  // The rig whose joints the clip gets, after all renaming: its name
  // (RigNames), or a table as text (ParseRig). Joints that the rig lacks are
  // dropped as drop_mode says. Empty: none.
  std::string rig;
  // The pose of this frame of the source becomes the rest pose; -1 keeps the
  // rest pose.
  int64_t tpose_frame = -1;
  // The rest pose after that (RestAs): "tpose", "apose", or the text of a BVH
  // file up to MOTION, whose OFFSETs give the directions of bones. Empty keeps
  // the rest pose.
  std::string rest;
  FrameRange frames;
  // The frames by their time; not together with `frames`.
  TimeRange trim;
  // Frames per second; 0 keeps the rate. The rate of the clip is the one that
  // its frame time stands for (StatedFrameRate), and 29.97 here is 30 / 1.001
  // (WrittenFrameRate). If the clip has this rate already, only the frame time
  // is corrected.
  double fps = 0;
  // The rate that the clip states after the edits, in frames per second; its
  // frames stay as they are. 0 changes nothing. Not together with fps. 29.97 is
  // 30 / 1.001, as for fps.
  double state_fps = 0;
  Interpolation interpolation = Interpolation::kSlerp;
  // The wanted up axis and unit. To set one, `source` must state that of the
  // clip. The two units may differ by a factor of up to 10^12.
  UpAxis to_up = UpAxis::kUnknown;
  // In metres; 0 keeps the unit.
  double to_units = 0;
  // Body roots keep their height; their two other coordinates are 0. The height
  // is along the up axis after the edits. If that is not known, EditClip
  // guesses it from the clip.
  bool in_place = false;
  // Body roots stay at 0 0 0. Not together with in_place.
  bool at_origin = false;
  RootAlignment root_alignment;
  // Exchanges left and right: the mirror image at X = 0.
  bool mirror = false;
  // Raises or lowers all bodies by the same distance, so that the lowest joint
  // or end site of them in any frame is at height 0. Applied last. The height
  // is along the up axis, as for in_place.
  bool floor = false;
  // Not an edit: the joint that carries the body, NAME or NAME#2 before any
  // renaming; the first one of each tree. Empty: it is found from the motion.
  // Rules and measures use it as well.
  std::string body_root;
  // Not an edit: the up axis and the unit of the clip before the edits, as far
  // as the caller knows them.
  SourceSpace source;
};

// True if the edits leave every clip unchanged.
bool IsEmpty(const ClipEdits& edits);
// True if roots are edited: the body root must be found.
bool EditsRoots(const ClipEdits& edits);
// True if the repairs leave every clip unchanged.
bool IsEmpty(const Repairs& repairs);

// Checks combinations of values, and names, without a clip. Requires that each
// value is in the bounds of its option (CheckBounds).
// INVALID_ARGUMENT "options.edits.field: why". FAILED_PRECONDITION for a target
// (to_up, to_units) if that of the source is not known.
absl::Status CheckEdits(const ClipEdits& edits);

// The axes of an alignment: component i of the result is component `axis[i]` of
// the source times `sign[i]`. The alignment must pass CheckEdits.
struct SignedAxes {
  std::array<int, 3> axis = {0, 1, 2};
  std::array<int, 3> sign = {1, 1, 1};
};
SignedAxes AxesOf(const RootAlignment& alignment);

}  // namespace bvhmill
