#include "tests/faults/clip_tools.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace bvhmill::faults {
namespace {

const Node& NodeAt(const Clip& clip, int32_t node) {
  return clip.skeleton.nodes[static_cast<size_t>(node)];
}

// The columns of the three rotations, and their axes, outermost first. Empty
// unless each axis has one.
struct Rotations {
  std::vector<int64_t> columns;
  std::vector<int> axes;
};

Rotations RotationsOf(const Clip& clip, int32_t node) {
  Rotations out;
  const Node& at = NodeAt(clip, node);
  int64_t column = at.first_channel;
  std::array<int, 3> seen = {};
  for (const Channel channel : ChannelsOf(clip.skeleton, at)) {
    if (IsRotation(channel)) {
      out.columns.push_back(column);
      out.axes.push_back(AxisOf(channel));
      ++seen[static_cast<size_t>(AxisOf(channel))];
    }
    ++column;
  }
  return seen == std::array<int, 3>{1, 1, 1} ? out : Rotations();
}

bool Moves(const Clip& clip, int32_t node) {
  for (const int64_t column : PositionColumns(clip, node)) {
    if (column < 0) return false;
  }
  for (int64_t frame = 1; frame < Frames(clip); ++frame) {
    for (const int64_t column : PositionColumns(clip, node)) {
      if (ValueAt(clip, frame, column) != ValueAt(clip, 0, column)) return true;
    }
  }
  return false;
}

}  // namespace

std::array<int64_t, 3> PositionColumns(const Clip& clip, int32_t node) {
  std::array<int64_t, 3> out = {-1, -1, -1};
  int64_t column = NodeAt(clip, node).first_channel;
  for (const Channel channel : ChannelsOf(clip.skeleton, NodeAt(clip, node))) {
    if (IsPosition(channel)) out[static_cast<size_t>(AxisOf(channel))] = column;
    ++column;
  }
  return out;
}

float& ValueAt(Clip* clip, int64_t frame, int64_t column) {
  return clip->motion.values[static_cast<size_t>(frame) * Width(*clip) +
                             static_cast<size_t>(column)];
}

float ValueAt(const Clip& clip, int64_t frame, int64_t column) {
  return clip.motion.values[static_cast<size_t>(frame) * Width(clip) +
                            static_cast<size_t>(column)];
}

int64_t FramesIn(const Clip& clip, double seconds) {
  return std::max<int64_t>(1, std::llround(seconds / clip.motion.frame_time));
}

double ReachOf(const Clip& clip) {
  std::vector<double> sums;
  for (const Node& node : clip.skeleton.nodes) {
    const Vec3 offset = {node.offset[0], node.offset[1], node.offset[2]};
    sums.push_back(node.parent < 0 ? 0
                                   : sums[static_cast<size_t>(node.parent)] +
                                         samples::Length(offset));
  }
  return *std::max_element(sums.begin(), sums.end());
}

std::vector<int32_t> TurningJoints(const Clip& clip) {
  std::vector<int32_t> joints;
  for (size_t i = 0; i < clip.skeleton.nodes.size(); ++i) {
    const auto node = static_cast<int32_t>(i);
    if (!RotationsOf(clip, node).axes.empty()) joints.push_back(node);
  }
  return joints;
}

std::vector<int32_t> MovingJoints(const Clip& clip, double degrees) {
  std::vector<int32_t> joints;
  const double seconds =
      static_cast<double>(Frames(clip)) * clip.motion.frame_time;
  for (const int32_t joint : TurningJoints(clip)) {
    double sum = 0;
    for (int64_t frame = 1; frame < Frames(clip); ++frame) {
      sum += StepAt(clip, frame, joint);
    }
    if (sum >= degrees * seconds) joints.push_back(joint);
  }
  return joints;
}

bool IsLive(const Clip& clip) {
  if (Frames(clip) < 60) return false;
  for (int64_t frame = 1; frame < Frames(clip); ++frame) {
    if (AreRowsEqual(clip, frame - 1, frame)) return false;
  }
  return true;
}

int32_t MovingRoot(const Clip& clip) {
  for (size_t i = 0; i < clip.skeleton.nodes.size(); ++i) {
    if (Moves(clip, static_cast<int32_t>(i))) return static_cast<int32_t>(i);
  }
  return -1;
}

Mat3 RotationAt(const Clip& clip, int64_t frame, int32_t joint) {
  const Rotations rotations = RotationsOf(clip, joint);
  Mat3 m;
  for (size_t i = 0; i < 3; ++i) {
    m = m * samples::RotateAxis(rotations.axes[i],
                                ValueAt(clip, frame, rotations.columns[i]));
  }
  return m;
}

void SetRotation(Clip* clip, int64_t frame, int32_t joint, const Mat3& m) {
  const Rotations rotations = RotationsOf(*clip, joint);
  const auto angles = samples::EulerDegrees(
      m, {rotations.axes[0], rotations.axes[1], rotations.axes[2]});
  // The other triple of the same rotation, if it is nearer.
  const std::array<double, 3> second = {angles[0] + 180, 180 - angles[1],
                                        angles[2] + 180};
  std::array<double, 3> best = {};
  double least = 1e9;
  for (const auto& triple : {angles, second}) {
    std::array<double, 3> near = triple;
    double sum = 0;
    for (size_t i = 0; i < 3; ++i) {
      const double now = ValueAt(*clip, frame, rotations.columns[i]);
      near[i] -= 360 * std::round((near[i] - now) / 360);
      sum += std::fabs(near[i] - now);
    }
    if (sum < least) best = near;
    least = std::min(least, sum);
  }
  for (size_t i = 0; i < 3; ++i) {
    ValueAt(clip, frame, rotations.columns[i]) = static_cast<float>(best[i]);
  }
}

void Turn(Clip* clip, int64_t frame, int32_t joint, int axis, double degrees) {
  SetRotation(
      clip, frame, joint,
      RotationAt(*clip, frame, joint) * samples::RotateAxis(axis, degrees));
}

double AngleBetween(const Mat3& a, const Mat3& b) {
  // The Frobenius norm of the difference is 2 sqrt(2) sin(angle / 2).
  double sum = 0;
  for (size_t i = 0; i < 3; ++i) {
    for (size_t k = 0; k < 3; ++k) {
      sum += (a.at[i][k] - b.at[i][k]) * (a.at[i][k] - b.at[i][k]);
    }
  }
  return 360 / std::numbers::pi * std::asin(std::min(1.0, std::sqrt(sum / 8)));
}

double StepAt(const Clip& clip, int64_t frame, int32_t joint) {
  return AngleBetween(RotationAt(clip, frame, joint),
                      RotationAt(clip, frame - 1, joint));
}

void Move(Clip* clip, int64_t frame, int32_t node, const Vec3& by) {
  const double steps[3] = {by.x, by.y, by.z};
  const auto columns = PositionColumns(*clip, node);
  for (size_t i = 0; i < 3; ++i) {
    ValueAt(clip, frame, columns[i]) += static_cast<float>(steps[i]);
  }
}

Vec3 PositionAt(const Clip& clip, int64_t frame, int32_t node) {
  const auto columns = PositionColumns(clip, node);
  return {ValueAt(clip, frame, columns[0]), ValueAt(clip, frame, columns[1]),
          ValueAt(clip, frame, columns[2])};
}

void CopyRow(Clip* clip, int64_t from, int64_t to) {
  const auto width = static_cast<int64_t>(Width(*clip));
  const auto begin = clip->motion.values.begin();
  std::copy(begin + from * width, begin + (from + 1) * width,
            begin + to * width);
}

void RemoveRows(Clip* clip, int64_t first, int64_t count) {
  for (int64_t frame = first; frame + count < Frames(*clip); ++frame) {
    CopyRow(clip, frame + count, frame);
  }
  clip->motion.frames -= count;
  clip->motion.values.resize(static_cast<size_t>(Frames(*clip)) * Width(*clip));
}

bool AreRowsEqual(const Clip& clip, int64_t a, int64_t b) {
  const auto width = static_cast<int64_t>(Width(clip));
  const auto begin = clip.motion.values.begin();
  return std::equal(begin + a * width, begin + (a + 1) * width,
                    begin + b * width);
}

int64_t Between(Site* site, int64_t low, int64_t high) {
  if (high <= low) return low;
  // Not std::uniform_int_distribution, whose results differ by library.
  const auto count = static_cast<uint64_t>(high - low + 1);
  return low + static_cast<int64_t>(site->random() % count);
}

int32_t AnyOf(Site* site, const std::vector<int32_t>& list) {
  const auto last = static_cast<int64_t>(list.size()) - 1;
  return list[static_cast<size_t>(Between(site, 0, last))];
}

int64_t MiddleFrame(Site* site, int64_t room) {
  const int64_t frames = Frames(*site->clip);
  return Between(site, frames / 5, frames - frames / 5 - room - 1);
}

}  // namespace bvhmill::faults
