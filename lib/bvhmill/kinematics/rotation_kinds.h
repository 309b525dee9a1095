#pragma once

// Rotations of the kinds that FkJob does not solve, made of one that it does:
//
//   RotationConverter converter(kind, rows);
//   job.rotation_kind = SolvedKind(kind);
//   job.target = SolvedBy(kind);
//   job.Run();
//   converter.Convert(frames, solved, out);  // part by part, in order

#include <cstdint>
#include <span>
#include <vector>

#include "bvhmill/kinematics/fk_job.h"
#include "bvhmill/kinematics/pose_array.h"
#include "bvhmill/math/euler.h"

namespace bvhmill {

// The kind that FkJob solves for `kind`, and how. Angles are made of matrices
// in double precision: where two axes almost coincide, they magnify each error.
RotationKind SolvedKind(RotationKind kind);
FkTarget SolvedBy(RotationKind kind);

// Converts the rotations of a clip, part by part, in the order of its frames.
// Used by one thread at a time.
class RotationConverter {
 public:
  // `rows`: those of a frame.
  RotationConverter(RotationKind kind, int64_t rows);

  // Converts the rotations of the next frames. `solved` has kind SolvedKind and
  // is frame-major. `out` is the part of these frames, or with kJointMajor the
  // array of all `array_frames` frames. A rotation with NaN is NaN, and does
  // not affect others. O(frames x rows).
  void Convert(int64_t frames, std::span<const float> solved,
               std::span<float> out);
  void ConvertJointMajor(int64_t frames, std::span<const float> solved,
                         int64_t array_frames, std::span<float> out);

 private:
  void ConvertOne(size_t row, const float* solved, float* out);

  RotationKind kind_;
  size_t rows_;
  size_t solved_width_;
  size_t width_;
  // Frames that are converted.
  int64_t done_ = 0;
  // The angles of each row in the frame before.
  std::vector<EulerAngles> near_;
};

}  // namespace bvhmill
