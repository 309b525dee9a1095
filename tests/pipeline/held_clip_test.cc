// A clip is the same if it is read as a whole, by several threads, or in
// pieces. Outputs, reports and observed rows are equal.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/bvh/writer.h"
#include "bvhmill/encode/report_json.h"
#include "bvhmill/kinematics/fk_job.h"
#include "bvhmill/pipeline/clip_converter.h"
#include "bvhmill/pipeline/internal/converter_state.h"
#include "tests/pipeline/clip_text.h"
#include "tests/support/converted.h"
#include "tests/validate/motion_clips.h"

namespace bvhmill::testing {
namespace {

// The rows that an observer received.
struct Observed {
  Skeleton skeleton;
  int64_t frames = 0;
  std::vector<float> values;
  std::vector<float> positions;
  // Judged frames x landmarks x 3.
  std::vector<float> landmarks;
  bool in_order = true;
  bool has_finished = false;
  // Rows turned out to be void. Nothing may follow.
  bool is_void = false;
};

// Records all that it gets.
class Recorder final : public RowObserver {
 public:
  Recorder(bool needs_positions, Observed* out)
      : needs_positions_(needs_positions), out_(*out) {}

  bool NeedsPositions() const override { return needs_positions_; }
  void Begin(const ObservedClip& clip) override {
    out_ = {};
    out_.skeleton = clip.skeleton;
    landmarks_ = clip.facts.landmarks.nodes.size();
  }
  void Add(const ObservedRows& rows) override {
    const auto frames = static_cast<size_t>(rows.frames);
    out_.in_order &=
        !out_.is_void && rows.first_frame == out_.frames && rows.frames > 0 &&
        rows.values.size() == frames * out_.skeleton.channels.size() &&
        rows.positions.size() ==
            (needs_positions_ ? 3 : 0) * frames * out_.skeleton.nodes.size();
    out_.frames += rows.frames;
    out_.values.insert(out_.values.end(), rows.values.begin(),
                       rows.values.end());
    out_.positions.insert(out_.positions.end(), rows.positions.begin(),
                          rows.positions.end());
    AddLandmarks(rows.landmarks);
  }
  void Truncate(int64_t frames) override {
    out_.in_order &= frames < out_.frames;
    out_.is_void = true;
    out_.frames = frames;
    const auto count = static_cast<size_t>(frames);
    out_.values.resize(count * out_.skeleton.channels.size());
    if (!needs_positions_) return;
    out_.positions.resize(3 * count * out_.skeleton.nodes.size());
  }
  void Finish(IssueLog* /*log*/) override {
    out_.in_order &= !out_.is_void;
    out_.has_finished = true;
  }

 private:
  void AddLandmarks(std::span<const float> positions) {
    const size_t frames =
        landmarks_ == 0 ? 0 : positions.size() / 3 / landmarks_;
    for (size_t frame = 0; frame < frames; ++frame) {
      for (size_t i = 0; i < landmarks_; ++i) {
        const auto at = positions.subspan(3 * (i * frames + frame), 3);
        out_.landmarks.insert(out_.landmarks.end(), at.begin(), at.end());
      }
    }
  }

  const bool needs_positions_;
  size_t landmarks_ = 0;
  Observed& out_;
};

// A conversion that is observed.
struct ObservedRun {
  Converted converted;
  Observed observed;
};

template <typename Convert>
ObservedRun Observe(Parallelism parallelism, bool needs_positions,
                    const Convert& convert) {
  ObservedRun run;
  Converter converter(parallelism);
  converter.state()->Begin()->observers.AddObserver(
      std::make_unique<Recorder>(needs_positions, &run.observed));
  run.converted = convert(&converter);
  return run;
}

void ExpectSame(const ObservedRun& got, const ObservedRun& expected) {
  const ConvertResult& a = got.converted.result;
  const ConvertResult& b = expected.converted.result;
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(ReportJson("", a.report, a.info), ReportJson("", b.report, b.info));
  if (b.status.ok()) {
    EXPECT_TRUE(got.converted.outputs == expected.converted.outputs);
  }
  EXPECT_TRUE(got.observed.in_order);
  EXPECT_EQ(got.observed.frames, expected.observed.frames);
  EXPECT_EQ(got.observed.has_finished, expected.observed.has_finished);
  EXPECT_TRUE(got.observed.values == expected.observed.values);
  EXPECT_TRUE(got.observed.positions == expected.observed.positions);
  EXPECT_TRUE(got.observed.landmarks == expected.observed.landmarks);
}

// Observed positions are those of the clip as it came.
void ExpectPositionsOfReference(const Observed& observed) {
  const Plan plan = MakePlan(observed.skeleton, {});
  std::vector<float> expected(observed.positions.size());
  FkJob job;
  job.plan = &plan;
  job.frames = observed.frames;
  job.values = observed.values;
  job.with_end_sites = true;
  job.positions = expected;
  job.target = FkTarget::kReference;
  ASSERT_TRUE(job.Validate().ok()) << job.Validate();
  job.Run();
  float largest = 1;
  for (const float x : expected) largest = std::max(largest, std::abs(x));
  for (size_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(observed.positions[i], expected[i], 2e-6F * largest) << i;
  }
}

struct HeldCase {
  const char* name;
  std::vector<OutputRequest> outputs;
  void (*edit)(ClipEdits*) = nullptr;
};

void PrintTo(const HeldCase& c, std::ostream* out) { *out << c.name; }

std::vector<HeldCase> HeldCases() {
  const std::vector<OutputRequest> tiles = {
      {"p", PositionsFormat{.with_end_sites = true}}, {"r", RotationsFormat{}}};
  const std::vector<OutputRequest> neighbours = {{"p", PositionsFormat{}},
                                                 {"v", VelocitiesFormat{}}};
  const std::vector<OutputRequest> whole = {
      {"j", PositionsFormat{TensorLayout::kJointMajor, true}},
      {"b", BvhFormat{}}};
  const auto slower = [](ClipEdits* edits) { edits->resample_fps = 37; };
  const auto drop = [](ClipEdits* edits) { edits->drop_joints = {"J1"}; };
  const auto misfit = [](ClipEdits* edits) { edits->drop_joints = {"None"}; };
  return {{"no outputs", {}},
          {"no outputs, resampled", {}, slower},
          {"tiles", tiles},
          {"tiles, resampled", tiles, slower},
          {"tiles, joints dropped", tiles, drop},
          {"tiles, edits that do not fit", tiles, misfit},
          {"neighbours", neighbours},
          {"neighbours, resampled", neighbours, slower},
          {"whole arrays", whole},
          {"whole arrays, joints dropped", whole, drop}};
}

class HeldClipTest : public ::testing::TestWithParam<HeldCase> {
 protected:
  // By threads, and with every cut into pieces.
  void ExpectOneWay(const std::string& text, bool needs_positions) {
    ConvertOptions options;
    options.outputs = GetParam().outputs;
    if (GetParam().edit != nullptr) GetParam().edit(&options.edits);
    const auto whole = [&](Converter* converter) {
      return ConvertWhole(text, options, converter);
    };
    const ObservedRun alone =
        Observe(Parallelism::None(), needs_positions, whole);
    if (needs_positions) ExpectPositionsOfReference(alone.observed);
    for (const int threads : {2, 5}) {
      SCOPED_TRACE(std::to_string(threads) + " threads");
      ExpectSame(Observe(Parallelism::Threads(threads), needs_positions, whole),
                 alone);
    }
    for (const size_t size : {1, 7, 100, 4096, 1 << 20}) {
      if (size < 100 && text.size() > 20'000) continue;
      SCOPED_TRACE("pieces of " + std::to_string(size));
      const auto pieces = [&](Converter* converter) {
        return ConvertPieces(text, options, size, converter);
      };
      ExpectSame(Observe(Parallelism::None(), needs_positions, pieces), alone);
    }
  }
};

INSTANTIATE_TEST_SUITE_P(HeldClip, HeldClipTest,
                         ::testing::ValuesIn(HeldCases()));

TEST_P(HeldClipTest, ShortClips) {
  ExpectOneWay(ChainText(4, 25), /*needs_positions=*/true);
  ExpectOneWay(ChainText(4, 25), /*needs_positions=*/false);
}

// Some tiles for each thread.
TEST_P(HeldClipTest, LongClips) {
  ExpectOneWay(ChainText(4, 30'000), /*needs_positions=*/true);
}

// The motion rules see the same rows, and say the same.
TEST_P(HeldClipTest, ClipsWithFaultsOfTheMotion) {
  Clip clip = MovingClip({.frames = 900, .joints = 4});
  AddTo(2, 1, 40, 350, 350, &clip);
  AddTo(3, 0, 60, 100, 105, &clip);
  AddTo(4, 0, 50, 222, 899, &clip);
  TakeRows(
      [](int64_t t) { return t < 600 ? t : std::max<int64_t>(600, t - 40); },
      &clip);
  std::string text;
  StringSink sink(&text);
  ASSERT_TRUE(WriteBvh(clip, {}, &sink).ok());
  const ConvertResult result = Convert(text, {}, nullptr, nullptr);
  for (const char* code : {"DATA_SPIKE", "DATA_JUMP", "DATA_FROZEN_FRAMES"}) {
    EXPECT_TRUE(Lists(result.report, code)) << code;
  }
  ExpectOneWay(text, /*needs_positions=*/false);
}

// Rules whose issues are all ignored are left out; those of the skeleton stay.
TEST(RowObservers, RulesWithoutIssuesAreLeftOut) {
  Clip clip = MovingClip({.frames = 900, .joints = 4});
  AddTo(2, 1, 40, 350, 350, &clip);
  clip.skeleton.nodes[2].name = clip.skeleton.nodes[1].name;
  std::string text;
  StringSink sink(&text);
  ASSERT_TRUE(WriteBvh(clip, {}, &sink).ok());
  const auto codes = [&](const std::vector<std::string>& ignored) {
    ConvertOptions options;
    options.report.ignore_codes = ignored;
    std::vector<std::string> found;
    for (const Issue& issue :
         Convert(text, options, nullptr, nullptr).report.issues) {
      found.push_back(issue.code);
    }
    return found;
  };
  EXPECT_THAT(codes({}), ::testing::IsSupersetOf(
                             {"DATA_SPIKE", "SKELETON_DUPLICATE_NAME"}));
  EXPECT_THAT(codes({"DATA_*"}),
              ::testing::ElementsAre("SKELETON_DUPLICATE_NAME"));

  const auto observe = [&](const std::vector<std::string>& ignored) {
    ConvertOptions options;
    options.outputs = {{"", PositionsFormat{}}};
    options.report.ignore_codes = ignored;
    return Observe(Parallelism::Threads(2), /*needs_positions=*/false,
                   [&](Converter* converter) {
                     return ConvertWhole(text, options, converter);
                   });
  };
  EXPECT_EQ(observe({}).observed.frames, 900);
  EXPECT_EQ(observe({"DATA_*"}).observed.frames, 0);
}

// Rows from a fault on are void.
TEST_P(HeldClipTest, ClipsWithAFault) {
  std::string text = ChainText(4, 3'000);
  text.insert(text.size() / 2, " fault ");
  ExpectOneWay(text, /*needs_positions=*/true);
}

// Landmarks are those of every `step`th frame, from the first one on.
void ExpectLandmarksOfReference(const Observed& observed, int64_t step) {
  const Landmarks landmarks = FindLandmarks(observed.skeleton);
  const Plan plan = MakePlan(observed.skeleton, {});
  const size_t nodes = plan.nodes.size();
  std::vector<float> all(3 * nodes * static_cast<size_t>(observed.frames));
  FkJob job;
  job.plan = &plan;
  job.frames = observed.frames;
  job.values = observed.values;
  job.with_end_sites = true;
  job.positions = all;
  job.target = FkTarget::kReference;
  job.Run();
  size_t at = 0;
  for (int64_t frame = 0; frame < observed.frames; frame += step) {
    for (const int32_t node : landmarks.nodes) {
      const size_t from =
          3 * (static_cast<size_t>(frame) * nodes + static_cast<size_t>(node));
      for (size_t axis = 0; axis < 3; ++axis) {
        ASSERT_LT(at, observed.landmarks.size());
        ASSERT_NEAR(observed.landmarks[at++], all[from + axis], 1e-3) << frame;
      }
    }
  }
  EXPECT_EQ(at, observed.landmarks.size());
}

// Some tiles for each thread, and more frames than are solved at once.
TEST(RowObservers, EveryWayJudgesTheSameFrames) {
  for (const auto& [rate, step] : {std::pair(30, 1), {100, 3}, {120, 4}}) {
    SCOPED_TRACE(rate);
    MotionShape shape;
    shape.frames = 20'000;
    shape.frames_per_second = rate;
    Clip clip = MovingClip(shape);
    clip.skeleton.nodes[4].name = "LeftFoot";
    clip.skeleton.nodes[7].name = "Head";
    std::string text;
    StringSink sink(&text);
    ASSERT_TRUE(WriteBvh(clip, {}, &sink).ok());
    ConvertOptions tiles;
    tiles.outputs = {{"", PositionsFormat{}}};
    const auto observe = [&](int threads, const ConvertOptions& options,
                             bool needs_positions) {
      return Observe(Parallelism::Threads(threads), needs_positions,
                     [&](Converter* converter) {
                       return ConvertWhole(text, options, converter);
                     });
    };
    const ObservedRun alone = observe(1, {}, false);
    ExpectLandmarksOfReference(alone.observed, step);
    ExpectSame(observe(5, {}, false), alone);
    const ObservedRun tiled = observe(1, tiles, false);
    EXPECT_TRUE(tiled.observed.landmarks == alone.observed.landmarks);
    ExpectSame(observe(5, tiles, false), tiled);
    for (const bool positions : {false, true}) {
      EXPECT_TRUE(observe(5, tiles, positions).observed.landmarks ==
                  alone.observed.landmarks);
    }
    for (const size_t size : {300, 65'536}) {
      ExpectSame(Observe(Parallelism::None(), false,
                         [&](Converter* converter) {
                           return ConvertPieces(text, {}, size, converter);
                         }),
                 alone);
    }
  }
}

// Frames of many joints whose positions are not solved at once.
TEST(RowObservers, LittleTextOfManyPoses) {
  std::string text =
      "HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n";
  for (int i = 0; i < 2'000; ++i) {
    text +=
        "JOINT j\n{\nOFFSET 0 1 0\nCHANNELS 0\nEnd Site\n{\nOFFSET 1 0 "
        "0\n}\n}\n";
  }
  text += "}\nMOTION\nFrames: 300\nFrame Time: 0.1\n";
  for (int i = 0; i < 300; ++i) text += std::to_string(i % 10) + "\n";
  ConvertOptions options;
  options.outputs = {{"", PositionsFormat{}}};
  const ObservedRun run =
      Observe(Parallelism::Threads(2), true, [&](Converter* converter) {
        return ConvertWhole(text, options, converter);
      });
  EXPECT_EQ(run.observed.frames, 300);
  EXPECT_TRUE(run.observed.in_order);
  ExpectPositionsOfReference(run.observed);
}

}  // namespace
}  // namespace bvhmill::testing
