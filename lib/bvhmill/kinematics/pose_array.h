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
  // The kinds below are made of those above: see rotation_kinds.h.
  kQuaternionWxyz,  // w >= 0
  // The axis times the angle in radians, 0 to pi.
  kRotationVector,
  // Three angles in degrees. The first letter is the outermost rotation, as
  // that of the channels of BVH. Angles go on from frame to frame: of all equal
  // triples, each is the one nearest to that of the frame before.
  kEulerXyz,
  kEulerXzy,
  kEulerYxz,
  kEulerYzx,
  kEulerZxy,
  kEulerZyx,
};

constexpr bool IsEuler(RotationKind kind) {
  return kind >= RotationKind::kEulerXyz;
}

// Number of components of a rotation.
constexpr int64_t WidthOf(RotationKind kind) {
  switch (kind) {
    case RotationKind::kQuaternion:
    case RotationKind::kQuaternionWxyz:
      return 4;
    case RotationKind::kMatrix:
      return 9;
    case RotationKind::kSixD:
      return 6;
    default:
      return 3;
  }
}

}  // namespace bvhmill
