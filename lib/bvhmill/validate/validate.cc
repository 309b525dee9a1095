#include "bvhmill/validate/validate.h"

#include <array>
#include <string>
#include <vector>

#include "bvhmill/base/utf8.h"
#include "bvhmill/validate/space_hints.h"
#include "bvhmill/validate/rule_input.h"

namespace bvhmill {
namespace {

std::string Quoted(const Subject& subject, int32_t node) {
  return Quote(DisplayName(subject.skeleton, node));
}

Vec3f Minus(const Vec3f& a, const Vec3f& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

void CheckNames(const Subject& subject, IssueLog* log) {
  for (const auto& [joint, first] : subject.facts.repeated_names) {
    log->Add(
        IssueCode::SKELETON_DUPLICATE_NAME, LocationOf(subject, joint),
        {{"joint", Quoted(subject, joint)}, {"first", std::to_string(first)}});
  }
}

void CheckBoneLengths(const Subject& subject, IssueLog* log) {
  for (const int32_t joint : subject.facts.zero_length_bones) {
    log->Add(IssueCode::SKELETON_ZERO_LENGTH_BONE, LocationOf(subject, joint),
             {{"joint", Quoted(subject, joint)}});
  }
}

void CheckRootOffsets(const Subject& subject, IssueLog* log) {
  if (subject.samples.frames() == 0) return;
  for (const int32_t root : subject.facts.offset_roots) {
    const auto position = PositionAt(subject, subject.node(root), 0);
    if (!position || Length(*position) != 0) continue;
    log->Add(IssueCode::DATA_ROOT_OFFSET_ADDITIVE, LocationOf(subject, root),
             {{"joint", Quoted(subject, root)}});
  }
}

// Joints whose positions suggest a reading that is not the default one.
struct Suspects {
  int64_t count = 0;
  int32_t first = -1;

  void Add(int32_t node) {
    if (count++ == 0) first = node;
  }
};

// Positions are 0 in all samples, the OFFSET is not.
bool LooksAdditive(const Subject& subject, const Node& node) {
  if (Length(node.offset) == 0) return false;
  for (size_t row = 0; row < RowSamples::kCount; ++row) {
    const auto position = PositionAt(subject, node, row);
    if (!position || Length(*position) != 0) return false;
  }
  return true;
}

int32_t RootOf(const Skeleton& skeleton, int32_t node) {
  while (skeleton.nodes[static_cast<size_t>(node)].parent >= 0) {
    node = skeleton.nodes[static_cast<size_t>(node)].parent;
  }
  return node;
}

// In frame 0 the values are far from the OFFSET, which they should replace, and
// nearer to where the root stands in the world.
bool LooksGlobal(const Subject& subject, int32_t index) {
  const Node& node = subject.node(index);
  const Node& root = subject.node(RootOf(subject.skeleton, index));
  const auto position = PositionAt(subject, node, 0);
  const auto origin = PositionAt(subject, root, 0);
  const float bone = Length(node.offset);
  if (!position || !origin || bone == 0) return false;
  constexpr float kFar = 2;
  const float from_offset = Length(Minus(*position, node.offset));
  return from_offset > kFar * bone &&
         Length(Minus(*position, *origin)) < from_offset;
}

void LogSuspects(const Subject& subject, IssueCode code,
                 const Suspects& suspects, IssueLog* log) {
  log->Add(code, LocationOf(subject, suspects.first),
           {{"joint", Quoted(subject, suspects.first)}}, suspects.count);
}

void CheckJointPositions(const Subject& subject, IssueLog* log) {
  if (subject.samples.frames() == 0) return;
  Suspects additive;
  Suspects global;
  const std::vector<int32_t>& joints = subject.facts.positioned_joints;
  const auto positioned = static_cast<int64_t>(joints.size());
  for (const int32_t joint : joints) {
    if (LooksAdditive(subject, subject.node(joint))) additive.Add(joint);
    if (LooksGlobal(subject, joint)) global.Add(joint);
  }
  // Single joints may well stand like that; most of them do not by chance.
  constexpr int64_t kFewest = 2;
  if (additive.count * 2 > positioned) {
    LogSuspects(subject, IssueCode::DATA_JOINT_POSITIONS_ADDITIVE, additive,
                log);
  }
  if (global.count >= kFewest && global.count * 2 > positioned) {
    LogSuspects(subject, IssueCode::DATA_JOINT_POSITIONS_GLOBAL, global, log);
  }
}

using Rule = void (*)(const Subject&, IssueLog*);

constexpr Rule kRules[] = {CheckNames, CheckBoneLengths, CheckRootOffsets,
                           CheckJointPositions, HintAtSpace};

}  // namespace

void Validate(const Skeleton& skeleton, const SkeletonFacts& facts,
              const RowSamples& samples, std::span<const Place> node_places,
              const SourceSpace& source, IssueLog* log) {
  const Subject subject{skeleton, facts, samples, node_places, source};
  for (const Rule rule : kRules) rule(subject, log);
}

}  // namespace bvhmill
