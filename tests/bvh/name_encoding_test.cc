// All names of a file are read in one encoding, and become UTF-8.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bvhmill/pipeline/convert.h"

namespace bvhmill::testing {
namespace {

using Names = std::vector<std::string>;

std::string FileOf(const Names& names) {
  std::string text = "HIERARCHY\n";
  for (const std::string& name : names) {
    text += "ROOT " + name + "\n{\nOFFSET 0 0 0\nCHANNELS 0\n}\n";
  }
  return text + "MOTION\nFrames: 0\nFrame Time: 0.01\n";
}

ConvertResult ResultOf(const Names& names, TextEncoding stated) {
  ConvertOptions options;
  options.name_encoding = stated;
  options.report.only = {"HIERARCHY_*", "SKELETON_*"};
  return Convert(FileOf(names), options, nullptr, nullptr);
}

Names NamesOf(const ConvertResult& result) {
  Names names;
  for (const JointInfo& joint : result.info.joints) names.push_back(joint.name);
  return names;
}

Names MessagesOf(const ConvertResult& result) {
  Names messages;
  for (const Issue& issue : result.report.issues) {
    messages.push_back(issue.message);
  }
  return messages;
}

// Left hand and right foot, in Chinese.
constexpr char kHandGbk[] = "\xD7\xF3\xCA\xD6";
constexpr char kFootGbk[] = "\xD3\xD2\xBD\xC5";
constexpr char kHand[] = "\xE5\xB7\xA6\xE6\x89\x8B";
constexpr char kFoot[] = "\xE5\x8F\xB3\xE8\x84\x9A";
// A letter that is valid in UTF-8 and in GBK.
constexpr char kBoth[] = "\xC4\xB5";
constexpr char kBothAsGbk[] = "\xE7\x89\xA1";

struct NamesCase {
  std::string_view what;
  TextEncoding stated;
  Names names;
  Names read;
  Names messages;
};

const NamesCase kCases[] = {
    {"UTF-8 is silent",
     TextEncoding::kUnknown,
     {"Hips", kHand},
     {"Hips", kHand},
     {}},
    {"one encoding for all",
     TextEncoding::kUnknown,
     {"Hips", kHandGbk, kFootGbk},
     {"Hips", kHand, kFoot},
     {"names are not utf-8; all were read as gbk"}},
    {"names before the first that shows it",
     TextEncoding::kUnknown,
     {kBoth, kHandGbk, kFootGbk},
     {kBothAsGbk, kHand, kFoot},
     {"names are not utf-8; all were read as gbk"}},
    {"a stated one is used in silence",
     TextEncoding::kGbk,
     {kBoth, kHandGbk},
     {kBothAsGbk, kHand},
     {}},
    {"also if all are UTF-8", TextEncoding::kGbk, {kBoth}, {kBothAsGbk}, {}},
    {"a stated one that does not fit",
     TextEncoding::kUtf8,
     {kHandGbk, kFootGbk},
     {kHand, kFoot},
     {"names are not utf-8; all were read as gbk"}},
    {"UTF-8 where another one was stated",
     TextEncoding::kBig5,
     {"\xE5\xB7\xA6"},
     {"\xE5\xB7\xA6"},
     {"names are not big5; all were read as utf-8"}},
    {"Latin-1",
     TextEncoding::kUnknown,
     {"Ren\xE9"},
     {"Ren\xC3\xA9"},
     {"names are not utf-8; all were read as latin-1"}},
    {"other issues have the name as text",
     TextEncoding::kUnknown,
     {kHandGbk, kHandGbk},
     {kHand, kHand},
     {std::string("the name '") + kHand + "' is already used by joint 0",
      "names are not utf-8; all were read as gbk"}},
};

TEST(NameEncoding, Table) {
  for (const NamesCase& c : kCases) {
    SCOPED_TRACE(c.what);
    const ConvertResult result = ResultOf(c.names, c.stated);
    EXPECT_EQ(NamesOf(result), c.read);
    EXPECT_EQ(MessagesOf(result), c.messages);
  }
}

TEST(NameEncoding, IsAHintWhereTheFirstSuchNameStands) {
  const ConvertResult result =
      ResultOf({"Hips", kHandGbk}, TextEncoding::kUnknown);
  ASSERT_EQ(result.report.issues.size(), 1);
  const Issue& issue = result.report.issues[0];
  EXPECT_EQ(issue.severity, Severity::kHint);
  EXPECT_EQ(issue.location.line, 7);
  EXPECT_EQ(result.report.verdict, Verdict::kValid);
}

TEST(NameEncoding, LimitsCountTheBytesOfUtf8) {
  ConvertOptions options;
  options.limits.max_name_bytes = 5;
  const ConvertResult result =
      Convert(FileOf({kHandGbk}), options, nullptr, nullptr);
  EXPECT_EQ(FirstError(result.report)->code, "LIMIT_NAME_BYTES");
}

}  // namespace
}  // namespace bvhmill::testing
