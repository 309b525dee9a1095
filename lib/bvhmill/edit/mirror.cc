#include <array>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/edit/editing.h"
#include "bvhmill/edit/joint_map.h"
#include "bvhmill/edit/joint_pose.h"
#include "bvhmill/skeletons/recognize.h"

namespace bvhmill {
namespace {

// How the axes of a joint are mirrored: at one axis, or at the origin.
enum Reflection { kAtX, kAtY, kAtZ, kAtOrigin };

double SignOf(Reflection reflection, int axis) {
  return reflection == kAtOrigin || axis == static_cast<int>(reflection) ? -1
                                                                         : 1;
}

// The sign of an angle about `axis` after the axes are mirrored: C * R * C.
double SignOfTurn(Reflection reflection, int axis) {
  return reflection == kAtOrigin || axis == static_cast<int>(reflection) ? 1
                                                                         : -1;
}

// The name with the first Left or L exchanged for Right or R, and the other way
// round; empty if there is none. A single letter counts between marks or ends
// of the name, and before a capital at its begin.
std::string OtherSide(std::string_view name) {
  constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"Left", "Right"}, {"left", "right"}, {"LEFT", "RIGHT"}};
  const auto replaced = [&](size_t at, size_t length, std::string_view by) {
    return std::string(name.substr(0, at)) + std::string(by) +
           std::string(name.substr(at + length));
  };
  for (const auto& [left, right] : kWords) {
    if (const size_t at = name.find(left); at != std::string_view::npos) {
      return replaced(at, left.size(), right);
    }
    if (const size_t at = name.find(right); at != std::string_view::npos) {
      return replaced(at, right.size(), left);
    }
  }
  const auto is_mark = [&](size_t i) {
    return i >= name.size() ||
           std::string_view("_-. :").find(name[i]) != std::string_view::npos;
  };
  for (size_t i = 0; i < name.size(); ++i) {
    const size_t kind = std::string_view("LRlr").find(name[i]);
    const bool begins = i == 0 || is_mark(i - 1);
    const bool is_capital =
        i + 1 < name.size() && name[i + 1] >= 'A' && name[i + 1] <= 'Z';
    if (kind == std::string_view::npos || !begins) continue;
    if (is_mark(i + 1) || (i == 0 && is_capital)) {
      return replaced(i, 1, std::string_view("RLrl").substr(kind, 1));
    }
  }
  return {};
}

// The node with the name of the other side: LeftArm and RightArm, arm_l and
// arm_r, larm and rarm; -1 if there is none.
int32_t FindOther(const std::map<std::string_view, int32_t>& by_name,
                  const std::string& name) {
  if (const auto found = by_name.find(OtherSide(name));
      found != by_name.end()) {
    return found->second;
  }
  const size_t kind = std::string_view("LRlr").find(name.substr(0, 1));
  if (name.empty() || kind == std::string_view::npos) return -1;
  const auto found = by_name.find("RLrl"[kind] + name.substr(1));
  return found == by_name.end() ? -1 : found->second;
}

// The counterpart by name or by role; the node itself if there is none.
std::vector<int32_t> CounterpartsByName(const Skeleton& skeleton) {
  const Recognition recognition = Recognize(skeleton);
  std::map<std::string_view, int32_t> by_name;
  for (size_t i = 0; i < skeleton.nodes.size(); ++i) {
    const Node& node = skeleton.nodes[i];
    if (IsEndSite(node) || node.name.empty()) continue;
    by_name.emplace(node.name, static_cast<int32_t>(i));
  }
  std::vector<int32_t> out;
  for (size_t i = 0; i < skeleton.nodes.size(); ++i) {
    const auto node = static_cast<int32_t>(i);
    int32_t other = -1;
    if (!IsEndSite(skeleton.nodes[i])) {
      other = FindOther(by_name, skeleton.nodes[i].name);
      const Role role = recognition.roles[i];
      if (other < 0 && IsBodyRole(role)) {
        other = NodeOfRole(recognition, MirrorRole(role));
      }
    }
    out.push_back(other < 0 ? node : other);
  }
  return out;
}

// The end sites of a node, in file order.
std::vector<std::vector<int32_t>> EndSitesOf(const Skeleton& skeleton) {
  std::vector<std::vector<int32_t>> out(skeleton.nodes.size());
  for (size_t i = 0; i < skeleton.nodes.size(); ++i) {
    const Node& node = skeleton.nodes[i];
    if (!IsEndSite(node) || node.parent < 0) continue;
    out[static_cast<size_t>(node.parent)].push_back(static_cast<int32_t>(i));
  }
  return out;
}

// The counterpart of each node: the parents of two counterparts are
// counterparts, too, and each is that of the other.
std::vector<int32_t> FindCounterparts(const Skeleton& skeleton) {
  std::vector<int32_t> other = CounterpartsByName(skeleton);
  const auto parent_of = [&](int32_t node) {
    return skeleton.nodes[static_cast<size_t>(node)].parent;
  };
  const auto fits = [&](int32_t node) {
    const int32_t to = other[static_cast<size_t>(node)];
    const int32_t above = parent_of(node);
    const bool parents_fit =
        above < 0 ? parent_of(to) < 0
                  : parent_of(to) == other[static_cast<size_t>(above)];
    return other[static_cast<size_t>(to)] == node && parents_fit;
  };
  for (size_t i = 0; i < other.size(); ++i) {
    const auto node = static_cast<int32_t>(i);
    if (other[i] == node || fits(node)) continue;
    const auto to = static_cast<size_t>(other[i]);
    if (other[to] == node) other[to] = other[i];
    other[i] = node;
  }
  const auto end_sites = EndSitesOf(skeleton);
  for (size_t i = 0; i < other.size(); ++i) {
    const auto& mine = end_sites[i];
    const auto& theirs = end_sites[static_cast<size_t>(other[i])];
    for (size_t k = 0; k < mine.size() && k < theirs.size(); ++k) {
      other[static_cast<size_t>(mine[k])] = theirs[k];
    }
  }
  return other;
}

// The reflection of the axes of each joint, by the OFFSETs of its children.
std::vector<Reflection> FindReflections(const Skeleton& skeleton,
                                        const std::vector<int32_t>& other) {
  constexpr double kClear = 0.05;
  const size_t nodes = skeleton.nodes.size();
  // How far the OFFSETs of the children would be from those of their
  // counterparts; and their lengths.
  std::vector<std::array<double, 4>> misses(nodes);
  std::vector<double> lengths(nodes);
  for (size_t i = 0; i < nodes; ++i) {
    const Node& node = skeleton.nodes[i];
    if (node.parent < 0) continue;
    const Node& twin = skeleton.nodes[static_cast<size_t>(other[i])];
    const auto parent = static_cast<size_t>(node.parent);
    double length = 0;
    for (const float x : node.offset) length += double{x} * x;
    lengths[parent] += std::sqrt(length);
    for (const Reflection c : {kAtX, kAtY, kAtZ, kAtOrigin}) {
      double square = 0;
      for (int k = 0; k < 3; ++k) {
        const auto axis = static_cast<size_t>(k);
        const double way =
            twin.offset[axis] - SignOf(c, k) * double{node.offset[axis]};
        square += way * way;
      }
      misses[parent][c] += std::sqrt(square);
    }
  }
  std::vector<Reflection> out(nodes, kAtX);
  for (size_t i = 0; i < nodes; ++i) {
    // Counterparts are mirrored alike.
    if (const auto twin = static_cast<size_t>(other[i]); twin < i) {
      out[i] = out[twin];
      continue;
    }
    const int32_t parent = skeleton.nodes[i].parent;
    if (parent >= 0) out[i] = out[static_cast<size_t>(parent)];
    Reflection best = out[i];
    for (const Reflection c : {kAtX, kAtY, kAtZ, kAtOrigin}) {
      if (misses[i][c] < misses[i][best]) best = c;
    }
    // The parent's counts, unless another one is clearly better.
    if (misses[i][out[i]] > misses[i][best] + kClear * lengths[i]) {
      out[i] = best;
    }
  }
  return out;
}

// Joints of a side that stay on their side, for EDIT_NOT_MIRRORED.
void LogUnpaired(const Skeleton& skeleton, const std::vector<int32_t>& other,
                 IssueLog* log) {
  if (log == nullptr) return;
  FirstNames names;
  for (size_t i = 0; i < other.size(); ++i) {
    const Node& node = skeleton.nodes[i];
    const bool is_alone = other[i] == static_cast<int32_t>(i);
    if (IsEndSite(node) || !is_alone) continue;
    const bool is_below =
        node.parent >= 0 &&
        other[static_cast<size_t>(node.parent)] != node.parent;
    if (!is_below && OtherSide(node.name).empty()) continue;
    names.Add(DisplayName(skeleton, static_cast<int32_t>(i)));
  }
  if (names.count == 0) return;
  log->Add(IssueCode::EDIT_NOT_MIRRORED, {}, {{"joints", names.text}},
           names.count);
}

// The reflection of the axes in which the place of `node` is.
Reflection Above(const std::vector<Reflection>& reflections, const Node& node) {
  return node.parent < 0 ? kAtX : reflections[static_cast<size_t>(node.parent)];
}

// The skeleton of the mirrored clip. Each node gets the channels of its
// counterpart, whose signs change.
MappedSkeleton MirroredSkeleton(const MappedSkeleton& prepared,
                                const std::vector<int32_t>& other,
                                const std::vector<Reflection>& reflections) {
  MappedSkeleton out;
  out.skeleton.nodes = prepared.skeleton.nodes;
  for (size_t i = 0; i < other.size(); ++i) {
    const Node& source = prepared.skeleton.nodes[static_cast<size_t>(other[i])];
    const Reflection above = Above(reflections, source);
    Node& node = out.skeleton.nodes[i];
    node.first_channel = static_cast<int32_t>(out.columns.size());
    node.channel_count = source.channel_count;
    for (size_t k = 0; k < 3; ++k) {
      const double sign = SignOf(above, static_cast<int>(k));
      // 0 + x, so that an OFFSET of 0 does not become -0.
      node.offset[k] = static_cast<float>(0 + sign * source.offset[k]);
    }
    for (int32_t k = 0; k < source.channel_count; ++k) {
      const auto at = static_cast<size_t>(source.first_channel + k);
      const Channel channel = prepared.skeleton.channels[at];
      ColumnSource column = prepared.columns[at];
      const int axis = AxisOf(channel);
      if (IsPosition(channel)) column.factor = SignOf(above, axis);
      if (IsRotation(channel)) column.factor = SignOfTurn(above, axis);
      Append(channel, column, &out);
    }
  }
  return out;
}

// C_above * turn * C.
Mat3<double> Reflected(Reflection above, const Mat3<double>& turn,
                       Reflection own) {
  Mat3<double> out = turn;
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) {
      out[static_cast<size_t>(i)][static_cast<size_t>(k)] *=
          SignOf(above, i) * SignOf(own, k);
    }
  }
  return out;
}

}  // namespace

absl::Status Mirror(Editing* editing) {
  const Skeleton before = editing->skeleton();
  const size_t nodes = before.nodes.size();
  BVHMILL_RETURN_IF_ERROR(HoldPoses(*editing));
  BVHMILL_RETURN_IF_ERROR(WorkFrom(editing->budget, RecognitionUnits(nodes)));
  const std::vector<int32_t> other = FindCounterparts(before);
  bool has_pair = false;
  for (size_t i = 0; i < nodes; ++i) {
    has_pair |= other[i] != static_cast<int32_t>(i);
  }
  if (!has_pair) {
    return InvalidField("options.edits.mirror",
                        "no left and right joints are found by their names");
  }
  LogUnpaired(before, other, editing->log);
  const std::vector<Reflection> reflections = FindReflections(before, other);
  // The joints whose angles change by more than signs.
  std::vector<PoseChannels> wanted(nodes);
  for (size_t i = 0; i < nodes; ++i) {
    const Node& node = before.nodes[i];
    wanted[i].turn =
        !IsEndSite(node) && Above(reflections, node) != reflections[i];
  }
  MappedSkeleton mapped =
      MirroredSkeleton(WithPoseChannels(before, wanted), other, reflections);
  const Skeleton after = mapped.skeleton;
  std::vector<EulerAngles> near(nodes);
  return RewriteRows(
      std::move(mapped.skeleton), kPoseWork * static_cast<int64_t>(nodes),
      editing, [&](std::span<const float> row, std::span<float> out) {
        MapRow(mapped.columns, row, out);
        for (size_t i = 0; i < nodes; ++i) {
          const auto from = static_cast<size_t>(other[i]);
          if (!wanted[from].turn) continue;
          const Node& source = before.nodes[from];
          const Mat3<double> turn =
              LocalPose(before, editing->conventions, source, row).turn;
          WriteTurn(
              after, after.nodes[i],
              Reflected(Above(reflections, source), turn, reflections[from]),
              &near[i], out);
        }
      });
}

}  // namespace bvhmill
