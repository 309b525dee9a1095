// Options of the output .anim that are refused for every clip.

#include <gtest/gtest.h>

#include <cmath>
#include <ostream>

#include "bvhmill/encode/encode.h"

namespace bvhmill::testing {
namespace {

struct BadFormat {
  const char* field;
  void (*change)(AnimFormat*);
};

void PrintTo(const BadFormat& bad, std::ostream* out) { *out << bad.field; }

class BadFormatTest : public ::testing::TestWithParam<BadFormat> {};

INSTANTIATE_TEST_SUITE_P(
    AnimOutput, BadFormatTest,
    ::testing::Values(
        BadFormat{"anim.max_degrees: ", [](auto* f) { f->max_degrees = -1; }},
        BadFormat{"anim.max_degrees: ", [](auto* f) { f->max_degrees = NAN; }},
        BadFormat{"anim.max_millimetres: ",
                  [](auto* f) { f->max_millimetres = 1001; }},
        BadFormat{"anim.max_bytes: ", [](auto* f) { f->max_bytes = -1; }},
        BadFormat{"anim.joint_map: ", [](auto* f) { f->joint_map = "none"; }},
        BadFormat{"anim.joint_map: ",
                  [](auto* f) {
                    f->joint_map = "cmu";
                    f->profile = AnimProfile::kViewer;
                  }},
        BadFormat{"anim.priority: ",
                  [](auto* f) { f->settings.base_priority = 7; }},
        BadFormat{"anim.joint_map: ",
                  [](auto* f) {
                    f->joint_map_rows = {{"hip", "mPelvis"}};
                    f->profile = AnimProfile::kViewer;
                  }},
        BadFormat{"anim.joint_map: ",
                  [](auto* f) {
                    f->joint_map_rows = {{"hip", "mPelvis"}};
                    f->joint_map = "cmu";
                  }},
        BadFormat{"anim.joint_map_rows[1].target: ",
                  [](auto* f) {
                    f->joint_map_rows = {{"hip", "mPelvis"}, {"a", "mTosro"}};
                  }},
        BadFormat{"anim.loop_in_seconds: ",
                  [](auto* f) { f->settings.loop_in = -1; }},
        BadFormat{"anim.loop_out_seconds: ",
                  [](auto* f) { f->settings.loop_out = -1; }},
        BadFormat{"anim.ease_in_seconds: ",
                  [](auto* f) { f->settings.ease_in = -1; }},
        BadFormat{"anim.ease_out_seconds: ",
                  [](auto* f) { f->settings.ease_out = -1; }},
        BadFormat{"anim.emote: ",
                  [](auto* f) { f->settings.emote = "grimace"; }}));

TEST_P(BadFormatTest, IsRefusedWithItsField) {
  AnimFormat format;
  EXPECT_TRUE(CheckFormat(format).ok());
  GetParam().change(&format);
  const absl::Status status = CheckFormat(format);
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_TRUE(status.message().find(GetParam().field) == 0) << status;
}

TEST(AnimOptions, MapsThatExistAreTaken) {
  for (const char* name : {"", "auto", "own", "cmu"}) {
    AnimFormat format;
    format.joint_map = name;
    EXPECT_TRUE(CheckFormat(format).ok()) << name;
  }
}

}  // namespace
}  // namespace bvhmill::testing
