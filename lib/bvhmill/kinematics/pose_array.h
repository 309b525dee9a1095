#pragma once

// The layout of poses in arrays of floats: the order of frames and joints, and
// the components of a rotation.

#include <cstdint>

namespace bvhmill {

enum class TensorLayout {
  kFrameMajor,  // (frame, joint, component)
  kJointMajor,  // (joint, frame, component)
};

enum class RotationKind {
  kQuaternion,  // xyzw, w >= 0
  kMatrix,      // 3x3, row-major
  // The first two columns of the matrix, one after the other (Zhou et al. 2019,
  // "On the Continuity of Rotation Representations in Neural Networks").
  kSixD,
};

// Number of components of a rotation.
constexpr int64_t WidthOf(RotationKind kind) {
  switch (kind) {
    case RotationKind::kQuaternion:
      return 4;
    case RotationKind::kMatrix:
      return 9;
    case RotationKind::kSixD:
      break;
  }
  return 6;
}

}  // namespace bvhmill
