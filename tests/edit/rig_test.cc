// Clips of many kinds of skeletons get the joints of one rig, in their poses.

#include "bvhmill/edit/rig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <random>

#include "bvhmill/base/status.h"
#include "bvhmill/bvh/reader.h"
#include "bvhmill/edit/editing.h"
#include "bvhmill/report/issue_log.h"
#include "bvhmill/skeletons/recognize.h"
#include "tests/edit/edits.h"
#include "tests/support/clips.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

using Names = std::vector<std::string>;
using ::testing::HasSubstr;

ClipEdits ToRig(const std::string& rig) {
  ClipEdits edits;
  edits.rig = rig;
  return edits;
}

// A figure with the tree of a built-in rig, at `place`, in `frames` poses.
Clip FigureOf(const std::string& rig, int64_t frames, uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto some = [&random](double most) {
    return static_cast<float>(
        std::uniform_real_distribution<double>(-most, most)(random));
  };
  SkeletonBuilder builder;
  std::map<std::string_view, int> index;
  for (const RigRow& row : RigRows()) {
    if (row.rig != rig) continue;
    const Offset offset = {some(9), some(9), some(9)};
    const char* const channels = random() % 5 == 0 ? "XYZyxz" : "zxy";
    index[row.joint] =
        row.parent.empty()
            ? builder.Root(std::string(row.joint), "XYZzyx", offset)
            : builder.Joint(index.at(row.parent), std::string(row.joint),
                            channels, offset);
  }
  Clip clip = CountingClip(builder.Build(), frames);
  for (float& value : clip.motion.values) value = some(180);
  return clip;
}

// The path of each joint of the table of a rig.
Names PathsOfRig(std::string_view rig) {
  std::map<std::string_view, std::string> path_of;
  Names paths;
  for (const RigRow& row : RigRows()) {
    if (row.rig != rig) continue;
    const std::string above =
        row.parent.empty() ? "" : path_of.at(row.parent) + ">";
    path_of[row.joint] = above + std::string(row.joint);
    paths.push_back(path_of[row.joint]);
  }
  return paths;
}

Names PathsOfJoints(const Skeleton& skeleton) {
  Names paths;
  for (size_t i = 0; i < skeleton.nodes.size(); ++i) {
    if (!IsEndSite(skeleton.nodes[i])) paths.push_back(PathOf(skeleton, i));
  }
  return paths;
}

// The naming scheme of a built-in rig.
const NamingScheme& SchemeOf(const std::string& rig) {
  return *FindNamingScheme(rig.starts_with("smpl") ? "smpl" : rig);
}

// The largest differences of joints that both clips have: of places, as shares
// of the size of the figure, and of the elements of rotations.
struct Difference {
  double place = 0;
  double turn = 0;
  int64_t joints = 0;
};

// Compares `after` with `before`, whose joints have the names `names` in it.
Difference Compare(const Clip& after, const Clip& before, const Names& names,
                   const Conventions& conventions = {}) {
  const OracleClip was = OracleOf(before);
  const OracleClip is = OracleOf(after);
  Difference most;
  for (size_t frame = 0; frame < was.frames; ++frame) {
    const OraclePose old_pose = SolveOracle(was, frame, conventions);
    const OraclePose new_pose = SolveOracle(is, frame, conventions);
    const double size = SizeOf(was, old_pose);
    most.joints = 0;
    for (size_t i = 0; i < after.skeleton.nodes.size(); ++i) {
      const Node& node = after.skeleton.nodes[i];
      const auto found = std::find(names.begin(), names.end(), node.name);
      if (IsEndSite(node) || found == names.end()) continue;
      ++most.joints;
      const auto old = static_cast<size_t>(found - names.begin());
      for (size_t row = 0; row < 3; ++row) {
        for (size_t column = 0; column < 4; ++column) {
          const double way = std::abs(new_pose.world[i].at[row][column] -
                                      old_pose.world[old].at[row][column]);
          // A NaN must not compare as small.
          double* const to = column == 3 ? &most.place : &most.turn;
          const double share = column == 3 ? way / std::max(size, 1e-9) : way;
          if (!(share <= *to)) *to = share;
        }
      }
    }
  }
  return most;
}

// The names that the joints of `skeleton` have in the scheme of the rig; "-"
// for other nodes.
Names NamesInRig(const std::string& rig, const Skeleton& skeleton) {
  const Recognition recognition = Recognize(skeleton);
  Names names = NamesIn(SchemeOf(rig), skeleton, recognition);
  for (size_t i = 0; i < names.size(); ++i) {
    if (recognition.roles[i] == Role::kNone) {
      names[i] = "-";
    } else if (names[i].empty()) {
      names[i] = skeleton.nodes[i].name;
    }
  }
  return names;
}

TEST(Rig, BuiltInRigs) {
  const std::pair<const char*, size_t> kRigs[] = {
      {"lafan1", 22}, {"mixamo", 52}, {"smpl22", 22},
      {"smpl24", 24}, {"vrm", 52},
  };
  std::vector<std::string_view> names;
  for (const auto& [name, joints] : kRigs) {
    names.emplace_back(name);
    EXPECT_EQ(ParseRig(name)->size(), joints);
    EXPECT_EQ(PathsOfRig(name).size(), joints);
  }
  EXPECT_EQ(RigNames(), names);
}

TEST(Rig, EveryRigBecomesEveryOtherAndKeepsItsPoses) {
  uint64_t seed = 0;
  for (const std::string_view from : RigNames()) {
    for (const std::string_view to : RigNames()) {
      SCOPED_TRACE(std::string(from) + " to " + std::string(to));
      const Clip clip = FigureOf(std::string(from), 4, ++seed);
      const Clip after = Edited(ToRig(std::string(to)), clip);
      EXPECT_EQ(PathsOfJoints(after.skeleton), PathsOfRig(to));
      const Difference most =
          Compare(after, clip, NamesInRig(std::string(to), clip.skeleton));
      EXPECT_LT(most.place, 1e-5);
      EXPECT_LT(most.turn, 1e-5);
      // The body without hands and fingers, at least.
      EXPECT_GE(most.joints, 22);
    }
  }
}

// The role of the joint above one of `role`, if `scheme` has both; kNone if it
// has no such role.
Role RoleAbove(const NamingScheme& scheme, Role role) {
  const Role left = IsRight(role) ? MirrorRole(role) : role;
  Role above = static_cast<Role>(IndexOf(left) - 1);
  const int finger = IndexOf(left) - IndexOf(Role::kLeftThumb1);
  if (left == Role::kLeftThigh) above = Role::kHips;
  if (left == Role::kHeadTop || left == Role::kJaw || left == Role::kLeftEye) {
    above = Role::kHead;
  }
  if (left == Role::kLeftClavicle) above = Role::kChest;
  if (finger >= 0 && finger < 15 && finger % 3 == 0) above = Role::kLeftHand;
  while (above > Role::kNone && NameOfRole(scheme, above).empty()) {
    const bool is_arm = above == Role::kLeftClavicle;
    above = is_arm ? Role::kChest : static_cast<Role>(IndexOf(above) - 1);
  }
  return IsRight(role) ? MirrorRole(above) : above;
}

TEST(Rig, EveryNamingSchemeBecomesSmpl) {
  for (const NamingScheme& scheme : NamingSchemes()) {
    SCOPED_TRACE(scheme.name);
    SkeletonBuilder builder;
    std::map<Role, int> index;
    for (int i = 0; i < IndexOf(Role::kBodyRoles); ++i) {
      const auto role = static_cast<Role>(i);
      const std::string name = NameOfRole(scheme, role);
      // Where one joint has two roles, it has the lower one.
      if (name.empty() ||
          (i > 0 && name == NameOfRole(scheme, RoleAbove(scheme, role)))) {
        continue;
      }
      const Role above = RoleAbove(scheme, role);
      index[role] = above == Role::kNone
                        ? builder.Root(name, "XYZzyx")
                        : builder.Joint(index.at(above), name, "zxy",
                                        {1, static_cast<float>(i % 5), 2});
    }
    const Clip clip = WavingClip(builder.Build(), 3);
    const Clip after = Edited(ToRig("smpl22"), clip);
    EXPECT_EQ(PathsOfJoints(after.skeleton), PathsOfRig("smpl22"));
    const Difference most =
        Compare(after, clip, NamesInRig("smpl22", clip.skeleton));
    EXPECT_LT(most.place, 1e-5);
    EXPECT_LT(most.turn, 1e-5);
    EXPECT_GE(most.joints, 15);
  }
}

TEST(Rig, ARigStaysAsItIs) {
  for (const std::string_view rig : RigNames()) {
    const Clip clip = FigureOf(std::string(rig), 3, 7);
    ExpectSameClip(Edited(ToRig(std::string(rig)), clip), clip);
  }
}

// Thighs hang on the spine, as in Biped; the ROOT and a joint that turns above
// the left shin are not of the rig.
Clip BipedClip() {
  SkeletonBuilder builder;
  const int scene = builder.Root("Scene", "XYZzxy");
  const int hips = builder.Joint(scene, "Bip01 Pelvis", "XYZzxy", {0, 9, 0});
  const int spine = builder.Joint(hips, "Bip01 Spine", "zxy", {0, 1, 0});
  const int spine1 = builder.Joint(spine, "Bip01 Spine1", "zxy", {0, 2, 0});
  const int neck = builder.Joint(spine1, "Bip01 Neck", "zxy", {0, 3, 0});
  const int head = builder.Joint(neck, "Bip01 Head", "yzx", {0, 1, 0});
  builder.EndSite(head, "", {0, 2, 0});
  for (const char* const side : {"L", "R"}) {
    const std::string name = "Bip01 " + std::string(side) + " ";
    const float x = *side == 'L' ? 1 : -1;
    int arm = builder.Joint(neck, name + "Clavicle", "zxy", {x, 0, 0});
    for (const char* const part : {"UpperArm", "Forearm", "Hand"}) {
      arm = builder.Joint(arm, name + part, "zxy", {x * 3, 0, 0});
    }
    int leg = builder.Joint(spine, name + "Thigh", "zxy", {x, -1, 0});
    if (x > 0) leg = builder.Joint(leg, "Twist", "zxy", {0, -1, 0});
    leg = builder.Joint(leg, name + "Calf", "zxy", {0, -4, 0});
    leg = builder.Joint(leg, name + "Foot", "zxy", {0, -4, 0});
    leg = builder.Joint(leg, name + "Toe0", "zxy", {0, -1, 2});
    builder.EndSite(leg, "", {0, 0, 1});
  }
  return WavingClip(builder.Build(), 6);
}

TEST(Rig, JointsThatHangOnAnotherJointKeepTheirPoses) {
  const Clip clip = BipedClip();
  for (const JointPositions reading :
       {JointPositions::kReplaceOffset, JointPositions::kAddToOffset}) {
    for (const RootOffset root : {RootOffset::kReplaced, RootOffset::kAdded}) {
      const Conventions conventions = {reading, root};
      const Clip after = Edited(ToRig("smpl22"), clip, conventions);
      EXPECT_EQ(PathsOfJoints(after.skeleton), PathsOfRig("smpl22"));
      const Difference most = Compare(
          after, clip, NamesInRig("smpl22", clip.skeleton), conventions);
      EXPECT_LT(most.place, 1e-6);
      EXPECT_LT(most.turn, 1e-5);
      // All but one joint of the spine.
      EXPECT_EQ(most.joints, 21);
    }
  }
}

TEST(Rig, PositionsThatAreNeededMayNotBeIgnored) {
  Clip clip = BipedClip();
  const Conventions conventions = {JointPositions::kIgnore,
                                   RootOffset::kReplaced};
  const absl::Status status =
      EditClip(ToRig("smpl22"), conventions, {}, nullptr, &clip, nullptr);
  EXPECT_THAT(MessageOf(status), HasSubstr("options.read.joint_positions"));
}

// The text of the only issue of a code.
std::string IssueOf(std::string_view code, const ClipEdits& edits, Clip clip) {
  IssueLog log({});
  EXPECT_TRUE(EditClip(edits, {}, {}, nullptr, &clip, &log).ok());
  std::string text;
  for (const Issue& issue : log.Finish(true, true).issues) {
    if (issue.code == code) text += RenderIssue(issue);
  }
  return text;
}

TEST(Rig, MissingJointsAreAtTheirParentsAndNamed) {
  const Clip clip = BipedClip();
  const Clip after = Edited(ToRig("smpl22"), clip);
  const auto& nodes = after.skeleton.nodes;
  const auto added =
      std::find_if(nodes.begin(), nodes.end(),
                   [](const Node& node) { return node.name == "spine3"; });
  ASSERT_NE(added, nodes.end());
  EXPECT_EQ(added->offset, (std::array<float, 3>{}));
  for (int64_t frame = 0; frame < after.motion.frames; ++frame) {
    for (int32_t i = 0; i < added->channel_count; ++i) {
      EXPECT_EQ(
          RowAt(after, frame)[static_cast<size_t>(added->first_channel + i)],
          0);
    }
  }
  EXPECT_THAT(IssueOf("EDIT_JOINTS_ADDED", ToRig("smpl22"), clip),
              HasSubstr("1 of 22 joints of the rig: 'spine3'"));
  EXPECT_EQ(IssueOf("EDIT_JOINTS_ADDED", ToRig("vrm"), FigureOf("vrm", 2, 1)),
            "");
}

TEST(Rig, LeavesHaveEndSites) {
  const Clip clip = BipedClip();
  const Names paths = PathsOf(Edited(ToRig("smpl22"), clip).skeleton);
  const auto count_ends = [&](const std::string& below) {
    return std::count_if(paths.begin(), paths.end(), [&](const auto& path) {
      return path.ends_with(below + ">-");
    });
  };
  EXPECT_EQ(count_ends(""), 3);
  for (const char* const leaf : {"head", "left_foot", "right_foot"}) {
    EXPECT_EQ(count_ends(leaf), 1) << leaf;
  }
  // The offset of a joint that is dropped, and of a leaf that is missing.
  const std::string no_toes =
      "joint,parent\nHips,\nL Thigh,Hips\nL Calf,L Thigh\nL Foot,L Calf\n"
      "R Thigh,Hips\nR Calf,R Thigh\nR Foot,R Calf\nBeak,R Foot\n";
  const Clip after = Edited(ToRig(no_toes), clip);
  EXPECT_EQ(PathsOf(after.skeleton).back(),
            "Hips>R Thigh>R Calf>R Foot>Beak>-");
  EXPECT_EQ(after.skeleton.nodes.back().offset,
            (std::array<float, 3>{0, -1, 2}));
}

TEST(Rig, OwnTables) {
  // A dog: no joint is known. Children come in the order of their rows.
  SkeletonBuilder builder;
  const int body = builder.Root("ns:Body", "XYZzxy");
  const int chest = builder.Joint(body, "ns:Ribs", "zxy");
  builder.Joint(chest, "ns:Skull", "zxy");
  builder.Joint(body, "ns:Tail", "zxy");
  const Clip clip = WavingClip(builder.Build(), 5);
  const Clip after =
      Edited(ToRig("\xEF\xBB\xBFjoint,parent\r\nBody,\r\nTail,Body\r\n\r\n"
                   "Skull,Body\r\n\"Tail tip\",Tail\r\n"),
             clip);
  EXPECT_EQ(PathsOfJoints(after.skeleton),
            (Names{"Body", "Body>Tail", "Body>Tail>Tail tip", "Body>Skull"}));
  const Difference most = Compare(after, clip, {"Body", "-", "Skull", "Tail"});
  EXPECT_LT(most.place, 1e-6);
  EXPECT_LT(most.turn, 1e-6);
  EXPECT_EQ(most.joints, 3);
}

TEST(Rig, ATableOfFewJointsIsMatchedByNames) {
  const Clip clip = FigureOf("lafan1", 3, 9);
  const Clip after =
      Edited(ToRig("joint,parent\nHips,\nHead,Hips\nLeftToe,Hips\n"), clip);
  EXPECT_EQ(PathsOfJoints(after.skeleton),
            (Names{"Hips", "Hips>Head", "Hips>LeftToe"}));
  Names names;
  for (const Node& node : clip.skeleton.nodes) names.push_back(node.name);
  const Difference most = Compare(after, clip, names);
  EXPECT_EQ(most.joints, 3);
  EXPECT_LT(most.place, 1e-5);
  EXPECT_LT(most.turn, 1e-5);
}

TEST(Rig, ARootThatTheClipLacksIsTheWorld) {
  const Clip clip = FigureOf("lafan1", 4, 3);
  const std::string rig =
      "joint,parent\nroot,\npelvis,root\nthigh_l,pelvis\ncalf_l,thigh_l\n"
      "thigh_r,pelvis\ncalf_r,thigh_r\nspine_01,pelvis\n";
  for (const RootOffset root : {RootOffset::kReplaced, RootOffset::kAdded}) {
    const Conventions conventions = {JointPositions::kAddToOffset, root};
    const Clip after = Edited(ToRig(rig), clip, conventions);
    EXPECT_EQ(PathsOfJoints(after.skeleton).front(), "root");
    Names names(clip.skeleton.nodes.size(), "-");
    for (size_t i = 0; i < names.size(); ++i) {
      if (clip.skeleton.nodes[i].name == "Hips") names[i] = "pelvis";
      if (clip.skeleton.nodes[i].name == "LeftLeg") names[i] = "calf_l";
    }
    const Difference most = Compare(after, clip, names, conventions);
    EXPECT_EQ(most.joints, 2);
    EXPECT_LT(most.place, 1e-5);
    EXPECT_LT(most.turn, 1e-5);
  }
  // The hips carry the body.
  ClipEdits edits = ToRig(rig);
  edits.at_origin = true;
  const Clip still = Edited(edits, clip);
  EXPECT_EQ(WorldOf(still)[2][1], (std::array<double, 3>{}));
}

TEST(Rig, WhatIsRefused) {
  const Clip clip = BipedClip();
  const std::string head = "joint,parent\n";
  std::string many = head + "j0,\n";
  for (int i = 1; i <= 1000; ++i) many += "j" + std::to_string(i) + ",j0\n";
  const std::pair<std::string, const char*> kCases[] = {
      {"smpl23",
       "options.edits.rig: 'smpl23' is no rig; there are lafan1, mixamo, "
       "smpl22, smpl24, vrm; did you mean"},
      {"\n", "options.edits.rig: line 1: the rig has no joints"},
      {"Hips,\n", "options.edits.rig: line 1: not the heading 'joint,parent'"},
      {head + "Hips\n",
       "options.edits.rig: line 2: 1 fields where 2 are wanted: joint,parent"},
      {head + ",Hips\n", "options.edits.rig: line 2: no joint"},
      {head + "Hips,\nHips,Hips\n",
       "options.edits.rig: line 3: 'Hips' has a row already"},
      {head + "Hips,Spine\n",
       "options.edits.rig: 'Hips' is first, but has a parent"},
      {head + "Hips,\nSpine,\n",
       "options.edits.rig: 'Spine' is not first, but has no parent"},
      {head + "Hips,\nSpine,Chest\nChest,Hips\n",
       "options.edits.rig: the parent 'Chest' of 'Spine' is in no row above "
       "it"},
      {head + "a {,\n", "options.edits.rig: line 2: joint: 'a {' cannot be"},
      {many, "options.edits.rig: has 1001 entries, more than 1000"},
      {std::string(65537, '\n'),
       "options.edits.rig: has 65537 bytes, more than 65536"},
      {head + "Body,\nTail,Body\n",
       "options.edits.rig: no joint of the clip is known to be 'Body'"},
      {head + "Scene,\nA,Scene\nB,Scene\n",
       "options.edits.rig: the clip has joints for only 1 of 3 joints of the "
       "rig"},
  };
  for (const auto& [rig, message] : kCases) {
    EXPECT_THAT(MessageOf(StatusOfEdit(ToRig(rig), clip)), HasSubstr(message));
  }
}

TEST(Rig, Limits) {
  const Clip clip = FigureOf("smpl22", 2, 1);
  Limits limits;
  limits.max_joints = 21;
  EXPECT_THAT(MessageOf(StatusOfEdit(ToRig("smpl22"), clip, limits)),
              HasSubstr("the rig has 22 joints, more than max_joints = 21"));
  limits.max_joints = 22;
  EXPECT_TRUE(StatusOfEdit(ToRig("smpl22"), clip, limits).ok());
  // "right_shoulder"
  limits.max_name_bytes = 13;
  EXPECT_THAT(MessageOf(StatusOfEdit(ToRig("smpl22"), clip, limits)),
              HasSubstr("a name is longer than max_name_bytes = 13"));
}

TEST(Rig, ClipsThatAreRefused) {
  EXPECT_THAT(
      MessageOf(StatusOfEdit(ToRig("smpl22"), SmallLeg(3))),
      HasSubstr("options.edits.rig: no joint of the clip is known to be"));
  SkeletonBuilder two;
  two.Root("Hips", "XYZzxy");
  two.Root("Prop", "XYZzxy");
  EXPECT_THAT(
      MessageOf(StatusOfEdit(ToRig("smpl22"), CountingClip(two.Build(), 2))),
      HasSubstr("the clip has 2 ROOTs; keep one"));
  const Clip legs = BipedClip();
  ClipEdits edits = ToRig("smpl22");
  edits.drop = {"Bip01 L UpperArm", "Bip01 R UpperArm", "Bip01 L Forearm",
                "Bip01 R Forearm",  "Bip01 L Hand",     "Bip01 R Hand",
                "Bip01 Neck",       "Bip01 Head",       "Bip01 L Clavicle",
                "Bip01 R Clavicle", "Bip01 L Toe0",     "Bip01 R Toe0"};
  EXPECT_THAT(MessageOf(StatusOfEdit(edits, legs)),
              HasSubstr("the clip has joints for only 9 of 22 joints"));
}

// `clip` with at most some fifty of its frames.
Clip Thin(Clip clip) {
  ClipEdits edits;
  edits.frames.step = std::max<int64_t>(clip.motion.frames / 25, 1);
  return Edited(edits, std::move(clip));
}

TEST(Rig, RealFilesKeepTheirPoses) {
  if (RealData().empty()) {
    GTEST_SKIP() << "SKIPPED: set BVHMILL_DATA to read the files there";
  }
  std::map<std::string, Difference> by_scheme;
  std::map<std::string, int> files;
  for (const std::string& path : FilesIn(RealData() + "/bvh", ".bvh")) {
    SCOPED_TRACE(path);
    IssueLog log({});
    ReadResult read = ReadBvh(ReadFile(path), {}, &log);
    const bool has_motion = read.motion_read && read.clip.motion.frames > 0;
    if (!has_motion || !AreFinite(read.clip.motion.values)) continue;
    read.clip = Thin(std::move(read.clip));
    const Recognition recognition = Recognize(read.clip.skeleton);
    const std::string scheme = recognition.scheme == nullptr
                                   ? "mixed or unknown"
                                   : std::string(recognition.scheme->name);
    for (const std::string_view rig : RigNames()) {
      Clip after = read.clip;
      const absl::Status status =
          EditClip(ToRig(std::string(rig)), {}, {}, nullptr, &after, nullptr);
      if (!status.ok()) {
        EXPECT_THAT(MessageOf(status), HasSubstr("options.edits.rig: "));
        EXPECT_TRUE(NodeOfRole(recognition, Role::kHips) < 0 ||
                    recognition.matched < 11)
            << status;
        continue;
      }
      EXPECT_EQ(PathsOfJoints(after.skeleton), PathsOfRig(rig));
      const Difference most = Compare(
          after, read.clip, NamesInRig(std::string(rig), read.clip.skeleton));
      EXPECT_LT(most.place, 1e-4) << rig;
      EXPECT_LT(most.turn, 1e-4) << rig;
      EXPECT_GE(most.joints, 11) << rig;
      Difference& all = by_scheme[scheme];
      all.place = std::max(all.place, most.place);
      all.turn = std::max(all.turn, most.turn);
      ++files[scheme];
    }
  }
  for (const auto& [scheme, most] : by_scheme) {
    std::cout << scheme << ": " << files[scheme] << " clips, places within "
              << most.place << " of the figure, rotations within " << most.turn
              << "\n";
  }
  EXPECT_GE(by_scheme.size(), 6u);
}

}  // namespace
}  // namespace bvhmill::testing
