// The data of the page of `validate --format html`.

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "client/cli/report/html_writer.h"

namespace bvhmill::client {
namespace {

using Json = nlohmann::json;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(PackedNumbersTest, NumbersHaveTheirDigits) {
  struct Case {
    int64_t value;
    int digits;
    const char* text;
  };
  // A is 0, B 1, Z 25, a 26, 0 52, - 62, _ 63.
  const Case cases[] = {{0, 1, "A"},     {62, 1, "-"},    {63, 1, "_"},
                        {64, 1, "_"},    {-1, 1, "_"},    {0, 2, "AA"},
                        {63, 2, "A_"},   {64, 2, "BA"},   {4094, 2, "_-"},
                        {4095, 2, "__"}, {9999, 2, "__"}, {-7, 2, "__"}};
  for (const Case& row : cases) {
    std::string text;
    PackNumber(row.value, row.digits, &text);
    EXPECT_EQ(text, row.text) << row.value;
  }
}

TEST(PackedNumbersTest, CurvesAreSharesOfTheirLargestValue) {
  const float values[] = {0, 1, 2, 4, 8, kNan, -1, kInfinity};
  EXPECT_EQ(PackCurve(values, 4), "AQf--___");
  EXPECT_EQ(PackCurve(values, 0), "AAAAA___");
}

TEST(PackedNumbersTest, PosesShareAFloorAndAScale) {
  const std::vector<PosePicture> poses = {
      {0, {{10, 5}, {12, 9}, {kNan, 7}}},
      {8, {{-3, 6}, {-2, 7}, {-1, 6}}},
      {9, {{kNan, kNan}, {kInfinity, 0}, {0, kNan}}},
  };
  const PoseScale scale = ScaleOf(poses);
  EXPECT_EQ(scale.floor, 5);
  EXPECT_DOUBLE_EQ(scale.steps_per_unit, 4094.0 / 4);
  EXPECT_EQ(PackPose(poses[0], scale), "AAAAf__-____");
  // 1024 steps a unit, about: QA is 1024.
  EXPECT_EQ(PackPose(poses[1], scale), "AAQAQAf_f_QA");
  EXPECT_EQ(PackPose(poses[2], scale), "____________");
  EXPECT_EQ(PackParents(std::vector<int32_t>{-1, 0, 65}), "__AABB");
}

TEST(PackedNumbersTest, APointHasAScale) {
  const std::vector<PosePicture> point = {{0, {{3, 4}}}};
  EXPECT_EQ(PackPose(point[0], ScaleOf(point)), "AAAA");
  const std::vector<PosePicture> nothing = {{0, {{kNan, 4}}}};
  EXPECT_EQ(PackPose(nothing[0], ScaleOf(nothing)), "____");
  const std::vector<PosePicture> large = {{0, {{-3e38F, 0}, {3e38F, 1}}}};
  EXPECT_EQ(PackPose(large[0], ScaleOf(large)), "AAAA_-AA");
}

TEST(PageJsonTest, TextCannotEndTheScriptElement) {
  const std::string text = "\"</script><!--\u2027 \"";
  const std::string escaped = EscapeForScript(text);
  EXPECT_EQ(escaped, "\"\\u003c/script>\\u003c!--\u2027 \"");
  EXPECT_EQ(Json::parse(escaped), Json::parse(text));
}

ClipFinding Finding() {
  ClipFinding clip;
  clip.path = "a/</script>\xff.bvh";
  clip.is_read = true;
  clip.result.report.verdict = Verdict::kAccepted;
  clip.result.report.counts = {0, 3, 1, 2};
  Issue& issue = clip.result.report.issues.emplace_back();
  issue.code = "DATA_NOT_FINITE";
  issue.severity = Severity::kWarning;
  issue.message = "it's <b>";
  issue.occurrences = 3;
  issue.location.frame = 7;
  issue.location.line = 12;
  issue.location.joint_name = "Hips";
  issue.args = {{"first", "5"}, {"last", "9"}, {"word", "nan"}};
  clip.codes = {{"DATA_NOT_FINITE", Severity::kWarning, 1, 3}};
  clip.result.info.frames = 100;
  clip.result.info.frame_time = 1.0 / 120;
  clip.result.info.frames_per_second = 120;
  clip.result.info.joint_count = 25;
  return clip;
}

TEST(PageJsonTest, AClipHasItsFactsAndIssues) {
  const Json clip = Json::parse(PageClip(Finding()));
  EXPECT_EQ(clip["name"], "a/</script>\\xFF.bvh");
  EXPECT_EQ(clip["verdict"], "accepted");
  EXPECT_EQ(clip["counts"], Json({0, 3, 1, 2}));
  EXPECT_EQ(clip["frames"], 100);
  EXPECT_EQ(clip["joints"], 25);
  EXPECT_EQ(clip["codes"], Json::parse(R"([["DATA_NOT_FINITE","warning",3]])"));
  const Json& issue = clip["issues"][0];
  EXPECT_EQ(issue["message"], "it's <b>");
  EXPECT_EQ(issue["times"], 3);
  EXPECT_EQ(issue["frame"], 7);
  EXPECT_FALSE(issue.contains("last_frame"));
  EXPECT_EQ(issue["events"], Json({5, 9}));
  EXPECT_EQ(issue["joint"], "Hips");
  EXPECT_EQ(issue["args"]["word"], "nan");
  EXPECT_FALSE(issue.contains("column"));
  EXPECT_FALSE(clip.contains("figure"));
}

TEST(PageJsonTest, TheFramesOfAnIssueAreThoseOfItsLocation) {
  ClipFinding clip = Finding();
  Issue& issue = clip.result.report.issues[0];
  issue.location.last_frame = 8;
  Json page = Json::parse(PageClip(clip))["issues"][0];
  EXPECT_EQ(page["frame"], 7);
  EXPECT_EQ(page["last_frame"], 8);
  // The args of this code are its span.
  issue.code = "DATA_REPEATED_FRAMES";
  page = Json::parse(PageClip(clip))["issues"][0];
  EXPECT_EQ(page["frame"], 5);
  EXPECT_EQ(page["last_frame"], 9);
  EXPECT_FALSE(page.contains("events"));
  // An arg of this name may be a joint.
  issue.code = "SKELETON_DUPLICATE_NAME";
  issue.location.frame.reset();
  issue.args = {{"first", "3"}};
  page = Json::parse(PageClip(clip))["issues"][0];
  EXPECT_FALSE(page.contains("frame"));
  EXPECT_FALSE(page.contains("events"));
}

TEST(PageJsonTest, AFileThatIsNotReadHasNoFacts) {
  ClipFinding missing;
  missing.path = "b.bvh";
  missing.error = "no such file";
  const Json clip = Json::parse(PageClip(missing));
  EXPECT_EQ(clip["verdict"], "not read");
  EXPECT_EQ(clip["error"], "no such file");
  EXPECT_EQ(clip["issues"], Json::array());
  EXPECT_FALSE(clip.contains("frames"));
}

// The largest picture that there can be.
ClipPicture LargePicture() {
  ClipPicture picture;
  picture.parents.assign(100, 99);
  for (const int64_t frame : {1'000'000, 5'000'000, 9'000'000}) {
    picture.poses.push_back({frame, {}});
    picture.poses.back().points.assign(100, {1.5F, 2.5F});
  }
  for (int32_t joint = -1; joint < 4; ++joint) {
    picture.curves.push_back({joint, std::string(20, 'n'), {}, {}});
    picture.curves.back().low.assign(128, 1);
    picture.curves.back().high.assign(128, 2);
  }
  return picture;
}

TEST(PageJsonTest, APictureIsSmall) {
  ClipFinding clip = Finding();
  const size_t without = PageClip(clip).size();
  clip.picture = LargePicture();
  const Json whole = Json::parse(PageClip(clip));
  EXPECT_LE(whole["figure"].dump().size(), 1600);
  for (const Json& curve : whole["curves"]) EXPECT_LE(curve.dump().size(), 400);
  EXPECT_LE(PageClip(clip).size() - without, 3700);
}

TEST(PageJsonTest, RemarksNameTheirClips) {
  PageEnd end;
  end.title = "takes";
  end.codes = {"TEXT_EMPTY", "NEW_CODE"};
  // The clip with the index 1 was not checked.
  end.positions = {{0, 0}, {2, 1}, {3, 2}};
  RunSummary summary;
  summary.dataset.odd.push_back(
      {"frame rate", "60 fps", 40, 42, {}, 2, {{"b.bvh", "30 fps"}}, 4, {2}});
  summary.dataset.odd.push_back(
      {"unit", "", 0, 9, {{"cm", 4}, {"<m>", 1}}, 0, {}, 5, {}});
  summary.dataset.equal_files = {{{2, {"a.bvh", "c.bvh"}, {0, 3}}}, 1, {}};
  summary.dataset.equal_motions = {
      {{4, {"a.bvh", "b.bvh", "c.bvh", "d.bvh"}, {0, 2}}}, 8, {2, 3}};
  const Json page = Json::parse("{" + PageMembers(end, summary) + "}");
  EXPECT_EQ(page["title"], "takes");
  EXPECT_EQ(page["remarks"][0]["clips"], Json({1}));
  EXPECT_EQ(page["remarks"][0]["count"], 2);
  EXPECT_EQ(page["remarks"][0]["message"],
            "Another frame rate: 30 fps, and 2 more; 40 of 42 clips have 60 "
            "fps");
  EXPECT_EQ(page["remarks"][1]["message"],
            "The unit differs; no value is that of most clips: cm (4 clips), "
            "<m> (1 clip), and 3 more");
  EXPECT_EQ(page["remarks"][2]["clips"], Json({0, 2}));
  EXPECT_EQ(page["remarks"][2]["message"], "The same file: a.bvh, c.bvh");
  EXPECT_EQ(page["remarks"][3]["message"],
            "The same motion below another header: a.bvh, b.bvh, c.bvh, and 1 "
            "more");
  EXPECT_EQ(page["remarks"][4]["message"],
            "The same motion below another header: 7 more groups");
  EXPECT_EQ(page["remarks"][4]["clips"], Json({1, 2}));
  EXPECT_EQ(page["codes"]["NEW_CODE"]["help"], "");
  EXPECT_NE(page["codes"]["TEXT_EMPTY"]["help"], "");
}

}  // namespace
}  // namespace bvhmill::client
