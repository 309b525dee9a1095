#pragma once

// The row observers of a conversion, and the positions that they ask for.
// Private to pipeline/.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/base/uninitialized.h"
#include "bvhmill/pipeline/internal/compiled_skeleton.h"
#include "bvhmill/pipeline/options.h"
#include "bvhmill/validate/measure/clip_measurer.h"
#include "bvhmill/validate/row_observer.h"

namespace bvhmill {

// Kept from clip to clip. Begin, then Add for all rows in order, then Finish.
// One thread at a time.
class RowObservers {
 public:
  RowObservers() : observers_(MakeRowObservers()) {}

  // Adds an observer that is not in the table. For tests.
  void AddObserver(std::unique_ptr<RowObserver> observer) {
    observers_.push_back(std::move(observer));
  }
  // Sets whether the next clips are measured, too. Before Begin.
  void SetMeasures(bool measures) { measures_ = measures; }
  // The measures of the clip, after Finish; nullopt if it was not measured.
  std::optional<ClipMeasures> Measures() const;
  // An observer needs the positions of all nodes.
  bool NeedsPositions() const;

  // Starts a clip. `compiled`, with a plan if positions are needed, and
  // `options` stay until Finish. Draws the memory of the observers and that of
  // positions.
  absl::Status Begin(const CompiledSkeleton& compiled,
                     const ConvertOptions& options, double frame_time,
                     Budget* budget);
  // Passes on the next rows.
  void Add(int64_t frames, std::span<const float> values);
  // Bytes of memory that the observers keep for the next clip, at most.
  size_t KeptBytes() const { return static_cast<size_t>(kept_bytes_); }
  // Logs what the observers found. All rows are good.
  void Finish(IssueLog* log);

 private:
  // Frames at most, but at least one, whose positions are solved at once; whose
  // landmarks are; and that observers get at once.
  int64_t MaxSolved() const;
  int64_t MaxJudged() const;
  int64_t MaxPassed() const;
  // The positions of all nodes in the frames, if an observer needs them.
  std::span<const float> SolvePositions(int64_t frames,
                                        std::span<const float> values);
  // Solves the landmarks of those of the next frames that are judged.
  void SolveLandmarks(int64_t frames, std::span<const float> values);
  void Pass(int64_t frames, std::span<const float> values);

  // Calls body(observer) for those that this clip needs, in order: the measurer
  // last. It uses what the rules about data find.
  template <class Body>
  void ForEach(Body body) const {
    for (const auto& observer : observers_) {
      if (lists_data_ || !observer->IsAboutDataOnly()) body(observer.get());
    }
    if (measures_) body(measurer_.get());
  }
  // Draws the work of measuring `frames` frames. False: the limit is reached,
  // and the clip will be refused.
  bool DrawMeasures(int64_t frames);

  std::vector<std::unique_ptr<RowObserver>> observers_;
  std::unique_ptr<ClipMeasurer> measurer_ = std::make_unique<ClipMeasurer>();
  bool measures_ = false;
  Budget* budget_ = nullptr;
  // The budget has refused the work of measuring.
  bool has_failed_ = false;
  // The report lists issues about data, or measures need what they find.
  bool lists_data_ = true;
  const CompiledSkeleton* compiled_ = nullptr;
  int64_t frames_ = 0;
  int64_t landmark_step_ = 1;
  // As in ObservedRows.
  UninitializedVector<float> positions_;
  UninitializedVector<float> landmarks_;
  // The scratch memory of kinematics.
  UninitializedVector<float> scratch_;
  Thresholds thresholds_;
  MotionFacts motion_;
  int64_t kept_bytes_ = 0;
};

}  // namespace bvhmill
