#include "bvhmill/anim/viewer/viewer_track.h"

#include <algorithm>
#include <cmath>

namespace bvhmill {
namespace {

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

}  // namespace

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

}  // namespace bvhmill
