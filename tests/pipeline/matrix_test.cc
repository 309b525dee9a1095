// Every output, edit and way to read over every odd clip: nothing crashes, and
// a clip that comes in pieces gives what the whole text gives.

#include <gmock/gmock.h>

#include <random>
#include <string>
#include <vector>

#include "bvhmill/encode/report_json.h"
#include "tests/support/converted.h"
#include "tests/support/odd_clips.h"
#include "tests/support/option_choices.h"

namespace bvhmill::testing {
namespace {

using ::testing::HasSubstr;

constexpr size_t kPieces[] = {7, 64, 1000, 1 << 20};
// Tests run in parts, so that they fit the time limit of a test under
// sanitizers.
constexpr size_t kParts = 8;

ConvertOptions WithOutputs(std::vector<OutputRequest> outputs) {
  ConvertOptions options;
  options.limits = MatrixLimits();
  options.outputs = std::move(outputs);
  return options;
}

void ExpectSameOutputs(const Converted& pieces, const Converted& whole) {
  EXPECT_EQ(pieces.result.status, whole.result.status);
  EXPECT_EQ(ReportJson("", pieces.result.report, pieces.result.info),
            ReportJson("", whole.result.report, whole.result.info));
  if (!whole.result.status.ok()) return;
  ASSERT_EQ(pieces.outputs.size(), whole.outputs.size());
  for (size_t i = 0; i < whole.outputs.size(); ++i) {
    EXPECT_TRUE(pieces.outputs[i] == whole.outputs[i])
        << pieces.result.outputs[i].id << " differs";
    EXPECT_EQ(whole.result.outputs[i].size_bytes,
              static_cast<int64_t>(whole.outputs[i].size()));
    EXPECT_EQ(pieces.result.outputs[i].size_bytes,
              whole.result.outputs[i].size_bytes);
  }
}

// The joints of the clip as its text states them.
JointList JointsOf(const OddClip& clip) {
  return ConvertWhole(clip.text, WithOutputs({})).result.info.joints;
}

class MatrixTest : public ::testing::TestWithParam<size_t> {
 protected:
  void SetUp() override {
    const std::vector<OddClip> all = OddClips();
    ASSERT_GT(all.size(), 800U);
    const size_t each = (all.size() + kParts - 1) / kParts;
    for (size_t i = GetParam() * each;
         i < std::min(all.size(), (GetParam() + 1) * each); ++i) {
      clips_.push_back(all[i]);
    }
  }

  // Compares with pieces of one size, another one each time.
  void Check(const OddClip& clip, const ConvertOptions& options) {
    const size_t size = kPieces[checks_++ % std::size(kPieces)];
    ExpectSameOutputs(ConvertPieces(clip.text, options, size),
                      ConvertWhole(clip.text, options));
  }

  void CheckEverySize(const OddClip& clip, const ConvertOptions& options) {
    const Converted whole = ConvertWhole(clip.text, options);
    for (const size_t size : kPieces) {
      ExpectSameOutputs(ConvertPieces(clip.text, options, size), whole);
    }
  }

  std::vector<OddClip> clips_;
  size_t checks_ = 0;
};

TEST_P(MatrixTest, EachOutputAloneIsTheSameInPieces) {
  for (const OutputRequest& output : OutputChoices()) {
    const ConvertOptions options = WithOutputs({output});
    for (const OddClip& clip : clips_) {
      SCOPED_TRACE(clip.name + ", " + output.id);
      Check(clip, options);
      if (HasFailure()) return;
    }
  }
}

TEST_P(MatrixTest, AllOutputsTogetherAreTheSameInPieces) {
  for (const auto& outputs : {ArrayAndTextChoices(), OutputChoices()}) {
    for (const OddClip& clip : clips_) {
      SCOPED_TRACE(clip.name);
      CheckEverySize(clip, WithOutputs(outputs));
      if (HasFailure()) return;
    }
  }
}

TEST_P(MatrixTest, EachEditIsTheSameInPieces) {
  for (const OddClip& clip : clips_) {
    const JointList joints = JointsOf(clip);
    for (const EditChoice& edit : EditChoices()) {
      SCOPED_TRACE(clip.name + ", " + edit.name);
      for (const auto& outputs :
           {OneOfEachFormat(), {{"anim", AnimFormat{}}}}) {
        ConvertOptions options = WithOutputs(outputs);
        edit.apply(joints, &options.edits);
        Check(clip, options);
      }
      if (HasFailure()) return;
    }
  }
}

TEST_P(MatrixTest, EachWayToReadIsTheSameInPieces) {
  for (const OddClip& clip : clips_) {
    for (const ReadChoice& read : ReadChoices()) {
      SCOPED_TRACE(clip.name + ", " + read.name);
      ConvertOptions options = WithOutputs(OneOfEachFormat());
      read.apply(&options);
      CheckEverySize(clip, options);
      if (HasFailure()) return;
    }
  }
}

TEST_P(MatrixTest, SamplesOfAllCombinationsAreTheSameInPieces) {
  std::mt19937 random(static_cast<uint32_t>(1 + GetParam()));
  for (const OddClip& clip : clips_) {
    const JointList joints = JointsOf(clip);
    for (int sample = 0; sample < 20; ++sample) {
      SCOPED_TRACE(clip.name + ", sample " + std::to_string(sample));
      Check(clip, RandomOptions(joints, &random));
      if (HasFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Part, MatrixTest, ::testing::Range(size_t{0}, kParts));

// Encoders that need all frames looked for the first one of none, or wrote the
// arrays of the clip before.
TEST(ClipWithoutFrames, NpzHoldsEmptyArrays) {
  int empty_clips = 0;
  for (const OddClip& clip : MadeOddClips()) {
    SCOPED_TRACE(clip.name);
    const Converted made =
        ConvertWhole(clip.text, WithOutputs({{"npz", NpzFormat{true}}}));
    if (made.result.info.frames > 0 || !made.result.status.ok()) continue;
    ++empty_clips;
    EXPECT_THAT(made.outputs.at(0), HasSubstr("'shape': (0, "));
  }
  EXPECT_GT(empty_clips, 5);
}

}  // namespace
}  // namespace bvhmill::testing
