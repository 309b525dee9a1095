#include "bvhmill/validate/motion/motion_block.h"

#include <algorithm>
#include <cmath>

#include "bvhmill/math/sincos.h"
#include "bvhmill/validate/motion/motion_clip.h"

namespace bvhmill {
namespace {

constexpr auto kLead = static_cast<int64_t>(kStepLead);
// A block has at most this many values, or kShortestBlock frames.
constexpr int64_t kBlockValues = 128 * 1024;
constexpr auto kLongestBlock = static_cast<int64_t>(kStepFrames);
constexpr auto kShortestBlock = static_cast<int64_t>(kStepParts);
// Squares of larger positions may overflow. No rule looks at them.
constexpr float kFarthest = 1e15F;
// The least step of a joint that takes part in a cut.
constexpr double kJumperDegrees = 1;

// The index after the frames that are computed for a block of `frames`.
size_t EndFor(int64_t frames) {
  return StepEnd(static_cast<size_t>(frames) + MotionBlock::kFramesAfter);
}

// One vector more than is computed: kernels read the value after the last one.
size_t StrideFor(const MotionClip& clip) {
  return EndFor(BlockFrames(clip)) + kStepParts;
}

}  // namespace

int64_t BlockFrames(const MotionClip& clip) {
  const auto channels = static_cast<int64_t>(clip.ranges.size());
  const int64_t most = kBlockValues / std::max(channels, int64_t{1});
  const int64_t frames = std::clamp(most / kShortestBlock * kShortestBlock,
                                    kShortestBlock, kLongestBlock);
  const int64_t needed =
      (clip.frames + kShortestBlock - 1) / kShortestBlock * kShortestBlock;
  return std::min(frames, std::max(needed, kShortestBlock));
}

int64_t BlockBytes(const MotionClip& clip) {
  const size_t channels = clip.ranges.size();
  const size_t stride = StrideFor(clip);
  const size_t per_channel =
      stride * sizeof(float) + sizeof(ColumnRange) + sizeof(StepColumn);
  constexpr size_t kPerTrack = 2 * kStepLead * sizeof(float);
  return static_cast<int64_t>(channels * per_channel +
                              clip.tracks.size() * kPerTrack +
                              sizeof(BlockReader) + 3 * stride * sizeof(float));
}

void BlockReader::Begin(const MotionClip& clip, int64_t first) {
  clip_ = &clip;
  const size_t channels = clip.ranges.size();
  block_.first = first;
  block_.frames = 0;
  block_.stride = StrideFor(clip);
  block_.values.resize(channels * block_.stride);
  block_.ranges.resize(channels);
  // No frame before the first one is known.
  leads_.assign(clip.tracks.size(), {});
}

bool BlockReader::Read(int64_t frames) {
  block_.first += block_.frames;
  block_.frames = frames;
  block_.is_last = block_.end() == clip_->frames;
  end_ = EndFor(frames);
  ReadValues();
  MeasureColumns(block_.values.data(), block_.ranges.size(), block_.stride,
                 end_, block_.ranges.data());
  return std::all_of(
      block_.ranges.begin(), block_.ranges.end(),
      [](const auto& range) { return std::isfinite(range.largest); });
}

// Frames before the clip repeat its first one, frames after it the last one.
void BlockReader::ReadValues() {
  const size_t width = block_.ranges.size();
  if (width == 0) return;
  const int64_t from = std::max(block_.first - kLead, int64_t{0});
  const int64_t to = std::min(block_.first + static_cast<int64_t>(end_) - kLead,
                              clip_->frames);
  const size_t begin = block_.IndexOf(from);
  const size_t end = block_.IndexOf(to);
  TransposeRows(clip_->Row(from).data(), static_cast<size_t>(to - from), width,
                block_.stride, block_.values.data() + begin);
  for (size_t c = 0; c < width; ++c) {
    float* const array = block_.values.data() + c * block_.stride;
    std::fill_n(array, begin, array[begin]);
    std::fill(array + end, array + std::max(end_, end), array[end - 1]);
  }
}

// The largest |value| that the steps and kinks of the block depend on.
float BlockReader::LargestAt(const TrackColumn& column) const {
  const float* v = block_.ValuesOf(column.column) + kLead;
  const float largest =
      block_.ranges[static_cast<size_t>(column.column)].largest;
  return std::max({largest, std::fabs(v[-1]), std::fabs(v[-2])});
}

// True if all steps and kinks are 0, or if positions are beyond kFarthest,
// where they count as 0.
bool BlockReader::IsConstant(const MotionTrack& track) const {
  const auto columns = clip_->ColumnsOf(track);
  // A kink at the beginning of the block depends on the step before it.
  const auto rests = [this](const TrackColumn& column) {
    const float* v = block_.ValuesOf(column.column) + kLead;
    return v[-1] == v[-2];
  };
  const auto is_far = [this](const TrackColumn& column) {
    return LargestAt(column) > kFarthest;
  };
  return (block_.change == 0 &&
          std::all_of(columns.begin(), columns.end(), rests)) ||
         (track.kind == TrackKind::kPosition &&
          std::any_of(columns.begin(), columns.end(), is_far));
}

void BlockReader::ComputeSteps(const MotionTrack& track) {
  const auto columns = clip_->ColumnsOf(track);
  const bool is_rotation = track.kind == TrackKind::kRotation;
  columns_.clear();
  reduced_.resize(columns.size() * block_.stride);
  for (const TrackColumn& column : columns) {
    const float* values = block_.ValuesOf(column.column);
    const float* const lead = values + kLead;
    float largest = LargestAt(column);
    const float change =
        std::max(block_.ranges[static_cast<size_t>(column.column)].change,
                 std::fabs(lead[-1] - lead[-2]));
    if (is_rotation && largest > kMaxSinCosDegrees) {
      constexpr float kTwoTurns = 720;
      float* const out = reduced_.data() + columns_.size() * block_.stride;
      std::transform(values, values + end_, out,
                     [](float v) { return std::fmod(v, kTwoTurns); });
      values = out;
      largest = kTwoTurns;
    }
    columns_.push_back({values, column.axis, largest, change});
  }
  (is_rotation ? RotationSteps : PositionSteps)(
      columns_, end_, block_.steps.data(), block_.kinks.data());
}

void BlockReader::ReadTrack(size_t track) {
  const MotionTrack& which = clip_->tracks[track];
  block_.track = track;
  block_.change = 0;
  for (const TrackColumn& column : clip_->ColumnsOf(which)) {
    const auto c = static_cast<size_t>(column.column);
    block_.change = std::max(block_.change, block_.ranges[c].change);
  }
  auto& steps = block_.steps;
  auto& kinks = block_.kinks;
  Lead& lead = leads_[track];
  std::copy(lead.steps.begin(), lead.steps.end(), steps.begin());
  std::copy(lead.kinks.begin(), lead.kinks.end(), kinks.begin());
  if (IsConstant(which)) {
    std::fill(steps.begin() + kLead, steps.end(), 0.0F);
    std::fill(kinks.begin() + kLead - 1, kinks.end(), 0.0F);
  } else {
    ComputeSteps(which);
    steps[end_] = kinks[end_] = 0;
    // Neither the first nor the last frame of a clip has two neighbours.
    if (block_.first == 0) kinks[kLead - 1] = kinks[kLead] = 0;
    const size_t last = block_.IndexOf(clip_->frames - 1);
    if (last < end_) kinks[last] = 0;
  }
  std::copy_n(steps.begin() + block_.frames, kLead, lead.steps.begin());
  std::copy_n(kinks.begin() + block_.frames, kLead, lead.kinks.begin());
}

void BlockReader::Sum(const StepTotals* totals) {
  block_.sums = SumSteps(block_.steps.data(), block_.kinks.data(),
                         StepEnd(static_cast<size_t>(block_.frames)),
                         block_.roots.data(), totals);
}

void BlockReader::AddCapped(TrackSums* sums) const {
  static const StepCaps caps = {StepOf(kCapDegrees), KinkOf(kCapDegrees),
                                KinkOf(kCalmDegrees)};
  const StepSums& found = block_.sums;
  if (found.max_step <= caps.step && found.max_kink <= caps.square) {
    sums->capped_steps += found.step_roots;
    sums->capped_kinks += found.kink_roots;
    sums->calm_squares += found.kinks;
    return;
  }
  const CappedSums capped =
      SumCapped(block_.steps.data(), block_.kinks.data(),
                StepEnd(static_cast<size_t>(block_.frames)), caps);
  sums->capped_steps += capped.step_roots;
  sums->capped_kinks += capped.kink_roots;
  sums->calm_squares += capped.kinks;
}

// Keeps the steps and kinks next to both ends of the clip.
void BlockReader::KeepEnds(TrackSums* sums) const {
  const float* steps = block_.steps.data() + kLead;
  const float* kinks = block_.kinks.data() + kLead;
  if (block_.first == 0) {
    std::copy_n(steps, sums->first_steps.size(), sums->first_steps.data());
    sums->first_kink = kinks[1];
  }
  if (!block_.is_last) return;
  const int64_t frames = block_.frames;
  sums->last_step = steps[frames - 1];
  sums->step_before_last = steps[frames - 2];
  sums->last_kink = kinks[frames - 2];
}

void BlockReader::Sum() { Sum(nullptr); }

void BlockReader::SumInto(TrackSums* sums, FrameTotals* totals) {
  // Index 0 of the block is frame first - kStepLead.
  static_assert(FrameTotals::kMargin == kStepLead);
  const auto at = [&](std::vector<float>& values) {
    return values.data() + block_.first;
  };
  const StepTotals own = {totals->max_kink,    StepOf(kJumperDegrees),
                          at(totals->steps),   at(totals->kinks),
                          at(totals->turning), at(totals->excess),
                          at(totals->jumpers)};
  Sum(block_.track < clip_->rotations ? &own : nullptr);
  sums->steps += block_.sums.step_roots;
  sums->max_step = std::max(sums->max_step, block_.sums.max_step);
  sums->max_kink = std::max(sums->max_kink, block_.sums.max_kink);
  AddCapped(sums);
  KeepEnds(sums);
}

}  // namespace bvhmill
