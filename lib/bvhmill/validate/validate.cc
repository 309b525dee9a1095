#include "bvhmill/validate/validate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bvhmill/base/utf8.h"
#include "bvhmill/validate/space_hints.h"
#include "bvhmill/validate/subject.h"

namespace bvhmill {
namespace {

std::string Quoted(const Subject& subject, int32_t node) {
  return Quote(DisplayName(subject.skeleton, node));
}

float Length(const Vec3f& v) { return std::hypot(v[0], v[1], v[2]); }

Vec3f Minus(const Vec3f& a, const Vec3f& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

bool HasPositions(const Skeleton& skeleton, const Node& node) {
  for (const Channel channel : ChannelsOf(skeleton, node)) {
    if (IsPosition(channel)) return true;
  }
  return false;
}

// Replaces `joints`, in file order, by those whose name was used before, each
// with the first of that name: {joint, first}.
void KeepRepeated(const std::vector<Node>& nodes,
                  std::vector<std::pair<int32_t, int32_t>>* joints) {
  const auto name = [&](int32_t i) -> const std::string& {
    return nodes[static_cast<size_t>(i)].name;
  };
  std::sort(joints->begin(), joints->end(), [&](const auto& a, const auto& b) {
    const int order = name(a.first).compare(name(b.first));
    return order < 0 || (order == 0 && a.first < b.first);
  });
  size_t kept = 0;
  int32_t first = -1;
  for (const auto& [joint, unused] : *joints) {
    if (first < 0 || name(joint) != name(first)) {
      first = joint;
    } else {
      (*joints)[kept++] = {joint, first};
    }
  }
  joints->resize(kept);
  std::sort(joints->begin(), joints->end());
}

void CheckNames(const Subject& subject, IssueLog* log) {
  // Kept, so that a batch takes its memory once.
  thread_local std::vector<std::pair<int32_t, int32_t>> joints;
  joints.clear();
  for (size_t i = 0; i < subject.nodes().size(); ++i) {
    if (!IsEndSite(subject.nodes()[i])) {
      joints.emplace_back(static_cast<int32_t>(i), -1);
    }
  }
  KeepRepeated(subject.nodes(), &joints);
  for (const auto& [joint, first] : joints) {
    log->Add(
        IssueCode::SKELETON_DUPLICATE_NAME, LocationOf(subject, joint),
        {{"joint", Quoted(subject, joint)}, {"first", std::to_string(first)}});
  }
}

void CheckBoneLengths(const Subject& subject, IssueLog* log) {
  for (size_t i = 0; i < subject.nodes().size(); ++i) {
    const Node& node = subject.nodes()[i];
    if (node.kind != NodeKind::kJoint || Length(node.offset) > 0 ||
        HasPositions(subject.skeleton, node)) {
      continue;
    }
    const auto index = static_cast<int32_t>(i);
    log->Add(IssueCode::SKELETON_ZERO_LENGTH_BONE, LocationOf(subject, index),
             {{"joint", Quoted(subject, index)}});
  }
}

void CheckRootOffsets(const Subject& subject, IssueLog* log) {
  if (subject.samples.frames() == 0) return;
  for (size_t i = 0; i < subject.nodes().size(); ++i) {
    const Node& node = subject.nodes()[i];
    if (node.kind != NodeKind::kRoot || Length(node.offset) == 0) continue;
    const auto position = PositionAt(subject, node, 0);
    if (!position || Length(*position) != 0) continue;
    const auto index = static_cast<int32_t>(i);
    log->Add(IssueCode::DATA_ROOT_OFFSET_ADDITIVE, LocationOf(subject, index),
             {{"joint", Quoted(subject, index)}});
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
  const std::vector<Node>& nodes = subject.nodes();
  const Node& node = nodes[static_cast<size_t>(index)];
  const Node& root =
      nodes[static_cast<size_t>(RootOf(subject.skeleton, index))];
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
  int64_t positioned = 0;
  for (size_t i = 0; i < subject.nodes().size(); ++i) {
    const Node& node = subject.nodes()[i];
    if (node.kind != NodeKind::kJoint) continue;
    if (!PositionAt(subject, node, 0)) continue;
    ++positioned;
    if (LooksAdditive(subject, node)) additive.Add(static_cast<int>(i));
    if (LooksGlobal(subject, static_cast<int>(i))) {
      global.Add(static_cast<int>(i));
    }
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

void Validate(const Skeleton& skeleton, const RowSamples& samples,
              std::span<const Place> node_places, const SourceSpace& source,
              IssueLog* log) {
  const Subject subject{skeleton, samples, node_places, source};
  for (const Rule rule : kRules) rule(subject, log);
}

}  // namespace bvhmill
