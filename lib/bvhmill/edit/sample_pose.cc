#include "bvhmill/edit/sample_pose.h"

#include <algorithm>
#include <cmath>

#include "bvhmill/math/euler.h"

namespace bvhmill {
namespace {

// The rotation channels of a node that form an Euler sequence of three.
struct Triple {
  EulerAxes axes = {};
  std::array<size_t, 3> columns = {};
};

bool FindTriple(const Skeleton& skeleton, const Node& node, Triple* triple) {
  size_t count = 0;
  for (int32_t i = 0; i < node.channel_count; ++i) {
    const auto column = static_cast<size_t>(node.first_channel + i);
    const Channel channel = skeleton.channels[column];
    if (!IsRotation(channel)) continue;
    if (count == 3) return false;
    triple->axes[count] = AxisOf(channel);
    triple->columns[count++] = column;
  }
  return count == 3 && IsEulerSequence(triple->axes);
}

float BlendValue(Channel channel, float a, float b, double u) {
  const double from = a;
  const double way =
      IsRotation(channel) ? ShortestArc(from, b) : static_cast<double>(b) - a;
  return static_cast<float>(from + u * way);
}

// Interpolates the shorter way. Both quaternions must have length 1.
Quat<double> Slerp(const Quat<double>& a, Quat<double> b, double u) {
  double cosine = Dot(a, b);
  if (cosine < 0) {
    b = {-b.x, -b.y, -b.z, -b.w};
    cosine = -cosine;
  }
  double p = 1 - u;
  double q = u;
  // If the two are closer than this, the straight line is the arc; the sines
  // below would be 0.
  if (cosine < 1 - 1e-12) {
    const double angle = std::acos(cosine);
    p = std::sin(p * angle) / std::sin(angle);
    q = std::sin(q * angle) / std::sin(angle);
  }
  const Quat<double> mix = {p * a.x + q * b.x, p * a.y + q * b.y,
                            p * a.z + q * b.z, p * a.w + q * b.w};
  const double length =
      std::sqrt(mix.x * mix.x + mix.y * mix.y + mix.z * mix.z + mix.w * mix.w);
  return {mix.x / length, mix.y / length, mix.z / length, mix.w / length};
}

EulerAngles AnglesAt(const Triple& triple, std::span<const float> row) {
  return {row[triple.columns[0]], row[triple.columns[1]],
          row[triple.columns[2]]};
}

void SlerpTriple(const Triple& triple, std::span<const float> a,
                 std::span<const float> b, double u, std::span<float> out) {
  const EulerAngles from = AnglesAt(triple, a);
  const EulerAngles to = AnglesAt(triple, b);
  if (from == to) return;
  EulerAngles near;
  for (size_t i = 0; i < 3; ++i) {
    near[i] = from[i] + u * ShortestArc(from[i], to[i]);
  }
  const Quat<double> turned = Slerp(QuatFromEuler(triple.axes, from),
                                    QuatFromEuler(triple.axes, to), u);
  const EulerAngles angles = ToEuler(triple.axes, ToMatrix(turned), near);
  for (size_t i = 0; i < 3; ++i) {
    out[triple.columns[i]] = static_cast<float>(angles[i]);
  }
}

}  // namespace

void BlendNode(const Skeleton& skeleton, const Node& node,
               std::span<const float> a, std::span<const float> b, double u,
               Interpolation interpolation, std::span<float> out) {
  for (int32_t i = 0; i < node.channel_count; ++i) {
    const auto column = static_cast<size_t>(node.first_channel + i);
    out[column] =
        BlendValue(skeleton.channels[column], a[column], b[column], u);
  }
  if (interpolation == Interpolation::kLerp) return;
  Triple triple;
  if (FindTriple(skeleton, node, &triple)) SlerpTriple(triple, a, b, u, out);
}

void BlendPoses(const Skeleton& skeleton, std::span<const float> a,
                std::span<const float> b, double u, Interpolation interpolation,
                std::span<float> out) {
  for (const Node& node : skeleton.nodes) {
    BlendNode(skeleton, node, a, b, u, interpolation, out);
  }
}

void SamplePose(const Skeleton& skeleton, std::span<const float> values,
                int64_t frames, double place, Interpolation interpolation,
                std::span<float> out) {
  place = std::clamp(place, 0.0, static_cast<double>(frames - 1));
  const auto row = [&](double frame) {
    return values.subspan(static_cast<size_t>(frame) * out.size(), out.size());
  };
  const double nearest = std::round(place);
  if (std::abs(place - nearest) <= kFrameTolerance) {
    std::copy_n(row(nearest).begin(), out.size(), out.begin());
    return;
  }
  const double before = std::floor(place);
  BlendPoses(skeleton, row(before), row(before + 1), place - before,
             interpolation, out);
}

Resampling ResamplingOf(double from_rate, double to_rate) {
  // 2 * 1001.
  constexpr double kParts = 2002;
  constexpr double kRounding = 1e-12;
  const auto whole = [](double rate) {
    const double parts = rate * kParts;
    const double nearest = std::round(parts);
    return std::abs(parts - nearest) <= kRounding * parts ? nearest : parts;
  };
  return {whole(from_rate), whole(to_rate)};
}

std::optional<int64_t> ResampledFrames(const Resampling& rate, int64_t frames,
                                       int64_t most) {
  if (frames <= 0) return 0;
  const double last =
      (static_cast<double>(frames - 1) + kFrameTolerance) * rate.to / rate.from;
  // One frame more, because rounding is corrected below.
  if (!(last < static_cast<double>(most) + 1)) return std::nullopt;
  auto count = static_cast<int64_t>(last) + 1;
  while (count > 1 && !IsWithin(rate, count - 1, frames)) --count;
  while (count <= most && IsWithin(rate, count, frames)) ++count;
  if (count > most) return std::nullopt;
  return count;
}

}  // namespace bvhmill
