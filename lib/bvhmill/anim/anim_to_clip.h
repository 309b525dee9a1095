#pragma once

// Converts an .anim motion to a BVH clip on the skeleton of Second Life's
// avatar, in the axes and the unit that the viewer expects when it imports BVH:
// Y up, inches.
//
//   Clip clip;
//   BVHMILL_RETURN_IF_ERROR(AnimToClip(motion, {}, &clip, &log));

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/anim/format/anim_motion.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

struct AnimToClipOptions {
  // 0: the lowest rate from 20 to 120 at which every key is at a frame, or 30
  // if there is no such rate.
  double frames_per_second = 0;
  // Adds a first frame with the avatar at rest. The viewer uses it as the
  // reference pose and does not play it.
  bool reference_frame = true;
  // Includes bones that do not move.
  bool all_bones = false;
};

// Makes a clip of `motion`. The root has position channels; another joint has
// them only if it has position keys. At the frame of a key, the values are
// chosen so that the viewer's import encodes them as the 16-bit codes of that
// key. At other frames, the values are those that the viewer plays. Priorities,
// loop points and the rest of the header are lost, because a BVH file cannot
// hold them.
//
// Omits and logs joints that are not below the pelvis, or for which the viewer
// knows no BVH name: HUD points, collision volumes, attachment points whose
// name is one word, unknown names. If the duration exceeds 60 s, logs an error
// and returns an empty clip. INVALID_ARGUMENT if the rate is not within 0 to
// 240.
//
// Thread-safe: several threads may call it at the same time, each with its own
// `clip` and `log`. They may share `motion`.
//
// Cost: about 150 ns for each joint and frame.
absl::Status AnimToClip(const AnimMotion& motion,
                        const AnimToClipOptions& options, Clip* clip,
                        IssueLog* log);

// Makes the clip of AnimToClip in two steps: first everything except the rows,
// then the rows. So a caller can check the size of the rows before they use
// memory. A maker converts one motion, in one thread.
class AnimClipMaker {
 public:
  // `motion` must outlive the maker. Requires that its duration is at most
  // kMaxAnimSeconds, and that the rate of `options` is from 0 to 240.
  AnimClipMaker(const AnimMotion& motion, const AnimToClipOptions& options)
      : motion_(motion), options_(options) {}

  // Makes the skeleton, the frame time and the number of frames, without
  // values. Logs the joints that it omits. Call once. `budget` may be null; an
  // error is one of the budget. Copies and sorts the keys. The caller draws the
  // memory of the copy, which is about that of `motion`: `budget` is for work
  // only.
  absl::Status MakeHeader(Budget* budget, IssueLog* log, Clip* clip);

  // Adds the rows to `clip`, which MakeHeader has filled. The caller draws
  // their memory. Memory: clip->motion.frames rows of
  // clip->skeleton.channels.size() floats. `budget` may be null; an error is
  // one of the budget. Cost: about 150 ns for each joint and frame.
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
  // Frames without the reference frame.
  int64_t played_ = 0;
  double frame_time_ = 0;
};

// The frames at which a motion is sampled.

// Divides the duration into `steps` equal intervals, with a frame at each end:
// steps + 1 frames (1 for a pose). A key may be between two frames if the
// caller gives the rate, or if no rate that was tried fits.
struct FrameGrid {
  int64_t steps = 1;
  // True if the motion is one pose: it has no duration, no keys, or all keys at
  // the start.
  bool is_pose = false;
};

// Finds the grid of `rate` frames per second. If `rate` is 0, finds the
// coarsest grid of 20 to 120 frames per second at which every key is at a
// frame; 30 if there is none. Requires that the duration is at most
// kMaxAnimSeconds, and `rate` at most 240. Fails only if `budget`, which may be
// null, refuses the work. Cost: a few nanoseconds for each grid that is tried
// and each distinct key time. A grid is rejected at the first key time that is
// not at a frame.
absl::Status FindFrameGrid(const AnimMotion& motion, double rate,
                           Budget* budget, FrameGrid* grid);

}  // namespace bvhmill
