// The joints, poses and takes of the samples, and the BVH text of a take.
//
// The writer shares no code with the reader it helps to test, so a mistake in
// one cannot hide a mistake in the other.
#pragma once

#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "tests/samples/rotation.h"

namespace bvhmill::samples {

struct Joint {
  std::string name;
  int parent = -1;            // index of an earlier joint; -1 makes a ROOT
  Vec3 offset = {};           // cm, in the frame of the parent
  std::string channels = {};  // in file order: x y z positions, X Y Z rotations
  std::optional<Vec3> end_site = {};  // cm
};

// One frame of a skeleton, one entry per joint.
struct Pose {
  std::vector<Mat3> rotations;  // of the joint against its parent
  std::vector<Vec3> positions;  // cm, in the frame of the parent
};

// How the text of a take is laid out; the meaning is the same in all layouts.
struct Layout {
  std::string newline = "\n";
  std::string end_site = "End Site";
  std::string frame_time;        // the text after `Frame Time:`
  std::string header_gap = " ";  // after `Frames:` and `Frame Time:`
  std::string number_gap = " ";  // before OFFSET values, between row values
  std::string trailing;          // blanks at the end of each line
  int offset_decimals = 4;
  int row_decimals = 4;
  bool exponents = false;  // small row values as 1.234567e-03
};

struct Take {
  std::string name;                  // file name without directory
  std::vector<Joint> joints;         // depth first, parents before children
  std::function<Pose(double)> pose;  // seconds -> pose of `joints`
  double frame_time = 1.0 / 60;      // seconds
  int frames = 1;
  Layout layout;
};

// The pose with all channels at rest: no rotation, each joint at its OFFSET.
Pose RestPose(const std::vector<Joint>& joints);

// The index of the joint called `name`, which must exist.
int FindJoint(const std::vector<Joint>& joints, const std::string& name);

// Writes `take` as BVH. A joint with fewer than three rotation channels gets
// the angles it lists; its pose must not need the others. Angles follow
// the frame before without jumps of 360 degrees. The memory used does not grow
// with the number of frames; check the state of `out` for failure.
void WriteBvh(const Take& take, std::ostream& out);

}  // namespace bvhmill::samples
