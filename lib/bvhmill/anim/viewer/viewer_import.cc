#include "bvhmill/anim/viewer/viewer_import.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "bvhmill/anim/avatar/avatar.h"
#include "bvhmill/anim/format/anim_motion.h"
#include "bvhmill/anim/viewer/viewer_loader.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "bvhmill/base/uninitialized.h"
#include "bvhmill/math/linear.h"

namespace bvhmill {
namespace {

using FloatArray = UninitializedVector<float>;

// The values of one joint over all frames. Reused from joint to joint. All
// arrays have one entry for each frame.
struct ViewerTrack {
  // The rotation x, y, z, w that the channels give.
  std::array<FloatArray, 4> rotation;
  // The unit vectors X and Y after this rotation.
  std::array<FloatArray, 3> axis_x;
  std::array<FloatArray, 3> axis_y;
  // Position; empty if the joint has none.
  std::array<FloatArray, 3> position;
};

// The most bytes for each frame of a track and its ViewerKeys.
constexpr int64_t kViewerFrameBytes = 54;

// The number of frames between two checks of the budget.
constexpr size_t kViewerBlock = 1024;

Quat<float> RotationAt(const ViewerTrack& track, size_t frame) {
  return {track.rotation[0][frame], track.rotation[1][frame],
          track.rotation[2][frame], track.rotation[3][frame]};
}

Vec3<float> VectorAt(const std::array<FloatArray, 3>& vectors, size_t frame) {
  return {vectors[0][frame], vectors[1][frame], vectors[2][frame]};
}

// Units of work for a frame, and in addition for its position.
constexpr int64_t kFrameUnits = 32;
constexpr int64_t kPositionUnits = 6;

// Consecutive frames of a track.
struct Frames {
  size_t begin = 0;
  size_t count = 0;
};
using Block = std::array<float, kViewerBlock>;

// Copies values of a column of `take` to `out`; zeros for column -1.
void CopyColumn(const ViewerTake& take, int32_t column, const Frames& frames,
                float* out) {
  if (column < 0) {
    std::fill_n(out, frames.count, 0.0F);
    return;
  }
  const auto stride = static_cast<size_t>(take.columns);
  const float* value =
      take.values.data() + frames.begin * stride + static_cast<size_t>(column);
  for (size_t i = 0; i < frames.count; ++i) out[i] = value[i * stride];
}

// Replaces angles in `sines` (degrees) by the sines of their halves, and sets
// `cosines`. Uses the single-precision functions of the C library, as the
// viewer does: in curves that do not move, the last bit can decide where a key
// is. With glibc the results are the same on every CPU, and those of the viewer
// for Linux.
void HalfSinCos(size_t count, Block* sines, Block* cosines) {
  constexpr float kRadians = 0.017453292519943295F;
  for (size_t i = 0; i < count; ++i) {
    const float half = (*sines)[i] * kRadians * 0.5F;
    (*sines)[i] = std::sin(half);
    (*cosines)[i] = std::cos(half);
  }
}

// Sines and cosines of half the angles about the axes of a joint.
struct HalfAngles {
  std::array<Block, 3> sines;
  std::array<Block, 3> cosines;
};

// The product a b c of three rotations about different axes. `turns` is 1 if
// the axes are in cyclic order, else -1. Each component is a sum of two
// products, so the order of additions does not matter.
void Compose(const ViewerJoint& joint, const HalfAngles& half,
             const Frames& frames, ViewerTrack* track) {
  const auto [i, j, k] = joint.axes;
  const float turns = (i + 1) % 3 == j ? 1.0F : -1.0F;
  const Block& a_sine = half.sines[0];
  const Block& a_cosine = half.cosines[0];
  const Block& b_sine = half.sines[1];
  const Block& b_cosine = half.cosines[1];
  const Block& c_sine = half.sines[2];
  const Block& c_cosine = half.cosines[2];
  const auto out = [&](int32_t component) {
    return track->rotation[static_cast<size_t>(component)].data() +
           frames.begin;
  };
  float* const out_i = out(i);
  float* const out_j = out(j);
  float* const out_k = out(k);
  float* const out_w = out(3);
  for (size_t f = 0; f < frames.count; ++f) {
    const float p_i = turns * (b_sine[f] * c_sine[f]);
    const float p_j = b_sine[f] * c_cosine[f];
    const float p_k = b_cosine[f] * c_sine[f];
    const float p_w = b_cosine[f] * c_cosine[f];
    const float a_w = a_cosine[f];
    const float a_i = a_sine[f];
    const float a_t = turns * a_i;
    out_i[f] = a_w * p_i + a_i * p_w;
    out_j[f] = a_w * p_j - a_t * p_k;
    out_k[f] = a_w * p_k + a_t * p_j;
    out_w[f] = a_w * p_w - a_i * p_i;
  }
}

// The sums are in the order of the viewer's product of a vector with a
// quaternion.
void TurnAxes(const Frames& frames, ViewerTrack* track) {
  for (size_t f = frames.begin; f < frames.begin + frames.count; ++f) {
    const auto [x, y, z, w] = RotationAt(*track, f);
    track->axis_x[0][f] = x * x + w * w - z * z - y * y;
    track->axis_x[1][f] = x * y + z * w + y * x + w * z;
    track->axis_x[2][f] = x * z - y * w - w * y + z * x;
    track->axis_y[0][f] = y * x - z * w - w * z + x * y;
    track->axis_y[1][f] = y * y + w * w - x * x - z * z;
    track->axis_y[2][f] = y * z + x * w + z * y + w * x;
  }
}

void FillFrames(const ViewerTake& take, const ViewerJoint& joint,
                const Frames& frames, HalfAngles* half, ViewerTrack* track) {
  for (size_t i = 0; i < joint.axes.size(); ++i) {
    CopyColumn(take, joint.angle_columns[i], frames, half->sines[i].data());
    HalfSinCos(frames.count, &half->sines[i], &half->cosines[i]);
  }
  Compose(joint, *half, frames, track);
  TurnAxes(frames, track);
  for (int32_t i = 0; i < 3 && joint.position_column >= 0; ++i) {
    CopyColumn(take, joint.position_column + i, frames,
               track->position[static_cast<size_t>(i)].data() + frames.begin);
  }
}

void Resize(const ViewerTake& take, const ViewerJoint& joint,
            ViewerTrack* track) {
  const auto count = static_cast<size_t>(take.frames);
  for (FloatArray& array : track->rotation) array.resize(count);
  for (FloatArray& array : track->axis_x) array.resize(count);
  for (FloatArray& array : track->axis_y) array.resize(count);
  const size_t positions = joint.position_column < 0 ? 0 : count;
  for (FloatArray& array : track->position) array.resize(positions);
}

// Fills `track` with the values of `joint`. `take` must have frames. Spends
// about 32 units, which are nanoseconds, for each frame on `work`. Returns
// early if `work` refuses.
void FillViewerTrack(const ViewerTake& take, const ViewerJoint& joint,
                     ViewerTrack* track, WorkMeter* work) {
  const int64_t units =
      kFrameUnits + (joint.position_column < 0 ? 0 : kPositionUnits);
  Resize(take, joint, track);
  HalfAngles half;
  const auto count = static_cast<size_t>(take.frames);
  for (size_t begin = 0; begin < count; begin += kViewerBlock) {
    const Frames frames = {begin, std::min(kViewerBlock, count - begin)};
    if (!work->Spend(static_cast<int64_t>(frames.count) * units)) return;
    FillFrames(take, joint, frames, &half, track);
  }
}

// Keys.

// The frames of a joint that become keys: 1, else 0.
struct ViewerKeys {
  std::vector<uint8_t> keep_rotation;
  std::vector<uint8_t> keep_position;
  // False: the joint is left out.
  bool moves = false;
};

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

// Chooses keys as the viewer does. `depth` is that of the joint. Spends about
// 20 units for each frame on `work`. Returns early if `work` refuses.
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

// The motion.

constexpr int32_t kPriority = 2;
constexpr float kEaseSeconds = 0.3F;

// Memory and units of work for the view of a node; units for a joint, for the
// time code of a frame, and for a key.
constexpr int64_t kNodeBytes = 184;
constexpr int64_t kNodeUnits = 40;
constexpr int64_t kJointUnits = 60;
constexpr int64_t kTimeUnits = 4;
constexpr int64_t kKeyUnits = 40;

// The rotation `a` followed by `b`, with the sums in the viewer's order.
Quat<float> Then(const Quat<float>& a, const Quat<float>& b) {
  return {b.w * a.x + b.x * a.w + b.y * a.z - b.z * a.y,
          b.w * a.y + b.y * a.w + b.z * a.x - b.x * a.z,
          b.w * a.z + b.z * a.w + b.x * a.y - b.y * a.x,
          b.w * a.w - b.x * a.x - b.y * a.y - b.z * a.z};
}

Quat<float> Inverse(const Quat<float>& q) { return {-q.x, -q.y, -q.z, q.w}; }

// `v` turned by `q`, with the sums in the viewer's order.
Vec3<float> Turn(const Vec3<float>& v, const Quat<float>& q) {
  const float w = -q.x * v[0] - q.y * v[1] - q.z * v[2];
  const float x = q.w * v[0] + q.y * v[2] - q.z * v[1];
  const float y = q.w * v[1] + q.z * v[0] - q.x * v[2];
  const float z = q.w * v[2] + q.x * v[1] - q.y * v[0];
  return {-w * q.x + x * q.w - y * q.z + z * q.y,
          -w * q.y + y * q.w - z * q.x + x * q.z,
          -w * q.z + z * q.w - x * q.y + y * q.x};
}

// The change of axes and origin for one joint.
struct Frame {
  std::string name;
  // From the axes of BVH to those of the avatar.
  Quat<float> axes;
  // Subtracted from all frames.
  Quat<float> first_rotation;
  Vec3<float> first_position = {};
  int32_t priority = 0;
  bool with_positions = true;
};

// Joints that are not in the table of names keep their name and axes.
Frame FrameOf(const ViewerJoint& joint, const ViewerTrack& track) {
  Frame frame;
  const int32_t index = FindAvatarAlias(joint.name);
  frame.name = joint.name;
  if (index < 0) return frame;
  frame.name = AvatarJoints()[static_cast<size_t>(index)].name;
  frame.axes = {0.5F, 0.5F, 0.5F, 0.5F};
  frame.priority = kPriority;
  frame.with_positions = joint.channel_count != 3;
  if (frame.name != "mPelvis") return frame;
  frame.first_rotation = RotationAt(track, 0);
  if (!track.position[0].empty()) {
    frame.first_position = VectorAt(track.position, 0);
  }
  return frame;
}

// The first frame is the reference, so the second frame is at time 0.
uint16_t TimeCode(size_t frame, float frame_time, float duration) {
  const float index = frame == 0 ? 0.0F : static_cast<float>(frame - 1);
  return EncodeU16(index * frame_time, 0, duration);
}

AnimKey MakeKey(uint16_t time, const Vec3<float>& v, float range) {
  return {time, EncodeTwice(v[0], range), EncodeTwice(v[1], range),
          EncodeTwice(v[2], range)};
}

AnimKey RotationKey(const Frame& frame, const ViewerTrack& track, size_t i,
                    uint16_t time) {
  Quat<float> q = Then(Inverse(frame.axes), RotationAt(track, i));
  q = Then(q, Inverse(frame.first_rotation));
  q = Then(q, frame.axes);
  return MakeKey(time, PackRotation(q), kAnimRotationRange);
}

AnimKey PositionKey(const Frame& frame, const ViewerTrack& track, size_t i,
                    uint16_t time) {
  Vec3<float> p = {};
  if (!track.position[0].empty()) p = VectorAt(track.position, i);
  for (size_t k = 0; k < p.size(); ++k) p[k] -= frame.first_position[k];
  p = Turn(Turn(p, Inverse(frame.first_rotation)), frame.axes);
  for (float& value : p) value *= static_cast<float>(kInchMetres);
  return MakeKey(time, p, kAnimPositionRange);
}

struct KeyCounts {
  size_t rotations = 0;
  size_t positions = 0;
};

KeyCounts CountKeys(const ViewerKeys& keys, const Frame& frame) {
  const auto kept = [](const std::vector<uint8_t>& keep) {
    return static_cast<size_t>(std::count(keep.begin(), keep.end(), 1));
  };
  return {kept(keys.keep_rotation),
          frame.with_positions ? kept(keys.keep_position) : 0};
}

AnimJoint MakeJoint(const ViewerTake& take, const Frame& frame,
                    const ViewerTrack& track, const ViewerKeys& keys,
                    const KeyCounts& counts, float duration, WorkMeter* work) {
  AnimJoint out;
  out.name = frame.name;
  out.priority = frame.priority;
  out.rotations.reserve(counts.rotations);
  out.positions.reserve(counts.positions);
  const size_t count = keys.keep_rotation.size();
  for (size_t begin = 0; begin < count && work->ok(); begin += kViewerBlock) {
    const size_t end = std::min(begin + kViewerBlock, count);
    work->Spend(static_cast<int64_t>(end - begin) * kTimeUnits);
    for (size_t i = begin; i < end; ++i) {
      const uint16_t time = TimeCode(i, take.frame_time, duration);
      if (keys.keep_rotation[i] != 0) {
        out.rotations.push_back(RotationKey(frame, track, i, time));
        work->Spend(kKeyUnits);
      }
      if (frame.with_positions && keys.keep_position[i] != 0) {
        out.positions.push_back(PositionKey(frame, track, i, time));
        work->Spend(kKeyUnits);
      }
    }
  }
  return out;
}

// Both eases together must not be longer than the motion.
void SetEases(AnimMotion* motion) {
  motion->ease_in = kEaseSeconds;
  motion->ease_out = kEaseSeconds;
  const float sum = motion->ease_in + motion->ease_out;
  if (sum > motion->duration && motion->duration != 0) {
    const float factor = motion->duration / sum;
    motion->ease_in *= factor;
    motion->ease_out *= factor;
  }
}

void LogRefusal(ViewerStatus status, const Location& location, IssueLog* log) {
  log->Add(IssueCode::ANIM_IMPORT_REFUSED, location,
           {{"status", std::string(ViewerStatusName(status))},
            {"why", std::string(ViewerStatusMeaning(status))}});
}

class Importer {
 public:
  Importer(const ViewerTake& take, AnimMotion* motion, Budget* budget)
      : take_(take),
        motion_(*motion),
        work_(budget),
        memory_(budget),
        key_memory_(budget) {}

  absl::Status Import() {
    SetHeader();
    if (take_.frames <= 0) return absl::OkStatus();
    BVHMILL_RETURN_IF_ERROR(memory_.Draw(take_.frames * kViewerFrameBytes));
    for (const ViewerJoint& joint : take_.joints) {
      BVHMILL_RETURN_IF_ERROR(AddJoint(joint));
    }
    BVHMILL_RETURN_IF_ERROR(work_.Pay());
    key_memory_.Leave();
    return absl::OkStatus();
  }

 private:
  void SetHeader() {
    motion_ = {};
    const auto played = static_cast<float>(take_.frames - 2);
    motion_.duration = std::max(played, 1.0F) * take_.frame_time;
    motion_.loop_out = motion_.duration;
    motion_.base_priority = kPriority;
    SetEases(&motion_);
  }

  absl::Status AddJoint(const ViewerJoint& joint) {
    work_.Spend(kJointUnits);
    FillViewerTrack(take_, joint, &track_, &work_);
    if (!work_.ok()) return work_.Pay();
    ChooseViewerKeys(track_, take_.frames, joint.depth, &keys_, &work_);
    if (!work_.ok()) return work_.Pay();
    if (!keys_.moves) return absl::OkStatus();
    const Frame frame = FrameOf(joint, track_);
    const KeyCounts counts = CountKeys(keys_, frame);
    const auto keys = static_cast<int64_t>(counts.rotations + counts.positions);
    BVHMILL_RETURN_IF_ERROR(
        key_memory_.Draw(keys * static_cast<int64_t>(sizeof(AnimKey))));
    motion_.joints.push_back(MakeJoint(take_, frame, track_, keys_, counts,
                                       motion_.duration, &work_));
    return work_.ok() ? absl::OkStatus() : work_.Pay();
  }

  const ViewerTake& take_;
  AnimMotion& motion_;
  ViewerTrack track_;
  ViewerKeys keys_;
  WorkMeter work_;
  HeldMemory memory_;
  HeldMemory key_memory_;
};

}  // namespace

absl::Status ImportViewerTake(const ViewerTake& take, AnimMotion* motion,
                              Budget* budget) {
  absl::Status status = Importer(take, motion, budget).Import();
  if (!status.ok()) *motion = {};
  return status;
}

absl::Status ImportAsViewer(const Clip& clip, AnimMotion* motion, IssueLog* log,
                            Budget* budget) {
  *motion = {};
  HeldMemory memory(budget);
  const auto nodes = static_cast<int64_t>(clip.skeleton.nodes.size());
  BVHMILL_RETURN_IF_ERROR(memory.Draw(nodes * kNodeBytes));
  BVHMILL_RETURN_IF_ERROR(WorkFrom(budget, nodes * kNodeUnits));
  ViewerTake take;
  int32_t node = 0;
  const ViewerStatus status = TakeFromClip(clip, &take, &node);
  if (status == ViewerStatus::kOk) {
    return ImportViewerTake(take, motion, budget);
  }
  Location location;
  location.joint = node;
  location.joint_name = DisplayName(clip.skeleton, node);
  LogRefusal(status, location, log);
  return MakeStatus(absl::StatusCode::kFailedPrecondition,
                    "the viewer refuses the clip");
}

bool ImportTextAsViewer(std::string_view text, AnimMotion* motion,
                        IssueLog* log) {
  const ViewerText loaded = LoadViewerText(text);
  if (loaded.status == ViewerStatus::kOk) {
    return ImportViewerTake(loaded.take, motion).ok();
  }
  *motion = {};
  LogRefusal(loaded.status, LocationAt(loaded.place), log);
  return false;
}

}  // namespace bvhmill
