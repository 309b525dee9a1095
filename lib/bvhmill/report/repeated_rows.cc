#include "bvhmill/report/repeated_rows.h"

#include <algorithm>

namespace bvhmill {
namespace {

// Runs this near to the start or the end of the clip remain from an edit.
constexpr int64_t kNearEnd = 2;
// The most rows from the end of a run to the next run that follows it; one new
// row may be between them.
constexpr int64_t kLongestPause = 2;

}  // namespace

RepeatedRows::RepeatedRows(const Thresholds& thresholds, double frame_time)
    : thresholds_(thresholds), frame_time_(frame_time) {}

void RepeatedRows::Group::Add(const RepeatRun& run) {
  Add(Group{1, run.rows(), run.first, run.last});
}

void RepeatedRows::Group::Add(const Group& group) {
  if (group.runs == 0) return;
  first = runs == 0 ? group.first : std::min(first, group.first);
  last = std::max(last, group.last);
  runs += group.runs;
  rows += group.rows;
}

bool RepeatedRows::IsLong(const RepeatRun& run) const {
  // Frame times are rounded.
  constexpr double kRounding = 0.999;
  const auto rows = static_cast<double>(run.rows());
  return rows >= thresholds_[Threshold::DATA_FROZEN_FRAMES_frames] &&
         rows * frame_time_ >=
             kRounding * thresholds_[Threshold::DATA_FROZEN_FRAMES_seconds];
}

void RepeatedRows::EndRun(bool ends_clip) {
  in_run_ = false;
  const bool follows =
      stills_ + runs() > 0 && run_.first - previous_ <= kLongestPause;
  previous_ = run_.last;
  const size_t length =
      std::min(static_cast<size_t>(run_.rows()), kLengths - 1);
  if (IsLong(run_)) {
    long_runs_[length].all.Add(run_);
    long_runs_[length].following += follows ? 1 : 0;
    RepeatRun& kind = run_.first == 0 ? start_ : ends_clip ? end_ : middle_;
    if (run_.rows() > kind.rows()) kind = run_;
    ++stills_;
    return;
  }
  repeats_.Add(run_);
  ++lengths_[length];
  if (run_.first < kNearEnd) return;
  ++inner_runs_;
  last_inner_ = run_;
}

void RepeatedRows::Add(bool repeats) {
  if (repeats && !in_run_) run_.first = frames_ - 1;
  if (repeats) run_.last = frames_;
  if (!repeats && in_run_) EndRun(false);
  in_run_ = repeats;
  repeated_ += repeats ? 1 : 0;
  ++frames_;
}

// Finds a pattern of long runs: most runs are long, have about one length and
// follow each other. Neither they nor shorter runs are stills then.
void RepeatedRows::FindHeldPoses() {
  size_t best = 0;
  int64_t following = 0;
  for (size_t rows = 1; rows + 2 < kLengths; ++rows) {
    const int64_t both =
        long_runs_[rows].following + long_runs_[rows + 1].following;
    if (both > following) best = rows;
    following = std::max(following, both);
  }
  if (following == 0) return;
  const int64_t shorter = long_runs_[best].all.runs;
  const int64_t longer = long_runs_[best + 1].all.runs;
  const auto usual = static_cast<double>(shorter + longer);
  const double most_runs =
      equal_share() * static_cast<double>(stills_ + runs());
  // The first run follows none.
  const bool are_held =
      usual >= thresholds_[Threshold::DATA_REPEATED_FRAMES_runs] &&
      usual >= most_runs &&
      static_cast<double>(following + 1) >= equal_share() * usual;
  Group held;
  for (size_t rows = 1; rows <= best + 1; ++rows) {
    held.Add(long_runs_[rows].all);
  }
  if (!are_held || !AreMany(held.rows + repeats())) return;
  repeats_.Add(held);
  stills_ -= held.runs;
  for (RepeatRun* run : {&start_, &middle_, &end_}) {
    if (run->rows() <= static_cast<int64_t>(best) + 1) *run = {};
  }
  is_uneven_ = std::max(shorter, longer) < poses();
  stride_ = static_cast<int64_t>(best) + (longer > shorter ? 2 : 1);
}

// Finds a pattern of short runs: most poses have about one number of rows.
void RepeatedRows::FindStride() {
  const auto runs = static_cast<double>(repeats_.runs);
  if (!are_many_ || runs < thresholds_[Threshold::DATA_REPEATED_FRAMES_runs]) {
    return;
  }
  size_t best = 1;
  const auto both = [&](size_t rows) {
    return static_cast<double>(lengths_[rows] + lengths_[rows + 1]);
  };
  for (size_t rows = 1; rows + 1 < kLengths; ++rows) {
    if (both(rows) > both(best)) best = rows;
  }
  const int64_t usual = std::max(lengths_[best], lengths_[best + 1]);
  const int64_t times =
      static_cast<int64_t>(best) + (usual > lengths_[best] ? 2 : 1);
  const double most_runs = equal_share() * runs;
  const auto all = static_cast<double>(poses());
  if (both(best) >= most_runs && both(best) >= equal_share() * all) {
    stride_ = times;
    is_uneven_ = usual < poses();
  } else if (static_cast<double>(usual) >= most_runs) {
    some_ = {usual, times};
  }
}

bool RepeatedRows::are_reported() const {
  const double dropped =
      std::max(thresholds_[Threshold::DATA_REPEATED_FRAMES_dropped_runs], 1.0);
  return stride_ > 0 || some_.poses > 0 ||
         static_cast<double>(inner_runs_) >= dropped;
}

bool RepeatedRows::AreMany(int64_t rows) const {
  return static_cast<double>(rows) >=
         thresholds_[Threshold::DATA_REPEATED_FRAMES_share] *
             static_cast<double>(frames_);
}

void RepeatedRows::Finish() {
  are_all_ = in_run_ && run_.first == 0 && frames_ >= 2;
  if (in_run_) EndRun(true);
  // Only now the end of the clip is known.
  if (inner_runs_ > 0 && last_inner_.last >= frames_ - kNearEnd) --inner_runs_;
  FindHeldPoses();
  are_many_ = AreMany(repeats());
  if (stride_ == 0) FindStride();
}

}  // namespace bvhmill
