// Tests .anim as an output: its bytes, and the reasons why there is none.

#include <gtest/gtest.h>

#include <cmath>
#include <ostream>

#include "bvhmill/anim/avatar/avatar.h"
#include "bvhmill/anim/clip_to_anim.h"
#include "bvhmill/anim/format/anim_file.h"
#include "bvhmill/anim/viewer/viewer_import.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/base/cancel.h"
#include "bvhmill/base/sink.h"
#include "bvhmill/bvh/reader.h"
#include "bvhmill/encode/anim_target.h"
#include "tests/encode/encode_support.h"
#include "tests/support/clips.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

// Nods and walks; 30 frames a second.
Clip Nod(int64_t frames, const std::string& root = "hip",
         const std::string& joint = "head") {
  SkeletonBuilder builder;
  const int hip = builder.Root(root, "XYZzxy", {0, 40, 0});
  builder.EndSite(builder.Joint(hip, joint, "zxy", {0, 20, 0}));
  Clip clip = CountingClip(builder.Build(), frames);
  clip.motion.frame_time = 1.0 / 30;
  for (size_t i = 0; i < clip.motion.values.size(); ++i) {
    const auto at = static_cast<float>(i);
    clip.motion.values[i] = 20 * std::sin(at / 50) + (i % 9 == 1 ? 40.0F : 0);
  }
  return clip;
}

AnimFormat ViewerFormat() {
  AnimFormat format;
  format.profile = AnimProfile::kViewer;
  return format;
}

std::string BytesOf(const AnimMotion& motion) {
  std::string bytes;
  StringSink sink(&bytes);
  EXPECT_TRUE(WriteAnim(motion, &sink).ok());
  return bytes;
}

TEST(AnimOutput, IsWhatTheViewerMakes) {
  const Clip clip = Nod(50);
  IssueLog log({});
  AnimMotion motion;
  ASSERT_TRUE(ImportAsViewer(clip, &motion, &log).ok());
  const Encoded encoded = Encode(clip, ViewerFormat());
  ASSERT_TRUE(encoded.status.ok()) << encoded.status;
  EXPECT_TRUE(encoded.bytes == BytesOf(motion));
}

TEST(AnimOutput, IsTheBestWithinTheBounds) {
  const Clip clip = Nod(50);
  AnimFormat format;
  format.max_degrees = 0.5F;
  format.settings.priority = 5;
  format.reference = AnimReference::kFirstFrame;
  ClipToAnimOptions options;
  options.max_degrees = 0.5F;
  options.settings.priority = 5;
  options.reference = AnimReference::kFirstFrame;
  IssueLog log({});
  ClipToAnimResult result;
  ASSERT_TRUE(ClipToAnim(clip, options, &result, &log).ok());
  const Encoded encoded = Encode(clip, format);
  ASSERT_TRUE(encoded.status.ok()) << encoded.status;
  EXPECT_TRUE(encoded.bytes == BytesOf(result.motion));
  EXPECT_EQ(result.motion.base_priority, 5);
}

TEST(AnimOutput, SettingsAreOfBothProfiles) {
  AnimFormat format = ViewerFormat();
  format.settings.hand_pose = 7;
  format.settings.loop = true;
  const Clip clip = Nod(50);
  IssueLog log({});
  AnimMotion motion;
  ASSERT_TRUE(ImportAsViewer(clip, &motion, &log).ok());
  motion.hand_pose = 7;
  motion.loop = 1;
  EXPECT_TRUE(Encode(clip, format).bytes == BytesOf(motion));
}

TEST(AnimOutput, JointsAreFoundByAMap) {
  AnimFormat format;
  format.joint_map = "mixamo";
  const Encoded own = Encode(Nod(50), AnimFormat{});
  const Encoded mapped =
      Encode(Nod(50, "mixamorig:Hips", "mixamorig:Head"), format);
  ASSERT_TRUE(mapped.status.ok()) << mapped.status;
  EXPECT_TRUE(mapped.bytes == own.bytes);
}

TEST(AnimOutput, AClipWithoutMotionIsRefused) {
  Clip clip = Nod(50);
  for (float& value : clip.motion.values) value = 0;
  const Encoded encoded = Encode(clip, ViewerFormat());
  EXPECT_TRUE(absl::IsFailedPrecondition(encoded.status)) << encoded.status;
  EXPECT_TRUE(encoded.bytes.empty());
  ASSERT_FALSE(encoded.report.issues.empty());
  EXPECT_EQ(encoded.report.issues[0].code, "ANIM_NO_JOINTS");
  EXPECT_FALSE(encoded.report.issues[0].location.byte_offset);
}

absl::Status EncodeWith(const AnimFormat& format, const Clip& clip,
                        Budget* budget, Sink* sink, Report* report) {
  EncodeContext context;
  context.clip = &clip;
  context.budget = budget;
  IssueLog log({});
  context.log = &log;
  const absl::Status status = Encode(format, context, sink);
  *report = log.Finish(true, true);
  return status;
}

TEST(AnimOutput, TheBudgetsRefusalIsItsStatus) {
  const Clip clip = Nod(50);
  for (const AnimFormat& format : {AnimFormat{}, ViewerFormat()}) {
    CancelToken token;
    token.Cancel();
    Limits little_memory;
    little_memory.max_clip_memory_bytes = 100;
    Limits little_work;
    little_work.max_clip_work = 1;
    little_work.max_clip_work_per_byte = 0;
    Budget cancelled({}, &token);
    Budget forgetful(little_memory, nullptr);
    Budget lazy(little_work, nullptr);
    for (Budget* budget : {&cancelled, &forgetful, &lazy}) {
      std::string bytes;
      StringSink sink(&bytes);
      Report report;
      const absl::Status status =
          EncodeWith(format, clip, budget, &sink, &report);
      EXPECT_EQ(status.code(), budget == &cancelled
                                   ? absl::StatusCode::kCancelled
                                   : absl::StatusCode::kResourceExhausted);
      EXPECT_TRUE(bytes.empty());
      EXPECT_EQ(report.counts.errors, 0);
      EXPECT_EQ(budget->held(), 0);
    }
  }
}

// Notes the memory that is drawn when bytes come.
class HeldSink final : public Sink {
 public:
  explicit HeldSink(const Budget* budget) : budget_(*budget) {}
  absl::Status Append(std::string_view bytes) override {
    held_ = budget_.held();
    bytes_ += static_cast<int64_t>(bytes.size());
    return absl::OkStatus();
  }
  int64_t held() const { return held_; }
  int64_t bytes() const { return bytes_; }

 private:
  const Budget& budget_;
  int64_t held_ = 0;
  int64_t bytes_ = 0;
};

// Keys take about as many bytes in memory as in the file. They are there twice,
// and so is the file.
TEST(AnimOutput, CopiesOfTheFileAndItsKeysAreDrawn) {
  const Clip clip = Nod(900);
  for (const AnimFormat& format : {AnimFormat{}, ViewerFormat()}) {
    Budget budget;
    HeldSink sink(&budget);
    Report report;
    ASSERT_TRUE(EncodeWith(format, clip, &budget, &sink, &report).ok());
    EXPECT_GT(sink.bytes(), 3000);
    EXPECT_GT(sink.held(), 7 * sink.bytes() / 2);
    EXPECT_LT(sink.held(), 8 * sink.bytes());
    EXPECT_EQ(budget.held(), 0);
  }
}

TEST(AnimOutput, GivesAllMemoryBackAndCountsItsWork) {
  const Clip clip = Nod(1500);
  for (const AnimFormat& format : {AnimFormat{}, ViewerFormat()}) {
    Budget budget;
    std::string bytes;
    StringSink sink(&bytes);
    Report report;
    ASSERT_TRUE(EncodeWith(format, clip, &budget, &sink, &report).ok());
    EXPECT_TRUE(bytes == Encode(clip, format).bytes);
    EXPECT_EQ(budget.held(), 0);
    // Two joints, each about 50 ns a frame at least.
    EXPECT_GT(budget.work(), 2 * 1500 * 50);
  }
}

// Many joints that shake: few keys can be left out.
Clip Shaking(int64_t frames) {
  SkeletonBuilder builder;
  const int root = builder.Root("mPelvis", "XYZzxy");
  for (const AvatarJoint& joint : AvatarJoints()) {
    if (joint.kind != AvatarJointKind::kBone || joint.parent < 0) continue;
    builder.Joint(root, std::string(joint.name), "zxy");
  }
  Clip clip = CountingClip(builder.Build(), frames);
  clip.motion.frame_time = 0.03;
  uint32_t random = 1;
  for (float& value : clip.motion.values) {
    random = random * 1664525 + 1013904223;
    value = static_cast<float>(random >> 26);
  }
  return clip;
}

TEST(AnimOutput, AnUploadIsNotTooLarge) {
  const Clip clip = Shaking(600);
  AnimFormat format = ViewerFormat();
  for (const bool is_upload : {false, true}) {
    format.upload = is_upload;
    Budget budget;
    std::string bytes;
    StringSink sink(&bytes);
    Report report;
    const absl::Status status =
        EncodeWith(format, clip, &budget, &sink, &report);
    EXPECT_EQ(status.ok(), !is_upload) << status;
    if (!is_upload) {
      EXPECT_GT(bytes.size(), 250000U);
      continue;
    }
    ASSERT_NE(FirstError(report), nullptr);
    EXPECT_EQ(FirstError(report)->code, "ANIM_UPLOAD_LARGE");
  }
}

TEST(AnimOutput, MaxBytesDoesNotLimitTheProfileOfTheViewer) {
  const Encoded plain = Encode(Nod(50), ViewerFormat());
  AnimFormat format = ViewerFormat();
  format.max_bytes = 10;
  const Encoded limited = Encode(Nod(50), format);
  EXPECT_TRUE(limited.status.ok()) << limited.status;
  EXPECT_TRUE(limited.bytes == plain.bytes);
}

struct Target {
  const char* code;
  AnimFormat format;
  Clip clip;
};

void PrintTo(const Target& target, std::ostream* out) { *out << target.code; }

// "" for a target that holds the clip.
std::string CodeOf(const Target& target) {
  IssueLog log({});
  EncodeContext context;
  context.clip = &target.clip;
  context.log = &log;
  CheckAnimTarget(target.format, context);
  const Report report = log.Finish(true, true);
  EXPECT_LE(report.issues.size(), 1u);
  return report.issues.empty() ? "" : report.issues[0].code;
}

class TargetTest : public ::testing::TestWithParam<Target> {};

AnimFormat WithReference(AnimReference reference) {
  AnimFormat format;
  format.reference = reference;
  return format;
}

AnimFormat UploadFormat(bool scales) {
  AnimFormat format;
  format.upload = true;
  format.scale_to_avatar = scales;
  return format;
}

Clip FastNod(int64_t frames) {
  Clip clip = Nod(frames);
  clip.motion.frame_time = 0.0001;
  return clip;
}

INSTANTIATE_TEST_SUITE_P(
    AnimOutput, TargetTest,
    ::testing::Values(
        Target{"", WithReference(AnimReference::kRestPose), Nod(1801)},
        Target{"", ViewerFormat(), Nod(1801)},
        Target{"", WithReference(AnimReference::kFirstFrame), Nod(1802)},
        Target{"TARGET_ANIM_DURATION", WithReference(AnimReference::kRestPose),
               Nod(1802)},
        Target{"TARGET_ANIM_DURATION", {}, Nod(1803)},
        Target{"TARGET_ANIM_DURATION", ViewerFormat(), Nod(1802)},
        Target{"TARGET_ANIM_DURATION",
               WithReference(AnimReference::kFirstFrame), Nod(1803)},
        Target{"", {}, FastNod(65536)},
        Target{"TARGET_ANIM_FRAMES", {}, FastNod(65538)},
        Target{"", WithReference(AnimReference::kRestPose), FastNod(65536)},
        Target{"TARGET_ANIM_FRAMES", WithReference(AnimReference::kRestPose),
               FastNod(65537)},
        Target{"TARGET_ANIM_NO_JOINTS", {}, Nod(3, "Hips", "Spine")},
        Target{"", {}, Nod(3, "Reference", "mSkull")},
        Target{"TARGET_ANIM_VIEWER", ViewerFormat(), Nod(3, "mTorso")}));

TEST(AnimOutput, AnUploadNeedsTheUnit) {
  EXPECT_EQ(CodeOf({"", UploadFormat(false), Nod(3)}), "TARGET_ANIM_UNIT");
  EXPECT_EQ(CodeOf({"", UploadFormat(true), Nod(3)}), "");
}

// Whether the first frame is played shows only when the clip is converted.
TEST(AnimOutput, OneExtraFrameMayBeTheUnplayedReference) {
  EXPECT_EQ(CodeOf({"", {}, Nod(1802)}), "");
  EXPECT_EQ(CodeOf({"", {}, Nod(1803)}), "TARGET_ANIM_DURATION");
  const Encoded encoded = Encode(Nod(1802), AnimFormat{});
  EXPECT_TRUE(absl::IsFailedPrecondition(encoded.status));
}

TEST_P(TargetTest, IsJudgedBeforeTheRowsCome) {
  EXPECT_EQ(CodeOf(GetParam()), GetParam().code);
}

// The check and the conversion agree: a clip that passes the check is
// converted, and a clip that fails it is refused for the same reason.
TEST_P(TargetTest, IsWhatTheConversionSays) {
  const bool is_good = std::string_view(GetParam().code).empty();
  EXPECT_EQ(Encode(GetParam().clip, GetParam().format).status.ok(), is_good);
}

// A hip with a fan of joints, `joints` in all.
Clip Crowd(int joints) {
  SkeletonBuilder builder;
  const int hip = builder.Root("hip", "XYZzxy", {0, 40, 0});
  for (int i = 1; i < joints; ++i) builder.Joint(hip, "head", "zxy");
  Clip clip = CountingClip(builder.Build(), 3);
  clip.motion.frame_time = 1.0 / 30;
  return clip;
}

TEST(AnimOutput, AViewerTakesAsManyJointsAsAFileCanHave) {
  EXPECT_EQ(CodeOf({"", ViewerFormat(), Crowd(216)}), "");
  EXPECT_EQ(CodeOf({"", ViewerFormat(), Crowd(217)}),
            "TARGET_ANIM_JOINT_COUNT");
}

// Takes and what the viewer's own import makes of them.
TEST(AnimOutput, RealTakesBecomeWhatTheViewerMakesOfThem) {
  if (RealData().empty()) {
    GTEST_SKIP() << "SKIPPED: set BVHMILL_DATA to read the files there";
  }
  const std::string folder = RealData() + "/anim/golden/";
  for (const auto& row : ReadTsv(folder + "MANIFEST.tsv")) {
    SCOPED_TRACE(row.at("bvh"));
    IssueLog log({});
    const ReadResult read = ReadBvh(ReadFile(folder + row.at("bvh")), {}, &log);
    AnimFormat format = ViewerFormat();
    // One has a joint that the viewer refuses when it has made the file.
    format.accept_odd = true;
    const Encoded encoded = Encode(read.clip, format);
    if (row.at("upload_verdict") == "rejected: no_joints") {
      EXPECT_TRUE(absl::IsFailedPrecondition(encoded.status));
      continue;
    }
    EXPECT_TRUE(encoded.status.ok()) << encoded.status;
    EXPECT_TRUE(encoded.bytes == ReadFile(folder + row.at("anim")));
  }
}

}  // namespace
}  // namespace bvhmill::testing
