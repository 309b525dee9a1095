#include "tests/report/issue_examples.h"

#include "bvhmill/report/issue_log.h"
#include "bvhmill/report/report.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

// Each example begins with this, its code and an empty line.
constexpr std::string_view kHead = "## ";

void AddPrinted(const std::string& text,
                std::map<std::string, std::string>* examples) {
  size_t begin = text.find(kHead);
  while (begin != std::string::npos) {
    const size_t next = text.find("\n" + std::string(kHead), begin);
    const size_t end = next == std::string::npos ? text.size() : next + 1;
    const size_t line_end = text.find('\n', begin);
    const size_t code = begin + kHead.size();
    (*examples)[text.substr(code, line_end - code)] =
        text.substr(line_end + 2, end - line_end - 2);
    begin = next == std::string::npos ? next : next + 1;
  }
}

std::string Logged(const UnprintedCode& row) {
  IssueLog log({});
  IssueArgs args;
  std::string evidence;
  if (!row.arg.empty()) {
    args = {{std::string(row.arg), std::string(row.value)}};
    evidence = "Evidence: `" + std::string(row.arg) + "=" +
               std::string(row.value) + "`\n\n";
  }
  log.Add(FindEntry(row.code)->code, {}, std::move(args));
  const Report report = log.Finish(true, true);
  return std::string(row.reason) + " `" + std::string(row.test) +
         "` gets it:\n\n```text\n" + RenderIssue(report.issues[0]) +
         "\n```\n\n" + evidence;
}

}  // namespace

const std::vector<UnprintedCode>& UnprintedCodes() {
  static const std::vector<UnprintedCode> kCodes = {
      {"TARGET_ANIM_UNIT",
       "The command line asks for the unit before it reads a clip, so only "
       "calls of the API get this issue.",
       "", "", "tests/encode/anim_test.cc"},
      {"REQUEST_FIELD_UNKNOWN",
       "Only requests of other clients have such fields, so the command line "
       "does not get this issue.",
       "fields", "options.read: field 99",
       "tests/server/convert/unknown_fields_test.cc"},
  };
  return kCodes;
}

std::map<std::string, std::string> IssueExamples() {
  std::map<std::string, std::string> examples;
  AddPrinted(ReadFile(SourceFile("tests/cli/issue-examples/stdout.exact")),
             &examples);
  for (const UnprintedCode& row : UnprintedCodes()) {
    examples[std::string(row.code)] = Logged(row);
  }
  return examples;
}

}  // namespace bvhmill::testing
