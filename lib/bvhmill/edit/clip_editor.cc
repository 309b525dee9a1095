#include "bvhmill/edit/clip_editor.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "bvhmill/base/call_error.h"
#include "bvhmill/base/status.h"
#include "bvhmill/clip/frame_rates.h"
#include "bvhmill/edit/joint_edits.h"
#include "bvhmill/edit/space_edits.h"

namespace bvhmill {
namespace {

// Rates that differ by less than this fraction count as one rate.
constexpr double kSameRate = 1e-4;
// If the frame time differs from 1 / rate by less than this fraction, the
// difference is rounding.
constexpr double kSameTime = 1e-12;

// Units of work for a value that is copied or scaled, and for a node whose pose
// is blended. Work is drawn in parts of kWorkStep.
constexpr int64_t kValueWork = 2;
constexpr int64_t kBlendWork = 80;
// For each root whose turn is corrected: half a microsecond.
constexpr int64_t kTurnWork = 500;
constexpr int64_t kWorkStep = int64_t{1} << 20;

absl::Status BeginsAfterEnd(const FrameRange& range, int64_t frames) {
  return InvalidField("options.edits.frames",
                      "begins at " + std::to_string(range.begin) +
                          ", but the clip has " + std::to_string(frames) +
                          " frames");
}

// The number of source frames that the range selects.
int64_t CountChosen(const FrameRange& range, int64_t frames) {
  const int64_t end = range.end == 0 ? frames : std::min(range.end, frames);
  if (end <= range.begin) return 0;
  return (end - range.begin - 1) / range.step + 1;
}

}  // namespace

absl::Status TooManyFrames(int64_t most) {
  return LimitError("max_frames", most,
                    "the clip would have more than max_frames = " +
                        std::to_string(most) + " frames",
                    kResampleField);
}

absl::StatusOr<ClipEditor> ClipEditor::Make(
    const ClipEdits& edits, const Conventions& conventions,
    const Skeleton& skeleton, double frame_time, std::optional<int64_t> frames,
    const Limits& limits, Budget* budget, IssueLog* log,
    std::span<const uint8_t> moving) {
  BVHMILL_RETURN_IF_ERROR(CheckEdits(edits));
  // Two skeletons, one with its joints edited and one with its space edited as
  // well; kMaps column maps.
  constexpr int64_t kMaps = 4;
  BVHMILL_RETURN_IF_ERROR(HoldFrom(
      budget, 2 * SkeletonBytes(skeleton) +
                  kMaps * static_cast<int64_t>(skeleton.channels.size() *
                                               sizeof(ColumnSource))));
  ClipEditor editor;
  editor.budget_ = budget;
  editor.max_frames_ = limits.max_frames > 0
                           ? std::min(limits.max_frames, kMaxFrames)
                           : kMaxFrames;
  BVHMILL_RETURN_IF_ERROR(
      editor.EditNames(edits, conventions, skeleton, limits, log, moving));
  BVHMILL_RETURN_IF_ERROR(editor.EditTime(edits, frame_time, frames));
  editor.EditSpace(edits);
  return editor;
}

absl::Status ClipEditor::EditNames(const ClipEdits& edits,
                                   const Conventions& conventions,
                                   const Skeleton& skeleton,
                                   const Limits& limits, IssueLog* log,
                                   std::span<const uint8_t> moving) {
  source_columns_ = skeleton.channels.size();
  joints_ = {skeleton, IdentityColumns(source_columns_)};
  std::vector<bool> dropped;
  BVHMILL_RETURN_IF_ERROR(SelectDropped(edits, skeleton, &dropped));
  if (std::find(dropped.begin(), dropped.end(), true) != dropped.end()) {
    BVHMILL_RETURN_IF_ERROR(DropJoints(dropped, conventions, &joints_));
  }
  conventions_ = conventions;
  if (EditsRoots(edits)) {
    auto bodies = FindBodies(edits.body_root, joints_, moving,
                             conventions.joint_positions, budget_);
    if (!bodies.ok()) return bodies.status();
    bodies_ = *std::move(bodies);
  }
  return RenameJoints(edits, limits, budget_, &joints_.skeleton, log);
}

absl::Status ClipEditor::EditTime(const ClipEdits& edits, double frame_time,
                                  std::optional<int64_t> frames) {
  range_ = edits.frames;
  range_.step = std::max<int64_t>(range_.step, 1);
  frame_time_ = frame_time * static_cast<double>(range_.step);
  // This check comes first, as for clips in pieces, whose frames are counted
  // last.
  if (edits.resample_fps != 0 && !HasRate(frame_time_)) {
    return MakeCallError({.code = absl::StatusCode::kFailedPrecondition,
                          .reason = std::string(kFrameRateUnknown),
                          .field = std::string(kResampleField),
                          .message = "the clip states no usable frame time"});
  }
  if (frames && range_.begin > 0 && *frames <= range_.begin) {
    return BeginsAfterEnd(range_, *frames);
  }
  if (frames) frames_ = CountChosen(range_, *frames);
  if (edits.state_fps > 0) frame_time_ = 1 / WrittenFrameRate(edits.state_fps);
  if (edits.resample_fps == 0) return absl::OkStatus();
  const double from =
      StatedFrameRate(frame_time) / static_cast<double>(range_.step);
  const double to = WrittenFrameRate(edits.resample_fps);
  const bool is_exact =
      std::abs(edits.resample_fps * frame_time_ - 1) <= kSameTime;
  if (!is_exact) frame_time_ = 1 / to;
  if (std::abs(to / from - 1) < kSameRate) return absl::OkStatus();
  interpolation_ = edits.interpolation;
  resampling_ = ResamplingOf(from, to);
  if (!frames_) return absl::OkStatus();
  frames_ =
      ResampledFrames(*resampling_, *frames_, kMaxFrames).value_or(kMaxFrames);
  return absl::OkStatus();
}

void ClipEditor::EditSpace(const ClipEdits& edits) {
  const SourceSpace& source = edits.source;
  edited_ = {joints_.skeleton, IdentityColumns(joints_.columns.size())};
  UpAxis up = source.up_axis;
  if (edits.up_axis != UpAxis::kUnknown) {
    TurnUpAxis(up, edits.up_axis, &edited_);
    up = edits.up_axis;
  }
  if (edits.meters_per_unit != 0 &&
      edits.meters_per_unit != source.meters_per_unit) {
    ScaleLengths(source.meters_per_unit / edits.meters_per_unit, &edited_);
  }
  EditBodies(edits, up);
  row_work_ = kValueWork * static_cast<int64_t>(edited_.columns.size()) +
              kTurnWork * static_cast<int64_t>(turns_.size());
  for (const auto& above : above_) {
    row_work_ += kTurnWork * static_cast<int64_t>(above.size());
  }
  blend_work_ =
      kBlendWork * static_cast<int64_t>(edited_.skeleton.nodes.size());
  current_.resize(joints_.columns.size());
  if (resampling_) previous_ = blended_ = current_;
}

// A body root that is a ROOT is edited by its columns, exactly.
void ClipEditor::EditBodies(const ClipEdits& edits, UpAxis up) {
  body_places_ = {edits.root_motion, HeightAxis(up),
                  AxesOf(edits.root_alignment)};
  std::vector<int32_t> roots;
  std::vector<int32_t> body_roots;
  for (const Body& body : bodies_) {
    body_roots.push_back(body.node);
    above_.push_back(JointsAbove(edited_.skeleton, body.node));
    if (body.node == body.root) roots.push_back(body.root);
  }
  StillRoots(edits.root_motion, up, roots, &edited_);
  AlignRootPositions(body_places_.axes, roots, &edited_);
  const auto& degrees = edits.root_alignment.correction_degrees;
  if (degrees != std::array<double, 3>{}) {
    turns_ = TurnRoots(degrees, body_roots, &edited_);
  }
}

bool ClipEditor::IsChosen(int64_t frame) const {
  return frame >= range_.begin && (range_.end == 0 || frame < range_.end) &&
         (frame - range_.begin) % range_.step == 0;
}

absl::Status ClipEditor::Push(int64_t frames, std::span<const float> values,
                              EditedRows* out) {
  int64_t taken = 0;
  return PushSome(frames, values, std::numeric_limits<int64_t>::max(), out,
                  &taken);
}

absl::Status ClipEditor::PushSome(int64_t frames, std::span<const float> values,
                                  int64_t most, EditedRows* out,
                                  int64_t* taken) {
  *taken = 0;
  if (has_more_) BVHMILL_RETURN_IF_ERROR(Resample(most, out));
  while (*taken < frames && !has_more_ && out->frames < most) {
    const size_t at = static_cast<size_t>((*taken)++) * source_columns_;
    if (!IsChosen(seen_++)) continue;
    BVHMILL_RETURN_IF_ERROR(
        TakeRow(values.subspan(at, source_columns_), most, out));
  }
  return WorkFrom(budget_, std::exchange(owed_work_, 0));
}

int64_t ClipEditor::FramesOfTaken() const {
  if (!has_more_) return made_;
  return ResampledFrames(*resampling_, chosen_, kMaxFrames)
      .value_or(kMaxFrames);
}

int64_t ClipEditor::FramesOf(int64_t frames) const {
  if (range_.begin > 0 && frames <= range_.begin) return 0;
  const int64_t chosen = CountChosen(range_, frames);
  if (!resampling_) return chosen;
  return ResampledFrames(*resampling_, chosen, kMaxFrames).value_or(kMaxFrames);
}

absl::Status ClipEditor::Spend(int64_t units) {
  owed_work_ += units;
  if (owed_work_ < kWorkStep) return absl::OkStatus();
  return WorkFrom(budget_, std::exchange(owed_work_, 0));
}

absl::Status ClipEditor::Finish() const { return CheckRange(seen_); }

absl::Status ClipEditor::CheckRange(int64_t frames) const {
  if (range_.begin > 0 && frames <= range_.begin) {
    return BeginsAfterEnd(range_, frames);
  }
  return absl::OkStatus();
}

absl::Status ClipEditor::TakeRow(std::span<const float> row, int64_t most,
                                 EditedRows* out) {
  BVHMILL_RETURN_IF_ERROR(
      Spend(kValueWork * static_cast<int64_t>(joints_.columns.size())));
  MapColumns(joints_.columns, row, current_);
  if (!resampling_) return PutRow(current_, out);
  ++chosen_;
  return Resample(most, out);
}

// Appends the frames up to the current row, until `out` has `most` frames. By
// the end rule these frames are part of the clip even if this row is the last.
absl::Status ClipEditor::Resample(int64_t most, EditedRows* out) {
  while ((has_more_ = IsWithin(*resampling_, made_, chosen_))) {
    if (out->frames >= most) return absl::OkStatus();
    const double last = static_cast<double>(chosen_ - 1);
    const double place = PlaceOfFrame(*resampling_, made_);
    if (place >= last - kFrameTolerance) {
      BVHMILL_RETURN_IF_ERROR(PutRow(current_, out));
      continue;
    }
    BVHMILL_RETURN_IF_ERROR(Spend(blend_work_));
    BlendPoses(joints_.skeleton, previous_, current_, place - (last - 1),
               interpolation_, blended_);
    BVHMILL_RETURN_IF_ERROR(PutRow(blended_, out));
  }
  std::swap(previous_, current_);
  return absl::OkStatus();
}

absl::Status ClipEditor::PutRow(std::span<const float> row, EditedRows* out) {
  if (made_ >= max_frames_) return TooManyFrames(max_frames_);
  BVHMILL_RETURN_IF_ERROR(Spend(row_work_));
  const size_t at = out->values.size();
  out->values.resize(at + edited_.columns.size());
  const auto edited = std::span<float>(out->values).subspan(at);
  MapColumns(edited_.columns, row, edited);
  for (size_t i = 0; i < bodies_.size(); ++i) {
    if (above_[i].empty() && turns_.empty()) continue;
    const JointPose above =
        WorldPoseOf(edited_.skeleton, conventions_, above_[i], edited);
    if (!above_[i].empty() && MovesPlaces(body_places_)) {
      PlaceBody(edited_.skeleton, conventions_, body_places_, above,
                bodies_[i].node, edited);
    }
    if (!turns_.empty()) TurnRow(row, above.turn, &turns_[i], edited);
  }
  ++made_;
  ++out->frames;
  return absl::OkStatus();
}

}  // namespace bvhmill
