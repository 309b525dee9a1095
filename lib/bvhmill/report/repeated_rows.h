#pragma once

// Finds runs of rows that repeat the row before, in one pass. A long run is a
// still (DATA_FROZEN_FRAMES). Many runs of about equal length are a pattern:
// each pose is written for several rows (DATA_REPEATED_FRAMES).
//
//   RepeatedRows rows(thresholds, frame_time);
//   for (int64_t t = 0; t < frames; ++t) {
//     rows.Add(/*repeats=*/t > 0 && Row(t) == Row(t - 1));
//   }
//   rows.Finish();
//   if (rows.stride() > 0) ...

#include <array>
#include <cstddef>
#include <cstdint>

#include "bvhmill/report/thresholds.h"

namespace bvhmill {

// Rows that repeat the row `first`, up to row `last`.
struct RepeatRun {
  int64_t first = 0;
  int64_t last = 0;

  int64_t rows() const { return last - first; }
};

class RepeatedRows {
 public:
  // `frame_time` is in seconds and above 0.
  RepeatedRows(const Thresholds& thresholds, double frame_time);

  // Adds the next row. `repeats` is true if it equals the row before; false for
  // the first row.
  void Add(bool repeats);
  // Call once, after the last row and before the functions below.
  void Finish();

  int64_t frames() const { return frames_; }
  // True if there are two rows or more, and all are equal.
  bool are_all() const { return are_all_; }
  // True if many rows outside of stills repeat the row before, so that each new
  // pose is a step.
  bool are_many() const { return are_many_; }

  // The longest still at the start of the clip, at its end, and between them.
  // It has 0 rows if there is none. Runs of a pattern are not stills.
  const RepeatRun& start() const { return start_; }
  const RepeatRun& middle() const { return middle_; }
  const RepeatRun& end() const { return end_; }
  // The number of stills.
  int64_t stills() const { return stills_; }

  // Runs that are not stills: their rows, their number, and the first and the
  // last row of all of them.
  int64_t repeats() const { return repeats_.rows; }
  int64_t runs() const { return repeats_.runs; }
  int64_t first() const { return repeats_.first; }
  int64_t last() const { return repeats_.last; }
  // The number of runs that are shorter than a still and not near the start or
  // the end of the clip.
  int64_t inner_runs() const { return inner_runs_; }
  // Rows that do not repeat the row before.
  int64_t poses() const { return frames_ - repeated_; }
  // The number of rows of most poses; 0 if there is no pattern.
  int64_t stride() const { return stride_; }
  // True if some poses of the pattern have one row more or less.
  bool is_uneven() const { return is_uneven_; }
  // Many poses of the same number of rows, in a clip where most poses have one
  // row. 0 poses if there are none.
  struct SomePoses {
    int64_t poses = 0;
    int64_t rows = 0;
  };
  const SomePoses& some() const { return some_; }
  // True if runs that are not stills are worth an issue.
  bool are_reported() const;

 private:
  // Longer runs count as runs of kLengths - 1 rows.
  static constexpr size_t kLengths = 128;

  // Runs, and the rows from the first to the last of them.
  struct Group {
    int64_t runs = 0;
    int64_t rows = 0;
    int64_t first = 0;
    int64_t last = 0;

    void Add(const RepeatRun& run);
    void Add(const Group& group);
  };
  // Long runs of one length, and the number of those that follow another run
  // without a pause.
  struct LongRuns {
    Group all;
    int64_t following = 0;
  };

  double equal_share() const {
    return thresholds_[Threshold::DATA_REPEATED_FRAMES_equal_runs];
  }
  bool IsLong(const RepeatRun& run) const;
  bool AreMany(int64_t rows) const;
  void EndRun(bool ends_clip);
  void FindHeldPoses();
  void FindStride();

  Thresholds thresholds_;
  double frame_time_;
  int64_t frames_ = 0;
  // Rows that repeat the row before, also in stills.
  int64_t repeated_ = 0;
  bool in_run_ = false;
  RepeatRun run_;
  // The last row of the run before.
  int64_t previous_ = 0;
  bool are_all_ = false;
  bool are_many_ = false;
  RepeatRun start_;
  RepeatRun middle_;
  RepeatRun end_;
  int64_t stills_ = 0;
  Group repeats_;
  int64_t inner_runs_ = 0;
  // The last run of inner_runs_. Finish removes it if it is near the end.
  RepeatRun last_inner_;
  // The number of short runs of each length, and the long runs.
  std::array<int64_t, kLengths> lengths_ = {};
  std::array<LongRuns, kLengths> long_runs_;
  int64_t stride_ = 0;
  bool is_uneven_ = false;
  SomePoses some_;
};

}  // namespace bvhmill
