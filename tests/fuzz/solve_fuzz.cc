// Every target of forward kinematics gives the poses of the reference, for any
// skeleton and any values.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "bvhmill/kinematics/fk_job.h"

namespace {

using bvhmill::Clip;
using bvhmill::FkJob;
using bvhmill::FkTarget;
using bvhmill::Plan;

void Require(bool holds) {
  if (!holds) std::abort();
}

// Takes numbers from the bytes as long as there are any, then zeros.
class Bytes {
 public:
  Bytes(const uint8_t* data, size_t size) : data_(data), size_(size) {}
  uint8_t Next() {
    if (at_ == size_) return 0;
    return data_[at_++];
  }
  // Of any magnitude that the bounds are stated for: within 1e6.
  float NextValue() {
    int16_t mantissa = static_cast<int16_t>(Next() << 8);
    mantissa = static_cast<int16_t>(mantissa | Next());
    constexpr float kScales[] = {1.0F / 256, 1.0F / 16, 1, 30};
    return static_cast<float>(mantissa) * kScales[Next() % 4];
  }

 private:
  const uint8_t* data_;
  size_t size_;
  size_t at_ = 0;
};

Clip MakeClip(Bytes* bytes) {
  Clip clip;
  const int nodes = 1 + bytes->Next() % 40;
  for (int i = 0; i < nodes; ++i) {
    bvhmill::Node node;
    node.parent = i == 0 ? -1 : bytes->Next() % (i + 1) - 1;
    node.kind = node.parent < 0          ? bvhmill::NodeKind::kRoot
                : bytes->Next() % 5 == 0 ? bvhmill::NodeKind::kEndSite
                                         : bvhmill::NodeKind::kJoint;
    // What hangs below an end site hangs below its joint.
    while (node.parent >= 0 &&
           IsEndSite(clip.skeleton.nodes[static_cast<size_t>(node.parent)])) {
      node.parent =
          clip.skeleton.nodes[static_cast<size_t>(node.parent)].parent;
    }
    for (float& x : node.offset) x = bytes->NextValue();
    node.first_channel = static_cast<int32_t>(clip.skeleton.channels.size());
    node.channel_count = IsEndSite(node) ? 0 : bytes->Next() % 7;
    for (int c = 0; c < node.channel_count; ++c) {
      clip.skeleton.channels.push_back(
          static_cast<bvhmill::Channel>(bytes->Next() % 9));
    }
    clip.skeleton.nodes.push_back(node);
  }
  clip.motion.frames = 1 + bytes->Next() % 40;
  clip.motion.values.resize(clip.skeleton.channels.size() *
                            static_cast<size_t>(clip.motion.frames));
  for (float& value : clip.motion.values) value = bytes->NextValue();
  return clip;
}

std::vector<float> Solve(FkJob job, FkTarget target, size_t size,
                         std::span<float> FkJob::*output) {
  std::vector<float> out(size, NAN);
  job.target = target;
  job.*output = out;
  Require(job.Validate().ok());
  job.Run();
  return out;
}

// The longest way from a root to a node: errors are in parts of it.
double SizeOf(const Clip& clip) {
  double size = 1;
  for (const bvhmill::Node& node : clip.skeleton.nodes) {
    for (const float x : node.offset) size += std::abs(x);
  }
  double largest = 0;
  for (const float x : clip.motion.values) {
    largest = std::max(largest, std::abs(static_cast<double>(x)));
  }
  return size + largest * 3 * static_cast<double>(clip.skeleton.nodes.size());
}

// A quaternion whose w is near 0 may have the other sign.
bool AreNear(const FkJob& job, const std::vector<float>& a,
             const std::vector<float>& b, double bound,
             std::span<float> FkJob::*output) {
  const bool is_quaternion =
      output != &FkJob::positions &&
      job.rotation_kind == bvhmill::RotationKind::kQuaternion;
  const size_t step = is_quaternion ? 4 : 1;
  for (size_t i = 0; i < a.size(); i += step) {
    double same = 0;
    double other = is_quaternion ? 0 : 2 * bound;
    for (size_t k = i; k < i + step; ++k) {
      same = std::max(same, std::abs(double{a[k]} - double{b[k]}));
      other = std::max(other, std::abs(double{a[k]} + double{b[k]}));
    }
    if (std::min(same, other) > bound) return false;
  }
  return true;
}

void Compare(const FkJob& job, size_t size, double bound,
             std::span<float> FkJob::*output) {
  const std::vector<float> twin =
      Solve(job, FkTarget::kReference, size, output);
  for (const FkTarget target :
       {FkTarget::kVector128, FkTarget::kAvx2, FkTarget::kAvx512}) {
    if (!bvhmill::IsSupported(target)) continue;
    const std::vector<float> fast = Solve(job, target, size, output);
    Require(AreNear(job, fast, twin, bound, output));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Bytes bytes(data, size);
  const uint8_t choice = bytes.Next();
  const Clip clip = MakeClip(&bytes);
  bvhmill::Conventions conventions;
  conventions.joint_positions =
      static_cast<bvhmill::JointPositions>(choice / 2 % 3);
  const Plan plan = MakePlan(clip.skeleton, conventions);
  FkJob job;
  job.plan = &plan;
  job.frames = clip.motion.frames;
  job.values = clip.motion.values;
  job.with_end_sites = choice % 2 == 1;
  job.layout = choice / 8 % 2 == 1 ? bvhmill::TensorLayout::kJointMajor
                                   : bvhmill::TensorLayout::kFrameMajor;
  job.rotation_kind = static_cast<bvhmill::RotationKind>(choice / 16 % 3);
  const auto rows =
      static_cast<size_t>(job.frames * RowsOf(plan, job.with_end_sites));
  const auto width = static_cast<size_t>(WidthOf(job.rotation_kind));
  Compare(job, rows * 3, 1e-6 * SizeOf(clip), &FkJob::positions);
  // Each rotation on the way adds its rounding.
  const double bound = 4e-6 + 2e-7 * static_cast<double>(plan.steps.size());
  Compare(job, rows * width, bound, &FkJob::world_rotations);
  Compare(job, rows * width, bound, &FkJob::local_rotations);
  return 0;
}
