#include "bvhmill/clip/frame_rates.h"

#include <cmath>

namespace bvhmill {
namespace {

constexpr double kRates[] = {
    10,         12,  12.5, 15,         20,  24 / 1.001,  24,          25,
    30 / 1.001, 30,  40,   48 / 1.001, 48,  50,          60 / 1.001,  60,
    72,         75,  80,   90,         96,  100,         120 / 1.001, 120,
    125,        144, 150,  180,        200, 240 / 1.001, 240,         250,
    300,        360, 400,  480,        500, 1000};

}  // namespace

NearRate NearestFrameRate(double frame_time) {
  NearRate nearest;
  for (const double rate : kRates) {
    const double difference = std::abs(frame_time * rate - 1);
    if (nearest.frames_per_second == 0 || difference < nearest.difference) {
      nearest = {rate, difference};
    }
  }
  return nearest;
}

}  // namespace bvhmill
