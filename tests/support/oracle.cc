#include "tests/support/oracle.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace bvhmill::testing {
namespace {

Matrix4 IdentityMatrix() {
  Matrix4 m;
  for (int i = 0; i < 4; ++i) m.at[i][i] = 1;
  return m;
}

Matrix4 Product(const Matrix4& a, const Matrix4& b) {
  Matrix4 m;
  for (int row = 0; row < 4; ++row) {
    for (int column = 0; column < 4; ++column) {
      double sum = 0;
      for (int k = 0; k < 4; ++k) sum += a.at[row][k] * b.at[k][column];
      m.at[row][column] = sum;
    }
  }
  return m;
}

Matrix4 Translation(const std::array<double, 3>& by) {
  Matrix4 m = IdentityMatrix();
  for (int axis = 0; axis < 3; ++axis) m.at[axis][3] = by[axis];
  return m;
}

// The textbook matrices of right-handed rotations.
Matrix4 Rotation(char axis, double degrees) {
  const double angle = degrees * std::numbers::pi / 180;
  const double c = std::cos(angle);
  const double s = std::sin(angle);
  switch (axis) {
    case 'x':
      return {{{{1, 0, 0, 0}, {0, c, -s, 0}, {0, s, c, 0}, {0, 0, 0, 1}}}};
    case 'y':
      return {{{{c, 0, s, 0}, {0, 1, 0, 0}, {-s, 0, c, 0}, {0, 0, 0, 1}}}};
    default:
      return {{{{c, -s, 0, 0}, {s, c, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}}};
  }
}

// The OFFSET, with what the position channels do to it.
std::array<double, 3> TranslationOf(const OracleNode& node, const float* row,
                                    const Conventions& conventions) {
  std::array<double, 3> translation = node.offset;
  const bool root = node.parent < 0;
  if (!root && conventions.joint_positions == JointPositions::kIgnore) {
    return translation;
  }
  const bool add =
      root ? conventions.root_offset == RootOffset::kAdded
           : conventions.joint_positions == JointPositions::kAddToOffset;
  for (size_t i = 0; i < node.channels.size(); ++i) {
    const int axis = node.channels[i] - 'X';
    if (axis < 0 || axis > 2) continue;
    const double value = row[node.first_column + i];
    translation[axis] = add ? node.offset[axis] + value : value;
  }
  return translation;
}

Matrix4 RotationOf(const OracleNode& node, const float* row) {
  Matrix4 rotation = IdentityMatrix();
  for (size_t i = 0; i < node.channels.size(); ++i) {
    const char letter = node.channels[i];
    if (letter < 'x' || letter > 'z') continue;
    rotation = Product(rotation, Rotation(letter, row[node.first_column + i]));
  }
  return rotation;
}

}  // namespace

OracleClip OracleOf(const Clip& clip) {
  OracleClip oracle;
  oracle.columns = clip.skeleton.channels.size();
  oracle.frames = static_cast<size_t>(clip.motion.frames);
  oracle.values.assign(clip.motion.values.begin(), clip.motion.values.end());
  for (const Node& node : clip.skeleton.nodes) {
    OracleNode& out = oracle.nodes.emplace_back();
    out.parent = node.parent;
    out.end_site = node.kind == NodeKind::kEndSite;
    std::copy(node.offset.begin(), node.offset.end(), out.offset.begin());
    out.first_column = static_cast<size_t>(node.first_channel);
    for (int32_t i = 0; i < node.channel_count; ++i) {
      const Channel channel = clip.skeleton.channels[node.first_channel + i];
      out.channels += "XYZxyzijk"[static_cast<size_t>(channel)];
    }
  }
  return oracle;
}

OraclePose SolveOracle(const OracleClip& clip, size_t frame,
                       const Conventions& conventions) {
  const float* row = clip.values.data() + frame * clip.columns;
  OraclePose pose;
  for (const OracleNode& node : clip.nodes) {
    Matrix4 local = Translation(node.offset);
    if (!node.end_site) {
      local = Product(Translation(TranslationOf(node, row, conventions)),
                      RotationOf(node, row));
    }
    pose.world.push_back(
        node.parent < 0 ? local : Product(pose.world[node.parent], local));
    pose.local.push_back(local);
  }
  return pose;
}

double SizeOf(const OracleClip& clip, const OraclePose& pose) {
  std::vector<double> way(clip.nodes.size());
  double size = 0;
  for (size_t i = 0; i < clip.nodes.size(); ++i) {
    const int parent = clip.nodes[i].parent;
    if (parent < 0) continue;
    const auto& m = pose.local[i].at;
    way[i] = way[parent] + std::hypot(m[0][3], m[1][3], m[2][3]);
    size = std::max(size, way[i]);
  }
  return size;
}

}  // namespace bvhmill::testing
