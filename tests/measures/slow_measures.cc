#include "tests/measures/slow_measures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

namespace bvhmill::testing {

double ValueOf(const OracleClip& clip, size_t frame, size_t column) {
  return double{clip.values[frame * clip.columns + column]};
}

Place PlaceIn(const OraclePose& pose, size_t node) {
  const auto& at = pose.world[node].at;
  return {at[0][3], at[1][3], at[2][3]};
}

double Distance(const Place& a, const Place& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

namespace {

using Rotation = std::array<Place, 3>;

Rotation AxisRotation(size_t axis, double degrees) {
  const double radians = degrees * std::numbers::pi / 180;
  Rotation m = {};
  const size_t u = (axis + 1) % 3;
  const size_t v = (axis + 2) % 3;
  m[axis][axis] = 1;
  m[u][u] = m[v][v] = std::cos(radians);
  m[v][u] = std::sin(radians);
  m[u][v] = -std::sin(radians);
  return m;
}

Rotation Product(const Rotation& a, const Rotation& b) {
  Rotation m = {};
  for (size_t i = 0; i < 3; ++i) {
    for (size_t j = 0; j < 3; ++j) {
      for (size_t k = 0; k < 3; ++k) m[i][j] += a[i][k] * b[k][j];
    }
  }
  return m;
}

Rotation RotationIn(const OracleClip& clip, size_t frame,
                    const OracleNode& node) {
  Rotation m = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  for (size_t i = 0; i < node.channels.size(); ++i) {
    const size_t axis = std::string("xyz").find(node.channels[i]);
    if (axis == std::string::npos) continue;
    const double degrees = ValueOf(clip, frame, node.first_column + i);
    m = Product(m, AxisRotation(axis, degrees));
  }
  return m;
}

// From the distance of the matrices: |A - B|^2 = 8 sin^2(angle / 2).
double AngleOf(const Rotation& a, const Rotation& b) {
  double square = 0;
  for (size_t i = 0; i < 3; ++i) {
    for (size_t j = 0; j < 3; ++j) {
      square += (a[i][j] - b[i][j]) * (a[i][j] - b[i][j]);
    }
  }
  const double sine = std::min(std::sqrt(square / 8), 1.0);
  return 2 * std::asin(sine) * 180 / std::numbers::pi;
}

void MeasureFrame(const OracleClip& clip, size_t frame, const OraclePose& pose,
                  const OraclePose& before, SlowMeasures* out) {
  for (size_t i = 0; i < clip.nodes.size(); ++i) {
    const OracleNode& node = clip.nodes[i];
    const Place at = PlaceIn(pose, i);
    for (size_t axis = 0; axis < 3; ++axis) {
      out->least[axis] = std::min(out->least[axis], at[axis]);
      out->greatest[axis] = std::max(out->greatest[axis], at[axis]);
    }
    const double step = Distance(at, PlaceIn(before, i));
    if (!node.end_site) out->longest_step = std::max(out->longest_step, step);
    if (i == 0) out->root_path += step;
    const double angle =
        AngleOf(RotationIn(clip, 0, node), RotationIn(clip, frame, node));
    out->degrees[i] = std::max(out->degrees[i], angle);
    if (frame + 1 == clip.frames) {
      out->loop_degrees = std::max(out->loop_degrees, angle);
    }
  }
}

}  // namespace

SlowMeasures MeasureSlowly(const OracleClip& clip) {
  SlowMeasures out;
  out.least.fill(std::numeric_limits<double>::infinity());
  out.greatest.fill(-std::numeric_limits<double>::infinity());
  out.degrees.assign(clip.nodes.size(), 0);
  const OraclePose first = SolveOracle(clip, 0, {});
  OraclePose before = first;
  for (size_t frame = 0; frame < clip.frames; ++frame) {
    const OraclePose pose = SolveOracle(clip, frame, {});
    MeasureFrame(clip, frame, pose, before, &out);
    before = pose;
  }
  out.loop_distance = Distance(PlaceIn(first, 0), PlaceIn(before, 0));
  return out;
}

}  // namespace bvhmill::testing
