#include <algorithm>
#include <cmath>

#include "bvhmill/anim/viewer/viewer_track.h"

namespace bvhmill {
namespace {

constexpr float kRotationKeyThreshold = 0.01F;
constexpr float kRotationMotionThreshold = 0.001F;
// Squares, in the unit of the BVH file.
constexpr float kPositionKeyThreshold = 0.03F * 0.03F;
constexpr float kPositionMotionThreshold = 0.001F * 0.001F;
// The allowed error of a joint decreases with its depth.
constexpr float kDepthWeight = 0.33F;

// Units of work for a frame whose rotation is compared with the first one, and
// for a frame whose rotation or position is tested.
constexpr int64_t kCompareUnits = 6;
constexpr int64_t kRotationUnits = 20;
constexpr int64_t kPositionUnits = 6;

// Counts the work of a pass over frames, block by block.
class Pass {
 public:
  Pass(size_t end, int64_t units, WorkMeter* work)
      : end_(end), units_(units), work_(*work) {}

  // False if the pass must end before `frame`. Frames must not go back.
  bool GoesOn(size_t frame) {
    if (frame < counted_) return true;
    counted_ = std::min(frame + kViewerBlock, end_);
    return work_.Spend(static_cast<int64_t>(counted_ - frame) * units_);
  }

 private:
  size_t end_;
  int64_t units_;
  WorkMeter& work_;
  // The work of the frames before this one is counted.
  size_t counted_ = 0;
};

float SquareDistance(const Vec3<float>& a, const Vec3<float>& b) {
  const float x = a[0] - b[0];
  const float y = a[1] - b[1];
  const float z = a[2] - b[2];
  return x * x + y * y + z * z;
}

float Distance(const Vec3<float>& a, const Vec3<float>& b) {
  return std::sqrt(SquareDistance(a, b));
}

// The distance between two rotations: the sum of the distances between the
// turned axes X and between the turned axes Y.
float RotationDistance(const ViewerTrack& track, size_t a, size_t b) {
  return Distance(VectorAt(track.axis_x, a), VectorAt(track.axis_x, b)) +
         Distance(VectorAt(track.axis_y, a), VectorAt(track.axis_y, b));
}

// Scales to length 1, unless the length is nearly 1 already.
Quat<float> Normalized(const Quat<float>& q) {
  constexpr float kLeastLength = 1e-7F;
  constexpr float kNearlyOne = 1e-6F;
  const float length = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  if (!(length > kLeastLength)) return {};
  if (!(std::fabs(1.0F - length) > kNearlyOne)) return q;
  const float factor = 1.0F / length;
  return {q.x * factor, q.y * factor, q.z * factor, q.w * factor};
}

// Blends the frames component by component, without regard to sign: `t` = 0 is
// frame `to`, `t` = 1 is frame `from`.
Quat<float> Blend(const ViewerTrack& track, size_t from, size_t to, float t) {
  const Quat<float> a = RotationAt(track, from);
  const Quat<float> b = RotationAt(track, to);
  const float s = 1.0F - t;
  return Normalized({t * a.x + s * b.x, t * a.y + s * b.y, t * a.z + s * b.z,
                     t * a.w + s * b.w});
}

float DistanceOf(const Quat<float>& q, const ViewerTrack& track, size_t frame) {
  const auto [x, y, z, w] = q;
  const Vec3<float> axis_x = {x * x + w * w - z * z - y * y,
                              x * y + z * w + y * x + w * z,
                              x * z - y * w - w * y + z * x};
  const Vec3<float> axis_y = {y * x - z * w - w * z + x * y,
                              y * y + w * w - x * x - z * z,
                              y * z + x * w + z * y + w * x};
  return Distance(axis_x, VectorAt(track.axis_x, frame)) +
         Distance(axis_y, VectorAt(track.axis_y, frame));
}

bool RotationMoves(const ViewerTrack& track, size_t first, size_t last,
                   WorkMeter* work) {
  Pass pass(last + 1, kCompareUnits, work);
  for (size_t i = first; i <= last; ++i) {
    if (!pass.GoesOn(i)) return false;
    if (RotationDistance(track, 0, i) > kRotationMotionThreshold) return true;
  }
  return false;
}

// Tests each frame against a line from the last key to the frame after it. When
// a frame is kept, the frame *after* the dropped frame with the largest error
// is kept as well.
void ChooseRotationKeys(const ViewerTrack& track, size_t first, size_t frames,
                        float threshold, std::vector<uint8_t>* keep,
                        WorkMeter* work) {
  size_t last_key = first;
  size_t worst_frame = first;
  int considered = 2;
  float worst = 0;
  Pass pass(frames, kRotationUnits, work);
  for (size_t i = first + 1; i < frames; ++i) {
    if (!pass.GoesOn(i)) return;
    const size_t tested = i - 1;
    if (tested == last_key) continue;
    const float t = 1.0F / static_cast<float>(considered);
    const float distance =
        DistanceOf(Blend(track, last_key, i, t), track, tested);
    const bool is_end = i + 1 == frames && considered > 2;
    if (distance >= threshold || is_end) {
      considered = 2;
      last_key = tested;
      if (worst > 0) (*keep)[worst_frame] = 1;
      worst = 0;
      continue;
    }
    (*keep)[tested] = 0;
    ++considered;
    if (distance > worst) {
      worst = distance;
      worst_frame = i;
    }
  }
}

Vec3<float> BlendPositions(const Vec3<float>& from, const Vec3<float>& to,
                           float t) {
  return {to[0] + (from[0] - to[0]) * t, to[1] + (from[1] - to[1]) * t,
          to[2] + (from[2] - to[2]) * t};
}

// Returns true if the position moves.
bool ChoosePositionKeys(const ViewerTrack& track, size_t first, size_t frames,
                        std::vector<uint8_t>* keep, WorkMeter* work) {
  const Vec3<float> start = VectorAt(track.position, 0);
  size_t last_key = first;
  int considered = 2;
  bool moves = SquareDistance(VectorAt(track.position, first), start) >
               kPositionMotionThreshold;
  Pass pass(frames, kPositionUnits, work);
  for (size_t i = first + 1; i < frames; ++i) {
    if (!pass.GoesOn(i)) return moves;
    const size_t tested = i - 1;
    const bool is_key = tested == last_key;
    const Vec3<float> here = VectorAt(track.position, is_key ? tested : i);
    moves |= SquareDistance(here, start) > kPositionMotionThreshold;
    if (is_key) continue;
    const Vec3<float> line =
        BlendPositions(VectorAt(track.position, last_key), here,
                       1.0F / static_cast<float>(considered));
    if (SquareDistance(line, VectorAt(track.position, tested)) <
        kPositionKeyThreshold) {
      (*keep)[tested] = 0;
      ++considered;
    } else {
      considered = 2;
      last_key = tested;
    }
  }
  return moves;
}

}  // namespace

void ChooseViewerKeys(const ViewerTrack& track, int64_t frames, int32_t depth,
                      ViewerKeys* keys, WorkMeter* work) {
  const auto count = static_cast<size_t>(frames);
  const size_t first = count == 1 ? 0 : 1;
  const float threshold =
      kRotationKeyThreshold /
      std::max(static_cast<float>(depth) * kDepthWeight, 1.0F);
  keys->keep_rotation.assign(count, 1);
  keys->keep_position.assign(count, 1);
  keys->keep_rotation[0] = count == 1 ? 1 : 0;
  keys->keep_position[0] = keys->keep_rotation[0];
  // The last frame is not tested, since no frame follows it.
  keys->moves =
      count == 1 ||
      RotationMoves(track, first, count == 2 ? first : count - 2, work);
  ChooseRotationKeys(track, first, count, threshold, &keys->keep_rotation,
                     work);
  if (!track.position[0].empty()) {
    keys->moves |=
        ChoosePositionKeys(track, first, count, &keys->keep_position, work);
  } else {
    // Without position channels all positions are 0. Only keys at both ends
    // remain.
    std::fill(keys->keep_position.begin() + 1, keys->keep_position.end(), 0);
    keys->keep_position[first] = 1;
    keys->keep_position.back() = 1;
  }
}

}  // namespace bvhmill
