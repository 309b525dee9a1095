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
    "  bvhmill explain\n"
    "  bvhmill explain --json > codes.jsonl\n";

struct ExplainFlags {
  // Empty: all of them.
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

std::string CatalogueText() {
  std::vector<std::vector<std::string>> rows;
  for (const CatalogueEntry& entry : Catalogue()) {
    rows.push_back({std::string(entry.name),
                    std::string(SeverityName(entry.lenient)),
                    std::string(SeverityName(entry.strict))});
  }
  return RenderTable({{"CODE", Align::kLeft},
                      {"SEVERITY", Align::kLeft},
                      {"STRICT", Align::kLeft}},
                     rows);
}

std::string CatalogueJson() {
  std::string out;
  for (const CatalogueEntry& entry : Catalogue()) out += EntryJson(entry);
  return out;
}

int RunExplain(const ExplainFlags& flags, Session* session) {
  const CatalogueEntry* entry = FindEntry(flags.code);
  if (entry == nullptr) {
    session->console->PrintData(flags.json ? CatalogueJson() : CatalogueText());
  } else {
    session->console->PrintData(flags.json ? EntryJson(*entry)
                                           : EntryText(*entry));
  }
  return session->console->data_lost() ? kExitClipFailed : kExitGood;
}

}  // namespace

Command AddExplain(CLI::App* parent) {
  const auto flags = std::make_shared<ExplainFlags>();
  CLI::App* app = parent->add_subcommand(
      "explain", "explain issue codes and how to fix them");
  app->footer(kExplainExamples);
  app->add_option("CODE", flags->code,
                  "an issue code; without one, all codes are listed")
      ->type_name("")
      ->check(CLI::Validator(CheckIssueCode, ""));
  app->add_flag("--json", flags->json, "print one line of JSON per code")
      ->group("Output");
  return {app,
          [flags](Session* session) { return RunExplain(*flags, session); }};
}

}  // namespace bvhmill::client
