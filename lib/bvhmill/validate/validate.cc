#include "bvhmill/validate/validate.h"

#include <cmath>
#include <string>
#include <string_view>
#include <unordered_map>

#include "bvhmill/base/utf8.h"
#include "bvhmill/validate/space_hints.h"
#include "bvhmill/validate/subject.h"

namespace bvhmill {
namespace {

std::string Quoted(const Subject& subject, int32_t node) {
  return Quote(DisplayName(subject.clip.skeleton, node));
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

void CheckNames(const Subject& subject, IssueLog* log) {
  std::unordered_map<std::string_view, int32_t> first;
  for (size_t i = 0; i < subject.nodes().size(); ++i) {
    if (IsEndSite(subject.nodes()[i])) continue;
    const auto node = static_cast<int32_t>(i);
    const auto [it, is_new] = first.emplace(subject.nodes()[i].name, node);
    if (is_new) continue;
    log->Add(IssueCode::SKELETON_DUPLICATE_NAME, LocationOf(subject, node),
             {{"joint", Quoted(subject, node)},
              {"first", std::to_string(it->second)}});
  }
}

void CheckBoneLengths(const Subject& subject, IssueLog* log) {
  for (size_t i = 0; i < subject.nodes().size(); ++i) {
    const Node& node = subject.nodes()[i];
    if (node.kind != NodeKind::kJoint || Length(node.offset) > 0 ||
        HasPositions(subject.clip.skeleton, node)) {
      continue;
    }
    const auto index = static_cast<int32_t>(i);
    log->Add(IssueCode::SKELETON_ZERO_LENGTH_BONE, LocationOf(subject, index),
             {{"joint", Quoted(subject, index)}});
  }
}

void CheckRootOffsets(const Subject& subject, IssueLog* log) {
  if (subject.clip.motion.frames == 0) return;
  for (size_t i = 0; i < subject.nodes().size(); ++i) {
    const Node& node = subject.nodes()[i];
    if (node.kind != NodeKind::kRoot || Length(node.offset) == 0) continue;
    const auto position = PositionAt(subject.clip, node, 0);
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

// Positions are 0 in the first, middle and last frame, the OFFSET is not.
bool LooksAdditive(const Clip& clip, const Node& node) {
  if (Length(node.offset) == 0) return false;
  for (const int64_t frame : FewFrames(clip)) {
    const auto position = PositionAt(clip, node, frame);
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
bool LooksGlobal(const Clip& clip, int32_t index) {
  const std::vector<Node>& nodes = clip.skeleton.nodes;
  const Node& node = nodes[static_cast<size_t>(index)];
  const Node& root = nodes[static_cast<size_t>(RootOf(clip.skeleton, index))];
  const auto position = PositionAt(clip, node, 0);
  const auto origin = PositionAt(clip, root, 0);
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
  if (subject.clip.motion.frames == 0) return;
  Suspects additive;
  Suspects global;
  int64_t positioned = 0;
  for (size_t i = 0; i < subject.nodes().size(); ++i) {
    const Node& node = subject.nodes()[i];
    if (node.kind != NodeKind::kJoint) continue;
    if (!PositionAt(subject.clip, node, 0)) continue;
    ++positioned;
    if (LooksAdditive(subject.clip, node)) additive.Add(static_cast<int>(i));
    if (LooksGlobal(subject.clip, static_cast<int>(i))) {
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

void Validate(const Clip& clip, std::span<const Place> node_places,
              const SourceSpace& source, IssueLog* log) {
  const Subject subject{clip, node_places, source};
  for (const Rule rule : kRules) rule(subject, log);
}

}  // namespace bvhmill
