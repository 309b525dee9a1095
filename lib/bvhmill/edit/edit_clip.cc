#include "bvhmill/edit/edit_clip.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/edit/editing.h"
#include "bvhmill/edit/up_guess.h"
#include "bvhmill/skeletons/body_root.h"

namespace bvhmill {
namespace {

// Bytes of two skeletons, before an edit and after it, and of four maps of
// columns.
int64_t BytesOfMaps(const Skeleton& skeleton) {
  constexpr int64_t kMaps = 4;
  return 2 * SkeletonBytes(skeleton) +
         kMaps * static_cast<int64_t>(skeleton.channels.size() *
                                      sizeof(ColumnSource));
}

// Finds the columns that vary; draws the work and the memory.
absl::Status FindMoving(const Editing& editing, std::vector<uint8_t>* moving) {
  const Clip& clip = *editing.clip;
  const size_t columns = clip.skeleton.channels.size();
  BVHMILL_RETURN_IF_ERROR(
      HoldFrom(editing.budget, static_cast<int64_t>(columns)));
  BVHMILL_RETURN_IF_ERROR(WorkFrom(
      editing.budget, static_cast<int64_t>(clip.motion.values.size())));
  *moving = MovingColumns(columns, clip.motion.values);
  return absl::OkStatus();
}

// Finds the bodies if roots are edited.
absl::Status FindBodiesOf(const ClipEdits& edits, Editing* editing,
                          std::vector<Body>* bodies) {
  if (!EditsRoots(edits)) return absl::OkStatus();
  std::vector<uint8_t> moving;
  BVHMILL_RETURN_IF_ERROR(FindMoving(*editing, &moving));
  auto found =
      FindBodies(edits.body_root, editing->skeleton(), moving,
                 editing->conventions.joint_positions, editing->budget);
  if (!found.ok()) return found.status();
  *bodies = *std::move(found);
  return absl::OkStatus();
}

// Sets the up axis of the source if it is needed and not stated.
absl::Status GuessUp(Editing* editing, ClipEdits* edits) {
  const Skeleton& skeleton = editing->skeleton();
  const bool needs_height =
      edits->in_place || edits->floor || NeedsUp(edits->rest);
  if (!needs_height || edits->source.up_axis != UpAxis::kUnknown ||
      skeleton.nodes.empty()) {
    return absl::OkStatus();
  }
  std::vector<uint8_t> moving;
  BVHMILL_RETURN_IF_ERROR(FindMoving(*editing, &moving));
  const int32_t body_root =
      FindBodyRoots(skeleton, FindTrunks(skeleton), moving,
                    editing->conventions.joint_positions)[0];
  const auto guess = GuessUpAxis(*editing->clip, editing->conventions,
                                 body_root, editing->budget);
  if (!guess.ok()) return guess.status();
  if (guess->axis == UpAxis::kUnknown) {
    return MakeCallError(
        {.code = absl::StatusCode::kFailedPrecondition,
         .reason = "SOURCE_CONVENTION_UNKNOWN",
         .field = edits->floor      ? "options.edits.floor"
                  : edits->in_place ? "options.edits.in_place"
                                    : "options.edits.rest",
         .args = {{"needs", "options.read.up"}},
         .message = "the up axis of the clip is not known, and the clip does "
                    "not show it clearly; set options.read.up"});
  }
  edits->source.up_axis = guess->axis;
  // Y is the convention of BVH.
  if (guess->axis == UpAxis::kY || editing->log == nullptr) {
    return absl::OkStatus();
  }
  editing->log->Add(IssueCode::EDIT_UP_AXIS_GUESSED, {},
                    {{"axis", "Z"}, {"evidence", guess->evidence}});
  return absl::OkStatus();
}

}  // namespace

absl::Status EditClip(const ClipEdits& stated, const Conventions& conventions,
                      const Limits& limits, Budget* budget, Clip* clip,
                      IssueLog* log, UninitializedVector<float>* spare) {
  BVHMILL_RETURN_IF_ERROR(CheckEdits(stated));
  BVHMILL_RETURN_IF_ERROR(HoldFrom(budget, BytesOfMaps(clip->skeleton)));
  UninitializedVector<float> own_spare;
  Editing editing = {.clip = clip,
                     .conventions = conventions,
                     .limits = limits,
                     .budget = budget,
                     .log = log,
                     .spare = spare != nullptr ? spare : &own_spare};
  editing.source = editing.size();
  editing.row_bytes =
      static_cast<int64_t>(clip->motion.values.size() * sizeof(float));
  ClipEdits edits = stated;
  BVHMILL_RETURN_IF_ERROR(GuessUp(&editing, &edits));
  BVHMILL_RETURN_IF_ERROR(DropJoints(edits, &editing));
  std::vector<Body> bodies;
  BVHMILL_RETURN_IF_ERROR(FindBodiesOf(edits, &editing, &bodies));
  BVHMILL_RETURN_IF_ERROR(
      RenameJoints(edits, limits, budget, &clip->skeleton, log));
  int32_t hips = 0;
  BVHMILL_RETURN_IF_ERROR(FitRig(edits, &editing, &hips));
  if (!edits.rig.empty() && !bodies.empty()) {
    const bool can_carry =
        CanCarry(clip->skeleton, hips, conventions.joint_positions);
    bodies = {{0, can_carry ? hips : 0, hips}};
  }
  if (edits.tpose_frame >= 0) {
    BVHMILL_RETURN_IF_ERROR(RestAtFrame(edits.tpose_frame, &editing));
  }
  const SourceSpace& source = edits.source;
  BVHMILL_RETURN_IF_ERROR(RestAs(edits.rest, source.up_axis, &editing));
  BVHMILL_RETURN_IF_ERROR(EditFrames(edits, &editing));
  BVHMILL_RETURN_IF_ERROR(TurnUpAxis(source.up_axis, edits.to_up, &editing));
  if (edits.to_units != 0) {
    BVHMILL_RETURN_IF_ERROR(
        ScaleLengths(source.meters_per_unit / edits.to_units, &editing));
  }
  const UpAxis up =
      edits.to_up != UpAxis::kUnknown ? edits.to_up : source.up_axis;
  RootMotion motion = RootMotion::kKeep;
  if (edits.in_place) motion = RootMotion::kInPlace;
  if (edits.at_origin) motion = RootMotion::kOrigin;
  const BodyPlaces places = {motion, HeightAxis(up),
                             AxesOf(edits.root_alignment)};
  BVHMILL_RETURN_IF_ERROR(PlaceBodies(bodies, places, &editing));
  BVHMILL_RETURN_IF_ERROR(
      TurnBodies(bodies, edits.root_alignment.correction_degrees, &editing));
  if (edits.mirror) BVHMILL_RETURN_IF_ERROR(Mirror(&editing));
  if (edits.floor) {
    BVHMILL_RETURN_IF_ERROR(PutOnFloor(bodies, places.height, &editing));
  }
  return LogMovingBodies(bodies, places, &editing);
}

}  // namespace bvhmill
