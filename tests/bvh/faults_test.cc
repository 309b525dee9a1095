// Tests the place of each fault: line, column, frame, joint and channel.

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "bvhmill/bvh/reader.h"
#include "bvhmill/pipeline/convert.h"

namespace bvhmill::testing {
namespace {

constexpr std::string_view kHierarchy =
    "HIERARCHY\n"                                     // 1
    "ROOT Hips\n"                                     // 2
    "{\n"                                             // 3
    "\tOFFSET 0 90 0\n"                               // 4
    "\tCHANNELS 6 Xposition Yposition Zposition "     // 5
    "Zrotation Xrotation Yrotation\n"                 //
    "\tJOINT Knee\n"                                  // 6
    "\t{\n"                                           // 7
    "\t\tOFFSET 0 -40 0\n"                            // 8
    "\t\tCHANNELS 3 Zrotation Xrotation Yrotation\n"  // 9
    "\t\tEnd Site\n"                                  // 10
    "\t\t{\n"                                         // 11
    "\t\t\tOFFSET 0 -42 0\n"                          // 12
    "\t\t}\n"                                         // 13
    "\t}\n"                                           // 14
    "}\n";                                            // 15
constexpr std::string_view kMotion =
    "MOTION\n"                       // 16
    "Frames: 3\n"                    // 17
    "Frame Time: 0.01\n"             // 18
    "10 11 12 13 14 15 16 17 18\n"   // 19
    "20 21 22 23 24 25 26 27 28\n"   // 20
    "30 31 32 33 34 35 36 37 38\n";  // 21

// -1: not set.
struct Spot {
  int64_t line = -1;
  int32_t column = -1;
  int64_t frame = -1;
  int32_t joint = -1;
  int32_t channel = -1;
};

struct FaultCase {
  // Replaced once in the plain text above.
  std::string_view from;
  std::string_view to;
  IssueCode code;
  Spot spot;
};

std::string PlainText() {
  return std::string(kHierarchy) + std::string(kMotion);
}

std::string Broken(const FaultCase& c) {
  std::string text = PlainText();
  const size_t place = text.find(c.from);
  EXPECT_NE(place, text.npos) << c.from;
  return text.replace(place, c.from.size(), c.to);
}

const Issue* Find(const Report& report, IssueCode code) {
  for (const Issue& issue : report.issues) {
    if (issue.code == EntryOf(code).name) return &issue;
  }
  return nullptr;
}

std::string Print(const Report& report) {
  std::string out;
  for (const Issue& issue : report.issues) out += RenderIssue(issue) + "\n";
  return out.empty() ? "no issue" : out;
}

// The byte offset that line and column mean.
int64_t OffsetOf(std::string_view text, const Spot& spot) {
  size_t start = 0;
  for (int64_t line = 1; line < spot.line; ++line) {
    start = text.find('\n', start) + 1;
  }
  return static_cast<int64_t>(start) + spot.column - 1;
}

void CheckCase(const FaultCase& c) {
  const std::string text = Broken(c);
  SCOPED_TRACE(std::string(c.from) + " -> " + std::string(c.to));
  const Report report = Convert(text, {}, nullptr, nullptr).report;
  const Issue* issue = Find(report, c.code);
  ASSERT_NE(issue, nullptr) << "no " << EntryOf(c.code).name << "; got\n"
                            << Print(report);
  SCOPED_TRACE(Print(report));
  const Location& at = issue->location;
  EXPECT_EQ(at.line.value_or(-1), c.spot.line);
  EXPECT_EQ(at.column.value_or(-1), c.spot.column);
  EXPECT_EQ(at.frame.value_or(-1), c.spot.frame);
  EXPECT_EQ(at.joint.value_or(-1), c.spot.joint);
  EXPECT_EQ(at.channel.value_or(-1), c.spot.channel);
  if (c.spot.line > 0) {
    EXPECT_EQ(at.byte_offset.value_or(-1), OffsetOf(text, c.spot));
  }
  if (issue->severity == Severity::kError) {
    EXPECT_FALSE(IsGood(report.verdict));
    EXPECT_EQ(FirstError(report), issue);
  } else {
    EXPECT_EQ(report.verdict, Verdict::kAccepted);
  }
}

using enum IssueCode;

constexpr FaultCase kHierarchyCases[] = {
    {"HIERARCHY\n", "", HIERARCHY_KEYWORD_MISSING, {1, 1}},
    {"HIERARCHY\n", "# x\nHIERARCHY\n", TEXT_COMMENT, {1, 1}},
    {"HIERARCHY\n", "{\nHIERARCHY\n", HIERARCHY_LEADING_BRACE, {1, 1}},
    {"ROOT", "MOTION\nROOT", HIERARCHY_NO_ROOT, {2, 1}},
    {"ROOT", "JOINT", HIERARCHY_NO_ROOT, {2, 1}},
    {"\tJOINT Knee", "\tJIONT Knee", HIERARCHY_WORD_UNKNOWN, {6, 2, -1, 0}},
    {"0 -40 0", "0 -40 0 7", HIERARCHY_OFFSET_SURPLUS, {8, 18}},
    {"0 -40 0", "0 -40 0 0 0 0", HIERARCHY_OFFSET_SURPLUS, {8, 18}},
    {"0 -40 0", "0 -40 0 7 x", HIERARCHY_WORD_UNKNOWN, {8, 20, -1, 1}},
    {"0 -40 0", "0 -40 0\n7", HIERARCHY_WORD_UNKNOWN, {9, 1, -1, 1}},
    {"\tJOINT Knee\n\t{",
     "\tJOINT Knee\n",
     HIERARCHY_BRACE_MISSING,
     {8, 3, -1, 1}},
    {"\t}\n}\n", "}\n", HIERARCHY_BRACE_UNCLOSED, {15, 1, -1, 0}},
    {"\t}\n}\n", "\t}\n}\n}\n", HIERARCHY_BRACE_EXTRA, {16, 1}},
    {"JOINT Knee", "JOINT", HIERARCHY_NAME_EMPTY, {6, 2, -1, 1}},
    {"\t\tOFFSET 0 -40 0\n", "", HIERARCHY_OFFSET_MISSING, {6, 2, -1, 1}},
    {"0 -40 0\n",
     "0 -40 0\nOFFSET 1 1 1\n",
     HIERARCHY_OFFSET_REPEATED,
     {9, 1, -1, 1}},
    {"0 -40 0", "0 x 0", HIERARCHY_OFFSET_INVALID, {8, 12, -1, 1}},
    {"0 -40 0", "0 -40,5 0", HIERARCHY_OFFSET_INVALID, {8, 12, -1, 1}},
    {"0 -40 0", "0 -40 nan", HIERARCHY_OFFSET_INVALID, {8, 16, -1, 1}},
    {"0 -40 0", "0 -40", HIERARCHY_OFFSET_INVALID, {9, 3, -1, 1}},
    {"0 -42 0", "0 -42", HIERARCHY_OFFSET_INVALID, {13, 3, -1, 2}},
    {"End Site", "EndSite", HIERARCHY_END_SITE_SPELLING, {10, 3, -1, 2}},
    {"0 -42 0\n",
     "0 -42 0\n\t\t\tJOINT Toe {}\n",
     HIERARCHY_END_SITE_CHILD,
     {13, 4, -1, 2}},
};

TEST(Faults, OfTheHierarchyAreReported) {
  for (const FaultCase& c : kHierarchyCases) CheckCase(c);
}

constexpr FaultCase kChannelCases[] = {
    {"3 Zrotation Xrotation",
     "3 Zrotation Wrotation",
     CHANNEL_UNKNOWN,
     {9, 24, -1, 1}},
    {"CHANNELS 3", "CHANNELS -3", CHANNEL_COUNT_INVALID, {9, 12, -1, 1}},
    {"CHANNELS 3", "CHANNELS 3.0", CHANNEL_COUNT_INVALID, {9, 12, -1, 1}},
    {"CHANNELS 3 ", "CHANNELS ", CHANNEL_COUNT_MISSING, {9, 3, -1, 1}},
    {"CHANNELS 3", "CHANNELS 4", CHANNEL_COUNT_MISMATCH, {9, 3, -1, 1}},
    {"CHANNELS 3 Z",
     "CHANNELS 3 Xposition Z",
     CHANNEL_COUNT_MISMATCH,
     {9, 3, -1, 1}},
    {"CHANNELS 3", "CHANNELS 7", CHANNEL_COUNT_MISMATCH, {9, 3, -1, 1}},
    {"CHANNELS 3 Zrotation",
     "CHANNELS 7",
     CHANNEL_COUNT_UNDECIDED,
     {9, 3, -1, 1}},
    {"\t\tEnd Site",
     "\t\tCHANNELS 1 Xrotation\n\t\tEnd Site",
     CHANNEL_LIST_REPEATED,
     {10, 3, -1, 1}},
    {"\t}\n}\n",
     "\t}\n\tCHANNELS 1 Xrotation\n}\n",
     CHANNEL_LIST_REPEATED,
     {15, 2, -1, 0}},
};

TEST(Faults, OfChannelsAreReported) {
  for (const FaultCase& c : kChannelCases) CheckCase(c);
}

constexpr FaultCase kMotionCases[] = {
    {"MOTION\n", "", MOTION_KEYWORD_MISSING, {16, 1}},
    {"Frames: 3", "Frams: 3", MOTION_WORD_UNKNOWN, {17, 1}},
    {"Frames: 3\n", "", MOTION_FRAMES_MISSING, {18, 1}},
    {"Frames: 3", "Frames: -3", MOTION_FRAMES_INVALID, {17, 9}},
    {"Frames: 3", "Frames: x3", MOTION_FRAMES_INVALID, {17, 9}},
    {"Frames: 3", "Frames: 3.0", MOTION_FRAMES_NOT_INTEGER, {17, 9}},
    {"Frames: 3", "Frames: 1e39", MOTION_FRAMES_INVALID, {17, 9}},
    {"Frame Time: 0.01\n", "", MOTION_FRAME_TIME_MISSING, {18, 1}},
    {"0.01", "0,01", MOTION_FRAME_TIME_INVALID, {18, 13}},
    {"0.01", "0", DATA_FRAME_TIME_ODD, {18, 13}},
    {"0.01", "-0.01", DATA_FRAME_TIME_ODD, {18, 13}},
    {"Frames: 3\nFrame Time: 0.01",
     "Frame Time: 0.01\nFrames: 3",
     MOTION_HEADER_ORDER,
     {17, 1}},
    {"Frames: 3", "Frames: 4", MOTION_FRAME_COUNT_MISMATCH, {17, 1}},
    {"Frames: 3", "Frames: 2", MOTION_FRAME_COUNT_MISMATCH, {17, 1}},
    {"Frames: 3", "Frames: 0", MOTION_FRAME_COUNT_MISMATCH, {17, 1}},
};

TEST(Faults, OfTheMotionHeaderAreReported) {
  for (const FaultCase& c : kMotionCases) CheckCase(c);
}

constexpr FaultCase kRowCases[] = {
    // The first missing value: frame 1, Knee Yrotation. The place is the end of
    // the last value.
    {" 27 28", " 27", MOTION_ROW_TOO_SHORT, {20, 24, 1, 1, 2}},
    {" 14 15 16 17 18", " 14", MOTION_ROW_TOO_SHORT, {19, 15, 0, 0, 5}},
    {"27 28", "27 28 29", MOTION_ROW_TOO_LONG, {20, 28, 1}},
    {"17 18", "17 18 19 20", MOTION_ROW_TOO_LONG, {19, 28, 0}},
    {"22", "2,2", MOTION_NUMBER_INVALID, {20, 7, 1, 0, 2}},
    {"26", "0x26", MOTION_NUMBER_INVALID, {20, 19, 1, 1, 0}},
    {"38", "38x", MOTION_NUMBER_INVALID, {21, 25, 2, 1, 2}},
    {"10", "x", MOTION_NUMBER_INVALID, {19, 1, 0, 0, 0}},
    {"\n20", "\n \t <", MOTION_NUMBER_INVALID, {20, 4, 1, 0, 0}},
    {"25 26", "25-26", MOTION_BLANK_MISSING, {20, 16, 1}},
    {"20 21 22", "20+21-22", MOTION_BLANK_MISSING, {20, 1, 1}},
    {"17 18", "17-1.8e-1", MOTION_BLANK_MISSING, {19, 22, 0}},
    {"25 26", "25-", MOTION_NUMBER_INVALID, {20, 16, 1, 0, 5}},
    {"25 26", "25 26-27", MOTION_NUMBER_INVALID, {20, 19, 1, 1, 0}},
    {"25 26", "nan-26", MOTION_NUMBER_INVALID, {20, 16, 1, 0, 5}},
    {"23", "nan", DATA_NOT_FINITE, {20, 10, 1, 0, 3}},
    {"36", "-1.#IND00", DATA_NOT_FINITE, {21, 19, 2, 1, 0}},
    {"18", "1e39", DATA_OUT_OF_RANGE, {19, 25, 0, 1, 2}},
    {"25 26", "25\n26", MOTION_ROW_LAYOUT, {20, 1}},
    {"37 38", "37", MOTION_LAST_ROW_SHORT, {21, 1}},
    {"38\n", "38\nend\n", MOTION_TRAILING_DATA, {22, 1}},
    {"38\n", "38\n\n// end\n", TEXT_COMMENT, {23, 1}},
    {"38\n", "38\n# x\nend\n", MOTION_TRAILING_DATA, {23, 1}},
    // Rows after a comment are counted.
    {"38\n",
     "38\n# x\n1 2 3 4 5 6 7 8 9\n",
     MOTION_FRAME_COUNT_MISMATCH,
     {17, 1}},
    {"38\n", "38\n\n \t}\n", MOTION_TRAILING_DATA, {23, 3}},
};

TEST(Faults, OfRowsAreReported) {
  for (const FaultCase& c : kRowCases) CheckCase(c);
}

TEST(Faults, SurplusColumnsOfEveryRow) {
  std::string text = PlainText();
  for (const char* last : {"18", "28", "38"}) {
    text.replace(text.find(last), 2, std::string(last) + " 99");
  }
  const Report report = Convert(text, {}, nullptr, nullptr).report;
  const Issue* issue = Find(report, MOTION_SURPLUS_COLUMNS);
  ASSERT_NE(issue, nullptr) << Print(report);
  EXPECT_EQ(issue->location.line, 19);
  EXPECT_EQ(issue->location.column, 1);
}

TEST(Faults, ASurplusOfOffsetsIsOneIssueOfTheFile) {
  std::string text = PlainText();
  for (const char* offset : {"0 90 0", "0 -40 0", "0 -42 0"}) {
    text.replace(text.find(offset), std::string_view(offset).size(),
                 std::string(offset) + " 1 2 3");
  }
  const ConvertResult result = Convert(text, {}, nullptr, nullptr);
  ASSERT_EQ(result.report.issues.size(), 1) << Print(result.report);
  EXPECT_EQ(result.report.issues[0].occurrences, 3);
  EXPECT_EQ(result.report.issues[0].message,
            "OFFSET has 6 numbers; the first three are used");
  EXPECT_EQ(result.info.joints[1].offset, (std::array<float, 3>{0, -40, 0}));
}

TEST(Faults, MissingBlanksAreOneIssueAndTheValuesAreRead) {
  std::string text = PlainText();
  text.replace(text.find("14 15"), 5, "14-15");
  text.replace(text.find("37 38"), 5, "-37-.5");
  const Report report = Convert(text, {}, nullptr, nullptr).report;
  ASSERT_EQ(report.issues.size(), 1) << Print(report);
  EXPECT_EQ(report.issues[0].occurrences, 2);
  EXPECT_EQ(report.issues[0].message,
            "a blank is missing in '14-15', which was read as 2 numbers");
  IssueLog log({});
  const ReadResult read = ReadBvh(text, {}, &log);
  EXPECT_THAT(read.clip.motion.values,
              ::testing::ElementsAre(10, 11, 12, 13, 14, -15, 16, 17, 18,  //
                                     20, 21, 22, 23, 24, 25, 26, 27, 28,   //
                                     30, 31, 32, 33, 34, 35, 36, -37, -.5F));
}

TEST(Faults, ARowThatDoesNotFitSaysThatABlankIsMissing) {
  std::string text = PlainText();
  text.replace(text.find("25 26"), 5, "25-26-27");
  const Report report = Convert(text, {}, nullptr, nullptr).report;
  ASSERT_EQ(report.issues.size(), 1) << Print(report);
  EXPECT_EQ(report.issues[0].message,
            "'25-26-27' (a blank is missing) is not a number");
}

TEST(Faults, EveryBrokenRowIsReportedJointByJoint) {
  std::string text = PlainText();
  text.replace(text.find("21"), 2, "x1");
  text.replace(text.find("24"), 2, "x2");
  text.replace(text.find("36"), 2, "x3");
  const Report report = Convert(text, {}, nullptr, nullptr).report;
  // Words after the first bad word of a row are not checked.
  EXPECT_EQ(report.counts.errors, 2) << Print(report);
  ASSERT_EQ(report.issues.size(), 2) << Print(report);
  EXPECT_EQ(report.issues[0].location.line, 20);
  EXPECT_EQ(report.issues[1].location.line, 21);
  EXPECT_EQ(report.issues[1].location.joint, 1);
}

TEST(Faults, NotFiniteValuesAreFoldedByJointAndCounted) {
  std::string text = PlainText();
  for (const char* word : {"13", "14", "23", "26", "38"}) {
    text.replace(text.find(word, kHierarchy.size() + 20), 2, "nan");
  }
  const Report report = Convert(text, {}, nullptr, nullptr).report;
  EXPECT_EQ(report.counts.warnings, 5) << Print(report);
  ASSERT_EQ(report.issues.size(), 2) << Print(report);
  EXPECT_EQ(report.issues[0].occurrences, 3);
  EXPECT_EQ(report.issues[0].location.joint_name, "Hips");
  EXPECT_EQ(report.issues[1].occurrences, 2);
  EXPECT_EQ(report.issues[1].location.joint_name, "Knee");
}

TEST(Faults, ColumnsCountBytesOfTheByteOrderMarkAndTabs) {
  const std::string text = "\xEF\xBB\xBF" + PlainText();
  EXPECT_EQ(Convert(text, {}, nullptr, nullptr).report.verdict,
            Verdict::kValid);
  const Report report =
      Convert("\xEF\xBB\xBF \tHIERARCHYX", {}, nullptr, nullptr).report;
  ASSERT_EQ(report.issues.size(), 1);
  EXPECT_EQ(report.issues[0].location.line, 1);
  EXPECT_EQ(report.issues[0].location.column, 6);
  EXPECT_EQ(report.issues[0].location.byte_offset, 5);
}

bool HasControlCharacter(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
  });
}

std::vector<FaultCase> AllCases() {
  std::vector<FaultCase> all(std::begin(kHierarchyCases),
                             std::end(kHierarchyCases));
  all.insert(all.end(), std::begin(kChannelCases), std::end(kChannelCases));
  all.insert(all.end(), std::begin(kMotionCases), std::end(kMotionCases));
  all.insert(all.end(), std::begin(kRowCases), std::end(kRowCases));
  return all;
}

// The name holds an escape sequence that clears a terminal.
TEST(Faults, NamesOfJointsAreMadePrintable) {
  for (const FaultCase& c : AllCases()) {
    std::string text = Broken(c);
    const size_t place = text.find("Knee");
    if (place == text.npos) continue;
    text.replace(place, 4, "\x1B[2J\x07\x7F");
    const Report report = Convert(text, {}, nullptr, nullptr).report;
    for (const Issue& issue : report.issues) {
      EXPECT_FALSE(HasControlCharacter(issue.message)) << issue.code;
      EXPECT_FALSE(HasControlCharacter(RenderIssue(issue))) << issue.code;
    }
  }
}

TEST(Faults, PlainTextHasNone) {
  const ConvertResult result = Convert(PlainText(), {}, nullptr, nullptr);
  EXPECT_TRUE(result.status.ok());
  EXPECT_TRUE(result.report.issues.empty()) << Print(result.report);
}

}  // namespace
}  // namespace bvhmill::testing
