// The bodies of a data set: which clips have the same, and which are odd.

#include "client/cli/dataset/bodies.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace bvhmill::client {
namespace {

using Kind = BodyDifference::Kind;
using Joints = std::vector<JointInfo>;

// A ROOT with four limbs of two joints each, of 10 units; a reach of 20.
Joints Person() {
  constexpr std::array<std::array<float, 3>, 4> kWays = {
      {{10, 0, 0}, {-10, 0, 0}, {0, 10, 0}, {0, -10, 0}}};
  Joints joints = {{"Hips", -1, "XYZzxy", false, {0, 0, 0}}};
  for (size_t i = 0; i < kWays.size(); ++i) {
    const std::string name(1, static_cast<char>('A' + i));
    const auto place = static_cast<int32_t>(joints.size());
    joints.push_back({name, 0, "zxy", false, kWays[i]});
    joints.push_back({name + "2", place, "zxy", false, kWays[i]});
  }
  return joints;
}

void Scale(float factor, Joints* joints) {
  for (JointInfo& joint : *joints) {
    for (float& value : joint.offset) value *= factor;
  }
}

// Adds `clips` clips, named NAME0, NAME1, ...
void AddClips(const std::string& name, int clips, const Joints& joints,
              size_t* index, BodyTally* tally) {
  const JointList list(joints);
  for (int i = 0; i < clips; ++i) {
    tally->Add((*index)++, name + std::to_string(i), list);
  }
}

struct Case {
  const char* what;
  std::function<void(Joints*)> change;
  // "" if the body is the same, else the text of the difference.
  std::string odd;
};

// The summary of 20 clips of a person and one that `change` has changed.
BodySummary WithOne(const std::function<void(Joints*)>& change) {
  BodyTally tally;
  size_t index = 0;
  AddClips("usual", 20, Person(), &index, &tally);
  Joints other = Person();
  change(&other);
  AddClips("other", 1, other, &index, &tally);
  return tally.Summary();
}

TEST(Bodies, OneClipIsComparedWithMany) {
  const Case cases[] = {
      {"the same", [](Joints*) {}, ""},
      {"rounded", [](Joints* j) { (*j)[3].offset[0] += 0.019F; }, ""},
      {"another place",
       [](Joints* j) {
         (*j)[0].offset = {90, 0, 0};
       },
       ""},
      {"other channels", [](Joints* j) { (*j)[1].channels = "xyz"; }, ""},
      {"scaled", [](Joints* j) { Scale(1.3F, j); },
       "scaled by 1.3; compared with usual0"},
      {"scaled and rounded",
       [](Joints* j) {
         Scale(0.01F, j);
         (*j)[3].offset[0] += 0.00019F;
       },
       "scaled by 0.01; compared with usual0"},
      {"one bone", [](Joints* j) { (*j)[4].offset[0] = -10.03F; },
       "the OFFSET of 'B2' is 10.03 long, not 10; compared with usual0"},
      {"three bones",
       [](Joints* j) {
         for (const size_t i : {1, 3, 5}) (*j)[i].offset = {0, 0, 10.0F + i};
       },
       "the OFFSET of 'C' is 15 long, not 10; compared with usual0"},
      {"another direction",
       [](Joints* j) {
         (*j)[1].offset = {0, 0, 10};
       },
       "another rest pose; the OFFSET of 'A' has another direction; compared "
       "with usual0"},
      {"another rest pose",
       [](Joints* j) {
         for (JointInfo& joint : *j)
           std::swap(joint.offset[0], joint.offset[1]);
       },
       "another rest pose; the OFFSET of 'A' has another direction; compared "
       "with usual0"},
      // Another actor: odd if more than half of the clips have one body.
      {"four bones",
       [](Joints* j) {
         for (const size_t i : {1, 3, 5, 7}) (*j)[i].offset = {0, 0, 12};
       },
       "another body, 1.1 times as large"},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.what);
    const BodySummary bodies = WithOne(one.change);
    if (one.odd.empty()) {
      EXPECT_EQ(bodies.skeleton_count, 0);
      continue;
    }
    ASSERT_EQ(bodies.skeletons.size(), 1);
    const SkeletonBodies& skeleton = bodies.skeletons[0];
    EXPECT_EQ(skeleton.skeleton, "9 joints, as in usual0");
    EXPECT_EQ(skeleton.clips, 21);
    EXPECT_EQ(skeleton.body_count, 2);
    EXPECT_EQ(skeleton.bodies[0].clips, 20);
    EXPECT_FALSE(skeleton.bodies[0].difference);
    ASSERT_EQ(skeleton.odd_count, 1);
    const Body& odd = skeleton.bodies.at(1);
    EXPECT_TRUE(odd.is_odd);
    EXPECT_EQ(odd.indexes, (std::vector<size_t>{20}));
    EXPECT_EQ(DifferenceText(odd), one.odd);
  }
}

// Another actor: the bones differ in many ways.
Joints Actor(int number) {
  Joints joints = Person();
  for (size_t i = 1; i < joints.size(); ++i) {
    const auto n = static_cast<float>(number * i % 7);
    for (float& value : joints[i].offset) value *= 1 + 0.03F * n;
  }
  return joints;
}

TEST(Bodies, SeveralActorsAreNotOdd) {
  BodyTally tally;
  size_t index = 0;
  for (const int number : {1, 2, 3, 4, 5, 6}) {
    AddClips(std::to_string(number), number, Actor(number), &index, &tally);
  }
  const SkeletonBodies skeleton = tally.Summary().skeletons.at(0);
  EXPECT_EQ(skeleton.body_count, 6);
  EXPECT_EQ(skeleton.odd_count, 0);
  EXPECT_EQ(skeleton.bodies[0].paths.front(), "60");
  EXPECT_EQ(skeleton.bodies[5].paths.front(), "10");
}

TEST(Bodies, AScaledClipIsComparedWithItsActor) {
  BodyTally tally;
  size_t index = 0;
  AddClips("large", 9, Actor(1), &index, &tally);
  AddClips("small", 2, Actor(2), &index, &tally);
  Joints scaled = Actor(2);
  Scale(2, &scaled);
  AddClips("odd", 1, scaled, &index, &tally);
  const SkeletonBodies skeleton = tally.Summary().skeletons.at(0);
  ASSERT_EQ(skeleton.odd_count, 1);
  EXPECT_EQ(DifferenceText(skeleton.bodies.at(2)),
            "scaled by 2; compared with small0");
  EXPECT_EQ(ClipsText(skeleton.bodies.at(2)), "odd0");
  EXPECT_EQ(ClipsText(skeleton.bodies.at(1)), "small0 and 1 more");
}

TEST(Bodies, FewClipsAreOddBesideMany) {
  const struct {
    int many;
    int few;
    bool is_scaled;
    bool is_odd;
  } cases[] = {
      {1, 1, true, false},  {2, 1, true, true},    {20, 2, true, false},
      {21, 2, true, true},  {10, 1, false, false}, {11, 1, false, true},
      {21, 2, false, true}, {20, 2, false, false},
  };
  for (const auto& [many, few, is_scaled, is_odd] : cases) {
    SCOPED_TRACE(std::to_string(many) + " and " + std::to_string(few));
    BodyTally tally;
    size_t index = 0;
    AddClips("many", many, Person(), &index, &tally);
    Joints other = is_scaled ? Person() : Actor(1);
    if (is_scaled) Scale(3, &other);
    AddClips("few", few, other, &index, &tally);
    EXPECT_EQ(tally.Summary().skeletons.at(0).odd_count, is_odd ? 1 : 0);
  }
}

TEST(Bodies, TheOffsetOfAJointThatCarriesTheBodyIsAPlace) {
  // The joint below the ROOT has position channels.
  Joints joints = {{"Armature", -1, "XYZzxy", false, {}},
                   {"Hips", 0, "XYZzxy", false, {0, 90, 0}},
                   {"A", 1, "XYZzxy", false, {10, 0, 0}},
                   {"B", 1, "XYZzxy", false, {0, 10, 0}}};
  BodyTally tally;
  tally.Add(0, "a", JointList(joints));
  joints[1].offset = {5, 80, 3};
  tally.Add(1, "b", JointList(joints));
  EXPECT_EQ(tally.Summary().skeleton_count, 0);
  // Below it, OFFSETs are bones.
  joints[2].offset[0] = 12;
  tally.Add(2, "c", JointList(joints));
  EXPECT_EQ(tally.Summary().skeletons.at(0).body_count, 2);
  // So are those of joints without position channels, and of several ones.
  for (const auto& [joint, channels] : {std::pair(1, "zxy"), {2, "XYZzxy"}}) {
    joints[1].channels = channels;
    joints[2].parent = 2 - joint;
    BodyTally others;
    for (const float value : {80.0F, 90.0F}) {
      joints[1].offset[1] = value;
      others.Add(0, "d", JointList(joints));
    }
    EXPECT_EQ(others.Summary().skeleton_count, 1) << channels;
  }
}

TEST(Bodies, SomeClipsHaveNone) {
  BodyTally tally;
  const float values[] = {0, std::nanf(""),
                          std::numeric_limits<float>::infinity()};
  size_t index = 0;
  for (const float value : values) {
    for (const float other : {value, value + 1}) {
      tally.Add(index++, "a",
                JointList(Joints{{"Hips", -1, "zxy", false, {}},
                                 {"A", 0, "zxy", false, {0, other, 0}},
                                 {"B", 0, "zxy", false, {0, value, 0}}}));
    }
  }
  tally.Add(index, "empty", JointList());
  EXPECT_EQ(tally.Summary().skeleton_count, 0);
}

TEST(Bodies, ParentsOfAServerMayBeWrong) {
  BodyTally tally;
  for (const int32_t parent : {-7, 1, 2, 9}) {
    for (const float value : {1.0F, 2.0F}) {
      tally.Add(0, "a",
                JointList(Joints{{"Hips", parent, "zxy", false, {}},
                                 {"A", parent, "zxy", false, {value, 0, 0}},
                                 {"B", 0, "zxy", false, {value, 0, 0}}}));
    }
  }
  EXPECT_EQ(tally.Summary().skeleton_count, 1);
}

TEST(Bodies, TooManyAreNotCompared) {
  BodyTally tally;
  constexpr auto kMost = static_cast<int>(BodyTally::kMaxBodies);
  for (int i = 0; i < kMost + 5; ++i) {
    Joints joints = Person();
    Scale(1 + 0.02F * static_cast<float>(i), &joints);
    joints[1].offset[2] = static_cast<float>(i * i);
    tally.Add(static_cast<size_t>(i), std::to_string(i), JointList(joints));
  }
  tally.Add(kMost + 5, "again", JointList(Person()));
  const BodySummary bodies = tally.Summary();
  EXPECT_EQ(bodies.clips_left_out, 5);
  EXPECT_EQ(bodies.skeletons.at(0).body_count, kMost);
  EXPECT_EQ(bodies.skeletons.at(0).clips, kMost + 1);
  EXPECT_EQ(bodies.skeletons.at(0).bodies.size(), 20);
}

}  // namespace
}  // namespace bvhmill::client
