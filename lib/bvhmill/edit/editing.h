#pragma once

// A clip that is being edited. Each edit is a function that changes the clip of
// an Editing: its skeleton, its rows, or both. Rows are rewritten as a whole:
//
//   RewriteRows(new_skeleton, work, &editing,
//               [&](std::span<const float> row, std::span<float> out) {...});

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/base/limits.h"
#include "bvhmill/base/status.h"
#include "bvhmill/base/uninitialized.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

struct MotionSize {
  int64_t frames = 0;
  int64_t columns = 0;
};

// The largest number of frames. Frame numbers are also computed as doubles,
// which hold every integer up to this one.
inline constexpr int64_t kMaxFrames = int64_t{1} << 53;

// The field that changes the number of frames, in errors.
inline constexpr std::string_view kResampleField = "options.edits.fps";

// Bounds the growth of a clip, so that little text cannot take much memory. OK
// if the edits do not add frames. RESOURCE_EXHAUSTED if the edited clip has
//
//   more frames than limits.max_frames;
//   more values than the source, and than a text of limits.max_clip_bytes
//       could hold; or
//   64 x (frames of the source + 1) frames or more, and more than 4 Mi values.
//
// A limit of 0 is no limit. If max_frames and another bound are exceeded, the
// error names the lower one.
absl::Status CheckGrowth(const MotionSize& source, const MotionSize& edited,
                         const Limits& limits);

// Holds references: all must outlive it. `budget` and `log` may be null.
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

// Units of work for a value that is copied or scaled.
inline constexpr int64_t kValueWork = 2;

// Makes `editing->spare` large enough for rows of the size `edited`, whose
// values are not initialized. RESOURCE_EXHAUSTED as CheckGrowth; errors of the
// budget.
absl::Status ReserveRows(const MotionSize& edited, Editing* editing);
// Makes the rows of `spare` those of the clip; `skeleton` has their columns.
void AcceptRows(int64_t frames, Skeleton skeleton, Editing* editing);

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

// Gives the clip the skeleton `to`, and the rows that `rewrite(row, out)` makes
// of its rows, one after the other. `units` is the work for one row.
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

// A new value of a row: old[source] * factor + bias. If `source` is -1: bias.
struct ColumnSource {
  int32_t source = -1;
  double factor = 1;
  double bias = 0;
};

// A new skeleton, and where each of its columns comes from.
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

}  // namespace bvhmill
