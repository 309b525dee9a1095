#pragma once

// The bodies of a data set: takes of several actors have the same joints, with
// other OFFSETs. Groups the clips by body, and finds the bodies that may be a
// fault: a clip that is scaled, or that has a joint in another place.
//
//   BodyTally tally;
//   for (const ClipFinding& clip : findings) {
//     tally.Add(clip.index, clip.path, clip.result.info.joints);
//   }
//   BodySummary bodies = tally.Summary();

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "bvhmill/clip/clip_info.h"
#include "client/cli/dataset/summary.h"

namespace bvhmill::client {

// Not thread-safe. Needs about 100 bytes for each clip, and the joints of at
// most kMaxBodies.
//
// Two clips have the same body if they have the same joints with the same
// parents, and no OFFSET of a bone differs by more than 0.1 % of the reach of
// the body. The reach is the longest way along bones from a ROOT down. The
// OFFSET of a ROOT is no bone, nor is that of a joint that carries the body: it
// has position channels and is the only joint below a ROOT, or below another
// such joint.
//
// A body resembles a larger one if it is that body at another scale, or with
// other directions of the bones, or with another OFFSET of at most three bones,
// which are less than half. It is odd if it has one clip, or less than a tenth
// of the clips of the body that it resembles. If it resembles none, it is odd
// if it has less than a tenth of the clips of a body that more than half have.
class BodyTally {
 public:
  static constexpr size_t kMaxBodies = 1000;

  // A body, and the joints of its first clip.
  struct Shape {
    JointList joints;
    // For each joint and end site: true if its OFFSET is a bone.
    std::vector<bool> bones;
    double reach = 0;
    Body body;
  };

  // Adds a clip. Call it in the order of the inputs. A clip whose bones have no
  // length, or one that is not finite, is not compared. Nor is a clip with a
  // new body if there are kMaxBodies. O(bodies + joints), as most bodies differ
  // in one of their first joints.
  void Add(size_t index, const std::string& path, const JointList& joints);

  // O(joints * bodies^2).
  BodySummary Summary() const;

 private:
  // The bodies of each skeleton, in the order of their first clips. The key has
  // the names and parents of the joints, and which OFFSETs are bones.
  std::map<std::string, std::vector<Shape>> skeletons_;
  size_t body_count_ = 0;
  int64_t left_out_ = 0;
};

// How the body differs from a larger one: "scaled by 1.3; compared with a.bvh",
// "another body, 1.07 times as large", ... Empty for the one that most clips
// have.
std::string DifferenceText(const Body& body);

// Its clips: "b.bvh and 2 more".
std::string ClipsText(const Body& body);

}  // namespace bvhmill::client
