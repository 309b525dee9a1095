#include "bvhmill/validate/motion/motion_blocks.h"

#include <algorithm>
#include <cmath>

#include "bvhmill/clip/frame_rates.h"
#include "bvhmill/math/sincos.h"
#include "bvhmill/validate/motion/motion_units.h"
#include "bvhmill/validate/skeleton_facts.h"

namespace bvhmill {
namespace {

constexpr auto kLead = static_cast<int64_t>(kStepLead);
constexpr auto kTail = static_cast<int64_t>(kStepTail);
// Blocks of wide clips are short: a block has at most this many values, or
// kShortestBlock frames.
constexpr int64_t kBlockValues = 128 * 1024;
constexpr auto kLongestBlock = static_cast<int64_t>(kStepFrames);
constexpr auto kShortestBlock = static_cast<int64_t>(kStepParts);
// Rules may look at the steps of as many frames after the end of a clip.
constexpr int64_t kAfterEnd = 4;
// Squares of larger positions may overflow. No rule looks at them.
constexpr float kFarthest = 1e15F;
// A step of a cut.
constexpr double kJumperDegrees = 1;

int64_t BlockFrames(const Skeleton& skeleton) {
  const auto width = static_cast<int64_t>(skeleton.channels.size());
  const int64_t frames = kBlockValues / std::max<int64_t>(width, 1);
  return std::clamp(frames / kShortestBlock * kShortestBlock, kShortestBlock,
                    kLongestBlock);
}

bool IsFinite(float value) { return std::isfinite(value); }

}  // namespace

int64_t MotionBlocks::MaxTracks(const Skeleton& skeleton) {
  int64_t tracks = 0;
  for (const Node& node : skeleton.nodes) {
    const auto channels = ChannelsOf(skeleton, node);
    tracks += std::any_of(channels.begin(), channels.end(), IsPosition) ? 1 : 0;
    tracks += std::any_of(channels.begin(), channels.end(), IsRotation) ? 1 : 0;
  }
  return tracks;
}

int64_t MotionBlocks::MemoryBytes(const Skeleton& skeleton) {
  const auto channels = static_cast<int64_t>(skeleton.channels.size());
  const int64_t tracks = MaxTracks(skeleton);
  const int64_t stride = kLead + BlockFrames(skeleton) + kTail;
  const auto floats = static_cast<int64_t>(sizeof(float));
  const auto per_track = static_cast<int64_t>(
      sizeof(MotionTrack) + sizeof(TrackSums) + sizeof(TurnBits));
  const auto per_channel =
      static_cast<int64_t>(sizeof(TrackColumn) + sizeof(StepColumn));
  return channels * ((stride + 3) * floats + per_channel + 1) +
         tracks * ((2 * stride + 5) * floats + per_track) + channels * floats;
}

void MotionBlocks::AddTrack(const Skeleton& skeleton, int32_t node,
                            TrackKind kind) {
  const Node& at = skeleton.nodes[static_cast<size_t>(node)];
  const auto first = static_cast<int32_t>(clip_.columns.size());
  int32_t column = at.first_channel;
  for (const Channel channel : ChannelsOf(skeleton, at)) {
    const bool is_wanted = kind == TrackKind::kRotation ? IsRotation(channel)
                                                        : IsPosition(channel);
    if (is_wanted) clip_.columns.push_back({column, AxisOf(channel)});
    ++column;
  }
  const int32_t count = static_cast<int32_t>(clip_.columns.size()) - first;
  if (count > 0) clip_.tracks.push_back({kind, node, first, count});
}

void MotionBlocks::AddTracks(const Skeleton& skeleton) {
  clip_.tracks.clear();
  clip_.columns.clear();
  for (const TrackKind kind : {TrackKind::kRotation, TrackKind::kPosition}) {
    for (size_t i = 0; i < skeleton.nodes.size(); ++i) {
      if (IsEndSite(skeleton.nodes[i])) continue;
      AddTrack(skeleton, static_cast<int32_t>(i), kind);
    }
    if (kind == TrackKind::kRotation) clip_.rotations = clip_.tracks.size();
  }
  clip_.sums.assign(clip_.tracks.size(), {});
}

void MotionBlocks::Begin(const ObservedClip& clip) {
  clip.motion.dt = MotionFrameTime(clip.frame_time);
  clip.motion.reach = clip.facts.reach;
  clip_.skeleton = &clip.skeleton;
  clip_.thresholds = &clip.thresholds;
  clip_.facts = &clip.motion;
  clip_.frame_time = clip.frame_time;
  AddTracks(clip.skeleton);
  width_ = static_cast<int64_t>(clip.skeleton.channels.size());
  root_width_ =
      clip.skeleton.nodes.empty() ? 0 : clip.skeleton.nodes[0].channel_count;
  block_frames_ = BlockFrames(clip.skeleton);
  stride_ = static_cast<size_t>(kLead + block_frames_ + kTail);
  first_ = filled_ = non_finite_runs_ = 0;
  has_finished_ = was_non_finite_ = false;
  const auto width = static_cast<size_t>(width_);
  const size_t tracks = clip_.tracks.size();
  values_.resize(width * stride_);
  ranges_.assign(width, {});
  changes_.assign(tracks, 0);
  moving_columns_.assign(width, 0);
  clip.motion.moving_columns = moving_columns_;
  last_row_.resize(width);
  steps_.resize(tracks * stride_);
  kinks_.resize(tracks * stride_);
  // Each block sets the others.
  for (size_t at = 0; at < steps_.size(); at += stride_) {
    std::fill_n(steps_.data() + at, kLead, 0.0F);
    std::fill_n(kinks_.data() + at, kLead, 0.0F);
  }
  max_steps_.assign(tracks, 0);
  max_kinks_.assign(tracks, 0);
  min_steps_.assign(tracks, 0);
  max_turns_.assign(tracks, 0);
  turns_.assign(tracks, {});
  repeats_.assign(static_cast<size_t>(block_frames_), 0);
  totals_ = {};
  // The cap of squares is the smallest one of kinks.
  static_assert(kCalmDegrees <= kCapDegrees);
  caps_ = {StepOf(kCapDegrees), KinkOf(kCapDegrees), KinkOf(kCalmDegrees)};
  constexpr double kFullRate = 60;
  totals_.max_kink =
      KinkOf(kTotalDegrees * std::max(1.0, kFullRate * clip.motion.dt));
  totals_.min_jump = StepOf(kJumperDegrees);
}

// Moves the last frames of the block before its begin.
void MotionBlocks::Shift() {
  if (!has_finished_) return;
  has_finished_ = false;
  first_ += filled_;
  const auto move = [this](UninitializedVector<float>* arrays) {
    for (size_t at = 0; at < arrays->size(); at += stride_) {
      float* const array = arrays->data() + at;
      std::copy_n(array + filled_, kLead, array);
    }
  };
  move(&values_);
  move(&steps_);
  move(&kinks_);
  filled_ = 0;
}

int64_t MotionBlocks::Take(const ObservedRows& rows, int64_t done) {
  Shift();
  const int64_t count = std::min(rows.frames - done, block_frames_ - filled_);
  const float* row = rows.values.data() + done * width_;
  for (int64_t i = 0; i < count; ++i) {
    const float* last = i > 0 ? row + (i - 1) * width_ : last_row_.data();
    const float* now = row + i * width_;
    const bool repeats_pose =
        first_ + filled_ + i > 0 &&
        std::equal(last + root_width_, last + width_, now + root_width_);
    const bool repeats =
        repeats_pose && std::equal(last, last + root_width_, now);
    repeats_[static_cast<size_t>(filled_ + i)] = static_cast<uint8_t>(
        (repeats ? kRowRepeats : 0) | (repeats_pose ? kPoseRepeats : 0));
  }
  filled_ += count;
  if (width_ == 0) return count;
  std::copy_n(row + (count - 1) * width_, width_, last_row_.data());
  TransposeRows(row, static_cast<size_t>(count), static_cast<size_t>(width_),
                stride_, values_.data() + kLead + filled_ - count);
  return count;
}

// Frames before the clip repeat its first one, frames after it the last one.
void MotionBlocks::Pad(size_t end) {
  const auto last = static_cast<size_t>(kLead + filled_);
  for (size_t at = 0; at < values_.size(); at += stride_) {
    float* const array = values_.data() + at;
    if (first_ == 0) std::fill_n(array, kLead, array[kLead]);
    std::fill(array + last, array + std::max(end, last), array[last - 1]);
  }
}

bool MotionBlocks::Measure(size_t end) {
  MeasureColumns(values_.data(), ranges_.size(), stride_, end, ranges_.data());
  bool is_finite = true;
  for (size_t c = 0; c < ranges_.size(); ++c) {
    if (ranges_[c].change != 0) moving_columns_[c] = 1;
    is_finite = is_finite && IsFinite(ranges_[c].largest);
  }
  return is_finite;
}

void MotionBlocks::CountNonFinite() {
  for (int64_t f = 0; f < filled_; ++f) {
    bool is_finite = true;
    for (size_t c = 0; c < ranges_.size(); ++c) {
      is_finite =
          is_finite &&
          IsFinite(values_[c * stride_ + static_cast<size_t>(kLead + f)]);
    }
    if (!is_finite) ++clip_.facts->non_finite_rows;
    if (!is_finite && !was_non_finite_) ++non_finite_runs_;
    was_non_finite_ = !is_finite;
  }
}

void MotionBlocks::MeasureTrack(size_t track) {
  float change = 0;
  for (const TrackColumn& column : clip_.ColumnsOf(clip_.tracks[track])) {
    change =
        std::max(change, ranges_[static_cast<size_t>(column.column)].change);
  }
  changes_[track] = change;
}

// The largest |value| that the steps and kinks of the block depend on.
float MotionBlocks::LargestAt(const TrackColumn& column) const {
  const auto c = static_cast<size_t>(column.column);
  const float* v = values_.data() + c * stride_ + kLead;
  return std::max({ranges_[c].largest, std::fabs(v[-1]), std::fabs(v[-2])});
}

// True if steps and kinks are 0, or are taken to be.
bool MotionBlocks::IsConstant(size_t track) const {
  const MotionTrack& which = clip_.tracks[track];
  const auto columns = clip_.ColumnsOf(which);
  // A kink at the begin of the block needs the step before it.
  const auto values = [this](const TrackColumn& column) {
    return values_.data() + static_cast<size_t>(column.column) * stride_ +
           kLead;
  };
  const auto rests = [=](const TrackColumn& column) {
    return values(column)[-1] == values(column)[-2];
  };
  const auto is_far = [this](const TrackColumn& column) {
    return LargestAt(column) > kFarthest;
  };
  return (changes_[track] == 0 &&
          std::all_of(columns.begin(), columns.end(), rests)) ||
         (which.kind == TrackKind::kPosition &&
          std::any_of(columns.begin(), columns.end(), is_far));
}

void MotionBlocks::ComputeSteps(size_t track, size_t end) {
  const MotionTrack& which = clip_.tracks[track];
  float* const steps = steps_.data() + track * stride_;
  float* const kinks = kinks_.data() + track * stride_;
  if (IsConstant(track)) {
    std::fill(steps + kLead, steps + end, 0.0F);
    std::fill(kinks + kLead - 1, kinks + end, 0.0F);
    return;
  }
  const auto columns = clip_.ColumnsOf(which);
  const bool is_rotation = which.kind == TrackKind::kRotation;
  columns_.clear();
  reduced_.resize(columns.size() * stride_);
  for (const TrackColumn& column : columns) {
    const auto c = static_cast<size_t>(column.column);
    const float* values = values_.data() + c * stride_;
    float largest = LargestAt(column);
    if (is_rotation && largest > kMaxSinCosDegrees) {
      constexpr float kTwoTurns = 720;
      float* const out = reduced_.data() + columns_.size() * stride_;
      std::transform(values, values + end, out,
                     [](float v) { return std::fmod(v, kTwoTurns); });
      values = out;
      largest = kTwoTurns;
    }
    const float* const lead = values_.data() + c * stride_ + kLead;
    const float change =
        std::max(ranges_[c].change, std::fabs(lead[-1] - lead[-2]));
    columns_.push_back({values, column.axis, largest, change});
  }
  (is_rotation ? RotationSteps : PositionSteps)(columns_, end, steps, kinks);
  // Neither the first nor the last frame of a clip has two neighbours.
  if (first_ == 0) kinks[kLead - 1] = kinks[kLead] = 0;
  if (block_.is_last) kinks[kLead + filled_ - 1] = 0;
}

void MotionBlocks::AddSums(size_t track, size_t end) {
  const float* steps = steps_.data() + track * stride_;
  const float* kinks = kinks_.data() + track * stride_;
  TrackSums& sums = clip_.sums[track];
  const bool is_counted = track < clip_.rotations;
  const StepSums found =
      SumSteps(steps, kinks, end, is_counted ? &totals_ : nullptr);
  max_steps_[track] = found.max_step;
  min_steps_[track] = found.min_step;
  max_kinks_[track] = found.max_kink;
  max_turns_[track] = found.max_turn;
  turns_[track] = found.turns;
  sums.steps += found.step_roots;
  sums.max_step = std::max(sums.max_step, found.max_step);
  if (found.max_step <= caps_.step && found.max_kink <= caps_.square) {
    sums.capped_steps += found.step_roots;
    sums.capped_kinks += found.kink_roots;
    sums.calm_squares += found.kinks;
    return;
  }
  const CappedSums capped = SumCapped(steps, kinks, end, caps_);
  sums.capped_steps += capped.step_roots;
  sums.capped_kinks += capped.kink_roots;
  sums.calm_squares += capped.kinks;
}

// Keeps the steps and kinks next to both ends of the clip.
void MotionBlocks::KeepEnds(size_t track) {
  const float* steps = steps_.data() + track * stride_ + kLead;
  const float* kinks = kinks_.data() + track * stride_ + kLead;
  TrackSums& sums = clip_.sums[track];
  if (first_ == 0) {
    sums.first_step = steps[1];
    sums.second_step = steps[2];
    sums.first_kink = kinks[1];
  }
  if (!block_.is_last) return;
  sums.last_step = steps[filled_ - 1];
  sums.step_before_last = steps[filled_ - 2];
  sums.last_kink = kinks[filled_ - 2];
}

const MotionBlock* MotionBlocks::Finish(bool is_last) {
  const size_t end =
      StepEnd(static_cast<size_t>(is_last ? filled_ + kAfterEnd : filled_));
  has_finished_ = true;
  Pad(end);
  const bool is_finite = Measure(end);
  if (!is_finite || was_non_finite_) CountNonFinite();
  block_ = {first_,  filled_,    is_last,    stride_,    steps_,     kinks_,
            values_, max_steps_, max_kinks_, min_steps_, max_turns_, turns_,
            ranges_, changes_,   repeats_,   &totals_};
  if (clip_.facts->non_finite_rows > 0) return nullptr;
  std::fill(totals_.steps.begin(), totals_.steps.end(), 0.0F);
  std::fill(totals_.kinks.begin(), totals_.kinks.end(), 0.0F);
  std::fill(totals_.turning.begin(), totals_.turning.end(), 0.0F);
  std::fill(totals_.excess.begin(), totals_.excess.end(), 0.0F);
  std::fill(totals_.jumpers.begin(), totals_.jumpers.end(), 0.0F);
  for (size_t track = 0; track < clip_.tracks.size(); ++track) {
    MeasureTrack(track);
    ComputeSteps(track, end);
    AddSums(track, end);
    KeepEnds(track);
  }
  return &block_;
}

}  // namespace bvhmill
