// Files with several faults: each is found, and nothing that only follows from
// another one.

#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

#include "bvhmill/pipeline/convert.h"

namespace bvhmill::testing {
namespace {

using ::testing::ElementsAreArray;

constexpr std::string_view kPlain =
    "HIERARCHY\n"                           // 1
    "ROOT Hips\n"                           // 2
    "{\n"                                   // 3
    "\tOFFSET 0 90 0\n"                     // 4
    "\tCHANNELS 3 Zrotation Xrotation "     // 5
    "Yrotation\n"                           //
    "\tJOINT Knee\n"                        // 6
    "\t{\n"                                 // 7
    "\t\tOFFSET 0 -40 0\n"                  // 8
    "\t\tCHANNELS 2 Xrotation Yrotation\n"  // 9
    "\t\tEnd Site\n"                        // 10
    "\t\t{\n"                               // 11
    "\t\t\tOFFSET 0 -42 0\n"                // 12
    "\t\t}\n"                               // 13
    "\t}\n"                                 // 14
    "\tJOINT Neck\n"                        // 15
    "\t{\n"                                 // 16
    "\t\tOFFSET 0 30 0\n"                   // 17
    "\t\tCHANNELS 1 Xrotation\n"            // 18
    "\t}\n"                                 // 19
    "}\n"                                   // 20
    "MOTION\n"                              // 21
    "Frames: 1\n"                           // 22
    "Frame Time: 0.01\n"                    // 23
    "1 2 3 4 5 6\n";                        // 24

using Edits = std::vector<std::pair<std::string_view, std::string_view>>;

struct RecoveryCase {
  std::string_view what;
  // Replacements in the plain text above, applied in order, each once.
  Edits edits;
  // Everything that is reported: "CODE line:column joint xN", without a joint
  // outside of any, without xN for one.
  std::vector<std::string> reported;
};

std::string Edited(const Edits& edits) {
  std::string text(kPlain);
  size_t start = 0;
  for (const auto& [from, to] : edits) {
    const size_t place = text.find(from, start);
    EXPECT_NE(place, text.npos) << from;
    if (place == text.npos) break;
    text.replace(place, from.size(), to);
    start = place + to.size();
  }
  return text;
}

std::string Line(const Issue& issue) {
  const Location& at = issue.location;
  std::string out = issue.code + " " + std::to_string(at.line.value_or(0)) +
                    ":" + std::to_string(at.column.value_or(0));
  if (at.joint) out += " " + at.joint_name;
  if (issue.occurrences != 1) out += " x" + std::to_string(issue.occurrences);
  return out;
}

std::vector<std::string> Lines(const Report& report) {
  std::vector<std::string> out;
  for (const Issue& issue : report.issues) out.push_back(Line(issue));
  return out;
}

std::vector<std::string> Reported(std::string_view text) {
  return Lines(Convert(text, {}, nullptr, nullptr).report);
}

void CheckAll(const std::vector<RecoveryCase>& cases) {
  for (const RecoveryCase& c : cases) {
    SCOPED_TRACE(c.what);
    EXPECT_THAT(Reported(Edited(c.edits)), ElementsAreArray(c.reported));
  }
}

TEST(Recovery, ReadingGoesOnAfterOddWords) {
  CheckAll({
      {"a misspelt word costs its line only",
       {{"OFFSET 0 -40", "OFSET 0 -40"}, {"0 30 0", "0 x 0"}},
       {"HIERARCHY_WORD_UNKNOWN 8:3 Knee",
        "HIERARCHY_OFFSET_INVALID 17:12 Neck"}},
      {"a word after numbers too many",
       {{"0 -40 0", "0 -40 0 7 8 x 9"}},
       {"HIERARCHY_WORD_UNKNOWN 8:22 Knee", "HIERARCHY_OFFSET_SURPLUS 8:18"}},
      {"a misspelt joint is a joint all the same",
       {{"JOINT Knee", "JIONT Knee"}, {"0 -40 0", "0 x 0"}},
       {"HIERARCHY_WORD_UNKNOWN 6:2 Hips",
        "HIERARCHY_OFFSET_INVALID 8:12 Knee"}},
      {"its name may be a keyword",
       {{"JOINT Knee", "JIONT Root"}},
       {"HIERARCHY_WORD_UNKNOWN 6:2 Hips"}},
      {"a misspelt End Site",
       {{"End Site", "Ned Site"}},
       {"HIERARCHY_WORD_UNKNOWN 10:3 Knee"}},
      {"words glued to a number",
       {{"\tOFFSET 0 30", "\t10OFFSET 0 30"}},
       {"HIERARCHY_WORD_UNKNOWN 17:3 Neck"}},
      {"unknown lines of one joint are folded",
       {{"\t\tOFFSET 0 -40", "LIMITS 1 2\nMASS 3\n\t\tOFFSET 0 -40"}},
       {"HIERARCHY_WORD_UNKNOWN 8:1 Knee x2"}},
      {"a table of numbers is one fault",
       {{"\t\tOFFSET 0 -40", "MATRIX\n1 0 0\n0 1 0\n0 0 1\n\t\tOFFSET 0 -40"}},
       {"HIERARCHY_WORD_UNKNOWN 8:1 Knee"}},
      {"rows without MOTION are one fault",
       {{"MOTION\nFrames: 1\nFrame Time: 0.01\n", "1 2 3 4 5 6\n"}},
       {"HIERARCHY_WORD_UNKNOWN 21:1", "MOTION_MISSING 23:1"}},
      {"a block outside of the roots is one fault",
       {{"}\nMOTION", "}\n{\n}\nMOTION"}},
       {"HIERARCHY_WORD_UNKNOWN 21:1"}},
      {"a second root that is misspelt",
       {{"}\nMOTION", "}\nROTO b\n{\nOFFSET 0 0\n}\nMOTION"}},
       {"HIERARCHY_WORD_UNKNOWN 21:1", "HIERARCHY_OFFSET_INVALID 24:1 b"}},
  });
}

TEST(Recovery, ReadingGoesOnAfterOddOffsets) {
  CheckAll({
      {"each joint is looked at",
       {{"0 90 0", "0 90,5 0"}, {"0 -40 0", "[0 0 0]"}, {"0 30 0", "nan 0 0"}},
       {"HIERARCHY_OFFSET_INVALID 4:11 Hips",
        "HIERARCHY_OFFSET_INVALID 8:10 Knee",
        "HIERARCHY_OFFSET_INVALID 17:10 Neck"}},
      {"one OFFSET is one fault",
       {{"0 -40 0", "a b c"}},
       {"HIERARCHY_OFFSET_INVALID 8:10 Knee"}},
      {"what stands in its place is still read",
       {{"0 -40 0", "0 -40"}, {"CHANNELS 2", "CHANNELS two"}},
       {"HIERARCHY_OFFSET_INVALID 9:3 Knee",
        "CHANNEL_COUNT_INVALID 9:12 Knee"}},
      {"a second OFFSET is not judged",
       {{"0 -40 0\n", "0 -40 0\nOFFSET x y\n"}, {"0 30 0", "0 30"}},
       {"HIERARCHY_OFFSET_REPEATED 9:1 Knee",
        "HIERARCHY_OFFSET_INVALID 19:3 Neck"}},
  });
}

TEST(Recovery, ReadingGoesOnAfterOddChannels) {
  CheckAll({
      {"each unknown channel counts",
       {{"Zrotation Xrotation Y", "Zrot Xrot Y"}, {"2 Xrot", "2 Wrot"}},
       {"CHANNEL_UNKNOWN 5:13 Hips x2", "CHANNEL_UNKNOWN 9:14 Knee"}},
      {"words beyond the count are skipped",
       {{"2 Xrotation Yrotation", "2 Xrot Yrot Zrot"}},
       {"CHANNEL_UNKNOWN 9:14 Knee x2"}},
      {"known channels after an unknown one are listed",
       {{"2 Xrotation Yrotation", "4 Xrotation ? Yrotation Yrotation"}},
       {"CHANNEL_UNKNOWN 9:24 Knee", "CHANNEL_AXIS_REPEATED 9:3 Knee"}},
      {"a list that is too short runs into a misspelt word",
       {{"2 Xrotation Yrotation\n", "3 Xrotation Yrotation\n\t\tFOO 1 2\n"}},
       {"CHANNEL_UNKNOWN 10:3 Knee"}},
      {"without a count the list is read",
       {{"3 Zrotation Xrotation", "? Zrotation Zrotation"}},
       {"CHANNEL_COUNT_INVALID 5:11 Hips", "CHANNEL_AXIS_REPEATED 5:2 Hips"}},
      {"second and late lists are skipped",
       {{"\t\tEnd Site", "\t\tCHANNELS 1\n\t\tXrotation\n\t\tEnd Site"},
        {"\t}\n}\n", "\t}\n\tCHANNELS ? x\n}\n"}},
       {"CHANNEL_LIST_REPEATED 10:3 Knee", "CHANNEL_LIST_REPEATED 22:2 Hips"}},
      {"a count that disagrees with its list is not reported after a fault",
       {{"0 90 0", "0 x 0"}, {"CHANNELS 2", "CHANNELS 3"}},
       {"HIERARCHY_OFFSET_INVALID 4:11 Hips"}},
  });
}

TEST(Recovery, OpeningBracesMayBeMissingOrTooMany) {
  CheckAll({
      {"as if it stood there",
       {{"Knee\n\t{", "Knee"}, {"0 -40 0", "0 x 0"}, {"0 30", "0 x"}},
       {"HIERARCHY_BRACE_MISSING 7:3 Knee",
        "HIERARCHY_OFFSET_INVALID 7:12 Knee",
        "HIERARCHY_OFFSET_INVALID 16:12 Neck"}},
      {"the closing one is missing, too",
       {{"JOINT Knee", "JOINT Shin\n\tJOINT Knee"}},
       {"HIERARCHY_BRACE_MISSING 7:2 Shin"}},
      {"an end site without a body",
       {{"\t\t{\n\t\t\tOFFSET 0 -42 0\n\t\t}\n", ""}, {"0 30 0", "0 x 0"}},
       {"HIERARCHY_BRACE_MISSING 11:2 Knee_End",
        "HIERARCHY_OFFSET_INVALID 14:12 Neck"}},
      {"a word instead of it",
       {{"Knee\n\t{", "Knee\n\t["}},
       {"HIERARCHY_BRACE_MISSING 7:2 Knee"}},
      {"a word before it",
       {{"Knee\n\t{", "Knee\n\tleft (1)\n\t{"}},
       {"HIERARCHY_BRACE_MISSING 7:2 Knee"}},
      {"one too many",
       {{"Knee\n\t{", "Knee\n\t{\n\t{"}, {"0 30", "0 x"}},
       {"HIERARCHY_WORD_UNKNOWN 8:2 Knee",
        "HIERARCHY_OFFSET_INVALID 18:12 Neck"}},
      {"all of them doubled",
       {{"Knee\n\t{", "Knee\n\t{{"}, {"\t}\n", "\t}}\n"}},
       {"HIERARCHY_WORD_UNKNOWN 7:3 Knee"}},
  });
}

TEST(Recovery, ClosingBracesMayBeMissingOrTooMany) {
  CheckAll({
      {"one is missing; the header is still checked",
       {{"\t}\n\tJOINT", "\tJOINT"},
        {"0 30 0", "0 x 0"},
        {"Frames: 1", "Frames: x"}},
       {"HIERARCHY_OFFSET_INVALID 16:12 Neck",
        "HIERARCHY_BRACE_UNCLOSED 20:1 Hips", "MOTION_FRAMES_INVALID 21:9"}},
      {"one too many at the end; the header is still checked",
       {{"}\nMOTION", "}\n}\nMOTION"}, {"0.01", "0,01"}},
       {"HIERARCHY_BRACE_EXTRA 21:1", "MOTION_FRAME_TIME_INVALID 24:13"}},
      {"each one too many counts",
       {{"}\nMOTION", "}\n}\n}}\nMOTION"}},
       {"HIERARCHY_BRACE_EXTRA 21:1 x3"}},
      {"one too many in the middle",
       {{"\t}\n\tJOINT", "\t}\n\t}\n\tJOINT"}, {"0 30 0", "0 x 0"}},
       {"HIERARCHY_BRACE_EXTRA 16:2", "HIERARCHY_OFFSET_INVALID 18:12 Neck"}},
      {"a joint after the root",
       {{"\t}\n\tJOINT", "\t}\n}\n\tJOINT"}, {"\t}\n}\n", "\t}\n"}},
       {"HIERARCHY_BRACE_EXTRA 16:2"}},
      {"a line after the root that is no joint",
       {{"}\nMOTION", "}\nEND OF SKELETON\nMOTION"}},
       {"HIERARCHY_BRACE_EXTRA 21:1"}},
      {"a second ROOT while the first is open",
       {{"\t}\n}\n", "\t}\nROOT b\n{\nOFFSET 0 0 x\nCHANNELS 0\n}\n"}},
       {"HIERARCHY_BRACE_UNCLOSED 20:1 Hips",
        "HIERARCHY_OFFSET_INVALID 22:12 b"}},
      {"ROOT written for JOINT",
       {{"JOINT Knee", "ROOT Knee"}, {"0 30 0", "0 x 0"}},
       {"HIERARCHY_BRACE_UNCLOSED 6:2 Hips",
        "HIERARCHY_OFFSET_INVALID 17:12 Neck"}},
      {"a joint in an end site",
       {{"0 -42 0\n", "0 -42 0\nJOINT Toe\n{\nOFFSET 0 0 ?\nCHANNELS 0\n}\n"}},
       {"HIERARCHY_END_SITE_CHILD 13:1 Knee_End",
        "HIERARCHY_OFFSET_INVALID 15:12 Toe"}},
  });
}

TEST(Recovery, TheBeginningMayBeOdd) {
  CheckAll({
      {"a misspelt HIERARCHY",
       {{"HIERARCHY", "HIERACHY"}, {"0 -40", "0 x"}},
       {"HIERARCHY_WORD_UNKNOWN 1:1", "HIERARCHY_OFFSET_INVALID 8:12 Knee"}},
      {"lines before it",
       {{"HIERARCHY", "Exported by X\nROOT of all\nHIERARCHY"},
        {"0 -40", "0 x"}},
       {"HIERARCHY_WORD_UNKNOWN 1:1", "HIERARCHY_OFFSET_INVALID 10:12 Knee"}},
      {"a JOINT for the ROOT",
       {{"ROOT", "JOINT"}, {"0 90", "0 x"}},
       {"HIERARCHY_NO_ROOT 2:1", "HIERARCHY_OFFSET_INVALID 4:11 Hips"}},
      {"MOTION before the ROOT",
       {{"ROOT", "MOTION\nROOT"}, {"0 90", "0 x"}},
       {"HIERARCHY_NO_ROOT 2:1", "HIERARCHY_OFFSET_INVALID 5:11 Hips"}},
      {"braces around it",
       {{"HIERARCHY\n", "HIERARCHY\n{\n"}, {"}\nMOTION", "}\n}\nMOTION"}},
       {"HIERARCHY_NO_ROOT 2:1"}},
  });
}

TEST(Recovery, EndsWhereNoHierarchyFollows) {
  EXPECT_THAT(Reported("once upon a time\nROOT was a word\n# x\n"),
              ElementsAreArray({"HIERARCHY_WORD_UNKNOWN 1:1"}));
  EXPECT_THAT(Reported("MOTION\nFrames: x\nFrame Time: y\n1 2 3\n"),
              ElementsAreArray({"HIERARCHY_WORD_UNKNOWN 1:1"}));
  EXPECT_THAT(Reported("HIERARCHY\nfoo\nbar\n"),
              ElementsAreArray({"HIERARCHY_NO_ROOT 2:1"}));
}

TEST(Recovery, EndsWithTheText) {
  EXPECT_THAT(Reported("HIERARCHY\nROOT a\n{\nOFFSET 0 x"),
              ElementsAreArray({"HIERARCHY_OFFSET_INVALID 4:10 a",
                                "HIERARCHY_BRACE_UNCLOSED 4:11 a"}));
  EXPECT_THAT(Reported("HIERARCHY\nROOT a\n{\nJOINT b"),
              ElementsAreArray({"HIERARCHY_BRACE_MISSING 4:8 b"}));
}

TEST(Recovery, EndsAtALimit) {
  ConvertOptions options;
  options.limits.max_depth = 1;
  const Report report =
      Convert(Edited({{"0 90 0", "0 x 0"}, {"0 30 0", "0 x 0"}}), options,
              nullptr, nullptr)
          .report;
  EXPECT_THAT(Lines(report),
              ElementsAreArray({"HIERARCHY_OFFSET_INVALID 4:11 Hips",
                                "LIMIT_DEPTH 6:2 Hips"}));
}

TEST(Recovery, TheMotionHeaderMayBeOdd) {
  CheckAll({
      {"both values",
       {{"Frames: 1", "Frames: -1"}, {"0.01", "fast"}},
       {"MOTION_FRAMES_INVALID 22:9", "MOTION_FRAME_TIME_INVALID 23:13"}},
      {"a value of several words",
       {{"Frames: 1", "Frames: a few"}},
       {"MOTION_FRAMES_INVALID 22:9"}},
      {"a misspelt word does not miss its line",
       {{"Frames: 1", "Frams: 1"}, {"0.01", "x"}},
       {"MOTION_WORD_UNKNOWN 22:1", "MOTION_FRAME_TIME_INVALID 23:13"}},
      {"both words",
       {{"Frames:", "Frams:"}, {"Frame Time", "Fame Time"}},
       {"MOTION_WORD_UNKNOWN 22:1 x2"}},
      {"rows are checked after a bad value",
       {{"0.01", "x"}, {"1 2 3 4 5 6", "1 2 y"}},
       {"MOTION_FRAME_TIME_INVALID 23:13", "MOTION_NUMBER_INVALID 24:5 Hips"}},
      {"no row is checked after an unknown word",
       {{"Frame Time", "Fame Time"}, {"1 2 3 4 5 6", "1 2 y"}},
       {"MOTION_WORD_UNKNOWN 23:1"}},
  });
}

// A repair that a fault hides in lenient reading must not become an earlier
// fault in strict reading.
TEST(Recovery, TheFirstFaultIsTheSameInStrictReading) {
  ConvertOptions strict;
  strict.report.strict = true;
  const Report report =
      Convert(Edited({{"\tOFFSET 0 90", "\tOFSET 0 90"}, {"CHANNELS 2", "CH"}}),
              strict, nullptr, nullptr)
          .report;
  EXPECT_THAT(Lines(report),
              ElementsAreArray({"HIERARCHY_WORD_UNKNOWN 4:2 Hips",
                                "HIERARCHY_WORD_UNKNOWN 9:3 Knee"}));
}

// Counts stay exact, also of more faults than a report lists. A reader that
// takes time by the square of their number does not end before the test is
// given up.
TEST(Recovery, FloodsAreCounted) {
  constexpr int kTimes = 1'000'000;
  const std::string head =
      "HIERARCHY\nROOT " + std::string(4000, 'n') + "\n{\n";
  for (const std::string_view line :
       {"x\n", "OFFSET a\n", "CHANNELS ?\n", "{\n"}) {
    std::string text = head;
    for (int i = 0; i < kTimes; ++i) text += line;
    const Report report = Convert(text, {}, nullptr, nullptr).report;
    // All but the one about the end of the text.
    EXPECT_EQ(report.counts.errors - 1, kTimes) << line;
  }
}

TEST(Recovery, PlainTextHasNoFault) {
  EXPECT_THAT(Reported(kPlain), ElementsAreArray(std::vector<std::string>{}));
}

}  // namespace
}  // namespace bvhmill::testing
