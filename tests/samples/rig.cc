#include "tests/samples/rig.h"

#include <cmath>
#include <utility>
#include <vector>

namespace bvhmill::samples {
namespace {

// The bone of a joint: to its first child, or to its end site.
Vec3 BoneOf(const std::vector<Joint>& joints, size_t joint) {
  for (const Joint& child : joints) {
    if (child.parent == static_cast<int>(joint)) return child.offset;
  }
  return joints[joint].end_site.value_or(Vec3{1, 0, 0});
}

Mat3 AlongBone(const Vec3& bone, bool is_right) {
  const Vec3 x = Normalized(is_right ? -1 * bone : bone);
  const Vec3 other = std::fabs(x.z) < 0.9 ? Vec3{0, 0, 1} : Vec3{0, 1, 0};
  const Vec3 y = Normalized(Cross(other, x));
  return FromColumns(x, y, Cross(x, y));
}

Mat3 AnyAxes(size_t joint) {
  const auto number = static_cast<double>(joint);
  return RotateX(40 + 97 * number) * RotateY(70 + 61 * number) *
         RotateZ(10 + 143 * number);
}

// Turns about Z: in the rest pose bones are turned back by them.
Mat3 SpreadAxes(const std::string& name) {
  const bool is_left = name.starts_with("Left");
  const bool is_limb = is_left || name.starts_with("Right");
  if (!is_limb || name.ends_with("Shoulder")) return {};
  const bool is_leg = name.ends_with("Leg") || name.ends_with("Foot") ||
                      name.ends_with("ToeBase");
  const double degrees = is_leg ? -20 : 70;
  return RotateZ(is_left ? degrees : -degrees);
}

std::vector<Mat3> MakeAxes(const std::vector<Joint>& joints, Axes axes) {
  std::vector<Mat3> all(joints.size());
  for (size_t i = 0; i < joints.size(); ++i) {
    if (axes == Axes::kAny) all[i] = AnyAxes(i);
    if (axes == Axes::kSpread) all[i] = SpreadAxes(joints[i].name);
    if (axes == Axes::kAlongBones) {
      all[i] =
          AlongBone(BoneOf(joints, i), joints[i].name.starts_with("Right"));
    }
  }
  return all;
}

// The axes of the parent of a joint; those of the world for a root.
Mat3 ParentAxes(const std::vector<Joint>& joints, size_t joint,
                const std::vector<Mat3>& axes) {
  const int parent = joints[joint].parent;
  return parent < 0 ? Mat3() : axes[static_cast<size_t>(parent)];
}

}  // namespace

Take OnRig(const Take& take, const std::map<std::string, std::string>& names,
           Axes axes) {
  const std::vector<Mat3> turns = MakeAxes(take.joints, axes);
  Take out = take;
  for (size_t i = 0; i < out.joints.size(); ++i) {
    Joint& joint = out.joints[i];
    const auto name = names.find(joint.name);
    if (name != names.end()) joint.name = name->second;
    joint.channels = joint.parent < 0 ? "xyzZXY" : "ZXY";
    joint.offset = Transposed(ParentAxes(take.joints, i, turns)) * joint.offset;
    if (joint.end_site) joint.end_site = Transposed(turns[i]) * *joint.end_site;
  }
  out.pose = [joints = take.joints, pose = take.pose, turns](double seconds) {
    Pose now = pose(seconds);
    for (size_t i = 0; i < joints.size(); ++i) {
      const Mat3 parent = Transposed(ParentAxes(joints, i, turns));
      now.rotations[i] = parent * now.rotations[i] * turns[i];
      now.positions[i] = parent * now.positions[i];
    }
    return now;
  };
  return out;
}

Take From(const Take& take, int first) {
  Take out = take;
  const double start = first * take.frame_time;
  out.frames = take.frames - first;
  out.pose = [pose = take.pose, start](double seconds) {
    return pose(start + seconds);
  };
  return out;
}

}  // namespace bvhmill::samples
