// Tests Convert with edits, which are applied before encoding.

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <functional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "tests/pipeline/clip_text.h"

namespace bvhmill::testing {
namespace {

using Code = absl::StatusCode;
using Point = std::array<float, 3>;

// A root that stands at 1 2 3 and 4 5 6, with a hand 10 above it.
std::string TwoFrames(std::string_view frame_time = "0.5") {
  return "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\n"
         "CHANNELS 3 Xposition Yposition Zposition\n"
         "JOINT Arm\n{\nOFFSET 0 8 0\nCHANNELS 0\n"
         "JOINT Hand\n{\nOFFSET 0 2 0\nCHANNELS 0\n"
         "End Site\n{\nOFFSET 0 1 0\n}\n}\n}\n}\n"
         "MOTION\nFrames: 2\nFrame Time: " +
         std::string(frame_time) + "\n1 2 3\n4 5 6\n";
}

struct EditRow {
  const char* name;
  std::function<void(ClipEdits*)> change;
  int32_t joints;
  int64_t frames;
  double frame_time;
  // Positions of the first and the last joint in the last frame.
  Point root;
  Point hand;
};

void PrintTo(const EditRow& edit, std::ostream* out) { *out << edit.name; }

const EditRow kEdits[] = {
    {"Nothing", [](auto*) {}, 3, 2, 0.5, {4, 5, 6}, {4, 15, 6}},
    {"Drop",
     [](auto* e) { e->drop = {"Arm"}; },
     2,
     2,
     0.5,
     {4, 5, 6},
     {4, 15, 6}},
    {"Keep",
     [](auto* e) { e->keep = {"Hips"}; },
     1,
     2,
     0.5,
     {4, 5, 6},
     {4, 5, 6}},
    {"Frames",
     [](auto* e) {
       e->frames = {0, 1, 1};
     },
     3,
     1,
     0.5,
     {1, 2, 3},
     {1, 12, 3}},
    {"Step",
     [](auto* e) { e->frames.step = 2; },
     3,
     1,
     1,
     {1, 2, 3},
     {1, 12, 3}},
    {"Rate", [](auto* e) { e->fps = 4; }, 3, 3, 0.25, {4, 5, 6}, {4, 15, 6}},
    {"UpAxis",
     [](auto* e) {
       e->source.up_axis = UpAxis::kZ;
       e->to_up = UpAxis::kY;
     },
     3,
     2,
     0.5,
     {4, 6, -5},
     {4, 6, -15}},
    {"Units",
     [](auto* e) {
       e->source.meters_per_unit = 1;
       e->to_units = 0.01;
     },
     3,
     2,
     0.5,
     {400, 500, 600},
     {400, 1500, 600}},
    {"InPlace",
     [](auto* e) {
       e->in_place = true;
       e->source.up_axis = UpAxis::kY;
     },
     3,
     2,
     0.5,
     {0, 5, 0},
     {0, 15, 0}},
    {"AtOrigin",
     [](auto* e) { e->at_origin = true; },
     3,
     2,
     0.5,
     {0, 0, 0},
     {0, 10, 0}},
    {"RootAxes",
     [](auto* e) {
       e->root_alignment.position_axes = "xzy";
       e->root_alignment.position_signs = "-+-";
     },
     3,
     2,
     0.5,
     {-4, 6, -5},
     {-4, 16, -5}},
    {"RootCorrection",
     [](auto* e) {
       e->root_alignment.correction_degrees = {0, 0, 90};
     },
     3,
     2,
     0.5,
     {4, 5, 6},
     {-6, 5, 6}},
};

ConvertOptions With(const std::function<void(ClipEdits*)>& change) {
  ConvertOptions options;
  change(&options.edits);
  options.outputs = EveryOutput();
  return options;
}

Point PointAt(const std::string& positions, size_t row) {
  Point point;
  std::memcpy(point.data(), positions.data() + row * sizeof(point),
              sizeof(point));
  return point;
}

void ExpectPoint(const Point& actual, const Point& expected) {
  for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(actual[i], expected[i], 1e-4);
}

class EditTest : public ::testing::TestWithParam<EditRow> {};

INSTANTIATE_TEST_SUITE_P(Convert, EditTest, ::testing::ValuesIn(kEdits),
                         [](const auto& info) { return info.param.name; });

TEST_P(EditTest, IsInTheFactsAndTheOutputs) {
  const EditRow& edit = GetParam();
  StringReceiver receiver;
  const ConvertResult result =
      ConvertText(TwoFrames(), With(edit.change), &receiver);
  ASSERT_TRUE(result.status.ok()) << result.status;
  EXPECT_EQ(result.info.joint_count, edit.joints);
  EXPECT_EQ(result.info.frames, edit.frames);
  EXPECT_DOUBLE_EQ(result.info.frame_time, edit.frame_time);
  EXPECT_DOUBLE_EQ(result.info.frames_per_second, 1 / edit.frame_time);
  const std::string& positions = receiver.data()[0];
  const auto joints = static_cast<size_t>(edit.joints);
  const size_t rows = static_cast<size_t>(edit.frames) * joints;
  ASSERT_EQ(positions.size(), rows * sizeof(Point));
  ExpectPoint(PointAt(positions, rows - joints), edit.root);
  ExpectPoint(PointAt(positions, rows - 1), edit.hand);
}

// Every format is made of the edited clip: read again, its BVH gives the same.
TEST_P(EditTest, IsInTheBvhThatIsWritten) {
  const ConvertOptions options = With(GetParam().change);
  StringReceiver edited;
  const ConvertResult result = ConvertText(TwoFrames(), options, &edited);
  ASSERT_TRUE(result.status.ok()) << result.status;
  ConvertOptions plain = options;
  plain.edits = {};
  StringReceiver again;
  const ConvertResult back = ConvertText(edited.data().back(), plain, &again);
  ASSERT_TRUE(back.status.ok()) << back.status;
  for (size_t i = 0; i < edited.data().size(); ++i) {
    EXPECT_EQ(again.data()[i], edited.data()[i]) << options.outputs[i].id;
  }
}

TEST(Edits, RenameJoints) {
  ConvertOptions options;
  options.edits.rename = {{"Hips", "mPelvis"}};
  const ConvertResult result = ConvertText(TwoFrames(), options, nullptr);
  ASSERT_TRUE(result.status.ok()) << result.status;
  EXPECT_EQ(result.info.joints[0].name, "mPelvis");
  EXPECT_EQ(result.info.joints[1].name, "Arm");
}

// The report counts the joints of the file, including those that are dropped.
TEST(Edits, LeaveTheReportAsItWas) {
  ConvertOptions options;
  const std::string text = TwoFrames("0");
  const ConvertResult plain = ConvertText(text, options, nullptr);
  options.edits.keep = {"Hips"};
  const ConvertResult edited = ConvertText(text, options, nullptr);
  ASSERT_FALSE(plain.report.issues.empty());
  EXPECT_EQ(edited.report.issues.size(), plain.report.issues.size());
  EXPECT_EQ(edited.report.verdict, plain.report.verdict);
}

struct BadEdit {
  const char* name;
  std::function<void(ClipEdits*)> change;
  Code code;
  const char* reason;
  // A name and a value that the metadata must hold.
  const char* key;
  const char* value;
};

void PrintTo(const BadEdit& edit, std::ostream* out) { *out << edit.name; }

const BadEdit kBadEdits[] = {
    {"NoSuchJoint", [](auto* e) { e->drop = {"Tail"}; }, Code::kInvalidArgument,
     "EDIT_DOES_NOT_FIT", "field", "options.edits.drop"},
    {"NoSuchFrame", [](auto* e) { e->frames.begin = 2; },
     Code::kInvalidArgument, "EDIT_DOES_NOT_FIT", "field",
     "options.edits.frames"},
    {"NoSuchMap", [](auto* e) { e->joint_map = "none"; },
     Code::kInvalidArgument, "FIELD_INVALID", "field",
     "options.edits.joint_map"},
    {"BadRange",
     [](auto* e) {
       e->frames = {2, 1, 1};
     },
     Code::kInvalidArgument, "FIELD_INVALID", "field", "options.edits.frames"},
    {"UnitsUnknown", [](auto* e) { e->to_units = 1; },
     Code::kFailedPrecondition, "SOURCE_CONVENTION_UNKNOWN", "needs",
     "options.read.units"},
    {"UpAxisUnknown", [](auto* e) { e->to_up = UpAxis::kY; },
     Code::kFailedPrecondition, "SOURCE_CONVENTION_UNKNOWN", "needs",
     "options.read.up"},
    {"RateUnknown", [](auto* e) { e->fps = 30; }, Code::kFailedPrecondition,
     "FRAME_RATE_UNKNOWN", "field", "options.edits.fps"},
};

class BadEditTest : public ::testing::TestWithParam<BadEdit> {};

INSTANTIATE_TEST_SUITE_P(Convert, BadEditTest, ::testing::ValuesIn(kBadEdits),
                         [](const auto& info) { return info.param.name; });

TEST_P(BadEditTest, FailsWithItsReason) {
  StringReceiver receiver;
  const ConvertResult result =
      ConvertText(TwoFrames("0"), With(GetParam().change), &receiver);
  ExpectFailed(result, GetParam().code);
  EXPECT_EQ(ReasonOf(result.status), GetParam().reason) << result.status;
  if (GetParam().key == nullptr) return;
  EXPECT_EQ(MetadataOf(result.status, GetParam().key), GetParam().value);
}

TEST(Edits, NameTheLimitThatTheyExceed) {
  ConvertOptions options = With([](auto* e) { e->fps = 1000; });
  options.limits.max_frames = 100;
  StringReceiver receiver;
  const ConvertResult result = ConvertText(TwoFrames(), options, &receiver);
  ExpectFailed(result, Code::kResourceExhausted);
  EXPECT_EQ(ReasonOf(result.status), "LIMIT_EXCEEDED");
  EXPECT_EQ(MetadataOf(result.status, "limit_name"), "max_frames");
  EXPECT_EQ(MetadataOf(result.status, "limit"), "100");
  // The clip itself was good.
  EXPECT_TRUE(IsGood(result.report.verdict));
  EXPECT_EQ(result.info.frames, 2);
}

// A clip that is too broken to convert is not edited either.
TEST(Edits, AreNotTriedOnABrokenClip) {
  ConvertOptions options = With([](auto* e) { e->drop = {"Tail"}; });
  StringReceiver receiver;
  const ConvertResult result =
      ConvertText(TextWithRows(2, "1 2\n3 4 5\n"), options, &receiver);
  ExpectFailed(result, Code::kInvalidArgument);
  EXPECT_EQ(ReasonOf(result.status), "MOTION_ROW_TOO_SHORT");
}

// A workspace is used for many clips; an edit must leave no state in it.
TEST(Edits, DoNotAffectTheNextClip) {
  const ConvertOptions plain = With([](auto*) {});
  const ConvertOptions edits = With([](auto* e) {
    e->drop = {"J2"};
    e->fps = 50;
    e->in_place = true;
    e->source.up_axis = UpAxis::kY;
  });
  std::vector<std::vector<std::string>> made;
  for (const int64_t frames : {5, 300, 5, 300}) {
    for (const ConvertOptions* options : {&plain, &edits}) {
      StringReceiver receiver;
      const ConvertResult result =
          ConvertText(ChainText(4, frames), *options, &receiver);
      ASSERT_TRUE(result.status.ok()) << result.status;
      made.push_back(std::move(receiver.data()));
    }
  }
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(made[i], made[i + 4]);
}

}  // namespace
}  // namespace bvhmill::testing
