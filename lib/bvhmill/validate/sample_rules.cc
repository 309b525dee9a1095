// Rules about the skeleton, and about how position channels are to be read.
// They look at a few rows of the clip.

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <vector>

#include "bvhmill/clip/position_reading.h"
#include "bvhmill/validate/rules.h"
#include "bvhmill/validate/sample_frames.h"
#include "bvhmill/validate/space_hints.h"

namespace bvhmill {
namespace {

std::string Quoted(const CheckedClip& clip, int32_t node) {
  return QuotedName(clip.skeleton, node);
}

using Vec3f = std::array<float, 3>;

Vec3f Minus(const Vec3f& a, const Vec3f& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

void CheckNames(const CheckedClip& clip, IssueLog* log) {
  for (const auto& [joint, first] : clip.facts.repeated_names) {
    log->Add(
        IssueCode::SKELETON_DUPLICATE_NAME, LocationOf(clip, joint),
        {{"joint", Quoted(clip, joint)}, {"first", std::to_string(first)}});
  }
}

void CheckBoneLengths(const CheckedClip& clip, IssueLog* log) {
  for (const int32_t joint : clip.facts.zero_length_bones) {
    log->Add(IssueCode::SKELETON_ZERO_LENGTH_BONE, LocationOf(clip, joint),
             {{"joint", Quoted(clip, joint)}});
  }
}

void CheckRootOffsets(const CheckedClip& clip, IssueLog* log) {
  if (clip.frames == 0 || clip.conventions.root_offset == RootOffset::kAdded) {
    return;
  }
  for (const int32_t root : clip.facts.offset_roots) {
    const auto position =
        PositionIn(clip.skeleton,
                   clip.skeleton.nodes[static_cast<size_t>(root)], clip.Row(0));
    if (!position || Length(*position) != 0) continue;
    log->Add(IssueCode::DATA_ROOT_OFFSET_ADDITIVE, LocationOf(clip, root),
             {{"joint", Quoted(clip, root)}});
  }
}

// Joints whose positions suggest another interpretation than the default.
struct Candidates {
  int64_t count = 0;
  int32_t first = -1;

  void Add(int32_t node) {
    if (count++ == 0) first = node;
  }
};

// True if the positions are 0 in all samples but the OFFSET is not.
bool LooksAdditive(const CheckedClip& clip, const Node& node) {
  if (Length(node.offset) == 0) return false;
  for (const int64_t frame : SampleFrames(clip)) {
    const auto position = PositionIn(clip.skeleton, node, clip.Row(frame));
    if (!position || Length(*position) != 0) return false;
  }
  return true;
}

// The root of node `to`, if that of node `from` is `root`: the last one up to
// it, since nodes are in depth-first order. To walk up from each node would
// take long in a deep skeleton.
int32_t RootBetween(const Skeleton& skeleton, int32_t from, int32_t to,
                    int32_t root) {
  for (int32_t i = from; i <= to; ++i) {
    if (skeleton.nodes[static_cast<size_t>(i)].parent < 0) root = i;
  }
  return root;
}

// True if the values in frame 0 are far from the OFFSET that they should
// replace, and nearer to the position of the root in the world.
bool LooksGlobal(const CheckedClip& clip, int32_t index, int32_t root) {
  const Node& node = clip.skeleton.nodes[static_cast<size_t>(index)];
  const auto position = PositionIn(clip.skeleton, node, clip.Row(0));
  const auto origin =
      PositionIn(clip.skeleton, clip.skeleton.nodes[static_cast<size_t>(root)],
                 clip.Row(0));
  const float bone = Length(node.offset);
  if (!position || !origin || bone == 0) return false;
  constexpr float kFar = 2;
  const float from_offset = Length(Minus(*position, node.offset));
  return from_offset > kFar * bone &&
         Length(Minus(*position, *origin)) < from_offset;
}

void LogCandidates(const CheckedClip& clip, IssueCode code,
                   const Candidates& candidates, IssueLog* log) {
  log->Add(code, LocationOf(clip, candidates.first),
           {{"joint", Quoted(clip, candidates.first)}}, candidates.count);
}

// The candidates that are global; none if the others are at least as many.
Candidates GlobalJoints(const CheckedClip& clip) {
  Candidates global;
  if (clip.frames == 0) return global;
  const std::vector<int32_t>& joints = clip.facts.positioned_joints;
  int32_t root = 0;
  int32_t last = 0;
  for (const int32_t joint : joints) {
    root = RootBetween(clip.skeleton, last, joint, root);
    last = joint;
    if (LooksGlobal(clip, joint, root)) global.Add(joint);
  }
  // A single joint may have such values by chance, but not most joints.
  constexpr int64_t kFewest = 2;
  const auto positioned = static_cast<int64_t>(joints.size());
  const bool are_most =
      global.count >= kFewest && global.count * 2 > positioned;
  return are_most ? global : Candidates();
}

void CheckJointPositions(const CheckedClip& clip, IssueLog* log) {
  const JointPositions reading = clip.conventions.joint_positions;
  if (clip.frames == 0 || reading == JointPositions::kIgnore) return;
  Candidates additive;
  const std::vector<int32_t>& joints = clip.facts.positioned_joints;
  for (const int32_t joint : joints) {
    if (LooksAdditive(clip, clip.skeleton.nodes[static_cast<size_t>(joint)]))
      additive.Add(joint);
  }
  if (reading != JointPositions::kAddToOffset &&
      additive.count * 2 > static_cast<int64_t>(joints.size())) {
    LogCandidates(clip, IssueCode::DATA_JOINT_POSITIONS_ADDITIVE, additive,
                  log);
  }
  if (const Candidates global = GlobalJoints(clip); global.count > 0) {
    LogCandidates(clip, IssueCode::DATA_JOINT_POSITIONS_GLOBAL, global, log);
  }
}

}  // namespace

std::array<int64_t, 3> SampleFrames(const CheckedClip& clip) {
  const int64_t last = clip.frames - 1;
  const auto power =
      static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(last)));
  return {0, power, last};
}

void CheckSamples(const CheckedClip& clip, IssueLog* log) {
  CheckNames(clip, log);
  CheckBoneLengths(clip, log);
  CheckRootOffsets(clip, log);
  CheckJointPositions(clip, log);
  HintAtSpace(clip, log);
  clip.motion.has_global_positions = GlobalJoints(clip).count > 0;
  clip.motion.seems_z_up = StandsAlongZ(clip);
}

}  // namespace bvhmill
