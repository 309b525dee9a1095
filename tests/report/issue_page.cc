#include "tests/report/issue_page.h"

#include <array>
#include <cctype>
#include <charconv>
#include <map>
#include <set>
#include <string_view>

#include "bvhmill/report/report.h"
#include "bvhmill/report/thresholds.h"
#include "tests/report/issue_examples.h"

namespace bvhmill::testing {
namespace {

constexpr std::string_view kIntroduction =
    R"(# Issues

This page lists the issues of validation reports. A program should use the code
of an issue, never its message: a code is never renamed and never reused, but a
message may change in any release. Each `{name}` in a message is also in the
`args` of the issue. "Lenient" and "strict" are the severities in the two modes
of reading. An error makes a clip invalid. A request can ignore any code or give
it another severity, but ignoring a fault does not make a broken file readable.
Some issues about motion are milder where they do less harm: their text says
when. `bvhmill explain CODE` prints the entry of one code without its example.

Each family has a table of its codes. After it, each code has a text that says
what the issue means and what to do, and an example:

* lines of a clip with their numbers, if the issue is about a line. The last or
  the only line is that of the issue, unless lines after it are shown, too;
* a command, and the line that it prints about the issue;
* the evidence: the `args` of this issue that are not empty.

Clips without a remark are files of `tests/data/cases`. A remark (`# ...`) says
what is in another file, which a script of `tests/cli/issue-examples` makes. Its
"fields" are the odd ones of an .anim, as hexadecimal bytes in the order of the
file; [formats/anim.md](formats/anim.md) has the layout.

`bvhmill_issue_docs` writes this page. The test `cli.issue-examples` runs the
commands and compares what they print with the examples; a test of `report_test`
compares the examples and the catalogue with this page.
)";

// A family: the prefix of a code up to its first underscore, and its subject.
struct Family {
  std::string_view prefix;
  std::string_view title;
};

constexpr Family kFamilies[] = {
    {"TEXT", "the kind of the file"},
    {"HIERARCHY", "words, braces, names and offsets"},
    {"CHANNEL", "counts and lists of channels"},
    {"MOTION", "the header of the motion and its rows"},
    {"DATA", "odd values"},
    {"SKELETON", "odd joints"},
    {"LIMIT", "limits of the reader or the server"},
    {"ANIM", "Second Life's .anim, read or written"},
    {"TARGET", "outputs that cannot hold the clip, found before they are made"},
    {"DATASET", "clips that break the expectations of their data set"},
    {"REPAIR", "changes that repairs made"},
    {"EDIT", "edits that may not be as intended"},
    {"REQUEST", "parts of a request that have no effect"},
};

std::string_view PrefixOf(std::string_view name) {
  return name.substr(0, name.find('_'));
}

std::string_view TitleOf(std::string_view prefix) {
  for (const Family& family : kFamilies) {
    if (family.prefix == prefix) return family.title;
  }
  return "others";
}

std::string Text(std::string_view view) { return std::string(view); }

std::string Heading(std::string_view prefix) {
  return "\n## " + Text(prefix) + ": " + Text(TitleOf(prefix)) +
         "\n\n| code | lenient | strict | message |\n|---|---|---|---|\n";
}

// The name that readers of Markdown give to the heading of a code.
std::string Anchor(std::string_view code) {
  std::string anchor = Text(code);
  for (char& c : anchor) {
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return anchor;
}

std::string Row(const CatalogueEntry& entry) {
  return "| [`" + Text(entry.name) + "`](#" + Anchor(entry.name) + ") | " +
         Text(SeverityName(entry.lenient)) + " | " +
         Text(SeverityName(entry.strict)) + " | " + Text(entry.message) +
         " |\n";
}

// "a comment line" becomes "A comment line."
std::string Sentence(std::string_view title) {
  std::string sentence = Text(title) + ".";
  sentence[0] =
      static_cast<char>(std::toupper(static_cast<unsigned char>(sentence[0])));
  return sentence;
}

std::string Section(const CatalogueEntry& entry, const std::string& example) {
  return "\n### `" + Text(entry.name) + "`\n\n**" + Sentence(entry.title) +
         "** " + Text(entry.help) + "\n\n" +
         example.substr(0, example.find_last_not_of('\n') + 1) + "\n";
}

// A table of the codes that begin with `prefix`, then a section for each.
std::string FamilyText(std::string_view prefix,
                       const std::map<std::string, std::string>& examples) {
  std::string table = Heading(prefix);
  std::string sections;
  for (const CatalogueEntry& entry : Catalogue()) {
    if (PrefixOf(entry.name) != prefix) continue;
    table += Row(entry);
    const auto example = examples.find(Text(entry.name));
    sections +=
        Section(entry, example == examples.end() ? "" : example->second);
  }
  return table + sections;
}

constexpr std::string_view kThresholds = R"(
## Thresholds

A rule about motion compares measures with thresholds. A caller can choose other
values: `--thresholds CODE.NAME=VALUE` of the command line, and
`ValidationOptions.thresholds` of the API. A report lists the values that differ
from those of this page.

| threshold | default | unit | reason |
|---|---|---|---|
)";

// The shortest text that reads back as `value`.
std::string Number(double value) {
  std::array<char, 32> text = {};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end.ptr};
}

std::string ThresholdRow(const ThresholdEntry& entry) {
  return "|`" + Text(EntryOf(entry.code).name) + "." + Text(entry.name) +
         "` | " + Number(entry.value) + " | " + Text(entry.unit) + " | " +
         Text(entry.reason) + " |\n";
}

}  // namespace

std::string IssuePage() {
  std::string page = Text(kIntroduction);
  page += "\nRules version: " + Text(kRulesVersion) + "\n";
  const std::map<std::string, std::string> examples = IssueExamples();
  std::set<std::string_view> families;
  for (const CatalogueEntry& entry : Catalogue()) {
    const std::string_view prefix = PrefixOf(entry.name);
    if (families.insert(prefix).second) page += FamilyText(prefix, examples);
  }
  page += kThresholds;
  for (const ThresholdEntry& entry : ThresholdTable()) {
    page += ThresholdRow(entry);
  }
  return page;
}

}  // namespace bvhmill::testing
