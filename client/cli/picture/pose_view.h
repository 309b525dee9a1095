#pragma once

// How poses in space become pictures on a plane.

#include <array>
#include <span>

#include "client/cli/picture/clip_picture.h"
#include "client/cli/picture/sampled_poses.h"

namespace bvhmill::client {

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

}  // namespace bvhmill::client
