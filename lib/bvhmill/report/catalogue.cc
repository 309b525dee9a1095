#include "bvhmill/report/catalogue.h"

#include <algorithm>
#include <array>

namespace bvhmill {
namespace {

constexpr std::array kEntries = {
#define BVHMILL_ISSUE(code, lenient, strict, title, message, help)        \
  CatalogueEntry{                                                         \
      IssueCode::code, #code, Severity::lenient, Severity::strict, title, \
      message,         help},
#include "bvhmill/report/issue_table.inc"
#undef BVHMILL_ISSUE
};

}  // namespace

std::span<const CatalogueEntry> Catalogue() { return kEntries; }

const CatalogueEntry& EntryOf(IssueCode code) {
  return kEntries[static_cast<size_t>(code)];
}

const CatalogueEntry* FindEntry(std::string_view name) {
  const auto it = std::find_if(
      kEntries.begin(), kEntries.end(),
      [&](const CatalogueEntry& entry) { return entry.name == name; });
  return it == kEntries.end() ? nullptr : &*it;
}

bool NamesCode(std::string_view word, std::string_view code) {
  if (!word.ends_with('*') || word.size() == 1) return word == code;
  return code.starts_with(word.substr(0, word.size() - 1));
}

bool NamesAnyCode(std::string_view word) {
  return std::any_of(
      kEntries.begin(), kEntries.end(),
      [&](const CatalogueEntry& entry) { return NamesCode(word, entry.name); });
}

bool IsRepair(std::string_view code) { return code.starts_with("REPAIR_"); }

std::string_view SeverityName(Severity severity) {
  constexpr std::array<std::string_view, 5> kNames = {"", "error", "warning",
                                                      "info", "hint"};
  return kNames[static_cast<size_t>(severity)];
}

std::optional<Severity> SeverityNamed(std::string_view name) {
  for (const Severity severity : {Severity::kError, Severity::kWarning,
                                  Severity::kInfo, Severity::kHint}) {
    if (SeverityName(severity) == name) return severity;
  }
  return std::nullopt;
}

}  // namespace bvhmill
