#pragma once

// Makes the keys of the avatar's joints, one joint after the other:
//
//   JointFit fit({frames, times, drive, options}, &budget);
//   FittedJoint fitted;
//   BVHMILL_RETURN_IF_ERROR(fit.Fit(driven, is_pelvis, bounds, &fitted));

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/anim/avatar/drive.h"
#include "bvhmill/anim/clip_to_anim.h"
#include "bvhmill/anim/fit/curve_fit.h"
#include "bvhmill/base/budget.h"

namespace bvhmill {

// The motion that the keys are fitted to. The objects that it refers to must
// outlive the JointFit.
struct FitSource {
  const PlayedFrames& frames;
  const FrameTimes& times;
  const AvatarDrive& drive;
  const ClipToAnimOptions& options;
};

// The largest errors that the keys may have.
struct FitBounds {
  float degrees = 0;
  float millimetres = 0;
};

// A curve that no keys fit within its bound. A bound of 0 is never missed.
struct Missed {
  int32_t node = 0;
  // The frame with the largest error, counted from the first played frame.
  int64_t frame = 0;
  float error = 0;
  float bound = 0;
  // Begins with a space.
  const char* unit = "";
};

struct FittedJoint {
  AnimJoint joint;
  // True if in at least one frame the rotation differs from the rest rotation
  // by more than options.max_degrees, or by more than 1 degree.
  bool turns = false;
  // The largest errors over all frames.
  float degrees = 0;
  float millimetres = 0;
  // `repaired`: how many values were not finite. `clamped`: how many
  // coordinates of positions were out of range. A value that both the rotation
  // and the position use counts twice.
  int64_t repaired = 0;
  int64_t clamped = 0;
  // The largest distance of the position along an axis before clamping, in
  // metres.
  float farthest = 0;
  // If the joint moves in its parent but gets no positions: the largest range
  // of its position along an axis, in millimetres. Else 0.
  float left_out = 0;
  std::vector<Missed> missed;
};

// Used by one thread at a time. Draws work, and the memory of steps and keys,
// from the budget. The caller draws the memory of arrays with an entry for each
// frame (kClipToAnimFrameBytes).
class JointFit {
 public:
  // `budget` may be null.
  JointFit(const FitSource& source, Budget* budget)
      : source_(source), memory_(budget), key_memory_(budget) {
    workspace_.work = WorkMeter(budget);
  }

  // Fits the keys of one joint and sets `fitted`. An error is one of the
  // budget; `fitted` is then incomplete. Cost: that of the curves
  // (avatar/drive.h) and of their keys (curve_fit.h).
  absl::Status Fit(const DrivenJoint& driven, bool is_pelvis,
                   const FitBounds& bounds, FittedJoint* fitted);

  // Drop and DropAll return the memory of the keys of one joint, or of all, to
  // the budget. After LeaveKeys it stays drawn, and the caller must return it
  // to the budget.
  void Drop(const AnimJoint& joint);
  void DropAll() { key_memory_.GiveBack(key_memory_.bytes()); }
  void LeaveKeys() { key_memory_.Leave(); }

  WorkMeter& work() { return workspace_.work; }

 private:
  absl::Status FindSteps(const DrivenJoint& driven);
  absl::Status HoldKeys();
  void HoldOnly(const std::vector<AnimKey>& keys);
  int64_t MaxKeyBytes() const;
  absl::Status AddRotations(const DrivenJoint& driven, float max_degrees,
                            FittedJoint* fitted);
  bool LeavesRest() const;
  bool HasPosition(int32_t node) const;
  bool FillPosition(const DrivenJoint& driven, bool is_pelvis,
                    FittedJoint* fitted);
  float RangeOfPosition() const;
  absl::Status AddPositions(const DrivenJoint& driven, float max_mm,
                            FittedJoint* fitted);
  int64_t ClampPositions(float* farthest);

  FitSource source_;
  std::vector<DriveStep> steps_;
  RotationCurve rotation_;
  PositionCurve position_;
  FitWorkspace workspace_;
  HeldMemory memory_;
  HeldMemory key_memory_;
};

}  // namespace bvhmill
