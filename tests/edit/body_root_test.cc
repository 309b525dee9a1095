// Edits of roots act on the joint that carries the body, in the world.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "tests/edit/edits.h"
#include "tests/support/clips.h"

namespace bvhmill::testing {
namespace {

using Vector = std::array<double, 3>;

constexpr size_t kHips = 1;
constexpr size_t kSpine = 2;
constexpr size_t kProp = 4;

// A still container above the hips of a small body, and a still prop.
struct Container {
  const char* about;
  Offset offset = {};
  // Its positions and its angles about Z, Y and X.
  std::array<float, 6> values = {};
  // It moves.
  bool moves = false;
};

const Container kContainers[] = {
    {"at the origin"},
    {"shifted", {1, 2, 3}, {10, 20, 30, 0, 0, 0}},
    {"turned", {}, {0, 0, 0, 0, 0, -90}},
    {"turned and shifted", {4, 5, 6}, {-7, 8, 9, 20, -35, 70}},
    {"moving", {}, {-7, 8, 9, 20, -35, 70}, true},
};

Clip BelowContainer(const Container& container,
                    const char* hips_channels = "XYZzyx") {
  SkeletonBuilder builder;
  const int root = builder.Root("Armature", "XYZzyx", container.offset);
  const int hips = builder.Joint(root, "Hips", hips_channels, {0, 90, 0});
  const int spine = builder.Joint(hips, "Spine", "zyx", {0, 20, 0});
  builder.EndSite(spine, "", {0, 50, 0});
  builder.Joint(root, "Prop", "XYZzyx", {5, 0, 0});
  Clip clip = WavingClip(builder.Build(), 9);
  const size_t width = clip.skeleton.channels.size();
  for (size_t at = 0; at < clip.motion.values.size(); at += width) {
    for (size_t i = 0; i < 6; ++i) {
      const float way = container.moves ? static_cast<float>(at * (i + 1)) : 0;
      clip.motion.values[at + i] = container.values[i] + way;
      clip.motion.values[at + width - 6 + i] = static_cast<float>(i);
    }
  }
  return clip;
}

// The place of `node` in each frame after the edit is place(where it was).
void ExpectPlaced(const Clip& before, const Clip& after, size_t node,
                  const Conventions& conventions,
                  const std::function<Vector(const Vector&)>& place) {
  const auto was = WorldOf(before, conventions);
  const auto is = WorldOf(after, conventions);
  for (size_t frame = 0; frame < was.size(); ++frame) {
    const Vector expected = place(was[frame][node]);
    for (size_t i = 0; i < 3; ++i) {
      // Positions of up to 600 in single precision, through a rotation.
      ASSERT_NEAR(is[frame][node][i], expected[i], 2e-4) << "frame " << frame;
    }
  }
}

std::vector<Conventions> PositionReadings() {
  return {{JointPositions::kReplaceOffset, RootOffset::kReplaced},
          {JointPositions::kAddToOffset, RootOffset::kAdded}};
}

Vector Same(const Vector& p) { return p; }

TEST(BodyRoot, IsHeldInPlaceBelowAContainer) {
  for (const Container& container : kContainers) {
    for (const UpAxis up : {UpAxis::kY, UpAxis::kZ}) {
      for (const Conventions& conventions : PositionReadings()) {
        SCOPED_TRACE(container.about);
        const Clip clip = BelowContainer(container);
        ClipEdits edits;
        edits.in_place = true;
        edits.source.up_axis = up;
        edits.body_root = container.moves ? "Hips" : "";
        const Clip after = Edited(edits, clip, conventions);
        const bool z = up == UpAxis::kZ;
        ExpectPlaced(clip, after, kHips, conventions, [z](const Vector& p) {
          return z ? Vector{0, 0, p[2]} : Vector{0, p[1], 0};
        });
        ExpectPlaced(clip, after, kProp, conventions, Same);
        EXPECT_EQ(after.skeleton.channels, clip.skeleton.channels);
      }
    }
  }
}

TEST(BodyRoot, IsPutToTheOriginBelowAContainer) {
  for (const Container& container : kContainers) {
    SCOPED_TRACE(container.about);
    const Clip clip = BelowContainer(container);
    ClipEdits edits;
    edits.at_origin = true;
    edits.body_root = "Hips";
    ExpectPlaced(clip, Edited(edits, clip), kHips, {}, [](const Vector&) {
      return Vector{0, 0, 0};
    });
  }
}

// A height below a container at the origin keeps its bits.
TEST(BodyRoot, KeepsItsHeightExactly) {
  const Clip clip = BelowContainer(kContainers[0]);
  ClipEdits edits;
  edits.in_place = true;
  edits.source.up_axis = UpAxis::kY;
  const Clip after = Edited(edits, clip);
  const size_t width = clip.skeleton.channels.size();
  for (size_t at = 0; at < clip.motion.values.size(); at += width) {
    EXPECT_EQ(after.motion.values[at + 6], 0);
    EXPECT_EQ(after.motion.values[at + 7], clip.motion.values[at + 7]);
    EXPECT_EQ(after.motion.values[at + 8], 0);
  }
}

// An alignment acts in the world, as that of a ROOT.
TEST(BodyRoot, IsAlignedInTheWorld) {
  for (const Container& container : kContainers) {
    for (const char* channels : {"XYZzyx", "XYZxyx", "XYZzx"}) {
      SCOPED_TRACE(std::string(container.about) + " " + channels);
      const Clip clip = BelowContainer(container, channels);
      ClipEdits edits;
      edits.root_alignment = {"xzy", "-++", {0, 0, 90}};
      edits.body_root = container.moves ? "Hips" : "";
      const Clip after = Edited(edits, clip);
      const auto hips = [](const Vector& p) {
        return Vector{-p[0], p[2], p[1]};
      };
      ExpectPlaced(clip, after, kHips, {}, hips);
      ExpectPlaced(clip, after, kProp, {}, Same);
      const auto was = WorldOf(clip);
      const auto is = WorldOf(after);
      for (size_t frame = 0; frame < was.size(); ++frame) {
        // The spine, from the hips on, turns about Z of the world.
        const Vector& from = was[frame][kHips];
        const Vector& to = is[frame][kHips];
        EXPECT_NEAR(is[frame][kSpine][0] - to[0],
                    -(was[frame][kSpine][1] - from[1]), 1e-3);
        EXPECT_NEAR(is[frame][kSpine][1] - to[1],
                    was[frame][kSpine][0] - from[0], 1e-3);
        EXPECT_NEAR(is[frame][kSpine][2] - to[2],
                    was[frame][kSpine][2] - from[2], 1e-3);
      }
    }
  }
}

// The body root is that of the source: before joints are renamed, and frames
// left out.
TEST(BodyRoot, IsFoundBeforeRenaming) {
  for (const char* stated : {"", "Hips", "Hips#1"}) {
    const Clip clip = BelowContainer(kContainers[3]);
    ClipEdits edits;
    edits.at_origin = true;
    edits.rename = {{"Hips", "pelvis"}, {"Prop", "Hips"}};
    edits.frames = {2, 3, 1};
    edits.body_root = stated;
    const auto world = WorldOf(Edited(edits, clip));
    ASSERT_EQ(world.size(), 1u);
    for (const double x : world[0][kHips]) EXPECT_NEAR(x, 0, 2e-4);
  }
}

TEST(BodyRoot, IsAJointWithPositions) {
  constexpr struct {
    const char* name;
    const char* error;
  } kCases[] = {
      {"Hip",
       "options.edits.body_root: no joint of the clip is 'Hip'; did you mean "
       "'Hips'?"},
      {"Hips#2",
       "options.edits.body_root: no joint of the clip is 'Hips#2'; did you "
       "mean 'Hips'?"},
      {"Spine",
       "options.edits.body_root: 'Spine' has no three position channels that "
       "are read, so it cannot carry the body"},
  };
  for (const auto& [name, error] : kCases) {
    ClipEdits edits;
    edits.at_origin = true;
    edits.body_root = name;
    const absl::Status status =
        StatusOfEdit(edits, BelowContainer(kContainers[0]));
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(status.message(), error);
  }
  // Without an edit of roots the name says nothing.
  ClipEdits edits;
  edits.body_root = "Hip";
  edits.frames.end = 2;
  EXPECT_TRUE(StatusOfEdit(edits, BelowContainer(kContainers[0])).ok());
}

std::vector<std::string> IssuesOf(const ClipEdits& edits, Clip clip) {
  IssueLog log({});
  const absl::Status status =
      EditClip(edits, {}, {}, nullptr, &clip, &log, nullptr);
  EXPECT_TRUE(status.ok()) << status;
  std::vector<std::string> issues;
  for (const Issue& issue : log.Finish(true, true).issues) {
    issues.push_back(issue.code + "@" + issue.location.joint_name);
  }
  return issues;
}

TEST(BodyRoot, ThatLeavesTheBodyMovingIsAWarning) {
  Container moving = kContainers[0];
  moving.moves = true;
  const std::vector<std::string> warning = {"EDIT_BODY_MOVES@Hips"};
  const std::vector<std::string> none;
  const struct {
    const char* about;
    Clip clip;
    const char* body_root;
    std::vector<std::string> issues;
  } cases[] = {
      {"found", BelowContainer(kContainers[0]), "", none},
      {"stated", BelowContainer(moving), "Hips", none},
      {"the ROOT moves as well", BelowContainer(moving), "", warning},
      {"a still joint is stated", BelowContainer(kContainers[3]), "Armature",
       warning},
  };
  for (const auto& [about, clip, body_root, issues] : cases) {
    for (const std::string motion : {"in place", "origin", ""}) {
      SCOPED_TRACE(about);
      ClipEdits edits;
      edits.source.up_axis = UpAxis::kY;
      edits.in_place = motion == "in place";
      edits.at_origin = motion == "origin";
      edits.root_alignment.position_signs = "-++";
      edits.body_root = body_root;
      const bool holds = !motion.empty();
      EXPECT_EQ(IssuesOf(edits, clip), holds ? issues : none);
    }
  }
}

// All joints of the body move by one length along the up axis; the lowest one
// is then at 0. A prop stays.
TEST(Floor, PutsTheLowestJointOfTheBodyAtHeight0) {
  for (const Container& container : kContainers) {
    for (const Conventions& conventions : PositionReadings()) {
      for (const UpAxis up : {UpAxis::kY, UpAxis::kZ}) {
        SCOPED_TRACE(container.about);
        const Clip before = BelowContainer(container);
        ClipEdits edits;
        edits.floor = true;
        edits.body_root = "Hips";
        edits.source.up_axis = up;
        const Clip after = Edited(edits, before, conventions);
        const auto was = WorldOf(before, conventions);
        const auto is = WorldOf(after, conventions);
        const size_t height = up == UpAxis::kY ? 1 : 2;
        double lowest = 1e9;
        double way = 0;
        for (size_t frame = 0; frame < is.size(); ++frame) {
          for (size_t node = kHips; node < kProp; ++node) {
            lowest = std::min(lowest, is[frame][node][height]);
            way = is[frame][node][height] - was[frame][node][height];
          }
        }
        EXPECT_NEAR(lowest, 0, 2e-4);
        for (size_t node = kHips; node <= kProp; ++node) {
          ExpectPlaced(before, after, node, conventions,
                       [&](const Vector& place) {
                         Vector raised = place;
                         if (node != kProp) raised[height] += way;
                         return raised;
                       });
        }
      }
    }
  }
}

TEST(Floor, ABodyWithoutAPositionChannelAlongTheHeightIsRefused) {
  SkeletonBuilder builder;
  builder.EndSite(builder.Root("Hips", "XZzyx"), "", {0, 1, 0});
  Clip clip = WavingClip(builder.Build(), 3);
  ClipEdits edits;
  edits.floor = true;
  edits.source.up_axis = UpAxis::kY;
  EXPECT_EQ(EditClip(edits, {}, {}, nullptr, &clip, nullptr).message(),
            "options.edits.floor: 'Hips' has no position channel along the "
            "height");
}

}  // namespace
}  // namespace bvhmill::testing
