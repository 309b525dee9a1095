#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/report/report.h"
#include "bvhmill/report/thresholds.h"
#include "client/cli/commands/commands.h"
#include "client/cli/ui/console.h"
#include "client/cli/ui/json_text.h"

namespace bvhmill::client {
namespace {

constexpr char kExplainExamples[] =
    "  bvhmill explain DATA_NOT_FINITE\n"
    "  bvhmill explain 'DATA_*'\n"
    "  bvhmill explain\n"
    "  bvhmill explain --json > codes.jsonl\n";

struct ExplainFlags {
  // A code, or a group such as DATA_*. Empty: all codes.
  std::string code;
  bool json = false;
};

// The thresholds of the rule that reports `code`.
std::vector<ThresholdEntry> ThresholdsOf(IssueCode code) {
  std::vector<ThresholdEntry> rows;
  for (const ThresholdEntry& row : ThresholdTable()) {
    if (row.code == code) rows.push_back(row);
  }
  return rows;
}

std::string ThresholdJson(const ThresholdEntry& row) {
  return JsonObject({{"name", JsonQuote(row.name)},
                     {"value", JsonNumber(row.value)},
                     {"unit", JsonQuote(row.unit)},
                     {"reason", JsonQuote(row.reason)}});
}

// A line for each threshold of the rule.
std::string ThresholdsText(IssueCode code) {
  std::string out;
  for (const ThresholdEntry& row : ThresholdsOf(code)) {
    out += "threshold " + std::string(row.name) + " = " +
           JsonNumber(row.value) + " (" + std::string(row.unit) +
           "): " + std::string(row.reason) + "\n";
  }
  return out;
}

std::string EntryJson(const CatalogueEntry& entry) {
  return JsonObject({{"code", JsonQuote(entry.name)},
                     {"lenient", JsonQuote(SeverityName(entry.lenient))},
                     {"strict", JsonQuote(SeverityName(entry.strict))},
                     {"title", JsonQuote(entry.title)},
                     {"message", JsonQuote(entry.message)},
                     {"help", JsonQuote(entry.help)},
                     {"thresholds",
                      JsonArray(ThresholdsOf(entry.code), ThresholdJson)}}) +
         "\n";
}

std::string EntryText(const CatalogueEntry& entry) {
  const auto line = [](const char* name, std::string_view value) {
    return name + std::string(value) + "\n";
  };
  return line("", entry.name) +
         line("severity  ", SeverityName(entry.lenient)) +
         line("strict    ", SeverityName(entry.strict)) +
         line("title     ", entry.title) + line("message   ", entry.message) +
         line("help      ", entry.help) + ThresholdsText(entry.code);
}

// The codes that `code` names.
std::vector<CatalogueEntry> EntriesOf(std::string_view code) {
  const bool is_group = code.ends_with('*');
  if (is_group) code.remove_suffix(1);
  std::vector<CatalogueEntry> entries;
  for (const CatalogueEntry& entry : Catalogue()) {
    const bool is_named =
        is_group ? entry.name.starts_with(code) : entry.name == code;
    if (code.empty() || is_named) entries.push_back(entry);
  }
  return entries;
}

std::string ListText(const std::vector<CatalogueEntry>& entries) {
  std::vector<std::vector<std::string>> rows;
  for (const CatalogueEntry& entry : entries) {
    rows.push_back(
        {std::string(entry.name), std::string(SeverityName(entry.lenient)),
         std::string(SeverityName(entry.strict)), std::string(entry.title)});
  }
  return RenderTable({{"CODE", Align::kLeft},
                      {"SEVERITY", Align::kLeft},
                      {"STRICT", Align::kLeft},
                      {"TITLE", Align::kLeft}},
                     rows);
}

int RunExplain(const ExplainFlags& flags, Session* session) {
  const std::vector<CatalogueEntry> entries = EntriesOf(flags.code);
  std::string text;
  if (flags.json) {
    for (const CatalogueEntry& entry : entries) text += EntryJson(entry);
  } else {
    text = entries.size() == 1 ? EntryText(entries.front()) : ListText(entries);
  }
  session->console->PrintData(text);
  return session->console->data_lost() ? kExitClipFailed : kExitGood;
}

}  // namespace

Command AddExplain(CLI::App* parent) {
  const auto flags = std::make_shared<ExplainFlags>();
  CLI::App* app = parent->add_subcommand(
      "explain", "explain issue codes and how to fix them");
  app->footer(kExplainExamples);
  app->add_option("CODE", flags->code,
                  "an issue code, or a group such as 'DATA_*'; without one,\n"
                  "all codes are listed")
      ->type_name("")
      ->check(CLI::Validator(CheckIssueCodes, ""));
  app->add_flag("--json", flags->json, "print one line of JSON per code")
      ->group("Output");
  return {app,
          [flags](Session* session) { return RunExplain(*flags, session); }};
}

}  // namespace bvhmill::client
