#include "tests/validate/floor/floor_twin.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <string>

#include "tests/support/oracle.h"
#include "tests/validate/reference/reference_clip.h"

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

// Positions of all nodes in every `step`th frame.
std::vector<std::vector<Point>> Solve(const Clip& clip, int64_t step) {
  const OracleClip oracle = OracleOf(clip);
  std::vector<std::vector<Point>> frames;
  for (size_t frame = 0; frame < oracle.frames;
       frame += static_cast<size_t>(step)) {
    const OraclePose pose = SolveOracle(oracle, frame, {});
    std::vector<Point> points;
    for (const Matrix4& m : pose.world) {
      points.push_back({m.at[0][3], m.at[1][3], m.at[2][3]});
    }
    frames.push_back(points);
  }
  return frames;
}

// The value that `share` of the values are below; `before` ones earlier.
double Quantile(double share, std::vector<double> values, size_t before = 0) {
  std::sort(values.begin(), values.end());
  const double index = share * static_cast<double>(values.size());
  const size_t at = std::min(static_cast<size_t>(index), values.size() - 1);
  return values[at - std::min(at, before)];
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

// The frames of a clip, seen along a direction.
struct Scene {
  std::vector<std::vector<Point>> frames;
  double reach = 0;
  size_t up = 0;
  double sign = 1;
  // Frames of the clip, and seconds, from one frame to the next.
  int64_t step = 1;
  double dt = 0;

  double HeightOf(size_t frame, int32_t node) const {
    return sign * frames[frame][static_cast<size_t>(node)][up] / reach;
  }
};

void FindLowest(const Scene& scene, FloorFigures* out) {
  out->lowest = 1e9;
  for (size_t frame = 0; frame < scene.frames.size(); ++frame) {
    double low = 1e9;
    for (const auto& foot : out->feet) {
      for (const int32_t node : foot) {
        const double height = scene.HeightOf(frame, node);
        low = std::min(low, height);
        if (height >= out->lowest) continue;
        out->lowest = height;
        out->lowest_frame = scene.step * static_cast<int64_t>(frame);
        out->lowest_node = node;
      }
    }
    out->low.push_back(low);
  }
  out->floor = Quantile(0.1, out->low);
  out->before_floor = Quantile(0.1, out->low, 1);
}

void FindParts(FloorFigures* out) {
  const auto size = static_cast<ptrdiff_t>(out->low.size());
  for (ptrdiff_t part = 0; part < 5; ++part) {
    // Frame 0 ends no pair of frames and is left out.
    const auto from = std::max<ptrdiff_t>(1, (size * part + 4) / 5);
    const auto to = (size * (part + 1) + 4) / 5;
    out->parts[static_cast<size_t>(part)] =
        Quantile(0.25, {out->low.begin() + from, out->low.begin() + to});
  }
}

// The steps of a foot that touches the floor, and of the root.
struct Steps {
  Point foot = {};
  Point root = {};
};

std::vector<Steps> StepsOf(const Scene& scene, const FloorFigures& figures,
                           double height, double vertical) {
  std::vector<Steps> out;
  for (size_t frame = 1; frame < scene.frames.size(); ++frame) {
    for (const auto& foot : figures.feet) {
      const int32_t low = *std::min_element(
          foot.begin(), foot.end(), [&](int32_t a, int32_t b) {
            return scene.HeightOf(frame, a) < scene.HeightOf(frame, b);
          });
      const double now = scene.HeightOf(frame, low);
      const double then = scene.HeightOf(frame - 1, low);
      const bool touches = now < height && then < height &&
                           std::fabs(now - then) / scene.dt < vertical;
      if (!touches) continue;
      const auto& points = scene.frames[frame];
      const auto& before = scene.frames[frame - 1];
      const auto node = static_cast<size_t>(low);
      Steps steps = {Minus(points[node], before[node]),
                     Minus(points[0], before[0])};
      steps.foot[scene.up] = steps.root[scene.up] = 0;
      out.push_back(steps);
    }
  }
  return out;
}

void FindSlide(const Scene& scene, double height, double vertical,
               FloorFigures* out) {
  const std::vector<Steps> all = StepsOf(scene, *out, height, vertical);
  std::vector<double> speeds;
  double along = 0;
  double root = 0;
  double foot = 0;
  for (const Steps& steps : all) {
    const double length = std::sqrt(Dot(steps.foot, steps.foot));
    speeds.push_back(length / scene.reach / scene.dt);
    along += Dot(steps.foot, steps.root);
    root += Dot(steps.root, steps.root);
    foot += Dot(steps.foot, steps.foot);
  }
  const size_t pairs = (scene.frames.size() - 1) * out->feet.size();
  out->contact =
      static_cast<double>(speeds.size()) / static_cast<double>(pairs);
  if (speeds.empty()) return;
  out->median = Quantile(0.5, speeds);
  // A root that hardly moves, below a hundredth of a reach a second.
  const double least = 0.01 * scene.reach * scene.dt;
  out->root_is_still =
      root <= least * least * static_cast<double>(speeds.size());
  if (root > 0) out->gain = along / root;
  if (root * foot > 0) out->correlation = along / std::sqrt(root * foot);
}

double Mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double x : values) sum += x;
  return sum / static_cast<double>(values.size());
}

// The mean of the products of `a` and `b`, each taken from its mean.
double Covariance(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> products;
  for (size_t i = 0; i < a.size(); ++i) {
    products.push_back((a[i] - Mean(a)) * (b[i] - Mean(b)));
  }
  return Mean(products);
}

// Without frame 0, which ends no pair of frames.
void FindRise(const Scene& scene, FloorFigures* out) {
  std::vector<double> root;
  std::vector<double> legs;
  for (size_t frame = 1; frame < scene.frames.size(); ++frame) {
    root.push_back(scene.HeightOf(frame, 0));
    legs.push_back(root.back() - out->low[frame]);
  }
  const double both = Covariance(root, legs);
  const double roots = Covariance(root, root);
  const double square = Covariance(legs, legs);
  out->legs = std::sqrt(square);
  if (square > 0) out->rise_gain = both / square;
  if (roots * square > 0) {
    out->rise_correlation = both / std::sqrt(roots * square);
  }
}

int32_t HeadOf(const Skeleton& skeleton) {
  for (size_t i = 0; i < skeleton.nodes.size(); ++i) {
    const Node& node = skeleton.nodes[i];
    if (!IsEndSite(node) && Has(node, "head")) return static_cast<int32_t>(i);
  }
  return -1;
}

}  // namespace

FloorFigures FloorOf(const Clip& clip, int direction, double height,
                     double vertical, int64_t step) {
  FloorFigures out;
  out.reach = ReachOf(clip);
  out.feet = FeetOf(clip.skeleton);
  out.head = HeadOf(clip.skeleton);
  Scene scene;
  scene.frames = Solve(clip, step);
  scene.reach = out.reach;
  scene.up = static_cast<size_t>(direction % 3);
  scene.sign = direction < 3 ? 1 : -1;
  scene.step = step;
  scene.dt = static_cast<double>(step) * clip.motion.frame_time;
  AddUp(scene.frames, &out);
  FindLowest(scene, &out);
  FindParts(&out);
  FindSlide(scene, height, vertical, &out);
  FindRise(scene, &out);
  return out;
}

std::vector<float> PositionsOf(const Clip& clip,
                               const std::vector<int32_t>& nodes) {
  std::vector<float> out;
  for (const std::vector<Point>& points : Solve(clip, 1)) {
    for (const int32_t node : nodes) {
      for (const double x : points[static_cast<size_t>(node)]) {
        out.push_back(static_cast<float>(x));
      }
    }
  }
  return out;
}

std::vector<float> LandmarksOf(const Clip& clip,
                               const std::vector<int32_t>& nodes,
                               int64_t step) {
  const auto frames = Solve(clip, step);
  std::vector<float> out;
  for (const int32_t node : nodes) {
    for (const std::vector<Point>& points : frames) {
      for (const double x : points[static_cast<size_t>(node)]) {
        out.push_back(static_cast<float>(x));
      }
    }
  }
  return out;
}

}  // namespace bvhmill::testing
