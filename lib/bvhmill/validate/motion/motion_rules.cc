#include "bvhmill/validate/motion/motion_rules.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/clip/clip_info.h"
#include "bvhmill/report/issue_log.h"
#include "bvhmill/skeletons/body_root.h"
#include "bvhmill/validate/motion/motion_clip.h"
#include "bvhmill/validate/motion/motion_rule.h"

namespace bvhmill {
namespace {

// The frame time.

void Log(const MotionClip& clip, Severity severity, const std::string& reading,
         double near, IssueLog* log) {
  log->AddAs(severity, IssueCode::DATA_FRAME_TIME_ODD, {},
             {{"value", Short(clip.frame_time)},
              {"reading", reading},
              {"near", ShortRate(near)}});
}

// DATA_FRAME_TIME_ODD: the frame time is far from those of all rates in use, or
// its rounding adds up to more than a frame over the clip. Logs at most one
// issue. Requires the number of frames in the facts.
void LogFrameTime(const MotionClip& clip, IssueLog* log) {
  const double time = clip.frame_time;
  if (!HasRate(time)) return;
  const auto [near, difference] = NearestFrameRate(time);
  // A lambda, since most clips need no text.
  const auto rate = [time] { return Short(1 / time) + " frames a second"; };
  // A clip of so few frames is a set of poses: an odd frame time is no fault.
  const Severity severity = clip.facts->frames < kFewestMotionFrames
                                ? Severity::kHint
                                : Severity::kWarning;
  if (time >= clip[Threshold::DATA_FRAME_TIME_ODD_longest]) {
    return Log(clip, severity, rate() + ", too slow to show a motion", near,
               log);
  }
  if (time < clip[Threshold::DATA_FRAME_TIME_ODD_shortest]) {
    return Log(clip, severity, rate() + ", too fast for a capture", near, log);
  }
  if (time <= clip[Threshold::DATA_FRAME_TIME_ODD_short]) {
    return Log(clip, Severity::kHint, rate() + ", which is uncommon", near,
               log);
  }
  if (difference > clip[Threshold::DATA_FRAME_TIME_ODD_difference]) {
    return Log(
        clip, Severity::kHint,
        rate() + ", near to none in use; the nearest is " + ShortRate(near),
        near, log);
  }
  const double frames = difference * static_cast<double>(clip.facts->frames);
  if (frames > 1) {
    Log(clip, Severity::kHint,
        ShortRate(near) + " frames a second, but rounding adds up to " +
            Short(frames) + " frames",
        near, log);
  }
}

// The rules.

using MakeRule = std::unique_ptr<MotionRule> (*)(const MotionClip&);

constexpr MakeRule kRules[] = {
#define BVHMILL_MOTION_RULE(factory) factory,
#include "bvhmill/validate/motion/rules.inc"
#undef BVHMILL_MOTION_RULE
};

// DATA_NOT_JUDGED: rules skip the clip, and the caller ignores the issue that
// says why.
void LogNotJudged(const MotionFacts& facts, IssueLog* log) {
  constexpr IssueCode kValues[] = {IssueCode::DATA_NOT_FINITE,
                                   IssueCode::DATA_OUT_OF_RANGE};
  const auto is_listed = [log](IssueCode code) { return log->HasListed(code); };
  const auto is_ignored = [log](IssueCode code) {
    return log->HasIgnored(code);
  };
  // An issue of one code speaks for both.
  if (facts.non_finite_rows > 0 &&
      std::any_of(std::begin(kValues), std::end(kValues), is_ignored) &&
      std::none_of(std::begin(kValues), std::end(kValues), is_listed)) {
    log->Add(
        IssueCode::DATA_NOT_JUDGED, {},
        {{"what", "faults of the motion"}, {"why", "a value is not finite"}});
  }
  if (facts.has_many_repeats &&
      log->HasIgnored(IssueCode::DATA_REPEATED_FRAMES)) {
    log->Add(IssueCode::DATA_NOT_JUDGED, {},
             {{"what", "spikes, jumps and cuts"},
              {"why", "many frames are repeated"}});
  }
}

// A range of frames that one thread searches: its rules with their records, its
// sums, and the extremes of its channels.
struct Range {
  int64_t first = 0;
  int64_t end = 0;
  std::vector<std::unique_ptr<MotionRule>> rules;
  std::vector<TrackSums> sums;
  std::vector<ColumnRange> ranges;
  // A value is not finite. The rules skip the blocks from there on.
  bool has_non_finite = false;
  // The memory of records that is drawn from the budget.
  int64_t found_bytes = 0;

  void Add(std::span<const ColumnRange> block);
  absl::Status DrawFound(Budget* budget);
};

void Range::Add(std::span<const ColumnRange> block) {
  for (size_t c = 0; c < ranges.size(); ++c) {
    ranges[c].largest = std::max(ranges[c].largest, block[c].largest);
    // It is not finite if two values are too far apart, and stays so.
    const bool is_larger = std::isfinite(ranges[c].change) &&
                           !(block[c].change <= ranges[c].change);
    if (is_larger) ranges[c].change = block[c].change;
  }
}

absl::Status Range::DrawFound(Budget* budget) {
  int64_t bytes = 0;
  int64_t most = 0;
  for (const auto& rule : rules) {
    bytes += rule->Bytes();
    most = std::max(most, rule->Bytes());
  }
  // SortByTrack copies the records of one rule at a time.
  bytes += most;
  if (bytes <= found_bytes) return absl::OkStatus();
  BVHMILL_RETURN_IF_ERROR(budget->Hold(bytes - found_bytes));
  found_bytes = bytes;
  return absl::OkStatus();
}

class MotionCheck {
 public:
  MotionCheck(const CheckedClip& clip, Budget* budget, MotionMemory* memory)
      : checked_(clip),
        budget_(*budget),
        memory_(*memory),
        clip_(memory->clip) {}

  absl::Status Begin(Parallel* parallel);
  absl::Status Look(Parallel* parallel);
  void Decide(IssueLog* log);

 private:
  int64_t BlockSize() const { return BlockFrames(clip_); }
  int64_t RangeFrames() const { return memory_.range_blocks * BlockSize(); }
  // A clip without channels may have any number of frames: there is one range,
  // of no frames.
  int64_t RangeCount() const {
    if (clip_.tracks.empty()) return 1;
    return (clip_.frames + RangeFrames() - 1) / RangeFrames();
  }
  absl::Status LookAt(Range* range, BlockReader* reader);
  void LookBefore(const Range& range, BlockReader* reader);
  void JoinSums();
  void DecideRule(size_t rule, IssueLog* log);
  void FindBodyRoot();
  void CountNonFinite(IssueLog* log);

  const CheckedClip& checked_;
  Budget& budget_;
  MotionMemory& memory_;
  MotionClip& clip_;
  std::vector<Range> ranges_;
};

absl::Status MotionCheck::Begin(Parallel* parallel) {
  clip_.thresholds = &checked_.thresholds;
  clip_.facts = &checked_.motion;
  clip_.frame_time = checked_.frame_time;
  constexpr auto kTotalBytes = static_cast<int64_t>(5 * sizeof(float));
  if (!checked_.skeleton.channels.empty()) {
    BVHMILL_RETURN_IF_ERROR(budget_.Hold(kTotalBytes * checked_.frames));
  }
  BeginMotionClip(checked_.skeleton, checked_.values, checked_.frames, &clip_);
  // A kink above kTotalDegrees counts as kTotalDegrees in the totals of frames,
  // at kFullRate frames a second or more. At lower rates kinks are larger, and
  // so is the limit.
  constexpr double kTotalDegrees = 5;
  constexpr double kFullRate = 60;
  clip_.totals.max_kink =
      KinkOf(kTotalDegrees * std::max(1.0, kFullRate * checked_.motion.dt));
  const auto range_bytes = static_cast<int64_t>(
      clip_.tracks.size() * (sizeof(TrackSums) + kRuleTrackBytes) +
      clip_.ranges.size() * sizeof(ColumnRange));
  const int64_t threads = std::min<int64_t>(parallel->threads(), RangeCount());
  BVHMILL_RETURN_IF_ERROR(
      budget_.Hold(threads * BlockBytes(clip_) + RangeCount() * range_bytes));
  ranges_.resize(static_cast<size_t>(RangeCount()));
  for (size_t i = 0; i < ranges_.size(); ++i) {
    Range& range = ranges_[i];
    range.first = static_cast<int64_t>(i) * RangeFrames();
    range.end = clip_.tracks.empty()
                    ? 0
                    : std::min(range.first + RangeFrames(), clip_.frames);
    range.sums.resize(clip_.tracks.size());
    range.ranges.resize(clip_.ranges.size());
    for (const MakeRule make : kRules) range.rules.push_back(make(clip_));
  }
  return absl::OkStatus();
}

void MotionCheck::LookBefore(const Range& range, BlockReader* reader) {
  constexpr int64_t kRounding = 3;
  const double dt = checked_.motion.dt;
  const double burst = clip_[Threshold::DATA_JITTER_swing_seconds];
  // jitter_rule.cc searches swings by words of bits. A burst may begin anywhere
  // in a word, so there is one more word.
  constexpr auto kWord = static_cast<int64_t>(kStepParts);
  constexpr auto kMostWords = static_cast<int64_t>(kStepFrames);
  const int64_t frames =
      std::max(WholeFrames(kReachBackSeconds, dt) + kRounding,
               std::min(WholeFrames(burst, dt) + kWord, kMostWords));
  const int64_t blocks = (frames + BlockSize() - 1) / BlockSize();
  int64_t at = std::max(range.first - blocks * BlockSize(), int64_t{0});
  reader->Begin(clip_, at);
  for (; at < range.first && reader->Read(BlockSize()); at += BlockSize()) {
    for (size_t track = 0; track < clip_.tracks.size(); ++track) {
      reader->ReadTrack(track);
      reader->Sum();
      for (const auto& rule : range.rules) rule->LookBefore(reader->block());
    }
  }
}

absl::Status MotionCheck::LookAt(Range* range, BlockReader* reader) {
  LookBefore(*range, reader);
  for (int64_t at = range->first; at < range->end; at += BlockSize()) {
    BVHMILL_RETURN_IF_ERROR(budget_.Work(0));
    const bool is_finite = reader->Read(std::min(BlockSize(), range->end - at));
    range->Add(reader->block().ranges);
    if (!is_finite) range->has_non_finite = true;
    if (range->has_non_finite) continue;
    for (size_t track = 0; track < clip_.tracks.size(); ++track) {
      reader->ReadTrack(track);
      reader->SumInto(&range->sums[track], &clip_.totals);
      for (const auto& rule : range->rules) rule->Look(reader->block());
    }
    BVHMILL_RETURN_IF_ERROR(range->DrawFound(&budget_));
  }
  return absl::OkStatus();
}

absl::Status MotionCheck::Look(Parallel* parallel) {
  if (ranges_.size() == 1 || parallel->threads() == 1) {
    for (Range& range : ranges_) {
      BVHMILL_RETURN_IF_ERROR(LookAt(&range, &memory_.reader));
    }
    return absl::OkStatus();
  }
  std::vector<absl::Status> statuses(ranges_.size());
  parallel->Run(static_cast<int64_t>(ranges_.size()), [&](int64_t i) {
    BlockReader reader;
    const auto at = static_cast<size_t>(i);
    statuses[at] = LookAt(&ranges_[at], &reader);
  });
  for (const absl::Status& status : statuses) BVHMILL_RETURN_IF_ERROR(status);
  return absl::OkStatus();
}

void MotionCheck::JoinSums() {
  Range& all = ranges_[0];
  for (size_t i = 1; i < ranges_.size(); ++i) {
    const Range& later = ranges_[i];
    all.Add(later.ranges);
    all.has_non_finite = all.has_non_finite || later.has_non_finite;
    for (size_t track = 0; track < all.sums.size(); ++track) {
      all.sums[track].Add(later.sums[track]);
    }
  }
  clip_.sums = all.sums;
  clip_.ranges = all.ranges;
}

// Releases the records of each later range as soon as they are appended, and
// all records at the end.
void MotionCheck::DecideRule(size_t rule, IssueLog* log) {
  const std::unique_ptr<MotionRule> all = std::move(ranges_[0].rules[rule]);
  for (size_t i = 1; i < ranges_.size(); ++i) {
    all->Append(*ranges_[i].rules[rule]);
    ranges_[i].rules[rule].reset();
  }
  all->Decide(log);
}

void MotionCheck::FindBodyRoot() {
  MotionFacts& facts = checked_.motion;
  std::vector<uint8_t>& moving = memory_.moving_columns;
  moving.clear();
  for (const ColumnRange& range : clip_.ranges) {
    moving.push_back(range.change != 0 ? 1 : 0);
  }
  facts.moving_columns = moving;
  const std::vector<int32_t>& joints = checked_.facts.trunk.joints;
  if (joints.empty()) return;
  const bool is_stated = std::find(joints.begin(), joints.end(),
                                   facts.stated_root) != joints.end();
  if (is_stated || joints.size() == 1) {
    facts.body_root = is_stated ? facts.stated_root : joints[0];
    return;
  }
  facts.body_root =
      FindBodyRoots(checked_.skeleton, std::span(&checked_.facts.trunk, 1),
                    moving, checked_.conventions.joint_positions)[0];
}

// Counts the rows that have a value which is not finite, and runs of them.
void MotionCheck::CountNonFinite(IssueLog* log) {
  int64_t rows = 0;
  int64_t runs = 0;
  bool was_finite = true;
  for (int64_t t = 0; t < clip_.frames; ++t) {
    const auto row = clip_.Row(t);
    const bool is_finite = std::all_of(row.begin(), row.end(), [](float value) {
      return std::isfinite(value);
    });
    rows += is_finite ? 0 : 1;
    runs += was_finite && !is_finite ? 1 : 0;
    was_finite = is_finite;
  }
  checked_.motion.non_finite_rows = rows;
  log->SetNonFiniteRows(rows, runs);
}

void MotionCheck::Decide(IssueLog* log) {
  MotionFacts& facts = checked_.motion;
  JoinSums();
  FindBodyRoot();
  if (facts.frames > 1) LogFrameTime(clip_, log);
  if (ranges_[0].has_non_finite) {
    CountNonFinite(log);
    return LogNotJudged(facts, log);
  }
  DecideRule(0, log);
  LogNotJudged(facts, log);
  if (facts.frames < kFewestMotionFrames || clip_.tracks.empty()) return;
  for (size_t i = 1; i < std::size(kRules); ++i) DecideRule(i, log);
}

}  // namespace

size_t MotionMemory::KeptBytes() const {
  const FrameTotals& totals = clip.totals;
  const size_t per_frame = totals.steps.capacity() + totals.kinks.capacity() +
                           totals.turning.capacity() +
                           totals.excess.capacity() + totals.jumpers.capacity();
  return (per_frame + reader.block().values.capacity()) * sizeof(float);
}

absl::Status CheckMotion(const CheckedClip& clip, Parallel* parallel,
                         Budget* budget, MotionMemory* memory, IssueLog* log) {
  clip.motion.frames = clip.frames;
  if (clip.frames == 0) return absl::OkStatus();
  MotionCheck check(clip, budget, memory);
  BVHMILL_RETURN_IF_ERROR(check.Begin(parallel));
  BVHMILL_RETURN_IF_ERROR(check.Look(parallel));
  check.Decide(log);
  return absl::OkStatus();
}

}  // namespace bvhmill
