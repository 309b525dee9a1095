#include "tests/validate/floor_twin.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <string>

#include "tests/support/oracle.h"

namespace bvhmill::testing {
namespace {

using Point = std::array<double, 3>;

std::string Lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(c));
  return text;
}

bool Has(const Node& node, const char* word) {
  return Lower(node.name).find(word) != std::string::npos;
}

bool IsFoot(const Node& node) {
  return !IsEndSite(node) &&
         (Has(node, "foot") || Has(node, "ankle") || Has(node, "toe"));
}

// Walks up from each node to the topmost foot.
std::vector<std::vector<int32_t>> FeetOf(const Skeleton& skeleton) {
  std::map<int32_t, std::vector<int32_t>> feet;
  for (size_t i = 0; i < skeleton.nodes.size(); ++i) {
    int32_t top = -1;
    for (auto at = static_cast<int32_t>(i); at >= 0;
         at = skeleton.nodes[static_cast<size_t>(at)].parent) {
      if (IsFoot(skeleton.nodes[static_cast<size_t>(at)])) top = at;
    }
    if (top >= 0) feet[top].push_back(static_cast<int32_t>(i));
  }
  std::vector<std::vector<int32_t>> out;
  for (const auto& [top, nodes] : feet) out.push_back(nodes);
  return out;
}

double ReachOf(const Skeleton& skeleton) {
  double reach = 0;
  for (size_t i = 0; i < skeleton.nodes.size(); ++i) {
    double way = 0;
    for (auto at = static_cast<int32_t>(i);
         skeleton.nodes[static_cast<size_t>(at)].parent >= 0;
         at = skeleton.nodes[static_cast<size_t>(at)].parent) {
      const auto& [x, y, z] = skeleton.nodes[static_cast<size_t>(at)].offset;
      way += std::sqrt(double{x} * x + double{y} * y + double{z} * z);
    }
    reach = std::max(reach, way);
  }
  return reach;
}

// Positions of all nodes in all frames.
std::vector<std::vector<Point>> Solve(const Clip& clip) {
  const OracleClip oracle = OracleOf(clip);
  std::vector<std::vector<Point>> frames;
  for (size_t frame = 0; frame < oracle.frames; ++frame) {
    const OraclePose pose = SolveOracle(oracle, frame, {});
    std::vector<Point> points;
    for (const Matrix4& m : pose.world) {
      points.push_back({m.at[0][3], m.at[1][3], m.at[2][3]});
    }
    frames.push_back(points);
  }
  return frames;
}

double Quantile(double share, std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const double index = share * static_cast<double>(values.size());
  return values[std::min(static_cast<size_t>(index), values.size() - 1)];
}

Point Minus(const Point& a, const Point& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

double Dot(const Point& a, const Point& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

void AddUp(const std::vector<std::vector<Point>>& frames, FloorFigures* out) {
  for (const auto& points : frames) {
    Point middle = {};
    for (const auto& foot : out->feet) {
      for (size_t axis = 0; axis < 3; ++axis) {
        middle[axis] += points[static_cast<size_t>(foot[0])][axis] /
                        static_cast<double>(out->feet.size());
      }
    }
    const Point up = Minus(points[static_cast<size_t>(out->head)], middle);
    for (size_t axis = 0; axis < 3; ++axis) {
      out->up[axis] += up[axis] / std::sqrt(Dot(up, up)) /
                       static_cast<double>(frames.size());
    }
  }
}

}  // namespace

FloorFigures FloorOf(const Clip& clip, int direction, double height,
                     double vertical) {
  FloorFigures out;
  out.reach = ReachOf(clip.skeleton);
  out.feet = FeetOf(clip.skeleton);
  for (size_t i = clip.skeleton.nodes.size(); i-- > 0;) {
    if (Has(clip.skeleton.nodes[i], "head") &&
        !IsEndSite(clip.skeleton.nodes[i])) {
      out.head = static_cast<int32_t>(i);
    }
  }
  const std::vector<std::vector<Point>> frames = Solve(clip);
  const auto up = static_cast<size_t>(direction % 3);
  const double sign = direction < 3 ? 1 : -1;
  const auto height_of = [&](size_t frame, int32_t node) {
    return sign * frames[frame][static_cast<size_t>(node)][up] / out.reach;
  };
  AddUp(frames, &out);
  out.lowest = 1e9;
  for (size_t frame = 0; frame < frames.size(); ++frame) {
    double low = 1e9;
    for (const auto& foot : out.feet) {
      for (const int32_t node : foot) {
        low = std::min(low, height_of(frame, node));
        if (height_of(frame, node) >= out.lowest) continue;
        out.lowest = height_of(frame, node);
        out.lowest_frame = static_cast<int64_t>(frame);
        out.lowest_node = node;
      }
    }
    out.low.push_back(low);
  }
  out.floor = Quantile(0.1, out.low);
  for (size_t part = 0; part < 5; ++part) {
    const auto size = static_cast<ptrdiff_t>(frames.size());
    // Frame 0 ends no pair of frames and is left out.
    const auto from =
        std::max<ptrdiff_t>(1, (size * static_cast<ptrdiff_t>(part) + 4) / 5);
    const auto to = (size * static_cast<ptrdiff_t>(part + 1) + 4) / 5;
    out.parts[part] =
        Quantile(0.25, {out.low.begin() + from, out.low.begin() + to});
  }
  std::vector<double> speeds;
  double along = 0;
  double root = 0;
  for (size_t frame = 1; frame < frames.size(); ++frame) {
    for (const auto& foot : out.feet) {
      const int32_t low = *std::min_element(
          foot.begin(), foot.end(), [&](int32_t a, int32_t b) {
            return height_of(frame, a) < height_of(frame, b);
          });
      const double now = height_of(frame, low);
      const double then = height_of(frame - 1, low);
      const double dt = clip.motion.frame_time;
      if (now >= height || then >= height ||
          std::fabs(now - then) / dt >= vertical) {
        continue;
      }
      const auto node = static_cast<size_t>(low);
      Point step = Minus(frames[frame][node], frames[frame - 1][node]);
      Point root_step = Minus(frames[frame][0], frames[frame - 1][0]);
      step[up] = root_step[up] = 0;
      speeds.push_back(std::sqrt(Dot(step, step)) / out.reach / dt);
      along += Dot(step, root_step);
      root += Dot(root_step, root_step);
    }
  }
  out.contact = static_cast<double>(speeds.size()) /
                static_cast<double>((frames.size() - 1) * out.feet.size());
  if (speeds.empty()) return out;
  out.median = Quantile(0.5, speeds);
  out.gain = root > 0 ? along / root : 0;
  return out;
}

std::vector<float> PositionsOf(const Clip& clip,
                               const std::vector<int32_t>& nodes) {
  std::vector<float> out;
  for (const std::vector<Point>& points : Solve(clip)) {
    for (const int32_t node : nodes) {
      for (const double x : points[static_cast<size_t>(node)]) {
        out.push_back(static_cast<float>(x));
      }
    }
  }
  return out;
}

}  // namespace bvhmill::testing
