#pragma once

// Poses that are spread evenly over a clip whose length is not known.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bvhmill::client {

using Point3 = std::array<float, 3>;

struct SampledPose {
  int64_t frame = 0;
  std::vector<Point3> points;
};

// Keeps every k-th frame. When these become too many, it drops every second of
// them and doubles k. So the frames depend on the length of the clip alone.
class SampledPoses {
 public:
  // The most poses that are kept.
  static constexpr size_t kMaxPoses = 32;

  // Keeps the joints with these indices.
  explicit SampledPoses(std::vector<int32_t> joints = {});

  // Adds the next frame: x, y and z of each joint of the clip. Requires that it
  // has all joints of the constructor.
  void Add(std::span<const float> positions);

  int64_t frames() const { return frames_; }
  const std::vector<SampledPose>& poses() const { return poses_; }

 private:
  void DropEverySecond();

  std::vector<int32_t> joints_;
  std::vector<SampledPose> poses_;
  int64_t frames_ = 0;
  int64_t step_ = 1;
};

}  // namespace bvhmill::client
