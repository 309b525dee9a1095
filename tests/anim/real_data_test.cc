// Takes and what the viewer's own import makes of them; small files and its
// verdicts; its tables of names.

#include <gtest/gtest.h>

#include "bvhmill/anim/anim_to_clip.h"
#include "bvhmill/anim/avatar/avatar.h"
#include "bvhmill/anim/clip_to_anim.h"
#include "bvhmill/anim/format/anim_file.h"
#include "bvhmill/anim/viewer/viewer_import.h"
#include "bvhmill/anim/viewer/viewer_loader.h"
#include "bvhmill/bvh/reader.h"
#include "tests/anim/anim_support.h"
#include "tests/anim/real_clips.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

using Row = std::map<std::string, std::string>;

class AnimRealDataTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (RealData().empty()) {
      GTEST_SKIP() << "SKIPPED: set BVHMILL_DATA to read the files there";
    }
  }

  static std::string Folder() { return RealData() + "/anim/"; }
  static std::string Golden(const std::string& file) {
    return ReadFile(Folder() + "golden/" + file);
  }
  static std::vector<Row> GoldenRows() {
    const std::vector<Row> rows = ReadTsv(Folder() + "golden/MANIFEST.tsv");
    EXPECT_FALSE(rows.empty());
    return rows;
  }
};

TEST_F(AnimRealDataTest, ClipsBecomeWhatTheViewerMakesOfThem) {
  for (const Row& row : GoldenRows()) {
    SCOPED_TRACE(row.at("bvh"));
    const std::string expected = Golden(row.at("anim"));
    IssueLog log({});
    const ReadResult read = ReadBvh(Golden(row.at("bvh")), {}, &log);
    AnimMotion motion;
    ASSERT_TRUE(ImportAsViewer(read.clip, &motion, &log).ok());
    ExpectSameMotion(motion, MotionOf(expected));
    EXPECT_TRUE(BytesOf(motion) == expected);
  }
}

TEST_F(AnimRealDataTest, TextsBecomeWhatTheViewerMakesOfThem) {
  for (const Row& row : GoldenRows()) {
    SCOPED_TRACE(row.at("bvh"));
    IssueLog log({});
    AnimMotion motion;
    ASSERT_TRUE(ImportTextAsViewer(Golden(row.at("bvh")), &motion, &log));
    EXPECT_TRUE(BytesOf(motion) == Golden(row.at("anim")));
  }
}

// The viewer keeps no bound: it is off by up to 3 degrees in these takes.
TEST_F(AnimRealDataTest, TheOtherProfileIsNotMuchLarger) {
  size_t bytes = 0;
  size_t viewer_bytes = 0;
  for (const Row& row : GoldenRows()) {
    SCOPED_TRACE(row.at("bvh"));
    IssueLog log({});
    const ReadResult read = ReadBvh(Golden(row.at("bvh")), {}, &log);
    ClipToAnimOptions options;
    options.reference = AnimReference::kFirstFrame;
    options.accept_odd = true;
    ClipToAnimResult result;
    ASSERT_TRUE(ClipToAnim(read.clip, options, &result, &log).ok());
    if (!result.converted) {
      EXPECT_EQ(row.at("upload_verdict"), "rejected: no_joints");
      continue;
    }
    AnimReadResult checked;
    ASSERT_TRUE(CheckAnim(result.motion, &checked, &log).ok());
    EXPECT_TRUE(checked.uploads);
    bytes += AnimBytes(result.motion);
    viewer_bytes += Golden(row.at("anim")).size();
  }
  EXPECT_LT(bytes, viewer_bytes * 11 / 10);
}

// All of them, those of other skeletons, too. One turns by nearly half a turn
// from its rest pose to its first frame: 16 bits cannot keep the bound.
TEST_F(AnimRealDataTest, TheOtherProfileKeepsItsBounds) {
  int converted = 0;
  int missed = 0;
  for (const RealClip& real : RealClips()) {
    SCOPED_TRACE(real.file);
    for (const auto reference :
         {AnimReference::kRestPose, AnimReference::kFirstFrame}) {
      ClipToAnimOptions options;
      options.reference = reference;
      options.scale_to_avatar = true;
      IssueLog log({});
      ClipToAnimResult result;
      ASSERT_TRUE(ClipToAnim(real.clip, options, &result, &log).ok());
      if (!result.converted) continue;
      ++converted;
      EXPECT_LE(result.millimetres, 1.001F);
      bool is_missed = false;
      for (const Issue& issue : log.Finish(true, true).issues) {
        is_missed = is_missed || issue.code == "ANIM_BOUND_MISSED";
      }
      missed += is_missed;
      EXPECT_EQ(result.degrees > 0.1001F, is_missed);
    }
  }
  EXPECT_LE(missed, 1);
  EXPECT_GT(converted, 100);
}

// Keys that the viewer's import of the BVH file made of an .anim sets, and
// those among them that are not keys of it.
struct Found {
  int keys = 0;
  int strange = 0;
};

void Compare(const std::vector<AnimKey>& known, const std::vector<AnimKey>& all,
             Found* found) {
  for (const AnimKey& key : all) {
    for (const AnimKey& other : known) {
      if (std::abs(key.time - other.time) > 1) continue;
      ++found->keys;
      found->strange +=
          key.x != other.x || key.y != other.y || key.z != other.z ? 1 : 0;
    }
  }
}

TEST_F(AnimRealDataTest, TheWayBackLandsOnTheSameKeys) {
  Found found;
  for (const Row& row : GoldenRows()) {
    SCOPED_TRACE(row.at("anim"));
    const AnimMotion motion = MotionOf(Golden(row.at("anim")));
    IssueLog log({});
    Clip clip;
    ASSERT_TRUE(AnimToClip(motion, {}, &clip, &log).ok());
    AnimMotion again;
    ASSERT_TRUE(ImportAsViewer(clip, &again, &log).ok());
    for (const AnimJoint& joint : again.joints) {
      for (const AnimJoint& known : motion.joints) {
        if (joint.name != known.name) continue;
        Compare(known.rotations, joint.rotations, &found);
        Compare(known.positions, joint.positions, &found);
      }
    }
  }
  EXPECT_GT(found.keys, 1000);
  EXPECT_EQ(found.strange, 0);
}

// The reason by which the manifest refuses an upload.
std::string UploadVerdict(const AnimReadResult& result, const Report& report) {
  if (result.uploads) return "accepted";
  if (report.issues[0].code == "ANIM_NO_JOINTS") return "rejected: no_joints";
  return "rejected: " + report.issues[0].code;
}

TEST_F(AnimRealDataTest, FilesAreReadToTheByteAndJudgedAsTheViewerDoes) {
  for (const Row& row : GoldenRows()) {
    SCOPED_TRACE(row.at("anim"));
    const std::string bytes = Golden(row.at("anim"));
    ReportOptions strict;
    strict.strict = true;
    IssueLog log(strict);
    const AnimReadResult result = ReadAnim(bytes, {}, &log);
    EXPECT_TRUE(result.read);
    EXPECT_TRUE(BytesOf(result.motion) == bytes);
    std::string verdict = UploadVerdict(result, log.Finish(true, result.read));
    if (verdict == "rejected: ANIM_JOINT_UNKNOWN") {
      verdict = "rejected: unknown_joint";
    }
    EXPECT_EQ(verdict, row.at("upload_verdict"));
  }
}

// "140 dur 0.2 | joints mPelvis:p2 r[[0, 32767, 65535]] p2, ... | rej [..][..]"
std::string Summary(const AnimMotion& motion) {
  std::string out = std::to_string(AnimBytes(motion)) + " dur ";
  char number[32];
  std::snprintf(number, sizeof(number), "%.9g", motion.duration);
  out += number;
  out += " | joints ";
  for (const AnimJoint& joint : motion.joints) {
    if (&joint != &motion.joints.front()) out += ", ";
    out += joint.name + ":p" + std::to_string(joint.priority) + " r[[";
    for (const AnimKey& key : joint.rotations) {
      if (&key != &joint.rotations.front()) out += ", ";
      out += std::to_string(key.time);
    }
    out += "]] p" + std::to_string(joint.positions.size());
  }
  return out;
}

// "rej [..][..]": what refuses it when played, and only as an upload.
void ExpectRefusals(const AnimMotion& motion, const std::string& refusals) {
  IssueLog log({});
  AnimReadResult result;
  ASSERT_TRUE(CheckAnim(motion, &result, &log).ok());
  EXPECT_EQ(result.plays, refusals.starts_with("rej []"));
  EXPECT_EQ(result.uploads, refusals == "rej [][]");
}

TEST_F(AnimRealDataTest, SmallTextsGetTheVerdictOfTheViewer) {
  const std::string folder = Folder() + "loader-cases/";
  const std::string table = ReadFile(folder + "EXPECTED.tsv");
  for (const std::string& line : Split(table, '\n')) {
    if (line.empty()) continue;
    const std::vector<std::string> cells = Split(line, '\t');
    SCOPED_TRACE(cells[0]);
    const ViewerText text =
        LoadViewerText(ReadFile(folder + cells[0] + ".bvh"));
    EXPECT_EQ(ViewerStatusName(text.status), cells[1]);
    if (text.status != ViewerStatus::kOk) continue;
    AnimMotion motion;
    ASSERT_TRUE(ImportViewerTake(text.take, &motion).ok());
    const size_t refusals = cells[2].find(" | rej ");
    EXPECT_EQ(Summary(motion), cells[2].substr(0, refusals));
    ExpectRefusals(motion, cells[2].substr(refusals + 3));
  }
}

TEST_F(AnimRealDataTest, SmallTextsBecomeTheViewersBytes) {
  const std::string folder = Folder() + "loader-cases/";
  constexpr std::string_view kEnding = ".expected.anim";
  const std::vector<std::string> files = FilesIn(folder, ".anim");
  ASSERT_FALSE(files.empty());
  for (const std::string& path : files) {
    const std::string stem = path.substr(0, path.size() - kEnding.size());
    IssueLog log({});
    AnimMotion motion;
    ASSERT_TRUE(ImportTextAsViewer(ReadFile(stem + ".bvh"), &motion, &log));
    EXPECT_TRUE(BytesOf(motion) == ReadFile(path)) << path;
  }
}

TEST_F(AnimRealDataTest, TheAvatarIsThatOfTheViewer) {
  const std::vector<Row> rows = ReadTsv(Folder() + "skeleton.tsv");
  ASSERT_EQ(rows.size(), AvatarJoints().size());
  for (size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    const AvatarJoint& joint = AvatarJoints()[i];
    SCOPED_TRACE(joint.name);
    EXPECT_EQ(joint.name, row.at("name"));
    const std::string parent =
        joint.parent < 0
            ? ""
            : std::string(
                  AvatarJoints()[static_cast<size_t>(joint.parent)].name);
    const bool is_top =
        row.at("parent") == "mRoot" || row.at("parent") == "mScreen";
    EXPECT_EQ(parent, is_top ? "" : row.at("parent"));
    EXPECT_EQ(joint.rest[0], std::stof(row.at("rest_x")));
    EXPECT_EQ(joint.rest[1], std::stof(row.at("rest_y")));
    EXPECT_EQ(joint.rest[2], std::stof(row.at("rest_z")));
    for (const std::string& alias : Split(row.at("aliases"), '|')) {
      EXPECT_EQ(FindAvatarAlias(alias), static_cast<int32_t>(i)) << alias;
      EXPECT_EQ(FindAvatarJoint(alias), static_cast<int32_t>(i)) << alias;
    }
  }
}

TEST_F(AnimRealDataTest, EmotesAreThoseOfTheViewer) {
  for (const std::string& name :
       Split(ReadFile(Folder() + "emotes.txt"), '\n')) {
    if (name.empty()) continue;
    EXPECT_TRUE(IsKnownEmote(name)) << name;
  }
}

}  // namespace
}  // namespace bvhmill::testing
