#pragma once

// Makes a clip of an .anim motion in two steps: first everything except the
// rows, then the rows. So a caller can check the size of the rows before they
// take memory. Private to anim/ and pipeline/.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/anim/anim_to_clip.h"
#include "bvhmill/anim/format/anim_motion.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

// The clip is that of AnimToClip. One motion, one thread.
class AnimClipMaker {
 public:
  // `motion` must outlive the maker. REQUIRES: its duration is at most
  // kMaxAnimSeconds, and the rate of `options` is from 0 to 240.
  AnimClipMaker(const AnimMotion& motion, const AnimToClipOptions& options)
      : motion_(motion), options_(options) {}

  // Makes the skeleton, the frame time and the number of frames, without
  // values. Logs the joints that are left out. Call once. `budget` may be null;
  // an error is its own. The keys are copied and sorted: about as much memory
  // as they take in `motion`.
  absl::Status MakeHeader(Budget* budget, IssueLog* log, Clip* clip);

  // Makes the rows of the clip that MakeHeader has made. Takes clip->motion.
  // frames rows of clip->skeleton.channels.size() floats. `budget` may be null;
  // an error is its own. Cost: about 150 ns for each joint and frame.
  absl::Status MakeRows(Budget* budget, Clip* clip) const;

 private:
  // The curves of one joint of the avatar.
  struct Curves {
    std::vector<AnimKey> rotations;
    std::vector<AnimKey> positions;
  };

  void TakeCurves(IssueLog* log);
  void TakeJoint(const AnimJoint& joint, int32_t place, IssueLog* log);
  void AddNodes(Skeleton* skeleton);
  void AddNode(int32_t joint, int32_t parent, Skeleton* skeleton);
  void FillJoint(int32_t joint, const Node& node, Clip* clip) const;
  void FillPositions(const std::vector<AnimKey>& keys, const Node& node,
                     Clip* clip) const;
  float* Row(int64_t played, const Node& node, Clip* clip) const;
  float SecondsAt(int64_t played) const;

  const AnimMotion& motion_;
  const AnimToClipOptions options_;
  // One entry for each joint of the avatar.
  std::vector<Curves> curves_;
  std::vector<bool> included_;
  // The joints in the clip, and their nodes.
  std::vector<int32_t> joints_;
  std::vector<size_t> nodes_;
  // Frames that the viewer plays: all but the reference frame.
  int64_t played_ = 0;
  double frame_time_ = 0;
};

}  // namespace bvhmill
