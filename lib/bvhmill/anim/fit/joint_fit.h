#pragma once

// Makes the keys of the avatar's joints, one joint after the other. Private to
// anim/.

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/anim/avatar/avatar_drive.h"
#include "bvhmill/anim/avatar/drive_curves.h"
#include "bvhmill/anim/clip_to_anim.h"
#include "bvhmill/anim/fit/curve_fit.h"
#include "bvhmill/base/held_memory.h"
#include "bvhmill/base/work_meter.h"

namespace bvhmill {

// A curve for which no keys are within the bound.
struct Missed {
  int32_t node = 0;
  // The frame with the largest error, counted from the first played frame.
  int64_t frame = 0;
  float error = 0;
  float bound = 0;
  const char* unit = "";
};

struct FitBounds {
  float degrees = 0;
  float millimetres = 0;
};

struct FittedJoint {
  AnimJoint joint;
  // True if the rotation is not the rest rotation in all frames.
  bool turns = false;
  // The largest errors over all frames.
  float degrees = 0;
  float millimetres = 0;
  // The number of values that were not finite, and of positions out of range. A
  // value that both the rotation and the position need counts twice.
  int64_t repaired = 0;
  int64_t clamped = 0;
  // The largest distance of the position along an axis before clamping, in
  // metres.
  float farthest = 0;
  // How far the joint moves in its parent along an axis, in millimetres, if its
  // positions were left out.
  float left_out = 0;
  std::vector<Missed> missed;
};

// The motion that is fitted. All of it must outlive the fit.
struct FitSource {
  const PlayedFrames& frames;
  const FrameTimes& times;
  const AvatarDrive& drive;
  const ClipToAnimOptions& options;
};

// Fits joints, for one thread at a time. Draws work, and the memory of steps
// and keys, from a budget. The caller draws the memory of arrays with an entry
// for each frame.
class JointFit {
 public:
  // `budget` may be null.
  JointFit(const FitSource& source, Budget* budget)
      : source_(source), memory_(budget), key_memory_(budget) {
    workspace_.work = WorkMeter(budget);
  }

  // Sets `fitted`. Fails with the errors of the budget. Cost: that of the
  // curves (drive_curves.h) and of their keys (curve_fit.h).
  absl::Status Fit(const DrivenJoint& driven, bool is_pelvis,
                   const FitBounds& bounds, FittedJoint* fitted);

  // The drawn memory of keys: Drop and DropAll give it back, for one joint or
  // for all; LeaveKeys leaves it drawn, and the caller gives it back.
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
