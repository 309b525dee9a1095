#include "bvhmill/report/thresholds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <string>

namespace bvhmill::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Thresholds, TheTableIsWhole) {
  std::set<std::string> seen;
  IssueCode last = ThresholdTable().front().code;
  std::set<IssueCode> ended;
  for (const ThresholdEntry& entry : ThresholdTable()) {
    const std::string code(EntryOf(entry.code).name);
    SCOPED_TRACE(code + "." + std::string(entry.name));
    EXPECT_TRUE(seen.insert(code + "." + std::string(entry.name)).second);
    EXPECT_TRUE(std::isfinite(entry.value) && entry.value >= 0);
    EXPECT_FALSE(entry.unit.empty());
    EXPECT_TRUE(entry.reason.ends_with("."));
    // Rows of one code stand together.
    if (entry.code != last) ended.insert(last);
    EXPECT_FALSE(ended.contains(entry.code));
    last = entry.code;
  }
}

TEST(Thresholds, EveryRowIsFoundByItsName) {
  const Thresholds defaults;
  for (size_t i = 0; i < kThresholds; ++i) {
    const ThresholdEntry& entry = ThresholdTable()[i];
    EXPECT_EQ(FindThreshold(EntryOf(entry.code).name, entry.name),
              static_cast<Threshold>(i));
    EXPECT_EQ(defaults[static_cast<Threshold>(i)], entry.value);
  }
  EXPECT_EQ(FindThreshold("DATA_SPIKE", "DEGREES"), std::nullopt);
  EXPECT_EQ(FindThreshold("DATA_LOOP", "calm_degrees"), std::nullopt);
}

TEST(Thresholds, TheLastChoiceCounts) {
  const std::vector<ThresholdChoice> choices = {{"DATA_SPIKE", "degrees", 7},
                                                {"DATA_JUMP", "degrees", 9},
                                                {"DATA_SPIKE", "degrees", 6}};
  const Thresholds thresholds(choices);
  EXPECT_EQ(thresholds[Threshold::DATA_SPIKE_degrees], 6);
  EXPECT_EQ(thresholds[Threshold::DATA_JUMP_degrees], 9);
  EXPECT_EQ(thresholds[Threshold::DATA_CUT_share], 0.3);
}

TEST(Thresholds, BadChoicesChangeNothing) {
  const std::vector<ThresholdChoice> choices = {
      {"DATA_SPIKE", "degrees", 7},
      {"DATA_SPIKE", "degrees", -1},
      {"DATA_SPIKE", "degrees", std::numeric_limits<double>::quiet_NaN()},
      {"DATA_SPIKE", "none", 3}};
  EXPECT_EQ(Thresholds(choices)[Threshold::DATA_SPIKE_degrees], 7);
  EXPECT_THAT(Changes(choices),
              ElementsAre(ThresholdChoice{"DATA_SPIKE", "degrees", 7}));
}

TEST(Thresholds, ChangesAreThoseThatDiffer) {
  EXPECT_THAT(Changes({}), IsEmpty());
  const std::vector<ThresholdChoice> choices = {{"DATA_JUMP", "degrees", 9},
                                                {"DATA_SPIKE", "degrees", 7},
                                                {"DATA_CUT", "share", 0.3},
                                                {"DATA_SPIKE", "degrees", 6}};
  EXPECT_THAT(Changes(choices),
              ElementsAre(ThresholdChoice{"DATA_SPIKE", "degrees", 6},
                          ThresholdChoice{"DATA_JUMP", "degrees", 9}));
}

TEST(Thresholds, ABadChoiceSaysWhy) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const struct {
    ThresholdChoice choice;
    std::string why;
  } cases[] = {
      {{"DATA_SPIKE", "degrees", 0}, ""},
      {{"DATA_SPIKE", "degrees", 1e300}, ""},
      {{"DATA_SPIKE", "degrees", -1},
       "the value of DATA_SPIKE.degrees is not a finite number of 0 or more"},
      {{"DATA_SPIKE", "degrees", kNan},
       "the value of DATA_SPIKE.degrees is not a finite number of 0 or more"},
      {{"DATA_SPIKE", "degrees", kInf},
       "the value of DATA_SPIKE.degrees is not a finite number of 0 or more"},
      {{"DATA_SPIKE", "degree", 1},
       "'degree' is no threshold of DATA_SPIKE; did you mean 'degrees'?"},
      {{"DATA_SPIKE", "", 1}, "'' is no threshold of DATA_SPIKE"},
      {{"DATA_SPIK", "degrees", 1},
       "'DATA_SPIK' is no rule with thresholds; did you mean 'DATA_SPIKE'?"},
      {{"TEXT_EMPTY", "degrees", 1}, "'TEXT_EMPTY' is no rule with thresholds"},
      {{"", "", 1}, "'' is no rule with thresholds"},
  };
  for (const auto& [choice, why] : cases) EXPECT_EQ(WhyNot(choice), why);
}

}  // namespace
}  // namespace bvhmill::testing
