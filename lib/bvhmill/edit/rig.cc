#include "bvhmill/edit/rig.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "bvhmill/base/limits.h"
#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "bvhmill/edit/editing.h"
#include "bvhmill/edit/joint_map.h"
#include "bvhmill/edit/new_parents.h"
#include "bvhmill/skeletons/recognize.h"

namespace bvhmill {
namespace {

constexpr std::string_view kField = "options.edits.rig";
constexpr int32_t kNone = -1;

Rig BuiltInRig(std::string_view name) {
  Rig rig;
  std::map<std::string_view, int32_t> index;
  for (const RigRow& row : RigRows()) {
    if (row.rig != name) continue;
    index[row.joint] = static_cast<int32_t>(rig.size());
    rig.push_back({std::string(row.joint),
                   row.parent.empty() ? kNone : index.at(row.parent),
                   std::string(row.also)});
  }
  return rig;
}

// `rig` with its joints depth-first.
Rig DepthFirst(const Rig& rig) {
  std::vector<std::vector<int32_t>> children(rig.size());
  for (size_t i = 1; i < rig.size(); ++i) {
    children[static_cast<size_t>(rig[i].parent)].push_back(
        static_cast<int32_t>(i));
  }
  Rig out;
  std::vector<int32_t> new_index(rig.size());
  std::vector<int32_t> next = {0};
  while (!next.empty()) {
    const auto at = static_cast<size_t>(next.back());
    next.pop_back();
    new_index[at] = static_cast<int32_t>(out.size());
    out.push_back(rig[at]);
    int32_t& parent = out.back().parent;
    if (parent >= 0) parent = new_index[static_cast<size_t>(parent)];
    next.insert(next.end(), children[at].rbegin(), children[at].rend());
  }
  return out;
}

// The rig of the rows joint and parent.
absl::StatusOr<Rig> RigOfRows(std::span<const JointMapRow> rows) {
  BVHMILL_RETURN_IF_ERROR(CheckCount(kField, rows.size(), kMaxRigJoints));
  Rig rig;
  std::map<std::string_view, int32_t> index;
  for (const auto& [joint, parent] : rows) {
    const auto above = index.find(parent);
    if (rig.empty() != parent.empty()) {
      return InvalidField(
          kField, Quote(joint) + (rig.empty() ? " is first, but has a parent"
                                              : " is not first, but has no "
                                                "parent"));
    }
    if (!rig.empty() && above == index.end()) {
      return InvalidField(kField, "the parent " + Quote(parent) + " of " +
                                      Quote(joint) + " is in no row above it");
    }
    index[joint] = static_cast<int32_t>(rig.size());
    rig.push_back({joint, rig.empty() ? kNone : above->second, {}});
  }
  return DepthFirst(rig);
}

}  // namespace

std::vector<std::string_view> RigNames() {
  std::set<std::string_view> names;
  for (const RigRow& row : RigRows()) names.insert(row.rig);
  return {names.begin(), names.end()};
}

absl::StatusOr<Rig> ParseRig(std::string_view text) {
  BVHMILL_RETURN_IF_ERROR(CheckBytes(kField, text.size(), kMaxRigBytes));
  if (text.find('\n') == text.npos) {
    Rig rig = BuiltInRig(text);
    if (!rig.empty()) return rig;
    std::string known;
    for (const std::string_view name : RigNames()) {
      known.append(known.empty() ? "" : ", ").append(name);
    }
    return InvalidField(kField, Quote(text) + " is no rig; there are " + known +
                                    DidYouMean(text, RigNames()));
  }
  constexpr TableForm kForm = {.heading = "joint,parent",
                               .twice = " has a row already",
                               .none = "the rig has no joints",
                               .check = [](const JointMapRow& row) {
                                 return CheckJointName("joint", row.source);
                               }};
  const auto rows = ParseTable(kForm, text);
  if (!rows.ok()) return InvalidField(kField, MessageOf(rows.status()));
  return RigOfRows(*rows);
}

namespace {

// --- Correspondence.

Skeleton SkeletonOf(const Rig& rig) {
  Skeleton skeleton;
  for (const RigJoint& joint : rig) {
    Node& node = skeleton.nodes.emplace_back();
    node.name = joint.name;
    node.parent = joint.parent;
    node.kind = joint.parent < 0 ? NodeKind::kRoot : NodeKind::kJoint;
  }
  return skeleton;
}

// For each joint of a rig: its role, and the node of the clip; kNone if it has
// none.
struct Match {
  std::vector<Role> roles;
  std::vector<int32_t> nodes;
};

// The first joint of the name for which `is_free`.
template <typename IsFree>
int32_t FindFree(const NameIndex& index, std::string_view name,
                 const IsFree& is_free) {
  for (const NamedJoint& joint : FindName(index, name)) {
    if (is_free(static_cast<size_t>(joint.node))) return joint.node;
  }
  return kNone;
}

Match MatchJoints(const Rig& rig, const Skeleton& skeleton) {
  const Recognition target = Recognize(SkeletonOf(rig));
  const Recognition source = Recognize(skeleton);
  const std::vector<Role> spine = PairSpines(SpineOf(source), SpineOf(target));
  std::map<Role, int32_t> node_of;
  for (size_t i = 0; i < source.roles.size(); ++i) {
    const Role role = source.roles[i];
    if (role == Role::kNone) continue;
    const bool in_spine = static_cast<size_t>(role) < spine.size();
    node_of[in_spine ? spine[static_cast<size_t>(role)] : role] =
        static_cast<int32_t>(i);
  }
  Match match = {target.roles, {}};
  std::vector<bool> taken(skeleton.nodes.size());
  for (const Role role : match.roles) {
    const auto found = node_of.find(role);
    match.nodes.push_back(found == node_of.end() ? kNone : found->second);
    if (found != node_of.end()) {
      taken[static_cast<size_t>(found->second)] = true;
    }
  }
  const NameIndex whole = MakeNameIndex(skeleton);
  const NameIndex bare = MakeNameIndex(skeleton, /*bare=*/true);
  for (size_t i = 0; i < rig.size(); ++i) {
    int32_t& node = match.nodes[i];
    // One of another role is another joint: LeftLeg is a thigh or a shin.
    const auto is_free = [&](size_t at) {
      return !taken[at] &&
             (match.roles[i] == Role::kNone || source.roles[at] == Role::kNone);
    };
    for (const NameIndex* index : {&whole, &bare}) {
      for (const std::string* name : {&rig[i].name, &rig[i].also}) {
        if (node != kNone || name->empty()) continue;
        node = FindFree(*index, *name, is_free);
      }
    }
    if (node != kNone) taken[static_cast<size_t>(node)] = true;
  }
  return match;
}

// True for joints that many figures lack: those of the face and of fingers.
bool IsDetail(Role role) {
  const Role left = IsRight(role) ? MirrorRole(role) : role;
  return left == Role::kHeadTop || left == Role::kJaw ||
         left == Role::kLeftEye || left == Role::kLeftToeTip ||
         (left >= Role::kLeftThumb1 && left <= Role::kLeftLittle3);
}

// The joint that a clip must have: the hips; if no joint of the rig has that
// role, the root.
size_t NeededJoint(const Match& match) {
  const auto hips =
      std::find(match.roles.begin(), match.roles.end(), Role::kHips);
  return hips == match.roles.end()
             ? 0
             : static_cast<size_t>(hips - match.roles.begin());
}

absl::Status CheckMatch(const Rig& rig, const Match& match) {
  const size_t needed = NeededJoint(match);
  if (match.nodes[needed] == kNone) {
    return InvalidField(kField, "no joint of the clip is known to be " +
                                    Quote(rig[needed].name));
  }
  int64_t found = 0;
  int64_t all = 0;
  for (size_t i = 0; i < rig.size(); ++i) {
    if (IsDetail(match.roles[i])) continue;
    ++all;
    if (match.nodes[i] != kNone) ++found;
  }
  if (2 * found >= all) return absl::OkStatus();
  return InvalidField(kField, "the clip has joints for only " +
                                  std::to_string(found) + " of " +
                                  std::to_string(all) +
                                  " joints of the rig, without its fingers");
}

void LogAdded(const Rig& rig, const Match& match, IssueLog* log) {
  // Names in the message.
  constexpr int64_t kMostNames = 100;
  std::string names;
  int64_t count = 0;
  for (size_t i = 0; i < rig.size(); ++i) {
    if (match.nodes[i] != kNone || ++count > kMostNames) continue;
    names.append(names.empty() ? "" : ", ").append(Quote(rig[i].name));
  }
  if (log == nullptr || count == 0) return;
  if (count > kMostNames) names.append(", ...");
  log->Add(IssueCode::EDIT_JOINTS_ADDED, {},
           {{"count", std::to_string(count)},
            {"joints", std::to_string(rig.size())},
            {"names", names}},
           count);
}

absl::Status CheckLimits(const Rig& rig, const Limits& limits) {
  const auto joints = static_cast<int64_t>(rig.size());
  if (Exceeds(joints, limits.max_joints)) {
    return LimitError("max_joints", limits.max_joints,
                      "the rig has " + std::to_string(joints) +
                          " joints, more than max_joints = " +
                          std::to_string(limits.max_joints),
                      kField);
  }
  for (const RigJoint& joint : rig) {
    if (!Exceeds(static_cast<int64_t>(joint.name.size()),
                 limits.max_name_bytes)) {
      continue;
    }
    return LimitError("max_name_bytes", limits.max_name_bytes,
                      "a name is longer than max_name_bytes = " +
                          std::to_string(limits.max_name_bytes),
                      kField);
  }
  return absl::OkStatus();
}

// --- The edit.

// Drops the joints that no joint of the rig has, and brings match.nodes up to
// date. If several of the joints that stay would be roots, the ROOT stays, too.
absl::Status DropOthers(DropMode mode, Editing* editing, Match* match) {
  const std::vector<Node>& nodes = editing->skeleton().nodes;
  std::vector<bool> dropped(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) dropped[i] = !IsEndSite(nodes[i]);
  for (const int32_t node : match->nodes) {
    if (node != kNone) dropped[static_cast<size_t>(node)] = false;
  }
  int64_t roots = 0;
  std::vector<bool> is_below_kept(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    const int32_t parent = nodes[i].parent;
    const bool is_below =
        parent != kNone && (is_below_kept[static_cast<size_t>(parent)] ||
                            !dropped[static_cast<size_t>(parent)]);
    is_below_kept[i] = is_below;
    if (!is_below && !dropped[i] && !IsEndSite(nodes[i])) ++roots;
  }
  if (roots > 1) dropped[0] = false;
  std::vector<int32_t> new_index;
  BVHMILL_RETURN_IF_ERROR(DropNodes(dropped, mode, editing, &new_index));
  for (int32_t& node : match->nodes) {
    if (node != kNone) node = new_index[static_cast<size_t>(node)];
  }
  return absl::OkStatus();
}

// Builds the skeleton of a rig from the joints of a clip.
class RigBuilder {
 public:
  RigBuilder(const Rig& rig, const std::vector<int32_t>& from,
             const Skeleton& before)
      : rig_(rig), from_(from), before_(before), has_children_(rig.size()) {
    for (const RigJoint& joint : rig) {
      if (joint.parent != kNone) {
        has_children_[static_cast<size_t>(joint.parent)] = true;
      }
    }
    end_sites_.assign(before.nodes.size(), kNone);
    for (size_t i = before.nodes.size(); i-- > 0;) {
      const Node& node = before.nodes[i];
      if (!IsEndSite(node)) continue;
      end_sites_[static_cast<size_t>(node.parent)] = static_cast<int32_t>(i);
    }
    for (size_t i = 0; i < rig.size(); ++i) AddJoint(i);
  }

  const MappedSkeleton& edited() const { return edited_; }
  const std::vector<Adopted>& adopted() const { return adopted_; }
  // The node of a joint of the rig.
  int32_t NodeOf(size_t joint) const { return new_index_[joint]; }

  // Sets the poses of adopted joints below their new parents.
  void FindPoses(const Conventions& conventions, std::span<const float> row,
                 std::span<JointPose> poses) const {
    std::vector<JointPose> world(poses.size());
    WorldPoses(before_, conventions, row, world);
    for (size_t i = 0; i < adopted_.size(); ++i) {
      const auto node = static_cast<size_t>(adopted_[i].before);
      poses[node] = world[node];
      if (parents_[i] == kNone) continue;
      const JointPose& above = world[static_cast<size_t>(parents_[i])];
      Vec3<double> way = world[node].place;
      for (size_t k = 0; k < 3; ++k) way[k] -= above.place[k];
      poses[node] = {Multiply(Transposed(above.turn), world[node].turn),
                     TurnBack(above.turn, way)};
    }
  }

 private:
  void AddJoint(size_t i) {
    const int32_t parent = rig_[i].parent;
    // The joint of the clip whose pose the parent has.
    const int32_t above =
        parent == kNone ? kNone : anchors_[static_cast<size_t>(parent)];
    const int32_t from = from_[i];
    anchors_.push_back(from == kNone ? above : from);
    new_index_.push_back(static_cast<int32_t>(edited_.skeleton.nodes.size()));
    Node node;
    if (from != kNone) node = before_.nodes[static_cast<size_t>(from)];
    const Node old = node;
    node.name = rig_[i].name;
    node.kind = parent == kNone ? NodeKind::kRoot : NodeKind::kJoint;
    node.parent =
        parent == kNone ? kNone : new_index_[static_cast<size_t>(parent)];
    if (from != kNone && (old.parent != above || old.kind != node.kind)) {
      adopted_.push_back(
          {.before = from, .after = new_index_.back(), .turns = true});
      parents_.push_back(above);
    }
    AddNode(std::move(node), from != kNone);
    if (has_children_[i] || anchors_[i] == kNone) return;
    // Each End Site is used once.
    const int32_t end =
        std::exchange(end_sites_[static_cast<size_t>(anchors_[i])], kNone);
    if (end == kNone) return;
    Node end_site = before_.nodes[static_cast<size_t>(end)];
    end_site.parent = new_index_.back();
    AddNode(std::move(end_site), /*is_of_clip=*/true);
  }

  // A node that is not of the clip gets three rotations, which are 0.
  void AddNode(Node node, bool is_of_clip) {
    const int32_t first = node.first_channel;
    node.first_channel = static_cast<int32_t>(edited_.columns.size());
    if (is_of_clip) {
      for (int32_t k = first; k < first + node.channel_count; ++k) {
        Append(before_.channels[static_cast<size_t>(k)], {k}, &edited_);
      }
    } else {
      node.channel_count = 3;
      for (const Channel channel :
           {Channel::kZRotation, Channel::kXRotation, Channel::kYRotation}) {
        Append(channel, {}, &edited_);
      }
    }
    edited_.skeleton.nodes.push_back(std::move(node));
  }

  const Rig& rig_;
  const std::vector<int32_t>& from_;
  const Skeleton& before_;
  std::vector<bool> has_children_;
  // For each node of the clip, its first End Site that is not used.
  std::vector<int32_t> end_sites_;
  // For each joint of the rig: the node of the clip whose pose it has, and its
  // own node.
  std::vector<int32_t> anchors_;
  std::vector<int32_t> new_index_;
  MappedSkeleton edited_;
  std::vector<Adopted> adopted_;
  // For each adopted joint: the node of the clip whose pose its parent has.
  std::vector<int32_t> parents_;
};

}  // namespace

absl::Status FitRig(const ClipEdits& edits, Editing* editing, int32_t* hips) {
  if (edits.rig.empty()) return absl::OkStatus();
  const absl::StatusOr<Rig> rig = ParseRig(edits.rig);
  if (!rig.ok()) return rig.status();
  BVHMILL_RETURN_IF_ERROR(CheckLimits(*rig, editing->limits));
  const std::vector<Node>& nodes = editing->skeleton().nodes;
  const auto roots = std::count_if(
      nodes.begin(), nodes.end(),
      [](const Node& node) { return node.kind == NodeKind::kRoot; });
  if (roots != 1) {
    return InvalidField(kField, "the clip has " + std::to_string(roots) +
                                    " ROOTs; keep one by the option figure");
  }
  BVHMILL_RETURN_IF_ERROR(HoldPoses(*editing));
  BVHMILL_RETURN_IF_ERROR(
      HoldFrom(editing->budget, static_cast<int64_t>(4 * kMaxRigBytes)));
  BVHMILL_RETURN_IF_ERROR(
      WorkFrom(editing->budget, RecognitionUnits(nodes.size() + rig->size())));
  Match match = MatchJoints(*rig, editing->skeleton());
  BVHMILL_RETURN_IF_ERROR(CheckMatch(*rig, match));
  LogAdded(*rig, match, editing->log);
  BVHMILL_RETURN_IF_ERROR(DropOthers(edits.drop_mode, editing, &match));
  const Skeleton before = editing->skeleton();
  const RigBuilder builder(*rig, match.nodes, before);
  *hips = builder.NodeOf(NeededJoint(match));
  if (builder.adopted().empty()) return MapRows(builder.edited(), editing);
  return KeepPoses(
      builder.edited(), builder.adopted(),
      [&](std::span<const float> row, std::span<JointPose> poses) {
        builder.FindPoses(editing->conventions, row, poses);
      },
      editing);
}

}  // namespace bvhmill
