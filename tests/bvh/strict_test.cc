// In strict mode each repair is an error.

#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "bvhmill/pipeline/convert.h"
#include "bvhmill/report/issue_log.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

using ::testing::IsEmpty;

ConvertOptions Strict() {
  ConvertOptions options;
  options.report.strict = true;
  options.report.max_issues = 100'000;
  return options;
}

// Rules about motion choose a severity by the harm that a fault does, also in
// strict mode.
bool HasOwnSeverity(const Issue& issue) {
  const std::set<std::string_view> codes = {"DATA_FROZEN_FRAMES", "DATA_JITTER",
                                            "DATA_EULER_FLIP"};
  // A frame time that is no time has no nearest rate.
  const bool is_rate =
      issue.code == "DATA_FRAME_TIME_ODD" &&
      std::any_of(issue.args.begin(), issue.args.end(),
                  [](const auto& arg) { return arg.first == "near"; });
  return is_rate || codes.contains(issue.code);
}

bool IsRepair(const Issue& issue) {
  if (HasOwnSeverity(issue)) return false;
  const CatalogueEntry* entry = FindEntry(issue.code);
  return entry != nullptr && entry->lenient == Severity::kWarning &&
         entry->strict == Severity::kError;
}

// The cases, each read leniently and strictly.
class StrictTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ConvertOptions lenient = Strict();
    lenient.report.strict = false;
    for (const std::string& path : FilesIn(TestData("cases"), ".bvh")) {
      const std::string text = ReadFile(path);
      cases_.push_back({path, Convert(text, lenient, nullptr, nullptr),
                        Convert(text, Strict(), nullptr, nullptr)});
    }
    ASSERT_GT(cases_.size(), 500);
  }

  struct Case {
    std::string path;
    ConvertResult lenient;
    ConvertResult strict;
  };
  std::vector<Case> cases_;
};

TEST_F(StrictTest, ClipsWithRepairsAreInvalid) {
  for (const Case& c : cases_) {
    if (!IsGood(c.lenient.report.verdict)) continue;
    SCOPED_TRACE(c.path);
    bool repaired = false;
    for (const Issue& issue : c.lenient.report.issues) {
      repaired |= IsRepair(issue);
    }
    EXPECT_EQ(IsGood(c.strict.report.verdict), !repaired);
    EXPECT_EQ(c.strict.status.ok(), !repaired) << c.strict.status;
  }
}

TEST_F(StrictTest, FaultsStayFaults) {
  for (const Case& c : cases_) {
    if (IsGood(c.lenient.report.verdict)) continue;
    EXPECT_FALSE(IsGood(c.strict.report.verdict)) << c.path;
  }
}

// Strictness judges; it must not change what is found.
TEST_F(StrictTest, FindsTheSameIssuesAndFacts) {
  for (const Case& c : cases_) {
    SCOPED_TRACE(c.path);
    std::multiset<std::string> lenient;
    std::multiset<std::string> strict;
    for (const Issue& issue : c.lenient.report.issues) {
      lenient.insert(issue.code + issue.message);
    }
    for (const Issue& issue : c.strict.report.issues) {
      strict.insert(issue.code + issue.message);
      if (HasOwnSeverity(issue)) continue;
      EXPECT_EQ(issue.severity, FindEntry(issue.code)->strict);
    }
    EXPECT_EQ(lenient, strict);
    EXPECT_EQ(c.lenient.info.frames, c.strict.info.frames);
    EXPECT_EQ(c.lenient.info.joint_count, c.strict.info.joint_count);
  }
}

// Each variable part of a message is an arg, and no placeholder is left.
TEST_F(StrictTest, MessagesAreFilledWithTheirArgs) {
  for (const Case& c : cases_) {
    SCOPED_TRACE(c.path);
    for (const Issue& issue : c.lenient.report.issues) {
      const std::string message(FindEntry(issue.code)->message);
      EXPECT_EQ(issue.message, FillMessage(message, issue.args));
      std::string rest = message;
      for (const auto& [name, value] : issue.args) {
        const size_t place = rest.find("{" + name + "}");
        if (place == rest.npos) continue;
        rest.replace(place, name.size() + 2, "");
      }
      EXPECT_EQ(rest.find('{'), rest.npos) << issue.code << ": " << rest;
    }
  }
}

TEST_F(StrictTest, MessagesAreOneLineOfText) {
  for (const Case& c : cases_) {
    for (const Issue& issue : c.lenient.report.issues) {
      const std::string line = RenderIssue(issue);
      for (const char byte : line) {
        ASSERT_GE(static_cast<unsigned char>(byte), 0x20) << c.path << line;
      }
    }
  }
}

// Nothing in the catalogue is dead. Limits, .anim, data sets and requests have
// tests of their own, and so has DATA_NOT_JUDGED, which is about ignored codes.
TEST_F(StrictTest, EveryCodeIsFoundInSomeCase) {
  std::set<std::string> codes;
  for (const CatalogueEntry& entry : Catalogue()) {
    if (entry.name.starts_with("LIMIT_")) continue;
    if (entry.name == "DATA_NOT_JUDGED") continue;
    const bool is_of_reading = !entry.name.starts_with("ANIM_") &&
                               !entry.name.starts_with("TARGET_") &&
                               !entry.name.starts_with("DATASET_") &&
                               !entry.name.starts_with("REPAIR_") &&
                               !entry.name.starts_with("EDIT_") &&
                               !entry.name.starts_with("REQUEST_");
    if (is_of_reading) codes.emplace(entry.name);
  }
  for (const Case& c : cases_) {
    for (const Issue& issue : c.lenient.report.issues) codes.erase(issue.code);
  }
  EXPECT_THAT(codes, IsEmpty());
}

}  // namespace
}  // namespace bvhmill::testing
