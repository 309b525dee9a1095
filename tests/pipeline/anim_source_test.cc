// Clips of .anim files: the same as those of their BVH text, with the issues of
// the file, within the limits, and for any cut into pieces.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "bvhmill/anim/avatar/avatar.h"
#include "bvhmill/base/sink.h"
#include "bvhmill/encode/anim_bvh.h"
#include "bvhmill/encode/report_json.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/pipeline/source_format.h"
#include "tests/anim/anim_support.h"
#include "tests/anim/played_avatar.h"
#include "tests/pipeline/clip_text.h"
#include "tests/support/converted.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

using ::testing::HasSubstr;

// An .anim that the viewer makes of a clip, and its name.
struct AnimFile {
  std::string name;
  std::string bytes;
};

std::vector<AnimFile> ViewerFiles() {
  std::vector<AnimFile> files = {{"small", BytesOf(SmallMotion())}};
  for (const std::string& path : FilesIn(TestData("viewer"), ".anim")) {
    files.push_back({path, ReadFile(path)});
  }
  return files;
}

ConvertOptions OfAnim() {
  ConvertOptions options;
  options.source_format = SourceFormat::kAnim;
  return options;
}

// The BVH text that `bvhmill anim to-bvh --no-reference` writes.
std::string BvhTextOf(const std::string& bytes) {
  AnimToClipOptions options;
  options.reference_frame = false;
  std::string text;
  StringSink sink(&text);
  IssueLog log({});
  EXPECT_TRUE(WriteAnimAsBvh(MotionOf(bytes), options, &sink, &log).ok());
  return text;
}

void ExpectSameOutputs(const std::string& anim, const std::string& bvh,
                       ConvertOptions options) {
  const Converted expected = ConvertWhole(bvh, options);
  options.source_format = SourceFormat::kAnim;
  const Converted got = ConvertWhole(anim, options);
  ASSERT_EQ(got.result.status, expected.result.status);
  EXPECT_TRUE(got.outputs == expected.outputs);
  EXPECT_EQ(ReportJson("", {}, got.result.info),
            ReportJson("", {}, expected.result.info));
}

TEST(AnimSource, OutputsAreThoseOfItsBvhText) {
  int compared = 0;
  for (const AnimFile& file : ViewerFiles()) {
    SCOPED_TRACE(file.name);
    if (!ConvertWhole(file.bytes, OfAnim()).result.status.ok()) continue;
    const std::string text = BvhTextOf(file.bytes);
    ConvertOptions options;
    options.outputs = EveryOutput();
    ExpectSameOutputs(file.bytes, text, options);
    options.edits.fps = 7;
    options.edits.drop = {"mSpine*"};
    ExpectSameOutputs(file.bytes, text, options);
    options.outputs = {{"tiles", PositionsFormat{}}};
    options.edits = {};
    ExpectSameOutputs(file.bytes, text, options);
    ++compared;
  }
  EXPECT_GT(compared, 30);
}

// Keys of a clip that is shorter than any time: "-nan" was written, while its
// text has "nan".
TEST(AnimSource, ANumberThatIsNoneHasNoSign) {
  AnimMotion motion = SmallMotion();
  motion.duration = 5e-41F;
  const std::string bytes = BytesOf(motion);
  ConvertOptions options;
  options.outputs = {{"", PositionsFormat{}}, {"", CsvFormat{}}};
  ExpectSameOutputs(bytes, BvhTextOf(bytes), options);
  options.source_format = SourceFormat::kAnim;
  const Converted converted = ConvertWhole(bytes, options);
  ASSERT_EQ(converted.outputs.size(), 2u);
  EXPECT_EQ(converted.outputs[1].find("-nan"), std::string::npos);
}

// `value` in the axes and the unit of the clip.
Vec3<double> InClip(const Vec3<double>& metres) {
  constexpr double kInch = 0.02540005;
  return {metres[1] / kInch, metres[2] / kInch, metres[0] / kInch};
}

// The avatar is played by matrices in double precision.
TEST(AnimSource, JointsAreWhereTheViewerPlaysThem) {
  AnimMotion motion = SmallMotion();
  motion.joints[0].positions.clear();
  ConvertOptions options = OfAnim();
  options.outputs = {{"csv", CsvFormat{}}, {"p", PositionsFormat{}}};
  const Converted got = ConvertWhole(BytesOf(motion), options);
  ASSERT_TRUE(got.result.status.ok()) << got.result.status;
  const ClipInfo& info = got.result.info;
  ASSERT_GT(info.frames, 30);
  const auto* position = reinterpret_cast<const float*>(got.outputs[1].data());
  for (int64_t frame = 0; frame < info.frames; ++frame) {
    const PlayedAvatar avatar(
        motion,
        static_cast<float>(static_cast<double>(frame) * info.frame_time));
    for (const JointInfo& joint : info.joints) {
      if (joint.end_site) continue;
      const Vec3<double> expected = InClip(avatar.At(joint.name));
      for (size_t k = 0; k < 3; ++k) {
        EXPECT_TRUE(std::fabs(position[k] - expected[k]) <= 0.02)
            << joint.name << " in frame " << frame;
      }
      position += 3;
    }
  }
}

void ExpectSamePieces(const std::string& bytes, const ConvertOptions& options) {
  const Converted whole = ConvertWhole(bytes, options);
  for (const size_t size : {size_t{1}, size_t{13}, bytes.size() + 1}) {
    const Converted pieces = ConvertPieces(bytes, options, size);
    EXPECT_EQ(pieces.result.status, whole.result.status);
    EXPECT_EQ(ReportJson("", pieces.result.report, pieces.result.info),
              ReportJson("", whole.result.report, whole.result.info));
    if (whole.result.status.ok()) {
      EXPECT_TRUE(pieces.outputs == whole.outputs);
    }
  }
}

TEST(AnimSource, PiecesGiveTheResultOfTheWhole) {
  ConvertOptions options = OfAnim();
  options.outputs = EveryOutput();
  for (const AnimFile& file : ViewerFiles()) {
    SCOPED_TRACE(file.name);
    ExpectSamePieces(file.bytes, options);
  }
  for (uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    ExpectSamePieces(BytesOf(RandomMotion(seed)), options);
  }
  options.limits.max_clip_bytes = 100;
  ExpectSamePieces(BytesOf(SmallMotion()), options);
}

TEST(AnimSource, EveryTruncationIsAnIssueWithItsPlace) {
  const std::string whole = BytesOf(SmallMotion());
  for (size_t size = 0; size < whole.size(); ++size) {
    SCOPED_TRACE(size);
    const std::string bytes = whole.substr(0, size);
    const ConvertResult result = ConvertWhole(bytes, OfAnim()).result;
    EXPECT_EQ(result.status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(ReasonOf(result.status), "ANIM_TRUNCATED");
    EXPECT_NE(MetadataOf(result.status, "byte_offset"), "");
    EXPECT_EQ(result.report.verdict, Verdict::kUnreadable);
    if (size % 10 == 0) ExpectSamePieces(bytes, OfAnim());
  }
}

// Some counts of the file say more than there is.
TEST(AnimSource, HugeCountsTakeNoMemory) {
  const std::string whole = BytesOf(SmallMotion());
  ConvertOptions options = OfAnim();
  options.limits.max_clip_memory_bytes = int64_t{4} << 20;
  int refused = 0;
  for (size_t at = 0; at + 4 <= whole.size(); ++at) {
    for (const char* count : {"\xFF\xFF\xFF\x7F", "\xFF\xFF\xFF\xFF"}) {
      std::string bytes = whole;
      bytes.replace(at, 4, count, 4);
      const ConvertResult result = ConvertWhole(bytes, options).result;
      EXPECT_NE(ReasonOf(result.status), "LIMIT_EXCEEDED") << at;
      refused += result.status.ok() ? 0 : 1;
    }
  }
  EXPECT_GT(refused, 20);
}

// An error keeps the viewer from playing the file. A caller may still ask for
// its clip.
TEST(AnimSource, AnErrorOfTheFileRefusesTheClipUnlessItIsIgnored) {
  AnimMotion motion = SmallMotion();
  motion.base_priority = -7;
  ConvertOptions options = OfAnim();
  options.outputs = {{"csv", CsvFormat{}}};
  const Converted refused = ConvertWhole(BytesOf(motion), options);
  EXPECT_EQ(refused.result.status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ReasonOf(refused.result.status), "ANIM_PRIORITY_INVALID");
  EXPECT_EQ(refused.result.report.verdict, Verdict::kInvalid);
  options.report.ignore = {"ANIM_PRIORITY_INVALID"};
  const Converted made = ConvertWhole(BytesOf(motion), options);
  EXPECT_TRUE(made.result.status.ok()) << made.result.status;
  EXPECT_FALSE(made.outputs.at(0).empty());
}

TEST(AnimSource, ALongAnimationIsRefused) {
  AnimMotion motion = SmallMotion();
  motion.duration = 61;
  ConvertOptions options = OfAnim();
  ConvertResult result = ConvertWhole(BytesOf(motion), options).result;
  EXPECT_EQ(ReasonOf(result.status), "ANIM_DURATION_LONG");
  EXPECT_EQ(result.report.counts.errors, 1);
  options.report.ignore = {"ANIM_DURATION_LONG"};
  result = ConvertWhole(BytesOf(motion), options).result;
  EXPECT_EQ(result.status.code(), absl::StatusCode::kInvalidArgument);
}

// Two keys for each bone of the avatar, and 60 s of motion: few KB make 7200
// rows of 400 values.
std::string FewKeysOfALongMotion() {
  AnimMotion motion;
  motion.duration = 60;
  for (const AvatarJoint& joint : AvatarJoints()) {
    if (joint.kind != AvatarJointKind::kBone) continue;
    motion.joints.push_back({std::string(joint.name), -1, {}, {}});
    motion.joints.back().rotations = {{0, 33000, 32767, 32767},
                                      {65535, 32767, 33000, 32767}};
  }
  // A time that is on no coarse grid.
  motion.joints[0].rotations.insert(motion.joints[0].rotations.begin() + 1,
                                    {20011, 32767, 32767, 33000});
  return BytesOf(motion);
}

// Joints are named, but there is no text that could have lines.
TEST(AnimSource, IssuesOfRulesHaveNoLine) {
  const ConvertResult result =
      ConvertWhole(FewKeysOfALongMotion(), OfAnim()).result;
  ASSERT_TRUE(Lists(result.report, "DATA_UNIT_GUESS"));
  for (const Issue& issue : result.report.issues) {
    EXPECT_FALSE(issue.location.line) << issue.code;
    EXPECT_FALSE(issue.location.column) << issue.code;
  }
}

struct AnimLimitCase {
  const char* reason;
  void (*set)(Limits*);
};

TEST(AnimSource, LimitsOfClipsHold) {
  const AnimLimitCase cases[] = {
      {"LIMIT_CLIP_BYTES", [](Limits* l) { l->max_clip_bytes = 50; }},
      {"LIMIT_NAME_BYTES", [](Limits* l) { l->max_name_bytes = 3; }},
      {"LIMIT_JOINTS", [](Limits* l) { l->max_joints = 4; }},
      {"LIMIT_DEPTH", [](Limits* l) { l->max_depth = 3; }},
      {"LIMIT_CHANNELS", [](Limits* l) { l->max_channels = 14; }},
      {"LIMIT_FRAMES", [](Limits* l) { l->max_frames = 40; }},
      {"LIMIT_EXCEEDED", [](Limits* l) { l->max_clip_memory_bytes = 1000; }},
      {"LIMIT_EXCEEDED",
       [](Limits* l) {
         l->max_clip_work = 1000;
         l->max_clip_work_per_byte = 1;
       }},
  };
  for (const AnimLimitCase& c : cases) {
    SCOPED_TRACE(c.reason);
    ConvertOptions options = OfAnim();
    c.set(&options.limits);
    const std::string bytes = BytesOf(SmallMotion());
    const ConvertResult result = ConvertWhole(bytes, options).result;
    EXPECT_EQ(result.status.code(), absl::StatusCode::kResourceExhausted);
    EXPECT_EQ(ReasonOf(result.status), c.reason);
    ExpectSamePieces(bytes, options);
  }
}

// Grants no more than `most` bytes.
class Miser final : public OutputReceiver {
 public:
  explicit Miser(int64_t most) : most_(most) {}
  absl::Status Hold(int64_t bytes) override {
    held_ += bytes;
    return held_ <= most_ ? absl::OkStatus()
                          : absl::ResourceExhaustedError("no memory");
  }
  absl::Status Begin(const ClipInfo& /*info*/,
                     std::span<const OutputInfo> /*outputs*/) override {
    return absl::OkStatus();
  }
  absl::Status Data(size_t /*output*/, std::string_view /*bytes*/) override {
    return absl::OkStatus();
  }

 private:
  const int64_t most_;
  int64_t held_ = 0;
};

TEST(AnimSource, RowsAreDrawnBeforeTheyTakeMemory) {
  const std::string bytes = FewKeysOfALongMotion();
  ASSERT_LT(bytes.size(), size_t{8} << 10);
  ConvertOptions options = OfAnim();
  Miser miser(int64_t{1} << 20);
  const ConvertResult whole = Convert(bytes, options, &miser, nullptr);
  EXPECT_EQ(whole.status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(whole.status.message()), HasSubstr("no memory"));
  Miser other(int64_t{1} << 20);
  ConvertResult pieces;
  Converter worker;
  Conversion clip(&worker, options, &other, nullptr, &pieces);
  clip.Add(bytes);
  clip.Finish();
  EXPECT_EQ(pieces.status, whole.status);
  EXPECT_TRUE(ConvertWhole(bytes, options).result.status.ok());
}

TEST(AnimSource, PiecesAreWantedUpToTheLimit) {
  const std::string bytes = BytesOf(SmallMotion());
  for (const int64_t missing : {0, 1}) {
    ConvertOptions options = OfAnim();
    options.limits.max_clip_bytes =
        static_cast<int64_t>(bytes.size()) - missing;
    ConvertResult result;
    Converter worker;
    Conversion clip(&worker, options, nullptr, nullptr, &result);
    EXPECT_TRUE(clip.Add(std::string_view(bytes).substr(0, 50)));
    EXPECT_EQ(clip.Add(std::string_view(bytes).substr(50)), missing == 0);
    clip.Finish();
    EXPECT_EQ(result.status.ok(), missing == 0) << result.status;
  }
}

TEST(AnimSource, ACancelledClipEnds) {
  CancelToken cancel;
  cancel.Cancel();
  const ConvertResult result =
      Convert(FewKeysOfALongMotion(), OfAnim(), nullptr, &cancel);
  EXPECT_EQ(result.status.code(), absl::StatusCode::kCancelled);
}

TEST(AnimSource, OneConverterTakesBothFormatsInTurn) {
  const std::string anim = BytesOf(SmallMotion());
  const std::string bvh = ChainText(5, 20);
  Converter converter;
  for (const bool is_anim : {false, true, true, false, true, false}) {
    ConvertOptions options = is_anim ? OfAnim() : ConvertOptions();
    options.outputs = EveryOutput();
    const std::string& bytes = is_anim ? anim : bvh;
    const Converted got = ConvertWhole(bytes, options, &converter);
    EXPECT_TRUE(got.outputs == ConvertWhole(bytes, options).outputs);
    const Converted pieces = ConvertPieces(bytes, options, 50, &converter);
    EXPECT_TRUE(pieces.outputs == got.outputs);
  }
}

TEST(SourceFormats, EachRowIsFoundByItsNumberAndItsName) {
  int number = 0;
  for (const SourceFormatInfo& info : SourceFormats()) {
    EXPECT_EQ(static_cast<int>(info.format), ++number);
    EXPECT_EQ(SourceFormatOfNumber(number), info.format);
    EXPECT_EQ(SourceFormatOfName(info.name), info.format);
    EXPECT_EQ(InfoOf(info.format).extension, info.extension);
    EXPECT_EQ(info.extension.front(), '.');
  }
  EXPECT_EQ(SourceFormatOfNumber(0), std::nullopt);
  EXPECT_EQ(SourceFormatOfNumber(number + 1), std::nullopt);
  EXPECT_EQ(SourceFormatOfName("fbx"), std::nullopt);
}

TEST(SourceFormats, ANumberWithoutARowIsRefused) {
  for (const int number : {0, 3, 255}) {
    ConvertOptions options;
    options.source_format = static_cast<SourceFormat>(number);
    StringReceiver receiver;
    ExpectFailed(ConvertText(ChainText(2, 2), options, &receiver),
                 absl::StatusCode::kInvalidArgument);
  }
}

TEST(SourceFormats, ABvhReaderNamesAnAnim) {
  const ConvertResult result =
      ConvertWhole(BytesOf(SmallMotion()), ConvertOptions()).result;
  EXPECT_EQ(ReasonOf(result.status), "TEXT_NOT_BVH");
  EXPECT_THAT(std::string(result.status.message()),
              HasSubstr("an .anim of Second Life"));
}

}  // namespace
}  // namespace bvhmill::testing
