// Units, axes, roots that stand still.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "tests/edit/edits.h"
#include "tests/support/clips.h"

namespace bvhmill::testing {
namespace {

using Vector = std::array<double, 3>;

// Every node of `after` is where `place` says of where it was before.
void ExpectPlaces(const Clip& before, const Clip& after,
                  const Conventions& conventions, double tolerance,
                  const std::function<Vector(const Vector&)>& place) {
  const auto was = WorldOf(before, conventions);
  const auto is = WorldOf(after, conventions);
  ASSERT_EQ(was.size(), is.size());
  for (size_t frame = 0; frame < was.size(); ++frame) {
    ASSERT_EQ(was[frame].size(), is[frame].size());
    for (size_t node = 0; node < was[frame].size(); ++node) {
      const Vector expected = place(was[frame][node]);
      for (size_t i = 0; i < 3; ++i) {
        ASSERT_NEAR(is[frame][node][i], expected[i], tolerance);
      }
    }
  }
}

std::vector<Conventions> Readings() {
  return {{JointPositions::kReplaceOffset, RootOffset::kReplaced},
          {JointPositions::kAddToOffset, RootOffset::kAdded},
          {JointPositions::kIgnore, RootOffset::kReplaced}};
}

ClipEdits UpFrom(UpAxis from, UpAxis to) {
  ClipEdits edits;
  edits.source.up_axis = from;
  edits.to_up = to;
  return edits;
}

// A quarter turn about the axis that is neither.
TEST(UpAxis, TurnsEveryJointExactly) {
  const struct {
    UpAxis from;
    UpAxis to;
    Vector (*turn)(const Vector& p);
  } cases[] = {
      {UpAxis::kZ, UpAxis::kY,
       [](const Vector& p) {
         return Vector{p[0], p[2], -p[1]};
       }},
      {UpAxis::kY, UpAxis::kZ,
       [](const Vector& p) {
         return Vector{p[0], -p[2], p[1]};
       }},
      {UpAxis::kX, UpAxis::kY,
       [](const Vector& p) {
         return Vector{-p[1], p[0], p[2]};
       }},
      {UpAxis::kY, UpAxis::kX,
       [](const Vector& p) {
         return Vector{p[1], -p[0], p[2]};
       }},
      {UpAxis::kX, UpAxis::kZ,
       [](const Vector& p) {
         return Vector{-p[2], p[1], p[0]};
       }},
      {UpAxis::kZ, UpAxis::kX,
       [](const Vector& p) {
         return Vector{p[2], p[1], -p[0]};
       }},
  };
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const Clip clip = RandomClip({}, 2, seed);
    for (const Conventions& conventions : Readings()) {
      for (const auto& c : cases) {
        ExpectPlaces(clip, Edited(UpFrom(c.from, c.to), clip), conventions,
                     1e-9, c.turn);
      }
    }
  }
}

TEST(UpAxis, ThereAndBackIsTheSameClip) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const Clip clip = RandomClip({.scales = true}, 3, seed);
    const Clip there = Edited(UpFrom(UpAxis::kZ, UpAxis::kY), clip);
    ExpectSameClip(Edited(UpFrom(UpAxis::kY, UpAxis::kZ), there), clip);
  }
}

TEST(UpAxis, ListsOfPositionsStayRotationsAreRenamed) {
  SkeletonBuilder builder;
  builder.Root("Hips", "XYZzxy", {1, 2, 3});
  const Clip after =
      Edited(UpFrom(UpAxis::kZ, UpAxis::kY), CountingClip(builder.Build(), 2));
  EXPECT_EQ(ChannelLetters(after.skeleton, after.skeleton.nodes[0]), "XYZyxz");
  EXPECT_EQ(after.skeleton.nodes[0].offset, (Offset{1, 3, -2}));
  const std::vector<float> row(after.motion.values.begin() + 6,
                               after.motion.values.end());
  EXPECT_EQ(row, (std::vector<float>{1000, 1002, -1001, 1003, 1004, -1005}));
}

TEST(Units, ScaleOffsetsAndPositions) {
  ClipEdits edits;
  edits.source.meters_per_unit = 0.0254;
  edits.to_units = 0.01;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Clip clip = RandomClip({}, 2, seed);
    for (const Conventions& conventions : Readings()) {
      ExpectPlaces(clip, Edited(edits, clip), conventions, 1e-4,
                   [](const Vector& p) {
                     return Vector{p[0] * 2.54, p[1] * 2.54, p[2] * 2.54};
                   });
    }
  }
}

TEST(RootMotion, InPlaceKeepsTheHeight) {
  for (const char* list : {"XYZzxy", "", "zxyY", "ZX"}) {
    for (const UpAxis up : {UpAxis::kY, UpAxis::kZ}) {
      for (const Conventions& conventions : Readings()) {
        SkeletonBuilder builder;
        builder.Root("Hips", list, {3, 4, 5});
        const Clip clip = WavingClip(builder.Build(), 3);
        ClipEdits edits;
        edits.in_place = true;
        edits.source.up_axis = up;
        const bool z = up == UpAxis::kZ;
        ExpectPlaces(clip, Edited(edits, clip), conventions, 0,
                     [z](const Vector& p) {
                       return z ? Vector{0, 0, p[2]} : Vector{0, p[1], 0};
                     });
      }
    }
  }
}

// The ground is that of the clip as it then stands.
TEST(RootMotion, InPlaceIsAppliedAfterTheUpAxis) {
  ClipEdits edits = UpFrom(UpAxis::kZ, UpAxis::kY);
  edits.in_place = true;
  const Clip clip = SmallLeg(2);
  const Clip after = Edited(edits, clip);
  EXPECT_EQ(after.motion.values[0], 0);
  EXPECT_EQ(after.motion.values[1], clip.motion.values[2]);
  EXPECT_EQ(after.motion.values[2], 0);
}

TEST(RootMotion, OriginPinsRootsAndNothingElse) {
  ClipEdits edits;
  edits.at_origin = true;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Clip clip = RandomClip({}, 2, seed);
    // Not even what is no number stays.
    if (!clip.motion.values.empty()) clip.motion.values[0] *= 2;
    const Clip after = Edited(edits, clip);
    for (const Conventions& conventions : Readings()) {
      const auto world = WorldOf(after, conventions);
      for (size_t node = 0; node < after.skeleton.nodes.size(); ++node) {
        if (after.skeleton.nodes[node].parent >= 0) continue;
        for (const auto& frame : world) {
          EXPECT_EQ(frame[node], (Vector{0, 0, 0}));
        }
      }
    }
    EXPECT_EQ(after.skeleton.channels, clip.skeleton.channels);
  }
}

TEST(RootMotion, ValuesThatAreNoNumbersGoToo) {
  ClipEdits edits;
  edits.at_origin = true;
  Clip clip = SmallLeg(1);
  clip.motion.values[0] = NAN;
  clip.motion.values[1] = INFINITY;
  const Clip after = Edited(edits, clip);
  EXPECT_EQ(after.motion.values[0], 0);
  EXPECT_EQ(after.motion.values[1], 0);
}

}  // namespace
}  // namespace bvhmill::testing
