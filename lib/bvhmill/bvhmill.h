#pragma once

// The library in a few functions, for programs that work on one clip at a time:
//
//   absl::StatusOr<bvhmill::Clip> clip = bvhmill::Read("walk.bvh");
//   if (!clip.ok()) return Fail(clip.status());     // "walk.bvh:26:3: ..."
//   const bvhmill::JointArray positions = bvhmill::Positions(*clip);
//   const float head_height = positions(/*frame=*/10, head)[1];
//
// Check returns the issues of a clip, Edit an edited copy, Encode the bytes of
// a file. A rule or a format of your own is a function of a Clip: see
// docs/library.md. Batches use a Converter (pipeline/convert.h), which keeps
// its memory from clip to clip and makes several outputs at once.
//
// All functions work in the calling thread, and may run in any number of
// threads at once. They throw nothing but std::bad_alloc. A clip that a program
// makes or changes itself must stay whole: parents before children, the columns
// of the nodes one after the other, frames x channels values. Check, Edit and
// Encode return INVALID_ARGUMENT otherwise; Positions and Rotations do not
// look.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/edit/clip_edits.h"
#include "bvhmill/encode/output.h"
#include "bvhmill/kinematics/pose_array.h"
#include "bvhmill/pipeline/options.h"
#include "bvhmill/report/report.h"

namespace bvhmill {

// Reads the file at `path`. NOT_FOUND or FAILED_PRECONDITION "PATH: why" if it
// cannot be opened or read; INVALID_ARGUMENT "PATH:LINE:COLUMN: CODE: why" if
// it is refused.
//
// `options` states how the file is read, checked and edited: edits apply to the
// clip that is returned. INVALID_ARGUMENT if it asks for outputs. `report`, if
// it is not null, is set to the report about the clip as the file has it, also
// if the clip is refused. O(bytes of the file).
absl::StatusOr<Clip> Read(const std::string& path,
                          const ConvertOptions& options = {},
                          Report* report = nullptr);

// The same for the content of a file. The message of an error begins with
// LINE:COLUMN.
absl::StatusOr<Clip> ReadBytes(std::string_view bytes,
                               const ConvertOptions& options = {},
                               Report* report = nullptr);

// Values of every joint in a range of frames: float32, frame after frame, joint
// after joint. Joints are in the order of Skeleton::nodes, without end sites
// unless they were asked for.
struct JointArray {
  int64_t frames = 0;
  int64_t joints = 0;
  // Number of components of a value: 3 for x, y, z.
  int64_t width = 0;
  // frames x joints x width.
  std::vector<float> values;

  // The value of a joint. Requires 0 <= frame < frames and 0 <= joint < joints.
  std::span<const float> operator()(int64_t frame, int64_t joint) const {
    const auto first = static_cast<size_t>((frame * joints + joint) * width);
    return std::span(values).subspan(first, static_cast<size_t>(width));
  }
};

// The poses that are solved.
struct PoseOptions {
  // The range of frames. What lies outside of the clip is left out, so the
  // default is all frames.
  int64_t first_frame = 0;
  int64_t frames = INT64_MAX;
  // The array has rows for end sites, too, in the order of Skeleton::nodes.
  bool with_end_sites = false;
  // How the clip is read where BVH leaves it open.
  Conventions conventions = {};
};

// World positions (x, y, z), in the unit of the clip. O(frames x nodes).
JointArray Positions(const Clip& clip, const PoseOptions& options = {});

// Rotations: local ones are relative to the parent. Quaternions are x, y, z, w
// with w >= 0; pose_array.h describes the other kinds. O(frames x nodes).
JointArray Rotations(const Clip& clip, RotationSpace space,
                     RotationKind kind = RotationKind::kQuaternion,
                     const PoseOptions& options = {});

// Applies the rules of docs/issues.md to a clip, as Read does. Reading issues
// (syntax, lines) are those of Read. O(frames x nodes).
Report Check(const Clip& clip, const ConvertOptions& options = {});

// Returns `clip` with `edits`, in the order of the fields of ClipEdits.
// INVALID_ARGUMENT "field: why" if an edit does not fit the clip. `report`, if
// it is not null, is set to the report about `clip` and what the edits changed.
absl::StatusOr<Clip> Edit(const Clip& clip, const ClipEdits& edits,
                          Report* report = nullptr);

// Returns the bytes of a file in `format`, such as NpzFormat{}.
// FAILED_PRECONDITION if the format cannot hold the clip. options.edits.source
// states unit and up axis; options.edits apply first.
absl::StatusOr<std::string> Encode(const Clip& clip,
                                   const FormatOptions& format,
                                   const ConvertOptions& options = {});

}  // namespace bvhmill
