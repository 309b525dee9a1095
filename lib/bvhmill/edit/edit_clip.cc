#include "bvhmill/edit/edit_clip.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "bvhmill/base/call_error.h"
#include "bvhmill/base/status.h"
#include "bvhmill/base/utf8.h"
#include "bvhmill/edit/clip_editor.h"
#include "bvhmill/edit/space_edits.h"
#include "bvhmill/edit/up_guess.h"
#include "bvhmill/report/short_number.h"
#include "bvhmill/skeletons/body_root.h"

namespace bvhmill {
namespace {

// The factor by which frames may grow, and the number of values that is always
// allowed. The bounds keep little text from taking much memory.
constexpr int64_t kMaxGrowth = 64;
constexpr int64_t kFreeValues = int64_t{4} << 20;

// A value takes at least two bytes of text: a digit and a blank.
constexpr int64_t kBytesPerValue = 2;

// `limit_name` is empty if no option is the limit.
absl::Status TooManyValues(std::string_view limit_name, int64_t limit,
                           const std::string& bound) {
  return LimitError(limit_name, limit,
                    "the clip would have more values than " + bound,
                    kResampleField);
}

int64_t ColumnsOf(const Skeleton& skeleton) {
  return static_cast<int64_t>(skeleton.channels.size());
}

absl::Status EditRows(const Motion& motion, Budget* budget, ClipEditor* editor,
                      EditedRows* rows) {
  const size_t count = static_cast<size_t>(*editor->frames()) *
                       editor->skeleton().channels.size();
  BVHMILL_RETURN_IF_ERROR(
      HoldFrom(budget, static_cast<int64_t>(count * sizeof(float))));
  rows->values.reserve(count);
  BVHMILL_RETURN_IF_ERROR(editor->Push(motion.frames, motion.values, rows));
  return editor->Finish();
}

// A body that goes farther than this, in reaches, moves. Hips sway less.
constexpr double kMovingBody = 0.5;
// Units of work for a joint above the hips in a frame.
constexpr int64_t kPoseWork = 200;

// Logs bodies that move although the edits hold their body roots.
absl::Status LogMovingBodies(const ClipEditor& editor,
                             const Conventions& conventions, Budget* budget,
                             const Clip& clip, IssueLog* log) {
  if (editor.body_places().motion == RootMotion::kKeep) return absl::OkStatus();
  const Skeleton& skeleton = clip.skeleton;
  for (const Body& body : editor.bodies()) {
    if (body.hips == body.node) continue;
    BVHMILL_RETURN_IF_ERROR(WorkFrom(
        budget,
        kPoseWork * clip.motion.frames * static_cast<int64_t>(Trunk::kMost)));
    const double way =
        WayOf(clip, conventions, editor.body_places(), body.hips);
    if (!(way > kMovingBody * Reach(skeleton))) continue;
    Location at;
    at.joint = body.hips;
    at.joint_name = DisplayName(skeleton, body.hips);
    log->Add(IssueCode::EDIT_BODY_MOVES, at,
             {{"joint", Quote(at.joint_name)},
              {"way", Short(way)},
              {"root", Quote(DisplayName(skeleton, body.node))}});
  }
  return absl::OkStatus();
}

// Puts the lowest joint of the clip at height 0.
absl::Status PutOnFloor(const ClipEdits& edits, const ClipEditor& editor,
                        const Conventions& conventions, Budget* budget,
                        Clip* clip) {
  BVHMILL_RETURN_IF_ERROR(
      WorkFrom(budget, kPoseWork * clip->motion.frames *
                           static_cast<int64_t>(clip->skeleton.nodes.size())));
  const UpAxis up =
      edits.up_axis != UpAxis::kUnknown ? edits.up_axis : edits.source.up_axis;
  const size_t height = HeightAxis(up);
  const double lowest =
      LowestPlace(*clip, conventions, editor.bodies(), height);
  if (!std::isfinite(lowest)) return absl::OkStatus();
  return RaiseBodies(editor.bodies(), conventions, height, -lowest, clip);
}

// Draws the work and the memory, and finds the columns that vary.
absl::Status FindMoving(const Clip& clip, Budget* budget,
                        std::vector<uint8_t>* moving) {
  const size_t columns = clip.skeleton.channels.size();
  BVHMILL_RETURN_IF_ERROR(HoldFrom(budget, static_cast<int64_t>(columns)));
  BVHMILL_RETURN_IF_ERROR(
      WorkFrom(budget, static_cast<int64_t>(clip.motion.values.size())));
  *moving = MovingColumns(columns, clip.motion.values);
  return absl::OkStatus();
}

// Sets the up axis of the source, if it is needed and not stated.
absl::Status GuessUp(const Clip& clip, const Conventions& conventions,
                     std::span<const uint8_t> moving, Budget* budget,
                     IssueLog* log, ClipEdits* edits) {
  const bool needs_height =
      edits->root_motion == RootMotion::kInPlace || edits->floor;
  if (!needs_height || edits->source.up_axis != UpAxis::kUnknown ||
      clip.skeleton.nodes.empty())
    return absl::OkStatus();
  const int32_t body_root =
      FindBodyRoots(clip.skeleton, FindTrunks(clip.skeleton), moving,
                    conventions.joint_positions)[0];
  const auto guess = GuessUpAxis(clip, conventions, body_root, budget);
  if (!guess.ok()) return guess.status();
  if (guess->axis == UpAxis::kUnknown) {
    return MakeCallError(
        {.code = absl::StatusCode::kFailedPrecondition,
         .reason = "SOURCE_CONVENTION_UNKNOWN",
         .field =
             edits->floor ? "options.edits.floor" : "options.edits.root_motion",
         .args = {{"needs", "options.read.up_axis"}},
         .message = "the up axis of the clip is not known, and the clip does "
                    "not show it clearly: state --up y or --up z "
                    "(options.read.up_axis)"});
  }
  edits->source.up_axis = guess->axis;
  // Y is the convention of BVH.
  if (guess->axis == UpAxis::kY || log == nullptr) return absl::OkStatus();
  log->Add(IssueCode::EDIT_UP_AXIS_GUESSED, {},
           {{"axis", "Z"}, {"evidence", guess->evidence}});
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckGrowth(const MotionSize& source, const MotionSize& edited,
                         const Limits& limits) {
  const bool grows_wide = edited.columns > source.columns;
  if (edited.frames <= source.frames && !grows_wide) return absl::OkStatus();
  const int64_t max_frames =
      limits.max_frames > 0 ? limits.max_frames : kMaxFrames - 1;
  const bool is_too_long = edited.frames > max_frames;
  // If two bounds are exceeded, the lower one is named: a clip that arrives in
  // pieces reaches it first.
  const auto has_too_many = [&](int64_t values) {
    if (edited.columns == 0) return false;
    const int64_t frames = values / edited.columns;
    return edited.frames > frames && (!is_too_long || frames < max_frames);
  };
  // A frame of a clip without channels takes no text.
  const bool grows =
      edited.frames / kMaxGrowth > source.frames ||
      (grows_wide && edited.columns / kMaxGrowth >= source.columns);
  if (grows && has_too_many(kFreeValues)) {
    return TooManyValues("", 0, std::to_string(kMaxGrowth) + " times its own");
  }
  const int64_t most = std::max(limits.max_clip_bytes / kBytesPerValue,
                                source.frames * source.columns);
  if (limits.max_clip_bytes > 0 && has_too_many(most)) {
    return TooManyValues(
        "max_clip_bytes", limits.max_clip_bytes,
        "a text of max_clip_bytes = " + std::to_string(limits.max_clip_bytes) +
            " can hold");
  }
  return is_too_long ? TooManyFrames(max_frames) : absl::OkStatus();
}

absl::Status EditClip(const ClipEdits& stated, const Conventions& conventions,
                      const Limits& limits, Budget* budget, Clip* clip,
                      IssueLog* log, UninitializedVector<float>* spare) {
  BVHMILL_RETURN_IF_ERROR(CheckEdits(stated));
  ClipEdits edits = stated;
  std::vector<uint8_t> moving;
  if (EditsRoots(edits)) {
    BVHMILL_RETURN_IF_ERROR(FindMoving(*clip, budget, &moving));
    BVHMILL_RETURN_IF_ERROR(
        GuessUp(*clip, conventions, moving, budget, log, &edits));
  }
  absl::StatusOr<ClipEditor> editor = ClipEditor::Make(
      edits, conventions, clip->skeleton, clip->motion.frame_time,
      clip->motion.frames, limits, budget, log, moving);
  if (!editor.ok()) return editor.status();
  BVHMILL_RETURN_IF_ERROR(
      CheckGrowth({clip->motion.frames, ColumnsOf(clip->skeleton)},
                  {*editor->frames(), ColumnsOf(editor->skeleton())}, limits));
  EditedRows rows;
  if (spare != nullptr) rows.values.swap(*spare);
  rows.values.clear();
  absl::Status status = EditRows(clip->motion, budget, &*editor, &rows);
  if (status.ok()) {
    clip->skeleton = editor->skeleton();
    clip->motion.frames = rows.frames;
    clip->motion.frame_time = editor->frame_time();
    clip->motion.values.swap(rows.values);
  }
  if (spare != nullptr) spare->swap(rows.values);
  if (status.ok() && edits.floor) {
    status = PutOnFloor(edits, *editor, conventions, budget, clip);
  }
  if (!status.ok() || log == nullptr) return status;
  return LogMovingBodies(*editor, conventions, budget, *clip, log);
}

}  // namespace bvhmill
