#include "tests/report/issue_page.h"

#include <string_view>

#include "bvhmill/report/catalogue.h"

namespace bvhmill::testing {
namespace {

constexpr std::string_view kIntroduction =
    R"(# Issues

What a validation report may say about a file. A program should look at the
code of an issue and never at its message: codes are append-only API, none is
renamed or used again, while messages may be worded better in any release. Each
`{name}` in a message is also in the `args` of the issue. "Lenient" and "strict"
are the severities in the two modes of reading; errors make a clip invalid.
Every code can be ignored or given another severity per request, but a file that
cannot be read is not converted by ignoring why. `bvhmill explain CODE` prints
the row of one code.

This page is written by `bvhmill_issue_docs`; a test compares the two.
)";

// What stands before the first underscore of a code, and what it is about.
struct Family {
  std::string_view prefix;
  std::string_view title;
};

constexpr Family kFamilies[] = {
    {"TEXT", "what the bytes are"},
    {"HIERARCHY", "words, braces, names and offsets"},
    {"CHANNEL", "counts and lists of channels"},
    {"MOTION", "the header of the motion and its rows"},
    {"DATA", "what the values say"},
    {"SKELETON", "what the joints say"},
    {"LIMIT", "limits of the reader, or of the server that was asked"},
    {"ANIM", "Second Life's .anim, read or made"},
    {"TARGET", "what an output cannot hold, told before it is made"},
    {"REQUEST", "what of a request has no effect"},
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
  return page;
}

}  // namespace bvhmill::testing
