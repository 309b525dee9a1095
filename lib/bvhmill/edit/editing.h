#pragma once

// The edits of a clip, and what they share. An edit is a function that changes
// the clip of an Editing: its skeleton, its rows, or both. It builds the new
// skeleton, and either maps each new column to an old one (MapRows) or computes
// each new row from the old one (RewriteRows):
//
//   // Negates the angles of all X rotations.
//   absl::Status NegateX(Editing* editing) {
//     MappedSkeleton edited = Unchanged(editing->skeleton());
//     for (size_t i = 0; i < edited.columns.size(); ++i) {
//       if (edited.skeleton.channels[i] != Channel::kXRotation) continue;
//       edited.columns[i].factor = -1;
//     }
//     return MapRows(std::move(edited), editing);
//   }
//
// A new edit needs a field of ClipEdits (clip_edits.h), which CheckEdits checks
// if it has rules, a declaration in the last section below, and a call in
// EditClip (edit_clip.cc). Edits that need poses of joints use joint_pose.h.
//
// An edit draws its work and memory from the budget and returns its errors.
// After an error the clip may be partly edited. One thread edits a clip.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/base/limits.h"
#include "bvhmill/base/status.h"
#include "bvhmill/base/uninitialized.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/edit/clip_edits.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

struct MotionSize {
  int64_t frames = 0;
  int64_t columns = 0;
};

// A clip that is being edited. Holds references: all must outlive it. `budget`
// and `log` may be null.
struct Editing {
  Clip* clip = nullptr;
  const Conventions& conventions;
  const Limits& limits;
  Budget* budget = nullptr;
  IssueLog* log = nullptr;
  // The memory for the next rows. After a rewrite: that of the rows before.
  UninitializedVector<float>* spare = nullptr;
  // The size of the clip before all edits, which bounds its growth.
  MotionSize source = {};
  // Bytes of the budget that are drawn for the rows of the clip, and for those
  // of `spare`.
  int64_t row_bytes = 0;
  int64_t spare_bytes = 0;

  const Skeleton& skeleton() const { return clip->skeleton; }
  MotionSize size() const {
    return {clip->motion.frames,
            static_cast<int64_t>(clip->skeleton.channels.size())};
  }
};

// The row `frame` of the clip: a view. Requires 0 <= frame < frames.
std::span<const float> RowAt(const Clip& clip, int64_t frame);
std::span<float> RowAt(Clip* clip, int64_t frame);

// Rewriting rows.

// A new value of a row: old[source] * factor + bias. If `source` is -1: bias.
struct ColumnSource {
  int32_t source = -1;
  double factor = 1;
  double bias = 0;
};

// A new skeleton, and the source of each of its columns.
struct MappedSkeleton {
  Skeleton skeleton;
  std::vector<ColumnSource> columns;
};

// `skeleton`, each column as it is.
MappedSkeleton Unchanged(Skeleton skeleton);

// Appends a channel and its source.
void Append(Channel channel, const ColumnSource& column, MappedSkeleton* to);

// Fills `out` from `row`. A value that is neither scaled nor shifted keeps its
// bits. O(columns).
void MapRow(std::span<const ColumnSource> columns, std::span<const float> row,
            std::span<float> out);

// Rewrites all rows by `mapped`. Sets the skeleton alone if no value changes.
absl::Status MapRows(MappedSkeleton mapped, Editing* editing);

// Units of work for a value that is copied or scaled.
inline constexpr int64_t kValueWork = 2;

// Calls `visit` for each frame in order, and draws `units` of work for each, in
// parts: a conversion that is cancelled stops soon.
template <typename Visit>
absl::Status EachFrame(int64_t frames, int64_t units, Budget* budget,
                       Visit visit) {
  constexpr int64_t kPart = int64_t{1} << 20;
  const int64_t step =
      std::max<int64_t>(kPart / std::max<int64_t>(units, 1), 1);
  for (int64_t begin = 0; begin < frames; begin += step) {
    const int64_t end = std::min(begin + step, frames);
    BVHMILL_RETURN_IF_ERROR(WorkFrom(budget, units * (end - begin)));
    for (int64_t frame = begin; frame < end; ++frame) visit(frame);
  }
  return absl::OkStatus();
}

// Makes `editing->spare` large enough for rows of the size `edited`, whose
// values are not initialized. RESOURCE_EXHAUSTED as CheckGrowth; errors of the
// budget.
absl::Status ReserveRows(const MotionSize& edited, Editing* editing);

// Makes the rows of `spare` those of the clip; `skeleton` describes their
// columns.
void AcceptRows(int64_t frames, Skeleton skeleton, Editing* editing);

// Sets the skeleton of the clip to `to`, and replaces its rows: calls
// `rewrite(row, out)` for each row in order, where `out` is the new row, not
// initialized. `units` is the work for one row. Errors are those of ReserveRows
// and of the budget.
template <typename Rewrite>
absl::Status RewriteRows(Skeleton to, int64_t units, Editing* editing,
                         Rewrite rewrite) {
  const int64_t frames = editing->clip->motion.frames;
  const size_t width = to.channels.size();
  BVHMILL_RETURN_IF_ERROR(
      ReserveRows({frames, static_cast<int64_t>(width)}, editing));
  BVHMILL_RETURN_IF_ERROR(
      EachFrame(frames, units, editing->budget, [&](int64_t frame) {
        rewrite(RowAt(*editing->clip, frame),
                std::span<float>(*editing->spare)
                    .subspan(static_cast<size_t>(frame) * width, width));
      }));
  AcceptRows(frames, std::move(to), editing);
  return absl::OkStatus();
}

// The largest number of frames. Frame numbers are also computed as doubles,
// which hold every integer up to this one.
inline constexpr int64_t kMaxFrames = int64_t{1} << 53;

// The field that changes the number of frames, in errors.
inline constexpr std::string_view kResampleField = "options.edits.fps";

// Bounds the growth of a clip, so that little text cannot take much memory. OK
// if the edits add neither frames nor columns. RESOURCE_EXHAUSTED if the edited
// clip has
//
//   more frames than limits.max_frames;
//   more values than the source, and than a text of limits.max_clip_bytes
//       could hold; or
//   64 x (frames of the source + 1) frames or more, or 64 x the columns of the
//       source or more, and more than 4 Mi values.
//
// A limit of 0 is no limit. If max_frames and another bound are exceeded, the
// error names the lower one.
absl::Status CheckGrowth(const MotionSize& source, const MotionSize& edited,
                         const Limits& limits);

// The edits, in the order in which EditClip applies them.

// Selects the nodes to drop: the joints that edits.drop names; if edits.keep is
// not empty, all joints that it does not name; and the trees of all roots but
// edits.figure. Sets `*dropped` to one entry for each node. Entries of end
// sites are false: an end site is dropped with its joint. INVALID_ARGUMENT for
// a name that matches no joint, and for a figure that the clip does not have.
// O((joints + names) log joints).
absl::Status SelectDropped(const ClipEdits& edits, const Skeleton& skeleton,
                           std::vector<bool>* dropped);

// Removes the nodes that SelectDropped selects, and their columns.
//
// A child of a dropped joint becomes a child of the next kept joint above it.
// With DropMode::kKeepPoses it keeps its pose in the world: the rotations of
// the dropped joints in between go to it, and if its place below its new parent
// changes in the clip, it gets position channels. If that place is constant, it
// is its OFFSET. With kRigid, its OFFSET is the sum of the OFFSETs in between,
// and the motion of the dropped joints is lost. If `conventions` ignore
// position channels, kKeepPoses does the same as kRigid. The two modes are also
// the same where no dropped joint in between turns or moves: then only
// positions are computed anew, which are shifted as `conventions` read them.
//
// A joint that loses all its children gets an End Site at the place of the
// first one. If a root is dropped, the joint that is left below it becomes the
// root of that tree. INVALID_ARGUMENT if more than one joint is left below it,
// or if no joint is left at all.
//
// Logs EDIT_POSITIONS_ADDED for the joints that get position channels, and
// EDIT_DROP_MOVED if a kept joint moves. O(frames x nodes).
absl::Status DropJoints(const ClipEdits& edits, Editing* editing);

// Removes the nodes of `dropped`, one entry for each node, of which those of
// end sites are false; as DropJoints. Sets `*new_index` to the new node of each
// node, -1 if it is gone.
absl::Status DropNodes(const std::vector<bool>& dropped, DropMode mode,
                       Editing* editing, std::vector<int32_t>* new_index);

// The body of one tree, as nodes.
struct Body {
  // The ROOT of the tree.
  int32_t root = 0;
  // The body root: see skeletons/body_root.h.
  int32_t node = 0;
  // The joint whose path shows whether the body moves: the hips; if they are
  // not known, the last joint of the trunk whose positions vary.
  int32_t hips = 0;
};

// The body of each ROOT, in file order, for the edits of body roots below.
// `skeleton` has the names of the source, and `moving` is MovingColumns of the
// clip; if it is empty, each ROOT is its own body root. `stated` is the name of
// the body root, as NAME or NAME#2: the first joint of that name in each tree;
// empty if it is not stated. INVALID_ARGUMENT if there is no such joint, or it
// cannot carry a body. Draws the work from `budget`, which may be null.
absl::StatusOr<std::vector<Body>> FindBodies(std::string_view stated,
                                             const Skeleton& skeleton,
                                             std::span<const uint8_t> moving,
                                             JointPositions reading,
                                             Budget* budget);

// Applies edits.rename, all pairs at once, then strip_prefix, the joint map,
// and names_to. Logs EDIT_JOINTS_RENAMED and EDIT_NAME_SHARED; `log` may be
// null. INVALID_ARGUMENT for an old name that matches no joint, a map without a
// row that matches a joint, a clip whose naming scheme is not known, and a new
// name that is longer than limits.max_name_bytes. The memory of the new names
// is drawn from `budget`, which may be null; its errors are returned.
absl::Status RenameJoints(const ClipEdits& edits, const Limits& limits,
                          Budget* budget, Skeleton* skeleton,
                          IssueLog* log = nullptr);

// Gives the clip the joints of edits.rig (rig.h): with their names, their order
// and their tree. No change if there is no rig. Sets `*hips` to the node of the
// joint that the clip must have.
//
// Joints of the clip that the rig lacks are dropped as by DropJoints. A joint
// that hangs on another joint in the rig keeps its pose in the world. A joint
// that the clip lacks is added at its parent, with OFFSET 0 and no rotation;
// EDIT_JOINTS_ADDED names them. A leaf of the rig keeps the first End Site of
// its joint; one that the clip lacks, that of the next joint above it. Other
// End Sites are dropped.
//
// INVALID_ARGUMENT if the clip has several ROOTs, no joint for the hips, or
// joints for less than half of the rig. O(frames x nodes).
absl::Status FitRig(const ClipEdits& edits, Editing* editing, int32_t* hips);

// Makes the pose of `frame`, such as a T-pose before the motion, the rest pose:
// its OFFSETs give that pose, and all rotations are 0 in that frame. Each joint
// keeps its place in the world in every frame. With W the rotation of a joint
// in the world, and N the frame:
//
//   W'(t) = W(t) * W(N)^-1      OFFSET' = W_parent(N) * place(N)
//
// A joint whose rotation channels are not an Euler sequence of three gets Z X Y
// if it turns; a joint with one or two position channels gets all three. The
// OFFSET of a ROOT stays. INVALID_ARGUMENT if the clip does not have the frame,
// or a value of it is not finite. O(frames x nodes).
absl::Status RestAtFrame(int64_t frame, Editing* editing);

// Gives the clip another rest pose, ClipEdits::rest: OFFSETs keep their lengths
// and get new directions. Each joint keeps its place in the world in every
// frame. With C the turn of a joint in the new rest pose, and R its rotation in
// the world:
//
//   R'(t) = R(t) * C^-1         OFFSET' = C_parent * OFFSET
//
// C is the shortest turn that brings the bone of the joint, turned by C_parent,
// to its direction. A joint without a direction turns with its parent.
//
// "tpose": the trunk goes up, the arms along +X (left) and -X, and the legs
// down; "apose" has the arms 45 degrees lower. Hips and chest turn so that legs
// and shoulders are along X. Hands, fingers and feet follow. `up` is Y or Z.
// INVALID_ARGUMENT if the arms, the legs or the hips are not known.
//
// BVH text: the directions are those from its joints to their children, of the
// same names. A joint with several such children turns so that the first one
// that is not parallel is met as nearly as possible. INVALID_ARGUMENT if no
// joint has such a child. O(frames x nodes).
absl::Status RestAs(std::string_view rest, UpAxis up, Editing* editing);

// INVALID_ARGUMENT if `rest` cannot be one of ClipEdits.
absl::Status CheckRest(std::string_view rest);

// True if RestAs needs the up axis.
bool NeedsUp(std::string_view rest);

// Selects the frames of edits.frames or edits.trim, then changes the rate as
// edits.fps or state_fps say. INVALID_ARGUMENT if the range begins after the
// last frame. FAILED_PRECONDITION if resampling or trimming needs a frame time
// and the clip states none that is usable. O(frames x columns) of the result.
absl::Status EditFrames(const ClipEdits& edits, Editing* editing);

// Changes the up axis of the whole clip by a change of basis: (x, y, z) -> (x,
// z, -y) from Z up to Y up, (x, -z, y) from Y up to Z up. A rotation about Y
// becomes one about Z or -Z, and so on: channels are renamed and change sign,
// so that no angle is computed anew. No change if the axes are equal, or one is
// unknown. O(frames x columns).
absl::Status TurnUpAxis(UpAxis from, UpAxis to, Editing* editing);

// Multiplies all OFFSETs and positions by `factor`. O(frames x columns).
absl::Status ScaleLengths(double factor, Editing* editing);

// The motion that roots keep: all, that along the up axis (in_place), or none
// (at_origin).
enum class RootMotion { kKeep, kInPlace, kOrigin };

// The new place of a root: that of the source, without the motion that `motion`
// removes, and then with its axes exchanged.
struct BodyPlaces {
  RootMotion motion = RootMotion::kKeep;
  // The coordinate that is the height, which kInPlace keeps.
  size_t height = 1;
  SignedAxes axes;
};

// Moves the body roots to their new places. The place of a body root that is a
// JOINT below other joints is that in the world: the joints above it keep their
// poses, also if they move, and its position in the file is the one that gives
// the new place below its parent.
absl::Status PlaceBodies(std::span<const Body> bodies, const BodyPlaces& places,
                         Editing* editing);

// The part of PlaceBodies for body roots that are ROOTs: removes the motion of
// `roots`, and then permutes and negates their OFFSETs and positions by `axes`.
// No place is computed anew. O(frames x columns).
absl::Status PlaceRoots(RootMotion motion, size_t height,
                        const SignedAxes& axes, std::span<const int32_t> roots,
                        Editing* editing);

// Turns the body roots by the correction of a RootAlignment: R' =
// R(correction) * R(motion) in the world. If the rotation channels of a body
// root are not an Euler sequence of three, Z X Y replace them. No change if the
// correction is 0.
absl::Status TurnBodies(std::span<const Body> bodies,
                        const std::array<double, 3>& degrees, Editing* editing);

// Mirrors the motion at the plane X = 0, with left and right joints exchanged:
// in each frame, a joint is at the mirrored place of its counterpart. Names,
// hierarchy and the order of joints stay. Mirroring twice gives the clip again.
//
// Left and right are found by the words Left and Right, or the letters L and R,
// in the names of joints, else by their roles (Recognize). A joint is its own
// counterpart if none is found. Joints that should have one and do not are
// logged (EDIT_NOT_MIRRORED). INVALID_ARGUMENT if no joint has a counterpart.
//
// The axes of a joint are mirrored so that its children, where the figure is
// symmetric, keep their OFFSETs: at X, Y or Z, or at the origin, whichever fits
// best. If the axes of a joint and of its parent are mirrored alike, its
// rotations only change signs; else its angles are computed anew, in its own
// channels, or in Z X Y if these are not an Euler sequence of three. OFFSETs of
// a figure that is not symmetric are mirrored as well. O(frames x columns).
absl::Status Mirror(Editing* editing);

// Moves all body roots by the same distance along the coordinate `height`, so
// that the lowest joint or end site of the bodies, in any frame, is at 0.
// Values that are not finite do not count. INVALID_ARGUMENT if a body root has
// no position channel there. O(frames x nodes).
absl::Status PutOnFloor(std::span<const Body> bodies, size_t height,
                        Editing* editing);

// Logs EDIT_BODY_MOVES for each body that still moves although its root was
// moved to `places`. O(frames x joints above the hips).
absl::Status LogMovingBodies(std::span<const Body> bodies,
                             const BodyPlaces& places, Editing* editing);

}  // namespace bvhmill
