#include "client/cli/picture/pose_view.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace bvhmill::client {
namespace {

// The turn away from the widest view, in radians: 20 degrees.
constexpr double kTurn = 0.349;

double Dot(const Point3& a, const Point3& b) {
  return static_cast<double>(a[0]) * b[0] + static_cast<double>(a[1]) * b[1] +
         static_cast<double>(a[2]) * b[2];
}

bool IsFinite(const Point3& point) {
  return std::isfinite(point[0]) && std::isfinite(point[1]) &&
         std::isfinite(point[2]);
}

// Second moments about the middles of the poses, along two directions.
struct Moments {
  double aa = 0;
  double ab = 0;
  double bb = 0;
};

void AddPose(const SampledPose& pose, const Point3& a, const Point3& b,
             Moments* moments) {
  double sum_a = 0;
  double sum_b = 0;
  double count = 0;
  for (const Point3& point : pose.points) {
    if (!IsFinite(point)) continue;
    sum_a += Dot(point, a);
    sum_b += Dot(point, b);
    ++count;
  }
  if (count == 0) return;
  for (const Point3& point : pose.points) {
    if (!IsFinite(point)) continue;
    const double along_a = Dot(point, a) - sum_a / count;
    const double along_b = Dot(point, b) - sum_b / count;
    moments->aa += along_a * along_a;
    moments->ab += along_a * along_b;
    moments->bb += along_b * along_b;
  }
}

}  // namespace

PoseView ChooseView(std::span<const SampledPose> poses, const Point3& up) {
  const bool is_x_up = up[0] != 0;
  const bool is_y_up = up[1] != 0;
  const Point3 a = is_x_up ? Point3{0, 1, 0} : Point3{1, 0, 0};
  const Point3 b = is_x_up || is_y_up ? Point3{0, 0, 1} : Point3{0, 1, 0};
  Moments moments;
  for (const SampledPose& pose : poses) AddPose(pose, a, b, &moments);
  // The angle of the principal axis of a symmetric 2 x 2 matrix.
  const double angle =
      0.5 * std::atan2(2 * moments.ab, moments.aa - moments.bb) + kTurn;
  PoseView view;
  view.up = up;
  for (size_t i = 0; i < 3; ++i) {
    view.right[i] =
        static_cast<float>(std::cos(angle) * a[i] + std::sin(angle) * b[i]);
  }
  return view;
}

PosePicture Project(const SampledPose& pose, const PoseView& view) {
  PosePicture out;
  out.frame = pose.frame;
  for (const Point3& point : pose.points) {
    out.points.push_back({static_cast<float>(Dot(point, view.right)),
                          static_cast<float>(Dot(point, view.up))});
  }
  return out;
}

float MedianHeight(std::span<const SampledPose> poses, const Point3& up) {
  std::vector<double> heights;
  for (const SampledPose& pose : poses) {
    std::vector<double> along;
    for (const Point3& point : pose.points) {
      if (IsFinite(point)) along.push_back(Dot(point, up));
    }
    if (along.empty()) continue;
    const auto [least, greatest] =
        std::minmax_element(along.begin(), along.end());
    heights.push_back(*greatest - *least);
  }
  if (heights.empty()) return 0;
  const auto middle =
      heights.begin() + static_cast<std::ptrdiff_t>(heights.size() / 2);
  std::nth_element(heights.begin(), middle, heights.end());
  return static_cast<float>(*middle);
}

}  // namespace bvhmill::client
