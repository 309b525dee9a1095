// Every target of forward kinematics gives the poses of the reference, for any
// skeleton and any values.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "bvhmill/clip/clip.h"
#include "bvhmill/kinematics/fk_job.h"

namespace {

using bvhmill::Clip;
using bvhmill::FkJob;
using bvhmill::FkTarget;
using bvhmill::Plan;

// Errors of positions in parts of the size of the figure
// (docs/conventions.md, section 1).
constexpr double kPositionBound = 1e-6;

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
  // A value of any magnitude for which the bounds hold: within 1e6.
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
    // Children of an end site become children of its joint.
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

// The length that one node adds to the path from its root to the nodes below
// it: its OFFSET, and the values of its position channels in `row`.
double LengthOf(const Clip& clip, const bvhmill::Node& node, const float* row) {
  double length = std::hypot(node.offset[0], node.offset[1], node.offset[2]);
  const auto first = static_cast<size_t>(node.first_channel);
  for (size_t i = first; i < first + static_cast<size_t>(node.channel_count);
       ++i) {
    const bool counts = IsPosition(clip.skeleton.channels[i]);
    length += counts ? std::abs(double{row[i]}) : 0;
  }
  return length;
}

// The longest path from the origin to a node in each frame. Errors of positions
// are relative to it, for any angles.
std::vector<double> SizesOf(const Clip& clip) {
  std::vector<double> sizes;
  std::vector<double> way(clip.skeleton.nodes.size());
  for (int64_t frame = 0; frame < clip.motion.frames; ++frame) {
    const float* row =
        clip.motion.values.data() +
        static_cast<size_t>(frame) * clip.skeleton.channels.size();
    double size = 0;
    for (size_t i = 0; i < way.size(); ++i) {
      const bvhmill::Node& node = clip.skeleton.nodes[i];
      way[i] = LengthOf(clip, node, row);
      if (node.parent >= 0) way[i] += way[static_cast<size_t>(node.parent)];
      size = std::max(size, way[i]);
    }
    sizes.push_back(size);
  }
  return sizes;
}

// False if one of them is NaN.
bool IsWithin(double a, double b, double bound) {
  return std::abs(a - b) <= bound;
}

// True if `width` numbers are equal within `bound`. A quaternion whose w is
// near 0 may have the other sign.
bool AreNear(const float* a, const float* b, size_t width, bool is_quaternion,
             double bound) {
  bool same = true;
  bool other = is_quaternion;
  for (size_t k = 0; k < width; ++k) {
    same = same && IsWithin(a[k], b[k], bound);
    other = other && IsWithin(a[k], -double{b[k]}, bound);
  }
  return same || other;
}

struct Output {
  std::span<float> FkJob::*span;
  size_t width = 3;
  bool is_quaternion = false;
};

// `bounds` has one bound for each frame.
void Compare(const FkJob& job, const Output& output,
             const std::vector<double>& bounds) {
  const auto rows = static_cast<size_t>(RowsOf(*job.plan, job.with_end_sites));
  const size_t frames = bounds.size();
  const size_t size = rows * frames * output.width;
  const std::vector<float> twin =
      Solve(job, FkTarget::kReference, size, output.span);
  const bool by_joint = job.layout == bvhmill::TensorLayout::kJointMajor;
  for (const FkTarget target :
       {FkTarget::kVector128, FkTarget::kAvx2, FkTarget::kAvx512}) {
    if (!bvhmill::IsSupported(target)) continue;
    const std::vector<float> fast = Solve(job, target, size, output.span);
    for (size_t i = 0; i < rows * frames; ++i) {
      const size_t frame = by_joint ? i % frames : i / rows;
      const size_t at = i * output.width;
      Require(AreNear(&fast[at], &twin[at], output.width, output.is_quaternion,
                      bounds[frame]));
    }
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
  std::vector<double> sizes = SizesOf(clip);
  for (double& size : sizes) size *= kPositionBound;
  Compare(job, {&FkJob::positions}, sizes);
  const auto width = static_cast<size_t>(WidthOf(job.rotation_kind));
  const bool is_quaternion =
      job.rotation_kind == bvhmill::RotationKind::kQuaternion;
  // Each rotation on the way adds its rounding.
  const std::vector<double> bounds(
      sizes.size(), 4e-6 + 2e-7 * static_cast<double>(plan.steps.size()));
  Compare(job, {&FkJob::world_rotations, width, is_quaternion}, bounds);
  Compare(job, {&FkJob::local_rotations, width, is_quaternion}, bounds);
  return 0;
}
