#include "client/cli/report/packed_numbers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace bvhmill::client {
namespace {

constexpr char kDigits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr double kMostOfTwoDigits = 64 * 64 - 2;

struct Box {
  std::array<float, 2> least = {std::numeric_limits<float>::infinity(),
                                std::numeric_limits<float>::infinity()};
  std::array<float, 2> greatest = {-std::numeric_limits<float>::infinity(),
                                   -std::numeric_limits<float>::infinity()};
};

Box BoxOf(const PosePicture& pose) {
  Box box;
  for (const auto& point : pose.points) {
    if (!std::isfinite(point[0]) || !std::isfinite(point[1])) continue;
    for (size_t i = 0; i < 2; ++i) {
      box.least[i] = std::min(box.least[i], point[i]);
      box.greatest[i] = std::max(box.greatest[i], point[i]);
    }
  }
  return box;
}

int64_t Scaled(float value, float from, double steps_per_unit) {
  const double scaled =
      (static_cast<double>(value) - from) * steps_per_unit + 0.5;
  // False for values that are not finite, too.
  const bool fits = scaled >= 0 && scaled < kMostOfTwoDigits + 1;
  return fits ? static_cast<int64_t>(scaled) : -1;
}

}  // namespace

void PackNumber(int64_t value, int digits, std::string* out) {
  const int64_t gap = (int64_t{1} << (6 * digits)) - 1;
  if (value < 0 || value > gap) value = gap;
  for (int shift = 6 * (digits - 1); shift >= 0; shift -= 6) {
    *out += kDigits[(value >> shift) & 63];
  }
}

std::string PackCurve(std::span<const float> values, float most) {
  std::string out;
  for (const float value : values) {
    const double share = most > 0 ? std::min(value / most, 1.0F) : 0;
    const bool is_known = std::isfinite(value) && value >= 0;
    PackNumber(is_known ? std::lround(share * 62) : -1, 1, &out);
  }
  return out;
}

std::string PackParents(std::span<const int32_t> parents) {
  std::string out;
  for (const int32_t parent : parents) PackNumber(parent, 2, &out);
  return out;
}

PoseScale ScaleOf(std::span<const PosePicture> poses) {
  PoseScale scale;
  float floor = std::numeric_limits<float>::infinity();
  float top = -floor;
  double most = 0;
  for (const PosePicture& pose : poses) {
    const Box box = BoxOf(pose);
    floor = std::min(floor, box.least[1]);
    top = std::max(top, box.greatest[1]);
    most = std::max(most, static_cast<double>(box.greatest[0]) - box.least[0]);
  }
  most = std::max(most, static_cast<double>(top) - floor);
  if (!std::isfinite(floor)) return scale;
  scale.floor = floor;
  scale.steps_per_unit = most > 0 ? kMostOfTwoDigits / most : 0;
  return scale;
}

std::string PackPose(const PosePicture& pose, const PoseScale& scale) {
  std::string out;
  const Box box = BoxOf(pose);
  for (const auto& [x, y] : pose.points) {
    const int64_t right = Scaled(x, box.least[0], scale.steps_per_unit);
    const int64_t up = Scaled(y, scale.floor, scale.steps_per_unit);
    const bool is_known = right >= 0 && up >= 0;
    PackNumber(is_known ? right : -1, 2, &out);
    PackNumber(is_known ? up : -1, 2, &out);
  }
  return out;
}

}  // namespace bvhmill::client
