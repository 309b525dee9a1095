// Parts of a clip in which the whole figure is shifted, and real motions that
// look like it.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "bvhmill/validate/floor/floor_measure.h"
#include "tests/validate/floor/floor_clips.h"

namespace bvhmill::testing {
namespace {

constexpr int64_t kStandingFrames = 150;
constexpr double kStandingRate = 30;

// A figure that stands, in five seconds.
FootSteps Standing(const std::function<void(double, FootStep*)>& change) {
  FootSteps feet;
  feet.seconds = 1 / kStandingRate;
  for (int64_t frame = 1; frame < kStandingFrames; ++frame) {
    FootStep step;
    step.frame = frame;
    step.legs = 0.6;
    step.touches = true;
    change(static_cast<double>(frame) / kStandingRate, &step);
    feet.steps.push_back(step);
  }
  return feet;
}

// From 0 to 1 and back: it begins at `first`, lasts for `seconds`, and takes
// `ease` at both ends.
double Eased(double now, double first, double seconds, double ease) {
  const double t = std::clamp(
      std::min((now - first) / ease, (first + seconds - now) / ease), 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

// The figure is higher by `rise` from second 1.5 to 3. Nodes are as fast as the
// share `moves` of it; its legs bend by `bends`.
FootSteps Shifted(double rise, double moves, double bends) {
  double before = 0;
  return Standing([=](double now, FootStep* step) mutable {
    step->low = rise * Eased(now, 1.5, 1.5, 0.27);
    const double speed = std::fabs(step->low - before) * kStandingRate;
    before = step->low;
    step->slowest = moves * speed;
    if (speed > 0) step->legs -= bends * std::sin(40 * now);
  });
}

TEST(FootSteps, FindAFigureThatSinksOrFloatsInAPart) {
  for (const double rise : {-0.3, -0.08, 0.08, 0.3}) {
    const auto part = FindShiftPart(Shifted(rise, 1, 0), 0.05, 0.5);
    ASSERT_TRUE(part) << rise;
    EXPECT_NEAR(part->rise, rise, 0.01);
    EXPECT_NEAR(static_cast<double>(part->first), 46, 2);
    EXPECT_NEAR(static_cast<double>(part->last), 90, 2);
  }
}

TEST(FootSteps, LeaveSmallShiftsAlone) {
  EXPECT_FALSE(FindShiftPart(Shifted(-0.04, 1, 0), 0.05, 0.5));
}

// One foot stands while the other one rises.
TEST(FootSteps, LeaveStepsOnAStairAlone) {
  EXPECT_FALSE(FindShiftPart(Shifted(0.15, 0.1, 0), 0.05, 0.5));
}

TEST(FootSteps, LeaveJumpsAndCrouchesAlone) {
  EXPECT_FALSE(FindShiftPart(Shifted(0.15, 1, 0.1), 0.05, 0.5));
  // Feet are high only for a moment.
  const FootSteps jump = Standing([](double now, FootStep* step) {
    const double away = std::min(std::fabs(now - 2) / 0.25, 1.0);
    step->low = 0.3 * (1 - away * away);
    step->slowest = 3;
  });
  EXPECT_FALSE(FindShiftPart(jump, 0.05, 0.5));
  const FootSteps crouch = Standing([](double now, FootStep* step) {
    step->legs -= 0.3 * Eased(now, 1.5, 1.5, 0.27);
  });
  EXPECT_FALSE(FindShiftPart(crouch, 0.05, 0.5));
}

constexpr SlideLimits kSlides = {0.5, 0.15, 2};

// Feet have the speed `usual`, and `part` more in the second from 2 on.
FootSteps Sliding(double usual, double part, double seconds) {
  return Standing([=](double now, FootStep* step) {
    const bool slides = now > 2 && now < 2 + seconds;
    step->foot = {usual + (slides ? part : 0), 0};
    step->root = step->foot;
  });
}

TEST(FootSteps, FindFeetThatSlideForASecond) {
  const auto part = FindSlidePart(Sliding(0.02, 0.3, 1), kSlides);
  ASSERT_TRUE(part);
  EXPECT_NEAR(part->median, 0.32, 1e-6);
  EXPECT_NEAR(part->gain, 1, 1e-6);
  EXPECT_NEAR(static_cast<double>(part->first), 60, 4);
  EXPECT_NEAR(static_cast<double>(part->last), 90, 4);
}

TEST(FootSteps, LeaveFeetThatSlipForAMomentOrAllTheTimeAlone) {
  EXPECT_FALSE(FindSlidePart(Sliding(0.02, 0.3, 0.3), kSlides));
  EXPECT_FALSE(FindSlidePart(Sliding(0.02, 0.1, 1), kSlides));
  EXPECT_FALSE(FindSlidePart(Sliding(0.2, 0.15, 1), kSlides));
}

// Each foot stands now and then.
TEST(FootSteps, LeaveRunsAlone) {
  const FootSteps run = Standing([](double now, FootStep* step) {
    const bool flies = std::fmod(now, 0.4) > 0.2;
    step->foot = {flies ? 1.5 : 0.0, 0};
  });
  EXPECT_FALSE(FindSlidePart(run, kSlides));
}

// The motion rules speak of a jump of the root.
TEST(FootSteps, KnowAFigureThatIsLiftedAtOnce) {
  const FootSteps pop = Standing(
      [](double now, FootStep* step) { step->low = now > 2 ? 0.1 : 0; });
  EXPECT_NEAR(LiftedAtOnce(pop), 0.1, 1e-9);
  EXPECT_EQ(LiftedAtOnce(Shifted(0.1, 1, 0)), 0);
}

// The issue about a figure on the floor whose hips are `up` reaches higher, or
// move by `along` reaches along X, in second 2 to 3.5 of six, eased in a
// quarter of a second.
std::string IssueOfPart(float up, float along) {
  constexpr double kRate = 30;
  const Clip clip = FigureClip({0, 1, 0}, 180, kRate, [&](int64_t frame) {
    const double now = static_cast<double>(frame) / kRate;
    const double t =
        std::clamp(std::min((now - 2) / 0.25, (3.5 - now) / 0.25), 0.0, 1.0);
    const auto part = static_cast<float>(t * t * (3 - 2 * t));
    const auto way = static_cast<float>(std::clamp((now - 2) / 1.5, 0.0, 1.0));
    return Offset{kReach * along * way, kReach * (1 + up * part), 0};
  });
  const Report report = FloorReportOf(clip);
  if (report.issues.size() != 1) return std::to_string(report.issues.size());
  const Issue& issue = report.issues[0];
  return issue.code + " " + std::to_string(issue.location.frame.value_or(-1)) +
         " to " + std::to_string(issue.location.last_frame.value_or(-1));
}

TEST(FloorRules, FindFaultsOfAPartOfTheClip) {
  EXPECT_EQ(IssueOfPart(-0.1F, 0), "DATA_BELOW_FLOOR 61 to 105");
  EXPECT_EQ(IssueOfPart(0.2F, 0), "DATA_FLOOR_DRIFT 61 to 105");
  EXPECT_EQ(IssueOfPart(0, 1), "DATA_FOOT_SKATE 61 to 105");
  EXPECT_EQ(IssueOfPart(0.02F, 0), "0");
  EXPECT_EQ(IssueOfPart(0, 0.1F), "0");
}

}  // namespace
}  // namespace bvhmill::testing
