#include <algorithm>
#include <cmath>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/base/utf8.h"
#include "bvhmill/edit/repair/steps.h"
#include "bvhmill/math/rotation_angle.h"

namespace bvhmill {
namespace {

constexpr double kTurn = 360;
// A jump of an angle by more than half a turn is a wrap if the rotation turns
// by less than this share of it: that of DATA_EULER_FLIP.
constexpr double kLeastTurn = 180;
constexpr double kRotationShare = 0.25;
// Larger steps are no angles: turns could not be counted in single precision.
constexpr double kMostTurn = 1e6;
// Degrees.
constexpr double kMostRounding = 0.002;
// Units of work for a value.
constexpr int64_t kUnwrapWork = 80;

// Unwraps one track, frame after frame.
class Unwrapper {
 public:
  Unwrapper(const Skeleton& skeleton, const JointTrack& track)
      : skeleton_(skeleton), track_(track), turns_(track.columns.size()) {}

  void Take(int64_t frame, std::span<float> row) {
    const bool is_whole = IsFinite(track_, row);
    if (is_whole) {
      ReadValues(track_, row, &raw_);
      if (!before_.empty() && IsWrap()) CountTurns();
      std::swap(before_, raw_);
    }
    // A row that lacks values goes on as the row before.
    for (size_t i = 0; i < turns_.size(); ++i) AddTurns(i, frame, row);
  }

  int64_t values() const { return values_; }
  int64_t first() const { return first_; }
  int64_t last() const { return last_; }

 private:
  bool IsWrap() const {
    double most = 0;
    for (size_t i = 0; i < raw_.size(); ++i) {
      most = std::max(most, std::abs(double{raw_[i]} - before_[i]));
    }
    return most > kLeastTurn && most < kMostTurn &&
           AngleBetween(PoseOf(skeleton_, track_, before_),
                        PoseOf(skeleton_, track_, raw_)) <
               kRotationShare * most;
  }

  void CountTurns() {
    for (size_t i = 0; i < raw_.size(); ++i) {
      const double step = double{raw_[i]} - before_[i];
      turns_[i] -= static_cast<int64_t>(std::round(step / kTurn));
    }
  }

  void AddTurns(size_t i, int64_t frame, std::span<float> row) {
    float& value = row[track_.columns[i]];
    if (turns_[i] == 0 || !std::isfinite(value)) return;
    const double whole = value + kTurn * static_cast<double>(turns_[i]);
    const auto rounded = static_cast<float>(whole);
    // A larger error of single precision would change the pose: the angle
    // begins again, without turns.
    if (!(std::abs(rounded - whole) <= kMostRounding)) {
      turns_[i] = 0;
      return;
    }
    value = rounded;
    if (values_++ == 0) first_ = frame;
    last_ = frame;
  }

  const Skeleton& skeleton_;
  const JointTrack& track_;
  // The values of the frame before and of this one, as they were.
  std::vector<float> before_;
  std::vector<float> raw_;
  // Full turns that are added to each channel.
  std::vector<int64_t> turns_;
  int64_t values_ = 0;
  int64_t first_ = 0;
  int64_t last_ = 0;
};

}  // namespace

absl::Status UnwrapAngles(RepairedClip* repaired) {
  Clip& clip = *repaired->clip;
  for (const JointTrack& track : repaired->tracks) {
    if (track.kind != ChannelKind::kRotation ||
        IsOfEndSite(clip.skeleton, track)) {
      continue;
    }
    BVHMILL_RETURN_IF_ERROR(
        DrawWork(track, clip.motion.frames, kUnwrapWork, repaired->budget));
    Unwrapper unwrapper(clip.skeleton, track);
    for (int64_t t = 0; t < clip.motion.frames; ++t) {
      unwrapper.Take(t, RowAt(&clip, t));
    }
    if (unwrapper.values() == 0) continue;
    repaired->log->Add(
        IssueCode::REPAIR_UNWRAPPED,
        PlaceOf(clip.skeleton, track.node,
                repaired->SourceFrame(unwrapper.first()),
                repaired->SourceFrame(unwrapper.last())),
        {{"joint", Quote(DisplayName(clip.skeleton, track.node))},
         {"values", std::to_string(unwrapper.values())}});
  }
  return absl::OkStatus();
}

}  // namespace bvhmill
