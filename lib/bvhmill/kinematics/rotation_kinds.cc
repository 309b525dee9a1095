#include "bvhmill/kinematics/rotation_kinds.h"

#include <algorithm>
#include <cmath>

namespace bvhmill {
namespace {

EulerAxes AxesOf(RotationKind kind) {
  switch (kind) {
    case RotationKind::kEulerXyz:
      return {0, 1, 2};
    case RotationKind::kEulerXzy:
      return {0, 2, 1};
    case RotationKind::kEulerYxz:
      return {1, 0, 2};
    case RotationKind::kEulerYzx:
      return {1, 2, 0};
    case RotationKind::kEulerZyx:
      return {2, 1, 0};
    default:
      return {2, 0, 1};
  }
}

// `q` is x y z w with w >= 0.
void StoreVector(const float* q, float* out) {
  const double sine = std::hypot(double{q[0]}, double{q[1]}, double{q[2]});
  // sin(a / 2) is a / 2 for small angles.
  const double scale =
      sine < 1e-12 ? 2 : 2 * std::atan2(sine, double{q[3]}) / sine;
  for (size_t k = 0; k < 3; ++k) out[k] = static_cast<float>(q[k] * scale);
}

void StoreEuler(RotationKind kind, const float* m, EulerAngles* near,
                float* out) {
  Mat3<double> matrix;
  for (size_t i = 0; i < 3; ++i) {
    for (size_t k = 0; k < 3; ++k) matrix[i][k] = m[i * 3 + k];
  }
  const EulerAngles angles = ToEuler(AxesOf(kind), matrix, *near);
  for (size_t k = 0; k < 3; ++k) out[k] = static_cast<float>(angles[k]);
  // A frame with NaN must not affect later frames.
  if (std::isfinite(angles[0] + angles[1] + angles[2])) *near = angles;
}

}  // namespace

RotationKind SolvedKind(RotationKind kind) {
  switch (kind) {
    case RotationKind::kQuaternion:
    case RotationKind::kMatrix:
    case RotationKind::kSixD:
      return kind;
    case RotationKind::kQuaternionWxyz:
    case RotationKind::kRotationVector:
      return RotationKind::kQuaternion;
    default:
      return RotationKind::kMatrix;
  }
}

FkTarget SolvedBy(RotationKind kind) {
  return IsEuler(kind) ? FkTarget::kReference : BestFkTarget();
}

RotationConverter::RotationConverter(RotationKind kind, int64_t rows)
    : kind_(kind),
      rows_(static_cast<size_t>(rows)),
      solved_width_(static_cast<size_t>(WidthOf(SolvedKind(kind)))),
      width_(static_cast<size_t>(WidthOf(kind))) {
  if (IsEuler(kind)) near_.resize(rows_);
}

void RotationConverter::ConvertOne(size_t row, const float* solved,
                                   float* out) {
  switch (kind_) {
    case RotationKind::kQuaternion:
    case RotationKind::kMatrix:
    case RotationKind::kSixD:
      std::copy_n(solved, width_, out);
      return;
    case RotationKind::kQuaternionWxyz:
      out[0] = solved[3];
      std::copy_n(solved, 3, out + 1);
      return;
    case RotationKind::kRotationVector:
      return StoreVector(solved, out);
    default:
      return StoreEuler(kind_, solved, &near_[row], out);
  }
}

void RotationConverter::Convert(int64_t frames, std::span<const float> solved,
                                std::span<float> out) {
  const float* from = solved.data();
  float* to = out.data();
  for (int64_t frame = 0; frame < frames; ++frame) {
    for (size_t row = 0; row < rows_; ++row) {
      ConvertOne(row, from, to);
      from += solved_width_;
      to += width_;
    }
  }
  done_ += frames;
}

void RotationConverter::ConvertJointMajor(int64_t frames,
                                          std::span<const float> solved,
                                          int64_t array_frames,
                                          std::span<float> out) {
  const float* from = solved.data();
  for (int64_t frame = done_; frame < done_ + frames; ++frame) {
    for (size_t row = 0; row < rows_; ++row) {
      const size_t at =
          row * static_cast<size_t>(array_frames) + static_cast<size_t>(frame);
      ConvertOne(row, from, &out[at * width_]);
      from += solved_width_;
    }
  }
  done_ += frames;
}

}  // namespace bvhmill
