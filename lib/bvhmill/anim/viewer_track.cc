#include "bvhmill/anim/viewer_track.h"

#include <cmath>

namespace bvhmill {
namespace {

// Copies a column of `take` to `out`, or zeros for column -1.
void CopyColumn(const ViewerTake& take, int32_t column, FloatArray* out) {
  const auto frames = static_cast<size_t>(take.frames);
  out->resize(frames);
  if (column < 0) {
    std::fill(out->begin(), out->end(), 0.0F);
    return;
  }
  const auto stride = static_cast<size_t>(take.columns);
  const float* value = take.values.data() + column;
  for (size_t i = 0; i < frames; ++i) (*out)[i] = value[i * stride];
}

// Half angles of `sines` (degrees) become their sines and cosines. They are the
// single-precision ones of the C library, as in the viewer: in curves that
// stand still the last bit can decide where a key is. With glibc they are the
// same on every CPU, and those of the viewer for Linux.
void HalfSinCos(FloatArray* sines, FloatArray* cosines) {
  constexpr float kRadians = 0.017453292519943295F;
  cosines->resize(sines->size());
  for (size_t i = 0; i < sines->size(); ++i) {
    const float half = (*sines)[i] * kRadians * 0.5F;
    (*sines)[i] = std::sin(half);
    (*cosines)[i] = std::cos(half);
  }
}

// The product a b c of three rotations about different axes; `turns` is 1 if
// they are in cyclic order, else -1. Each component is a sum of two products,
// so the order of the additions does not matter.
void Compose(const ViewerJoint& joint, ViewerTrack* track) {
  const auto [i, j, k] = joint.axes;
  const float turns = (i + 1) % 3 == j ? 1.0F : -1.0F;
  const FloatArray& a_sine = track->sines[0];
  const FloatArray& a_cosine = track->cosines[0];
  const FloatArray& b_sine = track->sines[1];
  const FloatArray& b_cosine = track->cosines[1];
  const FloatArray& c_sine = track->sines[2];
  const FloatArray& c_cosine = track->cosines[2];
  float* const out_i = track->rotation[static_cast<size_t>(i)].data();
  float* const out_j = track->rotation[static_cast<size_t>(j)].data();
  float* const out_k = track->rotation[static_cast<size_t>(k)].data();
  float* const out_w = track->rotation[3].data();
  for (size_t f = 0; f < a_sine.size(); ++f) {
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

// The sums are in the order that the viewer's product of a vector with a
// quaternion has.
void TurnAxes(ViewerTrack* track) {
  const size_t frames = track->rotation[0].size();
  for (FloatArray& array : track->axis_x) array.resize(frames);
  for (FloatArray& array : track->axis_y) array.resize(frames);
  for (size_t f = 0; f < frames; ++f) {
    const auto [x, y, z, w] = RotationAt(*track, f);
    track->axis_x[0][f] = x * x + w * w - z * z - y * y;
    track->axis_x[1][f] = x * y + z * w + y * x + w * z;
    track->axis_x[2][f] = x * z - y * w - w * y + z * x;
    track->axis_y[0][f] = y * x - z * w - w * z + x * y;
    track->axis_y[1][f] = y * y + w * w - x * x - z * z;
    track->axis_y[2][f] = y * z + x * w + z * y + w * x;
  }
}

}  // namespace

void FillViewerTrack(const ViewerTake& take, const ViewerJoint& joint,
                     ViewerTrack* track) {
  for (FloatArray& array : track->rotation) {
    array.resize(static_cast<size_t>(take.frames));
  }
  for (size_t i = 0; i < joint.axes.size(); ++i) {
    CopyColumn(take, joint.angle_columns[i], &track->sines[i]);
    HalfSinCos(&track->sines[i], &track->cosines[i]);
  }
  Compose(joint, track);
  TurnAxes(track);
  for (int32_t i = 0; i < 3; ++i) {
    FloatArray& position = track->position[static_cast<size_t>(i)];
    if (joint.position_column < 0) {
      position.clear();
    } else {
      CopyColumn(take, joint.position_column + i, &position);
    }
  }
}

}  // namespace bvhmill
