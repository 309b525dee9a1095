// The rules about the values of rotation channels, one channel after the other.

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/validate/reference/reference_rules.h"

namespace bvhmill::testing {
namespace {

struct Channel {
  double range = 0;
  double largest = 0;
  bool are_tenths = true;
  bool are_whole = true;
};

std::vector<Channel> RotationChannels(const ReferenceClip& clip) {
  std::vector<Channel> channels;
  for (const ReferenceTrack* track : clip.Rotations()) {
    for (const int32_t c : track->columns) {
      Channel channel;
      double smallest = INFINITY;
      double largest = -INFINITY;
      for (int64_t t = 0; t < clip.frames; ++t) {
        const double value = clip.Value(t, c);
        smallest = std::min(smallest, value);
        largest = std::max(largest, value);
        const double tenths = std::round(value * 10);
        if (std::abs(value * 10 - tenths) >= 1e-3) channel.are_tenths = false;
        if (std::abs(value - std::round(value)) >= 1e-3) {
          channel.are_whole = false;
        }
      }
      channel.range = largest - smallest;
      channel.largest = std::max(largest, -smallest);
      channels.push_back(channel);
    }
  }
  return channels;
}

}  // namespace

void FindQuantized(Reference* r) {
  std::vector<Channel> channels = RotationChannels(r->clip);
  std::erase_if(channels, [](const Channel& c) { return c.range <= 0.5; });
  if (channels.size() < 3 || r->clip.frames < 20) return;
  const auto moving = static_cast<double>(channels.size());
  const auto tenths = static_cast<double>(
      std::count_if(channels.begin(), channels.end(),
                    [](const Channel& c) { return c.are_tenths; }));
  const auto whole = static_cast<double>(
      std::count_if(channels.begin(), channels.end(),
                    [](const Channel& c) { return c.are_whole; }));
  if (tenths < 0.9 * moving) return;
  const bool are_whole = whole >= 0.9 * moving;
  Finding f{"DATA_QUANTIZED", Severity::kHint};
  f.numbers = {{"step", are_whole ? 1 : 0.1},
               {"channels", are_whole ? whole : tenths},
               {"moving", moving}};
  r->findings.push_back(f);
}

void FindRadians(Reference* r) {
  double largest = 0;
  int moving = 0;
  for (const Channel& channel : RotationChannels(r->clip)) {
    largest = std::max(largest, channel.largest);
    moving += channel.range >= 0.05 ? 1 : 0;
  }
  // A whole turn is 6.2832 radians.
  if (largest > 6.2842 || largest < 0.8 || moving < 8) return;
  Finding f{"DATA_RADIANS", Severity::kHint};
  f.numbers = {{"largest", largest}, {"channels", moving}};
  r->findings.push_back(f);
}

}  // namespace bvhmill::testing
