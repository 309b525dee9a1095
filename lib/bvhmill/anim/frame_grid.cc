#include "bvhmill/anim/frame_grid.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "bvhmill/base/status.h"

namespace bvhmill {
namespace {

constexpr double kLeastRate = 20;
constexpr double kMaxRate = 120;
constexpr double kUsualRate = 30;
constexpr size_t kCodes = 65536;
// Units of work for one time at one rate.
constexpr int64_t kTimeWork = 5;

bool IsOnGrid(size_t time, int64_t steps) {
  constexpr double kLast = kCodes - 1;
  const auto count = static_cast<double>(steps);
  const double code = static_cast<double>(time);
  const double step = std::round(code / kLast * count);
  return std::fabs(std::floor(step / count * kLast) - code) <= 1;
}

// The time codes of all keys, each once, in order.
std::vector<size_t> TimesOf(const AnimMotion& motion) {
  std::vector<bool> is_there(kCodes);
  for (const AnimJoint& joint : motion.joints) {
    for (const AnimKey& key : joint.rotations) is_there[key.time] = true;
    for (const AnimKey& key : joint.positions) is_there[key.time] = true;
  }
  std::vector<size_t> times;
  for (size_t i = 0; i < kCodes; ++i) {
    if (is_there[i]) times.push_back(i);
  }
  return times;
}

}  // namespace

absl::Status FindFrameGrid(const AnimMotion& motion, double rate,
                           Budget* budget, FrameGrid* grid) {
  *grid = {};
  const std::vector<size_t> times = TimesOf(motion);
  const double seconds = std::max(motion.duration, 0.0F);
  grid->is_pose = seconds <= 0 || times.empty() || times.back() == 0;
  if (grid->is_pose) return absl::OkStatus();
  const auto steps = [&](double per_second) {
    return std::max<int64_t>(std::llround(seconds * per_second), 1);
  };
  grid->steps = steps(rate > 0 ? rate : kUsualRate);
  if (rate > 0) return absl::OkStatus();
  for (int64_t n = steps(kLeastRate); n <= steps(kMaxRate); ++n) {
    const auto off =
        std::find_if_not(times.begin(), times.end(),
                         [&](size_t time) { return IsOnGrid(time, n); });
    BVHMILL_RETURN_IF_ERROR(
        WorkFrom(budget, kTimeWork * (off - times.begin() + 1)));
    if (off != times.end()) continue;
    grid->steps = n;
    break;
  }
  return absl::OkStatus();
}

}  // namespace bvhmill
