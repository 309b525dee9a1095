#pragma once

// The catalogue of issues: everything that can be wrong with a file, each with
// a stable code. issue_table.inc is the only place that defines them.

#include <optional>
#include <span>
#include <string_view>

namespace bvhmill {

enum class Severity { kError = 1, kWarning, kInfo, kHint };

enum class IssueCode {
#define BVHMILL_ISSUE(code, lenient, strict, title, message, help) code,
#include "bvhmill/report/issue_table.inc"
#undef BVHMILL_ISSUE
};

inline constexpr size_t kIssueCodes = 0
// Adds 1 per issue: NOLINTNEXTLINE(bugprone-macro-parentheses)
#define BVHMILL_ISSUE(code, lenient, strict, title, message, help) +1
#include "bvhmill/report/issue_table.inc"
#undef BVHMILL_ISSUE
    ;

struct CatalogueEntry {
  IssueCode code;
  std::string_view name;
  // Severity when a file is read leniently, and when it is read strictly.
  Severity lenient;
  Severity strict;
  // The fault in a few words, without variable parts.
  std::string_view title;
  // Text with {arg} for each variable part.
  std::string_view message;
  // Meaning and action, without variable parts.
  std::string_view help;
};

// Version of the rules. Raise it whenever a verdict may change.
inline constexpr std::string_view kRulesVersion = "14";

// All entries, in the order of the table.
std::span<const CatalogueEntry> Catalogue();

const CatalogueEntry& EntryOf(IssueCode code);

// The entry with the name `name`, e.g. "TEXT_EMPTY"; null if there is none.
const CatalogueEntry* FindEntry(std::string_view name);

// True if `word` is `code`, or one or more of its first letters followed by
// "*": DATA_* names every code about data.
bool NamesCode(std::string_view word, std::string_view code);

// True if `word` names a code of the catalogue. O(codes).
bool NamesAnyCode(std::string_view word);

// True for codes of changes that repairs made: REPAIR_*.
bool IsRepair(std::string_view code);

// "error", "warning", "info", "hint".
std::string_view SeverityName(Severity severity);
// The severity of this name; none if there is none.
std::optional<Severity> SeverityNamed(std::string_view name);

}  // namespace bvhmill
