#pragma once

// The examples of issue codes on the page docs/issues.md. The command line
// prints nearly all of them: the test cli.issue-examples runs it.

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace bvhmill::testing {

// The Markdown of an example, by the name of its code. The order is that of
// names.
std::map<std::string, std::string> IssueExamples();

// A code that the command line never prints.
struct UnprintedCode {
  std::string_view code;
  // Why it is not printed, as a sentence.
  std::string_view reason;
  // The arg in the report of a test; empty if the issue has none.
  std::string_view arg;
  std::string_view value;
  // The test that gets the issue.
  std::string_view test;
};

const std::vector<UnprintedCode>& UnprintedCodes();

}  // namespace bvhmill::testing
