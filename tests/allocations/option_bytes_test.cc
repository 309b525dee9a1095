// The memory that options hold, against what a copy of them asks for.

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <ostream>
#include <string>

#include "bvhmill/pipeline/options.h"
#include "tests/allocations/allocator.h"

namespace bvhmill::testing {
namespace {

struct OptionsCase {
  const char* name;
  std::function<void(ConvertOptions*)> fill;
};

void PrintTo(const OptionsCase& c, std::ostream* out) { *out << c.name; }

const std::string kLong(500, 'n');

void AddAnim(ConvertOptions* options) {
  AnimFormat anim;
  anim.joint_map = kLong;
  anim.settings.emote = kLong;
  anim.settings.joint_priority.assign(100, {kLong, 1});
  AnimConstraint constraint;
  constraint.source_volume = kLong;
  constraint.target_volume = kLong;
  anim.settings.constraints.emplace(10, constraint);
  options->outputs.push_back({kLong, anim});
}

const OptionsCase kCases[] = {
    {"Defaults", [](ConvertOptions*) {}},
    {"ShortNames",
     [](ConvertOptions* o) {
       o->edits.drop.assign(20'000, "j");
       o->edits.keep.assign(20'000, "");
       o->edits.rename.assign(1'000, {"j", "k"});
       o->edits.joint_map_rows.assign(1'000, {"j", "k"});
     }},
    {"LongNames",
     [](ConvertOptions* o) {
       o->edits.drop.assign(50, kLong);
       o->edits.rename.assign(50, {kLong, kLong});
       o->edits.joint_map_rows.assign(50, {kLong, kLong});
       o->edits.joint_map = kLong;
       o->edits.names_to = kLong;
       o->edits.rig = kLong;
       o->edits.rest = kLong;
       o->edits.body_root = kLong;
       o->edits.root_alignment = {kLong, kLong, {}};
     }},
    {"Codes",
     [](ConvertOptions* o) {
       o->report.ignore.assign(1'000, kLong);
       o->report.only.assign(1'000, "X");
       o->report.thresholds.assign(1'000, {kLong, kLong, 1});
       for (int i = 0; i < 1'000; ++i) {
         o->report.severities[kLong + std::to_string(i)] = {};
       }
     }},
    {"ShortCodes",
     [](ConvertOptions* o) {
       o->report.ignore.assign(1'000, "X");
       o->report.only.assign(1'000, "X");
       o->report.thresholds.assign(1'000, {"X", "y", 1});
       for (int i = 0; i < 1'000; ++i) {
         o->report.severities[std::to_string(i)] = {};
       }
     }},
    {"Outputs", AddAnim},
    {"ShortOutputs", [](ConvertOptions* o) {
       AnimFormat anim;
       anim.joint_map_rows.assign(1'000, {"j", "k"});
       anim.settings.joint_priority.assign(1'000, {"j", 1});
       anim.settings.constraints.emplace(10);
       o->outputs.assign(20, {"", anim});
     }}};

class OptionBytesTest : public ::testing::TestWithParam<OptionsCase> {};

INSTANTIATE_TEST_SUITE_P(Options, OptionBytesTest, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

TEST_P(OptionBytesTest, AreThoseOfACopy) {
  ConvertOptions options;
  GetParam().fill(&options);
  const int64_t bytes = AllocatedBytes();
  const int64_t blocks = Allocations();
  const auto copy = std::make_unique<ConvertOptions>(options);
  const int64_t asked = AllocatedBytes() - bytes;
  // An allocator adds a header of 16 bytes to a block, and may take a third
  // more. The block of the options themselves is part of another one.
  const int64_t headers = 16 * (Allocations() - blocks);
  EXPECT_GE(OptionsBytes(*copy), asked + headers - 16);
  EXPECT_LE(OptionsBytes(*copy), asked + asked / 3 + headers);
}

}  // namespace
}  // namespace bvhmill::testing
