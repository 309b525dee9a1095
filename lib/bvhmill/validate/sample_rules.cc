// Rules that need the skeleton and a few rows of the clip.
//
// The skeleton: two joints share a name (SKELETON_DUPLICATE_NAME), or a joint
// lies on its parent (SKELETON_ZERO_LENGTH_BONE). Position channels that are 0
// while the OFFSET is not may be meant to be added to it
// (DATA_ROOT_OFFSET_ADDITIVE, DATA_JOINT_POSITIONS_ADDITIVE); those far from
// the OFFSET may be places in the world (DATA_JOINT_POSITIONS_GLOBAL).
//
// The space: the likely unit and up axis, by the size of the rest pose and the
// height of the root (DATA_UNIT_GUESS, DATA_UP_AXIS_GUESS).
//
// Poses: left and right bones differ in length (DATA_ASYMMETRY), frame 0 is the
// rest pose (DATA_REST_POSE), the last pose is the first one (DATA_LOOP).

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/clip/clip.h"
#include "bvhmill/report/issue_log.h"
#include "bvhmill/validate/checked_clip.h"
#include "bvhmill/validate/rules.h"
#include "bvhmill/validate/skeleton_facts.h"

namespace bvhmill {
namespace {

// The skeleton and its position channels.

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

// Joints whose positions suggest another reading than the default.
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

// The root of node `to`, if that of node `from` is `root`: the last root up to
// `to`, since nodes are in depth-first order. A walk up from each node would be
// slow in a deep skeleton.
int32_t RootBetween(const Skeleton& skeleton, int32_t from, int32_t to,
                    int32_t root) {
  for (int32_t i = from; i <= to; ++i) {
    if (skeleton.nodes[static_cast<size_t>(i)].parent < 0) root = i;
  }
  return root;
}

// True if the values in frame 0 are far from the OFFSET that they should
// replace, and nearer to the position of the root.
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

// The joints that look global; none unless they are the majority.
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

// The unit and the up axis.

// The sizes of people in a unit. A size between two bands is ambiguous, and
// gives no hint.
struct Band {
  std::string_view unit;
  std::string_view meters;
  double least;
  double most;
};

constexpr Band kBands[] = {{"meters", "1", 1, 2.5},
                           {"inches", "0.0254", 45, 85},
                           {"centimeters", "0.01", 100, 250},
                           {"millimeters", "0.001", 1000, 2500}};

// The motion library of Carnegie Mellon uses a unit of its own, 1 / 0.45 inch.
// Its files are recognized by the name of a joint.
constexpr Band kCmu = {"units of 1/0.45 inch, as CMU has them", "0.0564444", 20,
                       36};
constexpr std::string_view kCmuJoint = "LHipJoint";

// Lowest and highest position of the hips, as a share of the size of the body.
constexpr double kLowHips = 0.3;
constexpr double kHighHips = 0.8;
// The factor by which a standing body is longer along its up axis than along
// the other one.
constexpr double kClearlyLonger = 1.5;
// The factor by which stretched arms can be wider than the body is high.
constexpr double kWidestArms = 1.5;

bool IsIn(const Band& band, double size) {
  return size >= band.least && size <= band.most;
}

bool HasJoint(const Skeleton& skeleton, std::string_view name) {
  return std::any_of(skeleton.nodes.begin(), skeleton.nodes.end(),
                     [name](const Node& node) { return node.name == name; });
}

const Band* FindBand(const Skeleton& skeleton, double size) {
  for (const Band& band : kBands) {
    if (IsIn(band, size)) return &band;
  }
  return IsIn(kCmu, size) && HasJoint(skeleton, kCmuJoint) ? &kCmu : nullptr;
}

bool AreHips(double height, double size) {
  return height >= kLowHips * size && height <= kHighHips * size;
}

// True if the root is at the height of hips along Z in all samples, but not
// along Y in all of them.
bool HipsAreAlongZ(const CheckedClip& clip, double size) {
  if (clip.frames == 0) return false;
  bool along_y = true;
  for (const int64_t frame : SampleFrames(clip)) {
    const auto at =
        PositionIn(clip.skeleton, clip.skeleton.nodes.front(), clip.Row(frame));
    if (!at || !AreHips((*at)[2], size)) return false;
    along_y = along_y && AreHips((*at)[1], size);
  }
  return !along_y;
}

void HintAtUnit(const CheckedClip& clip, const BipedMeasure& body,
                IssueLog* log) {
  const double size = SizeOf(body);
  const Band* band = FindBand(clip.skeleton, size);
  // The bands are those of people.
  if (band == nullptr || body.has_four_legs) return;
  log->Add(IssueCode::DATA_UNIT_GUESS, LocationOf(clip, 0),
           {{"extent", Short(size)},
            {"unit", std::string(band->unit)},
            {"meters", std::string(band->meters)}});
}

// True if the figure is a body that stands along Z in its rest pose, with the
// root at the height of hips along Z.
bool StandsAlongZ(const CheckedClip& clip) {
  if (!clip.facts.body) return false;
  const auto& [x, y, z] = clip.facts.body->extent;
  return z >= kClearlyLonger * y && z * kWidestArms >= x &&
         HipsAreAlongZ(clip, z);
}

void HintAtUpAxis(const CheckedClip& clip, const BipedMeasure& body,
                  IssueLog* log) {
  if (!StandsAlongZ(clip)) return;
  const auto& [x, y, z] = body.extent;
  const auto at =
      PositionIn(clip.skeleton, clip.skeleton.nodes.front(), clip.Row(0));
  log->Add(
      IssueCode::DATA_UP_AXIS_GUESS, LocationOf(clip, 0),
      {{"evidence", "the rest pose measures " + Short(z) + " along Z and " +
                        Short(y) + " along Y, and the root is at " +
                        Short((*at)[2]) + " along Z"},
       {"axis", "Z"}});
}

// Logs at most one hint about the unit and one about the up axis, with the
// measured values. A wrong hint is worse than a missing one, so there is no
// hint:
//
//   - if the caller states the unit, or the axis,
//   - if the skeleton is not a body with legs and arms (MeasureBiped),
//   - if the measured values have more than one likely meaning,
//   - about the axis, if the head is known: see CheckFloor.
void HintAtSpace(const CheckedClip& clip, IssueLog* log) {
  const bool has_unit = clip.source.meters_per_unit != 0;
  const bool has_axis = clip.source.up_axis != UpAxis::kUnknown;
  if (has_unit && has_axis) return;
  const std::optional<BipedMeasure>& body = clip.facts.body;
  if (!body) return;
  if (!has_unit) HintAtUnit(clip, *body, log);
  // If head and feet are known, CheckFloor judges by all frames.
  const bool has_head = clip.facts.landmarks.head >= 0;
  if (!has_axis && !has_head) HintAtUpAxis(clip, *body, log);
}

// The rest pose, and the poses at the ends of the clip.

// The bones of mirrored joints.
void CheckPairs(const CheckedClip& clip, IssueLog* log) {
  const auto length = [&](int32_t node) {
    return double{
        Length(clip.skeleton.nodes[static_cast<size_t>(node)].offset)};
  };
  for (const auto& [left, right] : clip.facts.mirror_pairs) {
    const double longer = std::max(length(left), length(right));
    const double shorter = std::min(length(left), length(right));
    const double share = longer > 0 ? 1 - shorter / longer : 0;
    if (share <= clip[Threshold::DATA_ASYMMETRY_difference] ||
        longer <= clip[Threshold::DATA_ASYMMETRY_reach] * clip.motion.reach) {
      continue;
    }
    log->Add(IssueCode::DATA_ASYMMETRY, LocationOf(clip, left),
             {{"joint", QuotedName(clip.skeleton, left)},
              {"other", QuotedName(clip.skeleton, right)},
              {"length", Short(length(left))},
              {"other_length", Short(length(right))},
              {"percent", Short(100 * share)}});
  }
}

// The rest pose in frame 0 is the reference pose of a capture if frame 1
// differs; else the motion begins there.
void CheckRestPose(const CheckedClip& clip, IssueLog* log) {
  const Skeleton& skeleton = clip.skeleton;
  const double limit = clip[Threshold::DATA_REST_POSE_degrees];
  const double angle = LargestAngle(skeleton, clip.Row(0), {}, limit);
  if (!(angle <= limit)) return;
  const double moved = LargestAngle(skeleton, clip.Row(0), clip.Row(1), limit);
  if (!(moved > limit)) return;
  Location at;
  at.frame = 0;
  log->Add(IssueCode::DATA_REST_POSE, at, {{"degrees", Short(angle)}});
}

void CheckLoop(const CheckedClip& clip, IssueLog* log) {
  const Skeleton& skeleton = clip.skeleton;
  const MotionFacts& motion = clip.motion;
  const int64_t frames = motion.last_frame() - motion.first_frame() + 1;
  if (static_cast<double>(frames) * motion.dt <
      clip[Threshold::DATA_LOOP_seconds]) {
    return;
  }
  const auto first = clip.Row(motion.first_frame());
  const auto last = clip.Row(motion.last_frame());
  const double limit = clip[Threshold::DATA_LOOP_degrees];
  const double angle = LargestAngle(skeleton, first, last, limit);
  if (!(angle <= limit)) return;
  // The pose must differ in between: at two frames whose numbers are powers of
  // two.
  const auto power = static_cast<int64_t>(
      std::bit_floor(static_cast<uint64_t>(clip.frames - 1)));
  const double moved =
      std::max(LargestAngle(skeleton, first, clip.Row(power), limit),
               LargestAngle(skeleton, first, clip.Row(power / 2), limit));
  if (!(moved > limit)) return;
  Location at;
  at.frame = motion.last_frame();
  log->Add(IssueCode::DATA_LOOP, at, {{"degrees", Short(angle)}});
}

}  // namespace

void CheckSamples(const CheckedClip& clip, IssueLog* log) {
  CheckNames(clip, log);
  CheckBoneLengths(clip, log);
  CheckRootOffsets(clip, log);
  CheckJointPositions(clip, log);
  HintAtSpace(clip, log);
  clip.motion.has_global_positions = GlobalJoints(clip).count > 0;
  clip.motion.seems_z_up = StandsAlongZ(clip);
}

void CheckPoses(const CheckedClip& clip, IssueLog* log) {
  CheckPairs(clip, log);
  if (clip.frames < 2 || clip.motion.non_finite_rows > 0) return;
  CheckRestPose(clip, log);
  CheckLoop(clip, log);
}

}  // namespace bvhmill
