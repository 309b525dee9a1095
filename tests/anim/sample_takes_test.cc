// The sample takes with few keys: the bounds hold at every frame.

#include <gtest/gtest.h>

#include "bvhmill/anim/clip_to_anim.h"
#include "tests/anim/real_clips.h"

namespace bvhmill::testing {
namespace {

void ExpectWithinBounds(const Clip& clip, const ClipToAnimOptions& options) {
  IssueLog log({});
  ClipToAnimResult result;
  ASSERT_TRUE(ClipToAnim(clip, options, &result, &log).ok());
  ASSERT_TRUE(result.converted);
  EXPECT_GE(result.degrees, 0);
  EXPECT_LE(result.degrees, 0.1001F);
  EXPECT_GE(result.millimetres, 0);
  EXPECT_LE(result.millimetres, 1.001F);
  for (const Issue& issue : log.Finish(true, true).issues) {
    EXPECT_NE(issue.code, "ANIM_BOUND_MISSED");
  }
}

TEST(SampleTakes, KeepTheirBounds) {
  for (const RealClip& sample : SampleClips()) {
    // No map knows names that begin with Sway_ or Turn_.
    if (sample.file == "two_dancers.bvh") continue;
    for (const auto reference :
         {AnimReference::kRestPose, AnimReference::kFirstFrame}) {
      SCOPED_TRACE(sample.file);
      ClipToAnimOptions options;
      options.reference = reference;
      options.scale_to_avatar = true;
      options.accept_odd = true;
      ExpectWithinBounds(sample.clip, options);
    }
  }
}

}  // namespace
}  // namespace bvhmill::testing
