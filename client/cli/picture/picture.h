#pragma once

// The picture of a clip in a few kilobytes: some poses as stick figures, and
// curves of how much joints turn over time. Plain data for a page of reports.
//
//   std::optional<ClipPicture> picture;
//   ConvertResult result = ValidateWithPicture(engine, path, clip, options,
//                                              cancel, &picture);
//
// A picture needs at most 8 MB while a clip is converted, however long the clip
// is. The classes of this file are not thread-safe.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/clip/clip_info.h"
#include "bvhmill/pipeline/convert.h"
#include "client/cli/engine.h"

namespace bvhmill::client {

// A pose seen from the side: x to the right, y up. Units are those of the clip.
struct PosePicture {
  int64_t frame = 0;
  // One for each entry of ClipPicture::parents. NaN where a position is not
  // finite.
  std::vector<std::array<float, 2>> points;
  // The point of the joint that an issue names; -1: none.
  int32_t joint = -1;
};

// How much something turns from each frame to the next, in degrees, as the
// smallest and the largest value of ranges of frames. NaN where nothing is
// known.
struct TurnCurve {
  // Index into ClipInfo::joints; -1: the mean over all joints with rotations.
  int32_t joint = -1;
  // The name of the joint, as UTF-8.
  std::string name;
  std::vector<float> low;
  std::vector<float> high;
};

// The picture of one clip.
struct ClipPicture {
  // The parent of each point of a pose, as an index of a point; -1: none.
  std::vector<int32_t> parents;
  // At 10, 50 and 90 percent of the clip.
  std::vector<PosePicture> poses;
  // At the frames of the most severe issues, in their order.
  std::vector<PosePicture> issue_poses;
  // The median over sampled frames of the extent along the up axis, in the unit
  // of the clip or in meters: see HasMeters. 0: unknown.
  float height = 0;
  // Frames that each value of a curve covers; the last may cover fewer.
  int64_t frames_per_value = 1;
  // The mean over all joints first.
  std::vector<TurnCurve> curves;
};

// Checks a clip and makes its picture in the same pass. Returns the result of
// engine->Validate. Sets `picture` if the clip could be converted. Its poses
// are those after the edits of `options`, in the unit of the outputs; its
// height is in meters if HasMeters.
//
// The clip is converted with two more outputs. If that fails for a reason that
// these outputs may cause, such as a limit, the clip is checked once more
// without them, so that a picture never changes a report. A server sends 28
// bytes for each joint and frame.
ConvertResult ValidateWithPicture(Engine* engine, std::string_view name,
                                  const ClipData& clip,
                                  const ConvertOptions& options,
                                  const CancelToken* cancel,
                                  std::optional<ClipPicture>* picture);

// True if the edits state the unit, so that ClipPicture::height is in meters.
bool HasMeters(const ClipEdits& edits);

// The parts of a picture, from the bytes of a conversion to the picture.

// The joints of a skeleton that a stick figure shows.
struct DrawnJoints {
  // Indices into ClipInfo::joints, ascending.
  std::vector<int32_t> joints;
  // The nearest ancestor that is drawn, as an index into `joints`; -1: none.
  std::vector<int32_t> parents;
};

// At most `most` joints and end sites: the topmost ones, and those with the
// longest OFFSETs. The joints above the first joint with several children are
// left out: often they only move the whole figure, and lie far from it.
// O(n log n).
DrawnJoints ChooseDrawnJoints(const JointList& joints, size_t most);

static_assert(std::endian::native == std::endian::little,
              "tensors are read as they lie in memory");

// Splits a frame-major float32 array, whose bytes arrive in pieces of any size,
// into its frames.
class FrameCutter {
 public:
  // A frame has `floats` numbers.
  explicit FrameCutter(size_t floats = 0) : frame_(floats) {}

  // Calls take(frame) for each frame that is complete. The frame is borrowed.
  template <typename Take>
  void Add(std::string_view bytes, const Take& take) {
    const size_t frame_bytes = frame_.size() * sizeof(float);
    while (!bytes.empty() && frame_bytes > 0) {
      const size_t taken = std::min(bytes.size(), frame_bytes - filled_);
      std::memcpy(reinterpret_cast<char*>(frame_.data()) + filled_,
                  bytes.data(), taken);
      bytes.remove_prefix(taken);
      filled_ += taken;
      if (filled_ < frame_bytes) return;
      filled_ = 0;
      take(std::span<const float>(frame_));
    }
  }

 private:
  std::vector<float> frame_;
  // Bytes of the frame that have arrived.
  size_t filled_ = 0;
};

using Point3 = std::array<float, 3>;

// The points of one frame in space.
struct SampledPose {
  int64_t frame = 0;
  std::vector<Point3> points;
};

// Poses that are spread evenly over a clip of unknown length. Keeps every k-th
// frame. When these become more than `most`, drops every second one and doubles
// k. The frames depend only on the length of the clip.
class SampledPoses {
 public:
  static constexpr size_t kMaxPoses = 32;

  // Keeps the joints with these indices, and at most `most` poses (>= 2).
  explicit SampledPoses(std::vector<int32_t> joints = {},
                        size_t most = kMaxPoses);

  // Adds the next frame: x, y and z of each joint of the clip. Requires that it
  // has all joints of the constructor.
  void Add(std::span<const float> positions);

  int64_t frames() const { return frames_; }
  const std::vector<SampledPose>& poses() const { return poses_; }

 private:
  void DropEverySecond();

  std::vector<int32_t> joints_;
  size_t most_;
  std::vector<SampledPose> poses_;
  int64_t frames_ = 0;
  int64_t step_ = 1;
};

// The directions of a picture in space, as unit vectors.
struct PoseView {
  Point3 right = {1, 0, 0};
  Point3 up = {0, 1, 0};
};

// A view with `up` as its vertical, which is a unit vector along an axis. It
// looks at the figures where they are widest, turned a little, so that limbs do
// not hide each other. Points that are not finite are left out.
PoseView ChooseView(std::span<const SampledPose> poses, const Point3& up);

// The pose as `view` shows it.
PosePicture Project(const SampledPose& pose, const PoseView& view);

// The median over the poses of their extent along `up`; 0 if none is known.
float MedianHeight(std::span<const SampledPose> poses, const Point3& up);

// The direction that is up in the outputs of a clip: as the options state it,
// else as the report guesses it, else +Y.
Point3 UpOf(const ClipEdits& edits, const Report& report);

// How much each joint turns from frame to frame, in constant memory. A series
// is one value per frame; the smallest and the largest value of each range of
// frames are kept. When the ranges become more than kMaxValues, each two
// neighbours are merged. A single large value stays visible in a clip of any
// length.
class TurnCurves {
 public:
  // The most ranges that are kept; an even number.
  static constexpr size_t kMaxValues = 128;

  // Memory: 1 KB for each series.
  explicit TurnCurves(size_t series);

  // Adds the values of the next frame, one for each series. Values that are not
  // finite are left out. O(series).
  void Add(std::span<const float> values);

  int64_t frames_per_value() const { return frames_per_value_; }
  // The curve of a series; its joint is not set.
  TurnCurve CurveOf(size_t series) const;

 private:
  struct Range {
    float low;
    float high;
  };

  void Merge();

  size_t series_;
  int64_t frames_ = 0;
  int64_t frames_per_value_ = 1;
  // Range by range, in each of them one entry for each series.
  std::vector<Range> ranges_;
};

}  // namespace bvhmill::client
