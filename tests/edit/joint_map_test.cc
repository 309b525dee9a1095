#include "bvhmill/edit/joint_map.h"

#include <gtest/gtest.h>

#include <set>

#include "bvhmill/base/status.h"
#include "bvhmill/report/issue_log.h"
#include "bvhmill/skeletons/naming_schemes.h"
#include "tests/edit/edits.h"
#include "tests/support/clips.h"

namespace bvhmill::testing {
namespace {

TEST(JointMap, GoodTables) {
  const std::pair<const char*, std::vector<std::pair<std::string, std::string>>>
      kCases[] = {
          {"source,target\na,b\n", {{"a", "b"}}},
          {"source,target\na,b", {{"a", "b"}}},
          {"\xEF\xBB\xBFsource,target\r\na,b\r\n", {{"a", "b"}}},
          {" source , target \n\n  \n a b , c#2 \n", {{"a b", "c#2"}}},
          {"source,target\n\"a,b\",\"c\"\"d\"\n", {{"a,b", "c\"d"}}},
          {"source,target\n \"a,b\" , \"c,d\" \n", {{"a,b", "c,d"}}},
          {"source,target\na,b\nc,d\n", {{"a", "b"}, {"c", "d"}}},
      };
  for (const auto& [csv, rows] : kCases) {
    const auto parsed = ParseJointMap(csv);
    ASSERT_TRUE(parsed.ok()) << csv << parsed.status();
    ASSERT_EQ(parsed->size(), rows.size()) << csv;
    for (size_t i = 0; i < rows.size(); ++i) {
      EXPECT_EQ((*parsed)[i].source, rows[i].first);
      EXPECT_EQ((*parsed)[i].target, rows[i].second);
    }
  }
}

TEST(JointMap, BrokenTables) {
  const std::pair<const char*, const char*> kCases[] = {
      {"", "line 1: the map has no rows"},
      {"source,target\n", "line 1: the map has no rows"},
      {"a,b\n", "line 1: not the heading 'source,target'"},
      {"source,target\n\na\n",
       "line 3: 1 fields where 2 are wanted: source,target"},
      {"source,target\na,b,c\n",
       "line 2: 3 fields where 2 are wanted: source,target"},
      {"source,target\n,b\n", "line 2: no source"},
      {"source,target\na,\n", "line 2: target: a new name is empty"},
      {"source,target\na,b}\n",
       "line 2: target: 'b}' cannot be the name of a joint"},
      {"source,target\n\"a,b\n", "line 2: a quote is wrong"},
      {"source,target\n\"a\"b,c\n", "line 2: a quote is wrong"},
  };
  for (const auto& [csv, message] : kCases) {
    const auto parsed = ParseJointMap(csv);
    ASSERT_FALSE(parsed.ok()) << csv;
    EXPECT_EQ(MessageOf(parsed.status()), message);
  }
}

TEST(JointMap, BuiltInMaps) {
  const std::vector<std::string_view> names = JointMapNames();
  EXPECT_EQ(names, NamingSchemeNames());
  for (const std::string_view name : names) {
    const auto rows = FindJointMap(name);
    ASSERT_TRUE(rows.ok()) << rows.status();
    std::set<std::string> sources;
    std::set<std::string> targets;
    for (const JointMapRow& row : *rows) {
      EXPECT_TRUE(sources.insert(row.source).second) << row.source;
      targets.insert(row.target);
      EXPECT_TRUE(row.target.starts_with('m')) << row.target;
    }
    for (const char* joint : {"mPelvis", "mChest", "mHead", "mWristLeft",
                              "mAnkleRight", "mShoulderRight"}) {
      EXPECT_TRUE(targets.contains(joint)) << name << " " << joint;
    }
  }
}

Clip ClipOf(const std::vector<std::string>& names) {
  SkeletonBuilder builder;
  int last = -1;
  for (const std::string& name : names) {
    last = last < 0 ? builder.Root(name, "XYZzxy")
                    : builder.Joint(last, name, "zxy");
  }
  return CountingClip(builder.Build(), 1);
}

std::vector<std::string> NamesOf(const Clip& clip) {
  std::vector<std::string> names;
  for (const Node& node : clip.skeleton.nodes) names.push_back(node.name);
  return names;
}

TEST(JointMap, RenamesWhatItKnows) {
  using Names = std::vector<std::string>;
  const std::tuple<const char*, Names, Names> kCases[] = {
      {"second_life",
       {"hip", "abdomen", "chest", "lCollar", "lShldr", "avatar_mTail1"},
       {"mPelvis", "mTorso", "mChest", "mCollarLeft", "mShoulderLeft",
        "mTail1"}},
      {"cmu",
       {"Hips", "LHipJoint", "LeftUpLeg"},
       {"mPelvis", "LHipJoint", "mHipLeft"}},
      {"mixamo",
       {"mixamorig:Hips", "mixamorig7:Spine2", "RightHandPinky3"},
       {"mPelvis", "mChest", "mHandPinky3Right"}},
      {"bandai_namco",
       {"joint_Root", "Hips", "UpperArm_L", "Toes_R"},
       {"joint_Root", "mPelvis", "mShoulderLeft", "mFootRight"}},
      {"lafan1", {"Hips", "LeftToe"}, {"mPelvis", "mFootLeft"}},
      {"rokoko", {"Spine4", "LeftShin"}, {"mChest", "mKneeLeft"}},
      {"xsens", {"Chest4", "RightCollar"}, {"mChest", "mCollarRight"}},
      {"perception_neuron", {"Hips", "Spine3"}, {"mPelvis", "mChest"}},
  };
  for (const auto& [map, before, after] : kCases) {
    ClipEdits edits;
    edits.joint_map = map;
    EXPECT_EQ(NamesOf(Edited(edits, ClipOf(before))), after) << map;
  }
}

TEST(JointMap, RowsOfTheCaller) {
  ClipEdits edits;
  edits.joint_map_rows = {{"a#2", "second"}, {"x", "y"}, {"b", "a"}};
  EXPECT_EQ(NamesOf(Edited(edits, ClipOf({"a", "a", "b"}))),
            (std::vector<std::string>{"a", "second", "a"}));
}

TEST(JointMap, EachJointIsLookedUpByItsWholeNameFirst) {
  ClipEdits edits;
  edits.joint_map_rows = {{"a:X", "whole"}, {"X", "bare"}};
  EXPECT_EQ(NamesOf(Edited(edits, ClipOf({"a:X", "b:X", "X"}))),
            (std::vector<std::string>{"whole", "bare", "bare"}));
  edits.joint_map_rows = {{"Hips", "root"}};
  EXPECT_EQ(NamesOf(Edited(edits, ClipOf({"Hips", "B:Hips"}))),
            (std::vector<std::string>{"root", "root"}));
}

TEST(JointMap, ANumberedNameMeansOneJoint) {
  ClipEdits edits;
  edits.joint_map_rows = {{"X#2", "second"}};
  EXPECT_EQ(NamesOf(Edited(edits, ClipOf({"a:X", "X", "X"}))),
            (std::vector<std::string>{"a:X", "X", "second"}));
  EXPECT_EQ(NamesOf(Edited(edits, ClipOf({"a:X", "b:X"}))),
            (std::vector<std::string>{"a:X", "second"}));
}

TEST(JointMap, ANumberedNameTakesPrecedenceInAnyOrderOfTheRows) {
  ClipEdits edits;
  edits.joint_map_rows = {{"X#2", "second"}, {"X", "each"}};
  EXPECT_EQ(NamesOf(Edited(edits, ClipOf({"X", "X", "b:X"}))),
            (std::vector<std::string>{"each", "second", "each"}));
  EXPECT_EQ(NamesOf(Edited(edits, ClipOf({"a:X", "b:X"}))),
            (std::vector<std::string>{"each", "second"}));
}

TEST(StripPrefix, RemovesThePrefixOfABody) {
  using Names = std::vector<std::string>;
  const Names body = {"Hips", "Spine", "Neck", "Head"};
  for (const std::string prefix : {"mixamorig:", "Take_01_"}) {
    Names names;
    for (const std::string& name : body) names.push_back(prefix + name);
    names.emplace_back("Tail");
    ClipEdits edits;
    edits.strip_prefix = true;
    EXPECT_EQ(NamesOf(Edited(edits, ClipOf(names))),
              (Names{"Hips", "Spine", "Neck", "Head", "Tail"}));
    edits.rename = {{names[3], prefix + "Top"}};
    edits.joint_map_rows = {{"Spine", "Torso"}};
    EXPECT_EQ(NamesOf(Edited(edits, ClipOf(names))),
              (Names{"Hips", "Torso", "Neck", prefix + "Top", "Tail"}));
  }
  ClipEdits edits;
  edits.strip_prefix = true;
  EXPECT_FALSE(IsEmpty(edits));
  const Names others = {"x:a", "x:b", "x:c", "x:d"};
  EXPECT_EQ(NamesOf(Edited(edits, ClipOf(others))), others);
}

// The lines of the report about edits of a clip with these joints.
std::vector<std::string> ReportOf(const ClipEdits& edits,
                                  const std::vector<std::string>& joints) {
  Clip clip = ClipOf(joints);
  IssueLog log(ReportOptions{});
  EXPECT_TRUE(EditClip(edits, {}, {}, nullptr, &clip, &log).ok());
  std::vector<std::string> lines;
  for (const Issue& issue : log.Finish(true, true).issues) {
    lines.push_back(RenderIssue(issue));
  }
  return lines;
}

struct ReportCase {
  const char* about;
  void (*edit)(ClipEdits*);
  std::vector<std::string> joints;
  std::vector<std::string> lines;
};

const ReportCase kReportCases[] = {
    {"no renaming", [](ClipEdits* e) { e->drop = {"x"}; }, {"a", "x"}, {}},
    {"pairs",
     [](ClipEdits* e) {
       e->rename = {{"Hips", "p"}};
     },
     {"Hips", "x", "y"},
     {"info: EDIT_JOINTS_RENAMED: 1 of 3 joints renamed"}},
    {"a joint that is dropped",
     [](ClipEdits* e) {
       e->drop = {"y"};
       e->rename = {{"Hips", "p"}};
     },
     {"Hips", "x", "y"},
     {"info: EDIT_JOINTS_RENAMED: 1 of 2 joints renamed"}},
    {"a map that fits",
     [](ClipEdits* e) { e->joint_map = "cmu"; },
     {"Hips", "LeftUpLeg", "x", "y"},
     {"info: EDIT_JOINTS_RENAMED: 2 of 4 joints renamed"}},
    {"a map that fits badly",
     [](ClipEdits* e) { e->joint_map = "cmu"; },
     {"Hips", "x", "y"},
     {"warning: EDIT_JOINTS_RENAMED: 1 of 3 joints renamed"}},
    {"a small map of the caller",
     [](ClipEdits* e) {
       e->joint_map_rows = {{"Hips", "p"}};
     },
     {"a:Hips", "x", "y"},
     {"info: EDIT_JOINTS_RENAMED: 1 of 3 joints renamed"}},
    {"a row without a joint",
     [](ClipEdits* e) {
       e->joint_map_rows = {{"Hips", "p"}, {"Hip", "q"}};
     },
     {"Hips", "x"},
     {"info: EDIT_JOINTS_RENAMED: 1 of 2 joints renamed; the clip has no joint "
      "for 1 of 2 rows of the map: 'Hip'"}},
    {"many rows without a joint",
     [](ClipEdits* e) {
       e->joint_map_rows = {
           {"a", "b"}, {"c", "d"}, {"e", "f"}, {"g#2", "h"}, {"x", "z"}};
     },
     {"x", "g", "y"},
     {"warning: EDIT_JOINTS_RENAMED: 1 of 3 joints renamed; the clip has no "
      "joint for 4 of 5 rows of the map: 'a', 'c', 'e', ..."}},
    {"a name of two joints",
     [](ClipEdits* e) {
       e->rename = {{"Hips", "Spine"}};
     },
     {"Hips", "Spine"},
     {"warning: EDIT_NAME_SHARED: after the renaming several joints have the "
      "name 'Spine'",
      "info: EDIT_JOINTS_RENAMED: 1 of 2 joints renamed"}},
    {"a name of two joints and another one",
     [](ClipEdits* e) {
       e->rename = {{"a", "b"}};
     },
     {"a", "a", "b"},
     {"warning: EDIT_NAME_SHARED: after the renaming several joints have the "
      "name 'b'",
      "info: EDIT_JOINTS_RENAMED: 2 of 3 joints renamed"}},
    {"a name that joints shared before",
     [](ClipEdits* e) {
       e->rename = {{"a", "b"}};
     },
     {"a", "a"},
     {"info: EDIT_JOINTS_RENAMED: 2 of 2 joints renamed"}},
    {"exchanged names",
     [](ClipEdits* e) {
       e->rename = {{"a", "b"}, {"b", "a"}};
     },
     {"a", "b"},
     {"info: EDIT_JOINTS_RENAMED: 2 of 2 joints renamed"}},
};

TEST(JointMap, TheReportSaysHowWellItFits) {
  for (const ReportCase& c : kReportCases) {
    ClipEdits edits;
    c.edit(&edits);
    EXPECT_EQ(ReportOf(edits, c.joints), c.lines) << c.about;
  }
}

// Renaming comes first, so a map can be helped.
TEST(JointMap, IsAppliedAfterRenaming) {
  ClipEdits edits;
  edits.rename = {{"Pelvis", "Hips"}};
  edits.joint_map = "cmu";
  EXPECT_EQ(NamesOf(Edited(edits, ClipOf({"Pelvis"}))),
            (std::vector<std::string>{"mPelvis"}));
}

}  // namespace
}  // namespace bvhmill::testing
