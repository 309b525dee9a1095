#include "bvhmill/clip/clip_info.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

#include "bvhmill/clip/clip.h"

namespace bvhmill {

ClipInfo DescribeClip(const Skeleton& skeleton, int64_t frames,
                      double frame_time) {
  ClipInfo info;
  SetFrames(frames, frame_time, &info);
  info.joint_count = JointCount(skeleton);
  std::vector<JointInfo> joints(skeleton.nodes.size());
  for (size_t i = 0; i < joints.size(); ++i) {
    const Node& node = skeleton.nodes[i];
    JointInfo& joint = joints[i];
    DisplayNameInto(skeleton, static_cast<int32_t>(i), &joint.name);
    joint.parent = node.parent;
    joint.channels = ChannelLetters(skeleton, node);
    joint.end_site = IsEndSite(node);
    joint.offset = node.offset;
  }
  info.joints = JointList(std::move(joints));
  return info;
}

void SetFrames(int64_t frames, double frame_time, ClipInfo* info) {
  info->frames = frames;
  info->frame_time = frame_time;
  info->frames_per_second = FramesPerSecond(frame_time);
}

double StatedRate(const ClipInfo& info) {
  return HasRate(info.frame_time) ? StatedFrameRate(info.frame_time) : 0;
}

namespace {

constexpr double kRates[] = {
    10,         12,  12.5, 15,         20,  24 / 1.001,  24,          25,
    30 / 1.001, 30,  40,   48 / 1.001, 48,  50,          60 / 1.001,  60,
    72,         75,  80,   90,         96,  100,         120 / 1.001, 120,
    125,        144, 150,  180,        200, 240 / 1.001, 240,         250,
    300,        360, 400,  480,        500, 1000};

// The rates of films and television are slower than whole rates by this factor.
constexpr double kSlower = 1.001;
constexpr double kWholeRate = 1e-6;
// Rates that differ by less than this fraction are equal.
constexpr double kSameRate = 1e-4;
// 0.033 differs from 1 / 30 by less than this fraction, and 0.03 by more.
constexpr double kMostRounding = 0.011;
// Seconds.
constexpr double kUsualFrameTime = 1.0 / 30;
constexpr double kLongestFrameTime = 0.2;
constexpr double kShortestFrameTime = 0.00099;

// True if `value` is `of` rounded to the number of decimals of `value`.
bool IsRounded(double value, double of) {
  std::array<char, 32> text = {};
  char* const end = text.data() + text.size();
  const auto written =
      std::to_chars(text.data(), end, value, std::chars_format::fixed);
  const std::string_view is(text.data(), written.ptr);
  const size_t point = is.find('.');
  if (written.ec != std::errc() || point == std::string_view::npos) {
    return false;
  }
  std::array<char, 64> rounded = {};
  const auto exact = std::to_chars(
      rounded.data(), rounded.data() + rounded.size(), of,
      std::chars_format::fixed, static_cast<int>(is.size() - point - 1));
  return exact.ec == std::errc() &&
         std::string_view(rounded.data(), exact.ptr) == is;
}

}  // namespace

NearRate NearestFrameRate(double frame_time) {
  NearRate nearest;
  for (const double rate : kRates) {
    const double difference = std::abs(frame_time * rate - 1);
    if (nearest.frames_per_second == 0 || difference < nearest.difference) {
      nearest = {rate, difference};
    }
  }
  const double whole = nearest.frames_per_second * kSlower;
  for (const double rate : kRates) {
    if (std::abs(rate - whole) < kWholeRate &&
        IsRounded(frame_time, 1 / rate)) {
      return {rate, std::abs(frame_time * rate - 1)};
    }
  }
  return nearest;
}

double StatedFrameRate(double frame_time) {
  const auto [rate, difference] = NearestFrameRate(frame_time);
  const bool is_stated =
      difference < kSameRate ||
      (difference <= kMostRounding && IsRounded(frame_time, 1 / rate));
  return is_stated ? rate : 1 / frame_time;
}

double WrittenFrameRate(double rate) {
  const auto [near, difference] = NearestFrameRate(1 / rate);
  const bool is_near = difference < kSameRate ||
                       (difference <= kMostRounding && IsRounded(rate, near));
  return is_near ? near : rate;
}

double MotionFrameTime(double frame_time) {
  return HasRate(frame_time) && !IsBeyondRates(frame_time) ? frame_time
                                                           : kUsualFrameTime;
}

bool IsBeyondRates(double frame_time) {
  return HasRate(frame_time) &&
         (frame_time >= kLongestFrameTime || frame_time < kShortestFrameTime);
}

}  // namespace bvhmill
