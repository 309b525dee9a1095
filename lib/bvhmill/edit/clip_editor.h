#pragma once

// Edits the rows of one clip as they arrive. The edits are compiled once, for
// one skeleton, and then applied to tile after tile:
//
//   absl::StatusOr<ClipEditor> editor = ClipEditor::Make(...);
//   ... for each tile: editor->Push(frames, values, &out) ...
//   ... after the last tile: editor->Finish() ...
//
// Repairs are not made here: see repair/repair_clip.h. The edited rows do not
// depend on how the rows are cut into tiles. Between tiles the editor keeps the
// last row, and the last angles of each root.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/base/limits.h"
#include "bvhmill/base/uninitialized.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/edit/body_edits.h"
#include "bvhmill/edit/clip_edits.h"
#include "bvhmill/edit/column_map.h"
#include "bvhmill/edit/root_turn.h"
#include "bvhmill/edit/sample_pose.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

// Edited rows, frame-major: frames x columns of the edited skeleton.
struct EditedRows {
  int64_t frames = 0;
  UninitializedVector<float> values;
};

// The largest number of frames. Frame numbers are also computed as doubles,
// which hold every integer up to this one.
inline constexpr int64_t kMaxFrames = int64_t{1} << 53;

// RESOURCE_EXHAUSTED: resampling would make more than `most` frames.
absl::Status TooManyFrames(int64_t most);

// The field that changes the number of frames, in errors.
inline constexpr std::string_view kResampleField = "options.edits.resample_fps";

// Not thread-safe. Owns all it needs except the budget.
class ClipEditor {
 public:
  // Compiles `edits` for a clip of `skeleton`. `frame_time` is in seconds, as
  // the file states it. `frames` is the number of frames of the source, or none
  // if it is not known yet. `conventions` say how position channels are read,
  // before the edits and after. `moving` is MovingColumns of the source
  // (skeletons/body_root.h), by which edits of roots find the body root; if it
  // is empty, each ROOT is its own body root, unless the edits state another.
  //
  // Fails as CheckEdits does. INVALID_ARGUMENT also if the edits do not fit the
  // clip: a joint does not exist, or the frame range begins after the last
  // frame. FAILED_PRECONDITION also for resampling a clip without a usable
  // frame time. The number of edited frames is not checked here: CheckGrowth
  // checks it, and Push fails once there are too many.
  //
  // `budget` may be null and must outlive the editor. The editor draws its
  // memory and the work on rows from it, and returns its errors. `log` gets
  // the issues of RenameJoints, and may be null. O((nodes +
  // names) log nodes + columns).
  static absl::StatusOr<ClipEditor> Make(
      const ClipEdits& edits, const Conventions& conventions,
      const Skeleton& skeleton, double frame_time,
      std::optional<int64_t> frames, const Limits& limits,
      Budget* budget = nullptr, IssueLog* log = nullptr,
      std::span<const uint8_t> moving = {});

  const Skeleton& skeleton() const { return edited_.skeleton; }
  // The bodies that edits of roots act on, as nodes of skeleton(); none if no
  // roots are edited. And where they are put.
  const std::vector<Body>& bodies() const { return bodies_; }
  const BodyPlaces& body_places() const { return body_places_; }
  double frame_time() const { return frame_time_; }
  // The number of edited frames, kMaxFrames at most; none if the number of
  // source frames was not given.
  std::optional<int64_t> frames() const { return frames_; }
  // The number of edited frames for a source of `frames` frames, kMaxFrames at
  // most; 0 if CheckRange(frames) fails.
  int64_t FramesOf(int64_t frames) const;
  // INVALID_ARGUMENT if the frame range begins after the last frame of a source
  // that has `frames` frames. A range from 0 fits every source.
  absl::Status CheckRange(int64_t frames) const;

  // Takes the next `frames` rows, frames x columns of the source, and appends
  // to `out` the edited rows that they complete. RESOURCE_EXHAUSTED, with some
  // of the rows appended, if the clip has more edited frames in all than the
  // limits allow; errors of the budget are returned. One row can complete many
  // edited rows: use PushSome to bound their number.
  absl::Status Push(int64_t frames, std::span<const float> values,
                    EditedRows* out);
  // As Push, but stops when `out` has `most` frames. Sets `*taken` to the
  // number of rows that were taken; pass the others again. The last taken row
  // may complete more edited rows (see has_more): the next call continues with
  // them.
  absl::Status PushSome(int64_t frames, std::span<const float> values,
                        int64_t most, EditedRows* out, int64_t* taken);
  // True if the last taken row completes more frames than were made.
  bool has_more() const { return has_more_; }
  // The number of edited frames that the rows taken so far complete, frames
  // that are not made yet included.
  int64_t FramesOfTaken() const;
  // Call after the last row. INVALID_ARGUMENT if the frame range begins after
  // it.
  absl::Status Finish() const;

 private:
  ClipEditor() = default;
  absl::Status EditNames(const ClipEdits& edits, const Conventions& conventions,
                         const Skeleton& skeleton, const Limits& limits,
                         IssueLog* log, std::span<const uint8_t> moving);
  absl::Status Spend(int64_t units);
  absl::Status EditTime(const ClipEdits& edits, double frame_time,
                        std::optional<int64_t> frames);
  void EditSpace(const ClipEdits& edits);
  void EditBodies(const ClipEdits& edits, UpAxis up);
  bool IsChosen(int64_t frame) const;
  absl::Status TakeRow(std::span<const float> row, int64_t most,
                       EditedRows* out);
  absl::Status Resample(int64_t most, EditedRows* out);
  absl::Status PutRow(std::span<const float> row, EditedRows* out);

  // Maps a source row to a row of the skeleton whose joints are dropped and
  // renamed.
  size_t source_columns_ = 0;
  EditedSkeleton joints_;
  // Maps that row to the edited row, except the positions of body roots below
  // other joints, and the angles of those that are turned.
  EditedSkeleton edited_;
  Conventions conventions_;
  std::vector<Body> bodies_;
  // For each body: the joints above its body root.
  std::vector<std::vector<int32_t>> above_;
  BodyPlaces body_places_;
  // Empty, or one for each body.
  std::vector<RootTurn> turns_;
  FrameRange range_;
  // None: the frames are not resampled.
  std::optional<Resampling> resampling_;
  Interpolation interpolation_ = Interpolation::kSlerp;
  double frame_time_ = 0;
  std::optional<int64_t> frames_;
  int64_t max_frames_ = 0;
  Budget* budget_ = nullptr;
  // Units of work: done but not drawn yet, for an edited row, for a blended
  // row.
  int64_t owed_work_ = 0;
  int64_t row_work_ = 0;
  int64_t blend_work_ = 0;

  // Source rows taken, source rows in the range (counted for resampling only),
  // edited rows made.
  int64_t seen_ = 0;
  int64_t chosen_ = 0;
  int64_t made_ = 0;
  bool has_more_ = false;
  std::vector<float> previous_;
  std::vector<float> current_;
  std::vector<float> blended_;
};

}  // namespace bvhmill
