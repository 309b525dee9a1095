#include "tests/report/issue_page.h"

#include <array>
#include <charconv>
#include <string_view>

#include "bvhmill/report/catalogue.h"
#include "bvhmill/report/thresholds.h"

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
Some issues about motion are milder where they do less harm: their help says
when.
`bvhmill explain CODE` prints the row of one code.

`bvhmill_issue_docs` writes this page; a test compares the two.
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
         "\n\n| code | lenient | strict | message | help |\n"
         "|---|---|---|---|---|\n";
}

std::string Row(const CatalogueEntry& entry) {
  return "| `" + Text(entry.name) + "` | " + Text(SeverityName(entry.lenient)) +
         " | " + Text(SeverityName(entry.strict)) + " | " +
         Text(entry.message) + " | " + Text(entry.help) + " |\n";
}

constexpr std::string_view kThresholds = R"(
## Thresholds

A rule about motion compares measures with thresholds. A caller can choose other
values: `--rule CODE.NAME=VALUE` of the command line, and
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
  std::string_view family;
  for (const CatalogueEntry& entry : Catalogue()) {
    const std::string_view prefix = PrefixOf(entry.name);
    if (prefix != family) page += Heading(prefix);
    family = prefix;
    page += Row(entry);
  }
  page += kThresholds;
  for (const ThresholdEntry& entry : ThresholdTable()) {
    page += ThresholdRow(entry);
  }
  return page;
}

}  // namespace bvhmill::testing
