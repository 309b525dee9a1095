// JUnit XML, as Ant and Jenkins define it: a test suite for each folder, a test
// case for each file. A clip that fails is a failed test; a file that cannot be
// read is a test with an error.
//
// The schema of Ant asks for a host and for times. They are the same in every
// report, so that equal runs write equal bytes.

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bvhmill/base/text.h"
#include "client/cli/dataset/summary_text.h"
#include "client/cli/report/renderings.h"

namespace bvhmill::client {
namespace {

constexpr char kHostAndTimes[] =
    " hostname=\"localhost\" timestamp=\"1970-01-01T00:00:00\" time=\"0\"";

std::string_view EntityOf(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    default:
      return {};
  }
}

// The lines of `text` for an attribute or between tags. XML 1.0 has no way to
// write most of what an excerpt escapes.
std::string EscapedXml(std::string_view text) {
  std::string out;
  while (true) {
    const size_t end = std::min(text.find('\n'), text.size());
    for (const char c :
         Excerpt(ToUtf8(text.substr(0, end)), std::string::npos)) {
      const std::string_view entity = EntityOf(c);
      entity.empty() ? out += c : out += entity;
    }
    if (end == text.size()) return out;
    out += '\n';
    text.remove_prefix(end + 1);
  }
}

std::string Attribute(std::string_view name, std::string_view value) {
  return " " + std::string(name) + "=\"" + EscapedXml(value) + "\"";
}

std::string Attribute(std::string_view name, int64_t value) {
  return Attribute(name, std::to_string(value));
}

// "takes/walk" and "a.bvh" of "takes/walk/a.bvh".
std::pair<std::string, std::string> FolderAndName(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == path.npos) return {".", path};
  return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

std::string ErrorElement(const ClipFinding& clip) {
  return "<error type=\"NOT_READ\"" + Attribute("message", clip.error) + "/>";
}

// The worst issue is the type and the message; the text has all of them. A
// clip that fails although its issues are ignored is of the type REFUSED.
std::string FailureElement(const ClipFinding& clip) {
  const Report& report = clip.result.report;
  const Issue* first = report.issues.empty() ? nullptr : &report.issues[0];
  const std::string type = first == nullptr ? "REFUSED" : first->code;
  const std::string message = first == nullptr ? clip.error : first->message;
  return "<failure" + Attribute("type", type) + Attribute("message", message) +
         ">" +
         EscapedXml(ReportText(clip.path, clip.result, clip.known_issues, {})) +
         "</failure>";
}

class JunitWriter final : public ReportWriter {
 public:
  // The test case of the clip.
  std::string Render(const ClipFinding& clip) const override {
    const auto [folder, name] = FolderAndName(clip.path);
    std::string element = "<testcase" + Attribute("name", Printable(name)) +
                          Attribute("classname", Printable(folder)) +
                          " time=\"0\"";
    if (clip.passes) return element + "/>\n";
    return element + ">" +
           (clip.is_read ? FailureElement(clip) : ErrorElement(clip)) +
           "</testcase>\n";
  }

  std::string Add(const ClipFinding& clip, std::string rendered) override {
    const std::string folder = FolderAndName(clip.path).first;
    const auto [it, is_new] = places_.try_emplace(folder, suites_.size());
    if (is_new) suites_.emplace_back().folder = folder;
    Suite& suite = suites_[it->second];
    ++suite.tests;
    suite.failures += !clip.passes && clip.is_read ? 1 : 0;
    suite.errors += clip.is_read ? 0 : 1;
    suite.cases += rendered;
    const bool has_remarks = clip.passes && !clip.result.report.issues.empty();
    if (has_remarks) {
      suite.remarks +=
          ReportText(clip.path, clip.result, clip.known_issues, {});
    }
    return {};
  }

  std::string End(const RunSummary& summary) override {
    if (!summary.complete) AddMissing(summary.clips);
    AddOddBodies(OddBodyLines(summary.dataset.bodies));
    std::string out =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<testsuites>\n";
    int64_t id = 0;
    for (const Suite& suite : suites_) out += SuiteElement(suite, id++);
    return out + "</testsuites>\n";
  }

 private:
  struct Suite {
    std::string folder;
    int64_t tests = 0;
    int64_t failures = 0;
    int64_t errors = 0;
    // Test cases, as elements.
    std::string cases;
    // The issues of clips that pass, as text.
    std::string remarks;
  };

  // A suite that fails, since not all clips were checked.
  void AddMissing(int64_t clips) {
    int64_t checked = 0;
    for (const Suite& suite : suites_) checked += suite.tests;
    Suite& suite = suites_.emplace_back();
    suite.folder = "bvhmill";
    suite.tests = suite.errors = 1;
    suite.cases =
        "<testcase name=\"all clips are checked\" classname=\"bvhmill\" "
        "time=\"0\"><error type=\"NOT_CHECKED\"" +
        Attribute("message", "the run ended early: " + std::to_string(checked) +
                                 " of " + std::to_string(clips) +
                                 " clips were checked") +
        "/></testcase>\n";
  }

  // A suite that passes, whose text names the odd bodies.
  void AddOddBodies(const std::string& lines) {
    if (lines.empty()) return;
    Suite& suite = suites_.emplace_back();
    suite.folder = "bvhmill";
    suite.tests = 1;
    suite.cases =
        "<testcase name=\"bodies are compared\" classname=\"bvhmill\" "
        "time=\"0\"/>\n";
    suite.remarks = lines;
  }

  static std::string SuiteElement(const Suite& suite, int64_t id) {
    return "<testsuite" + Attribute("name", Printable(suite.folder)) +
           Attribute("package", "bvhmill") + Attribute("id", id) +
           Attribute("tests", suite.tests) +
           Attribute("failures", suite.failures) +
           Attribute("errors", suite.errors) + kHostAndTimes + ">\n" +
           "<properties/>\n" + suite.cases + "<system-out>" +
           EscapedXml(suite.remarks) + "</system-out>\n<system-err/>\n" +
           "</testsuite>\n";
  }

  // In the order of their first clips.
  std::vector<Suite> suites_;
  std::map<std::string, size_t> places_;
};

}  // namespace

std::unique_ptr<ReportWriter> MakeJunitWriter() {
  return std::make_unique<JunitWriter>();
}

}  // namespace bvhmill::client
