// Another rest pose, by directions of bones, with the same motion.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <random>

#include "bvhmill/base/status.h"
#include "bvhmill/bvh/reader.h"
#include "bvhmill/report/issue_log.h"
#include "bvhmill/skeletons/recognize.h"
#include "tests/edit/edits.h"
#include "tests/support/clips.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

using ::testing::HasSubstr;
using Vector = std::array<double, 3>;

ClipEdits ToRest(const std::string& rest, UpAxis up = UpAxis::kY) {
  ClipEdits edits;
  edits.rest = rest;
  edits.source.up_axis = up;
  return edits;
}

// The joints of SMPL, with bones in any directions, in `frames` poses.
Clip AnyFigure(int64_t frames, uint64_t seed, const char* channels) {
  std::mt19937_64 random(seed);
  const auto some = [&random](double most) {
    return static_cast<float>(
        std::uniform_real_distribution<double>(-most, most)(random));
  };
  SkeletonBuilder builder;
  std::map<std::string_view, int> index;
  for (const RigRow& row : RigRows()) {
    if (row.rig != "smpl22") continue;
    const Offset offset = {some(9), some(9), some(9)};
    index[row.joint] =
        row.parent.empty()
            ? builder.Root(std::string(row.joint), "XYZzyx", offset)
            : builder.Joint(index.at(row.parent), std::string(row.joint),
                            channels, offset);
  }
  builder.EndSite(index.at("right_wrist"), "", {1, 2, 3});
  Clip clip = CountingClip(builder.Build(), frames);
  for (float& value : clip.motion.values) value = some(170);
  return clip;
}

// The largest way between the places of nodes, as a share of the figure.
double WayBetween(const Clip& a, const Clip& b,
                  const Conventions& conventions = {}) {
  const OracleClip was = OracleOf(a);
  const OracleClip is = OracleOf(b);
  EXPECT_EQ(PathsOf(a.skeleton), PathsOf(b.skeleton));
  double most = 0;
  for (size_t frame = 0; frame < was.frames; ++frame) {
    const OraclePose old_pose = SolveOracle(was, frame, conventions);
    const OraclePose new_pose = SolveOracle(is, frame, conventions);
    const double size = std::max(SizeOf(was, old_pose), 1e-9);
    for (size_t i = 0; i < old_pose.world.size(); ++i) {
      for (size_t row = 0; row < 3; ++row) {
        const double way = std::abs(old_pose.world[i].at[row][3] -
                                    new_pose.world[i].at[row][3]) /
                           size;
        if (!(way <= most)) most = way;
      }
    }
  }
  return most;
}

// The place of each node where no joint turns.
std::vector<Vector> RestPlaces(const Skeleton& skeleton) {
  std::vector<Vector> places;
  for (const Node& node : skeleton.nodes) {
    Vector& place = places.emplace_back();
    for (size_t i = 0; i < 3; ++i) {
      place[i] = node.offset[i];
      if (node.parent >= 0) {
        place[i] += places[static_cast<size_t>(node.parent)][i];
      }
    }
  }
  return places;
}

// The angle in degrees between the line from one role to another, in the rest
// pose, and `direction`; -1 if there is no such line.
double AngleOf(const Skeleton& skeleton, Role from, Role to,
               const Vector& direction) {
  const Recognition found = Recognize(skeleton);
  const int32_t begin = NodeOfRole(found, from);
  const int32_t end = NodeOfRole(found, to);
  if (begin < 0 || end < 0) return -1;
  const std::vector<Vector> places = RestPlaces(skeleton);
  double dot = 0;
  double square = 0;
  double other = 0;
  for (size_t i = 0; i < 3; ++i) {
    const double way = places[static_cast<size_t>(end)][i] -
                       places[static_cast<size_t>(begin)][i];
    dot += way * direction[i];
    square += way * way;
    other += direction[i] * direction[i];
  }
  if (square == 0) return -1;
  const double cosine = std::min(1.0, dot / std::sqrt(square * other));
  return std::acos(cosine) * 180 / std::numbers::pi;
}

struct Bone {
  Role from;
  Role to;
  Vector direction;
};

std::vector<Bone> BonesOfT(const Vector& up, double drop = 0) {
  const Vector down = {-up[0], -up[1], -up[2]};
  std::vector<Bone> bones = {{Role::kNeck, Role::kHead, up}};
  for (const bool is_left : {true, false}) {
    const auto side = [&](Role role) {
      return is_left ? role : MirrorRole(role);
    };
    Vector arm = {is_left ? 1.0 : -1.0, 0, 0};
    for (size_t i = 0; i < 3; ++i) arm[i] -= drop * up[i];
    bones.push_back({side(Role::kLeftUpperArm), side(Role::kLeftForearm), arm});
    bones.push_back({side(Role::kLeftForearm), side(Role::kLeftHand), arm});
    bones.push_back({side(Role::kLeftThigh), side(Role::kLeftShin), down});
    bones.push_back({side(Role::kLeftShin), side(Role::kLeftFoot), down});
  }
  bones.push_back({Role::kRightThigh, Role::kLeftThigh, {1, 0, 0}});
  return bones;
}

// The largest angle of a bone from its direction.
double MostAngle(const Skeleton& skeleton, const std::vector<Bone>& bones) {
  double most = 0;
  for (const Bone& bone : bones) {
    most =
        std::max(most, AngleOf(skeleton, bone.from, bone.to, bone.direction));
  }
  return most;
}

TEST(RestAs, ATIsATAndJointsStay) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Clip clip = AnyFigure(4, seed, seed % 3 == 0 ? "XYZyxz" : "zyx");
    const Conventions conventions = {
        seed % 2 == 0 ? JointPositions::kReplaceOffset
                      : JointPositions::kAddToOffset,
        seed % 5 == 0 ? RootOffset::kAdded : RootOffset::kReplaced};
    for (const UpAxis up : {UpAxis::kY, UpAxis::kZ}) {
      const Vector axis = up == UpAxis::kY ? Vector{0, 1, 0} : Vector{0, 0, 1};
      const Clip t = Edited(ToRest("tpose", up), clip, conventions);
      EXPECT_LT(WayBetween(clip, t, conventions), 1e-5);
      EXPECT_LT(MostAngle(t.skeleton, BonesOfT(axis)), 0.1);
      const Clip a = Edited(ToRest("apose", up), clip, conventions);
      EXPECT_LT(WayBetween(clip, a, conventions), 1e-5);
      EXPECT_LT(MostAngle(a.skeleton, BonesOfT(axis, 1)), 0.1);
    }
  }
}

double LengthOf(const Node& node) {
  return std::sqrt(double{node.offset[0]} * node.offset[0] +
                   double{node.offset[1]} * node.offset[1] +
                   double{node.offset[2]} * node.offset[2]);
}

TEST(RestAs, BonesKeepTheirLengthsAndHandsFollow) {
  const Clip clip = AnyFigure(3, 5, "zyx");
  const Clip after = Edited(ToRest("tpose"), clip);
  for (size_t i = 0; i < clip.skeleton.nodes.size(); ++i) {
    EXPECT_NEAR(LengthOf(after.skeleton.nodes[i]),
                LengthOf(clip.skeleton.nodes[i]), 1e-4);
  }
  // The angle between the forearm and the End Site of the hand stays.
  const auto dot = [](const Skeleton& skeleton) {
    const Node& end = skeleton.nodes.back();
    const Node& hand = skeleton.nodes[static_cast<size_t>(end.parent)];
    return end.offset[0] * hand.offset[0] + end.offset[1] * hand.offset[1] +
           end.offset[2] * hand.offset[2];
  };
  EXPECT_NEAR(dot(after.skeleton), dot(clip.skeleton), 1e-3);
}

TEST(RestAs, AJointAtItsParentHasNoBone) {
  Clip clip = AnyFigure(3, 8, "zyx");
  for (Node& node : clip.skeleton.nodes) {
    if (node.name == "spine3") node.offset = {};
  }
  const Clip after = Edited(ToRest("tpose"), clip);
  EXPECT_LT(WayBetween(clip, after), 1e-5);
  EXPECT_LT(MostAngle(after.skeleton, BonesOfT({0, 1, 0})), 0.1);
  EXPECT_LT(AngleOf(after.skeleton, Role::kSpine2, Role::kNeck, {0, 1, 0}),
            0.1);
}

TEST(RestAs, ATStaysAsItIs) {
  const Clip once = Edited(ToRest("tpose"), AnyFigure(3, 5, "zyx"));
  const Clip twice = Edited(ToRest("tpose"), once);
  for (size_t i = 0; i < once.skeleton.nodes.size(); ++i) {
    for (size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(twice.skeleton.nodes[i].offset[k],
                  once.skeleton.nodes[i].offset[k], 1e-4);
    }
  }
}

TEST(RestAs, TheBonesOfAnotherFile) {
  const std::string reference =
      "HIERARCHY\nROOT pelvis\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation "
      "Xrotation Yrotation\nJOINT left_hip\n{\nOFFSET 2 0 0\nCHANNELS 0\n"
      "JOINT left_knee\n{\nOFFSET 0 -3 4\nCHANNELS 0\nEnd Site\n{\nOFFSET 0 -1 "
      "0\n}\n}\n}\nJOINT spine1\n{\nOFFSET 0 7 0\nCHANNELS 0\nEnd Site\n{\n"
      "OFFSET 0 0 1\n}\n}\n}\n";
  const Clip clip = AnyFigure(4, 11, "zyx");
  const Clip after = Edited(ToRest(reference), clip);
  EXPECT_LT(WayBetween(clip, after), 1e-5);
  const auto angle = [&](Role from, Role to, const Vector& direction) {
    return AngleOf(after.skeleton, from, to, direction);
  };
  EXPECT_LT(angle(Role::kHips, Role::kLeftThigh, {1, 0, 0}), 0.1);
  EXPECT_LT(angle(Role::kLeftThigh, Role::kLeftShin, {0, -3, 4}), 0.1);
  // The hips turn so that the spine is as near to up as it can be: across X.
  const std::vector<Vector> places = RestPlaces(after.skeleton);
  const int32_t spine = NodeOfRole(Recognize(after.skeleton), Role::kSpine1);
  const Vector& at = places[static_cast<size_t>(spine)];
  EXPECT_GT(at[1] - places[0][1], 0);
  EXPECT_NEAR(at[2] - places[0][2], 0, 1e-4);
}

TEST(RestAs, WhatIsRefused) {
  const Clip clip = AnyFigure(2, 1, "zyx");
  const auto message = [](const ClipEdits& edits, const Clip& of) {
    return std::string(MessageOf(StatusOfEdit(edits, of)));
  };
  EXPECT_EQ(message(ToRest("zpose"), clip),
            "options.edits.rest: 'zpose' is no rest pose; there are apose, "
            "tpose");
  EXPECT_THAT(message(ToRest("a\nb"), clip),
              HasSubstr("options.edits.rest: the text is no BVH"));
  EXPECT_THAT(message(ToRest("tpose", UpAxis::kX), clip),
              HasSubstr("the up axis of the clip is X"));
  EXPECT_THAT(message(ToRest("tpose"), SmallLeg(2)),
              HasSubstr("no joint of the clip is known to be the hips"));
  EXPECT_THAT(message(ToRest("HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS "
                             "0\nEnd Site\n{\nOFFSET 0 0 1\n}\n}\n"),
                      clip),
              HasSubstr("no bone of the clip is in the file"));
  // The clip does not show which axis is up.
  EXPECT_THAT(message(ToRest("tpose", UpAxis::kUnknown), SmallLeg(0)),
              HasSubstr("options.edits.rest"));
}

TEST(RestAs, RealFilesKeepTheirPlaces) {
  if (RealData().empty()) {
    GTEST_SKIP() << "SKIPPED: set BVHMILL_DATA to read the files there";
  }
  std::map<std::string, std::pair<int, double>> by_scheme;
  for (const std::string& path : FilesIn(RealData() + "/bvh", ".bvh")) {
    SCOPED_TRACE(path);
    IssueLog log({});
    ReadResult read = ReadBvh(ReadFile(path), {}, &log);
    if (!read.motion_read || !AreFinite(read.clip.motion.values)) continue;
    ClipEdits thin;
    thin.frames.step = std::max<int64_t>(read.clip.motion.frames / 20, 1);
    const Clip clip = Edited(thin, std::move(read.clip));
    const Recognition found = Recognize(clip.skeleton);
    Clip after = clip;
    const absl::Status status =
        EditClip(ToRest("tpose"), {}, {}, nullptr, &after, nullptr);
    if (!status.ok()) {
      EXPECT_THAT(MessageOf(status), HasSubstr("is known to be the"));
      continue;
    }
    const double way = WayBetween(clip, after);
    EXPECT_LT(way, 1e-4);
    EXPECT_LT(MostAngle(after.skeleton, BonesOfT({0, 1, 0})), 0.1);
    auto& [count, most] =
        by_scheme[found.scheme == nullptr ? "mixed"
                                          : std::string(found.scheme->name)];
    ++count;
    most = std::max(most, way);
  }
  for (const auto& [scheme, numbers] : by_scheme) {
    std::cout << scheme << ": " << numbers.first << " clips, places within "
              << numbers.second << " of the figure\n";
  }
  EXPECT_GE(by_scheme.size(), 6u);
}

}  // namespace
}  // namespace bvhmill::testing
