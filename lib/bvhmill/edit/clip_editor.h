#pragma once

// The edits of one clip, compiled once and then applied to rows as they come.
// Whatever tiles the rows come in, the edited rows are the same; all that is
// kept between tiles is one row and the last angles of each root.

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
#include "bvhmill/edit/clip_edits.h"
#include "bvhmill/edit/column_map.h"
#include "bvhmill/edit/root_turn.h"
#include "bvhmill/edit/sample_pose.h"

namespace bvhmill {

// Frame-major: frames x columns of the edited skeleton.
struct EditedRows {
  int64_t frames = 0;
  UninitializedVector<float> values;
};

// Frames are counted in doubles, too; beyond this those have gaps.
inline constexpr int64_t kMaxFrames = int64_t{1} << 53;

// RESOURCE_EXHAUSTED: resampling would make more than `most` frames.
absl::Status TooManyFrames(int64_t most);

// Not thread-safe. Owns all it needs but the budget.
class ClipEditor {
 public:
  // Compiles the edits for clips of `skeleton`, whose frame time is as the file
  // says and whose frames are counted if they are known. `conventions` are how
  // position channels are read, before and after. Fails as CheckEdits
  // does, and with INVALID_ARGUMENT for what does not fit the clip (a joint
  // that is not there, a range that begins behind the last frame),
  // FAILED_PRECONDITION for resampling a clip without a usable frame time.
  // Whether there are too many frames is for CheckGrowth to say, or for Push
  // once there are.
  // `budget` may be null and must outlive the editor: the memory of the editor
  // is drawn from it, and the work on rows, so that its refusals come back,
  // too. O((nodes + names) log nodes + columns).
  static absl::StatusOr<ClipEditor> Make(const ClipEdits& edits,
                                         const Conventions& conventions,
                                         const Skeleton& skeleton,
                                         double frame_time,
                                         std::optional<int64_t> frames,
                                         const Limits& limits,
                                         Budget* budget = nullptr);

  const Skeleton& skeleton() const { return edited_.skeleton; }
  double frame_time() const { return frame_time_; }
  // Of the edited clip, kMaxFrames if they are as many or more; none if those
  // of the source were not known.
  std::optional<int64_t> frames() const { return frames_; }
  // Frames of the edited clip if the source has `frames`, kMaxFrames if they
  // are as many or more; 0 if CheckRange refuses it.
  int64_t FramesOf(int64_t frames) const;
  // INVALID_ARGUMENT if the range of frames begins after those of a source that
  // has `frames`.
  absl::Status CheckRange(int64_t frames) const;

  // Takes the next `frames` rows, frames x columns of the source, and appends
  // the edited rows that they complete to `out`. RESOURCE_EXHAUSTED, with some
  // of them appended, for more edited frames than the limits allow, in all;
  // what the budget says. One row can complete many: PushSome is for whoever
  // wants few at once.
  absl::Status Push(int64_t frames, std::span<const float> values,
                    EditedRows* out);
  // The same until `out` has `most` frames. `*taken` is how many of the rows
  // were taken: those behind them must come again; the last one may have more
  // to complete, which the next call goes on with.
  absl::Status PushSome(int64_t frames, std::span<const float> values,
                        int64_t most, EditedRows* out, int64_t* taken);
  // The last row that was taken completes more frames.
  bool has_more() const { return has_more_; }
  // Edited frames that the rows taken complete, in all, made or not.
  int64_t FramesOfTaken() const;
  // Call behind the last row. INVALID_ARGUMENT if the range of frames began
  // behind it.
  absl::Status Finish() const;

 private:
  ClipEditor() = default;
  absl::Status EditNames(const ClipEdits& edits, const Conventions& conventions,
                         const Skeleton& skeleton, const Limits& limits);
  absl::Status Spend(int64_t units);
  absl::Status EditTime(const ClipEdits& edits, double frame_time,
                        std::optional<int64_t> frames);
  void EditSpace(const ClipEdits& edits);
  bool IsChosen(int64_t frame) const;
  absl::Status TakeRow(std::span<const float> row, int64_t most,
                       EditedRows* out);
  absl::Status Resample(int64_t most, EditedRows* out);
  absl::Status PutRow(std::span<const float> row, EditedRows* out);

  // Source row -> row of the skeleton with its joints dropped and renamed ...
  size_t source_columns_ = 0;
  EditedSkeleton joints_;
  // ... -> edited row, but for the angles of roots that turn.
  EditedSkeleton edited_;
  std::vector<RootTurn> turns_;
  FrameRange range_;
  // No rate: as the frames are.
  std::optional<Resampling> resampling_;
  Interpolation interpolation_ = Interpolation::kSlerp;
  double frame_time_ = 0;
  std::optional<int64_t> frames_;
  int64_t max_frames_ = 0;
  Budget* budget_ = nullptr;
  // Work that was done and not drawn yet, and that of a row.
  int64_t owed_work_ = 0;
  int64_t row_work_ = 0;
  int64_t blend_work_ = 0;

  // Rows that came, of them those in the range, edited rows made.
  int64_t seen_ = 0;
  int64_t chosen_ = 0;
  int64_t made_ = 0;
  bool has_more_ = false;
  std::vector<float> previous_;
  std::vector<float> current_;
  std::vector<float> blended_;
};

}  // namespace bvhmill
