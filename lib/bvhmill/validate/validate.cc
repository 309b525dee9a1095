#include "bvhmill/validate/validate.h"

#include <array>
#include <string>
#include <vector>

#include "bvhmill/validate/rule_input.h"
#include "bvhmill/validate/space_hints.h"

namespace bvhmill {
namespace {

std::string Quoted(const RuleInput& input, int32_t node) {
  return QuotedName(input.skeleton, node);
}

Vec3f Minus(const Vec3f& a, const Vec3f& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

void CheckNames(const RuleInput& input, IssueLog* log) {
  for (const auto& [joint, first] : input.facts.repeated_names) {
    log->Add(
        IssueCode::SKELETON_DUPLICATE_NAME, LocationOf(input, joint),
        {{"joint", Quoted(input, joint)}, {"first", std::to_string(first)}});
  }
}

void CheckBoneLengths(const RuleInput& input, IssueLog* log) {
  for (const int32_t joint : input.facts.zero_length_bones) {
    log->Add(IssueCode::SKELETON_ZERO_LENGTH_BONE, LocationOf(input, joint),
             {{"joint", Quoted(input, joint)}});
  }
}

void CheckRootOffsets(const RuleInput& input, IssueLog* log) {
  if (input.samples.frames() == 0 ||
      input.conventions.root_offset == RootOffset::kAdded) {
    return;
  }
  for (const int32_t root : input.facts.offset_roots) {
    const auto position = PositionAt(input, input.node(root), 0);
    if (!position || Length(*position) != 0) continue;
    log->Add(IssueCode::DATA_ROOT_OFFSET_ADDITIVE, LocationOf(input, root),
             {{"joint", Quoted(input, root)}});
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
bool LooksAdditive(const RuleInput& input, const Node& node) {
  if (Length(node.offset) == 0) return false;
  for (size_t row = 0; row < RowSamples::kCount; ++row) {
    const auto position = PositionAt(input, node, row);
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
bool LooksGlobal(const RuleInput& input, int32_t index, int32_t root) {
  const Node& node = input.node(index);
  const auto position = PositionAt(input, node, 0);
  const auto origin = PositionAt(input, input.node(root), 0);
  const float bone = Length(node.offset);
  if (!position || !origin || bone == 0) return false;
  constexpr float kFar = 2;
  const float from_offset = Length(Minus(*position, node.offset));
  return from_offset > kFar * bone &&
         Length(Minus(*position, *origin)) < from_offset;
}

void LogCandidates(const RuleInput& input, IssueCode code,
                   const Candidates& candidates, IssueLog* log) {
  log->Add(code, LocationOf(input, candidates.first),
           {{"joint", Quoted(input, candidates.first)}}, candidates.count);
}

// The candidates that are global; none if the others are at least as many.
Candidates GlobalJoints(const RuleInput& input) {
  Candidates global;
  if (input.samples.frames() == 0) return global;
  const std::vector<int32_t>& joints = input.facts.positioned_joints;
  int32_t root = 0;
  int32_t last = 0;
  for (const int32_t joint : joints) {
    root = RootBetween(input.skeleton, last, joint, root);
    last = joint;
    if (LooksGlobal(input, joint, root)) global.Add(joint);
  }
  // A single joint may have such values by chance, but not most joints.
  constexpr int64_t kFewest = 2;
  const auto positioned = static_cast<int64_t>(joints.size());
  const bool are_most =
      global.count >= kFewest && global.count * 2 > positioned;
  return are_most ? global : Candidates();
}

void CheckJointPositions(const RuleInput& input, IssueLog* log) {
  const JointPositions reading = input.conventions.joint_positions;
  if (input.samples.frames() == 0 || reading == JointPositions::kIgnore) return;
  Candidates additive;
  const std::vector<int32_t>& joints = input.facts.positioned_joints;
  for (const int32_t joint : joints) {
    if (LooksAdditive(input, input.node(joint))) additive.Add(joint);
  }
  if (reading != JointPositions::kAddToOffset &&
      additive.count * 2 > static_cast<int64_t>(joints.size())) {
    LogCandidates(input, IssueCode::DATA_JOINT_POSITIONS_ADDITIVE, additive,
                  log);
  }
  if (const Candidates global = GlobalJoints(input); global.count > 0) {
    LogCandidates(input, IssueCode::DATA_JOINT_POSITIONS_GLOBAL, global, log);
  }
}

using Rule = void (*)(const RuleInput&, IssueLog*);

constexpr Rule kRules[] = {CheckNames, CheckBoneLengths, CheckRootOffsets,
                           CheckJointPositions, HintAtSpace};

}  // namespace

void Validate(const Skeleton& skeleton, const SkeletonFacts& facts,
              const RowSamples& samples,
              std::span<const TextPosition> node_positions,
              const SourceSpace& source, const Conventions& conventions,
              IssueLog* log) {
  const RuleInput input{skeleton,       facts,  samples,
                        node_positions, source, conventions};
  for (const Rule rule : kRules) rule(input, log);
}

bool HasGlobalPositions(const Skeleton& skeleton, const SkeletonFacts& facts,
                        const RowSamples& samples) {
  const SourceSpace any;
  return GlobalJoints({skeleton, facts, samples, {}, any}).count > 0;
}

bool SeemsZUp(const Skeleton& skeleton, const SkeletonFacts& facts,
              const RowSamples& samples) {
  const SourceSpace any;
  return StandsAlongZ({skeleton, facts, samples, {}, any});
}

}  // namespace bvhmill
