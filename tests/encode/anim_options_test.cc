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
        BadFormat{"anim.map: ", [](auto* f) { f->joint_map = "none"; }},
        BadFormat{"anim.map: ",
                  [](auto* f) {
                    f->joint_map = "cmu";
                    f->profile = AnimProfile::kViewer;
                  }},
        BadFormat{"anim.map: ",
                  [](auto* f) {
                    f->joint_map_rows = {{"hip", "mPelvis"}};
                    f->profile = AnimProfile::kViewer;
                  }},
        BadFormat{"anim.map: ",
                  [](auto* f) {
                    f->joint_map_rows = {{"hip", "mPelvis"}};
                    f->joint_map = "cmu";
                  }},
        BadFormat{"anim.map_rows[1].target: ",
                  [](auto* f) {
                    f->joint_map_rows = {{"hip", "mPelvis"}, {"a", "mTosro"}};
                  }},
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
