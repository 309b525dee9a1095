#include "client/cli/report/report_options.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "client/cli/options/options.h"
#include "client/cli/ui/text.h"

namespace bvhmill::client {

void AddRenderingOptions(CLI::App* app, ReportFlags* flags) {
  const char* group = "Report";
  std::vector<std::string> names;
  for (const Rendering& rendering : Renderings()) {
    names.emplace_back(rendering.name);
  }
  CLI::Option* format =
      app->add_option(
             "--format", flags->format,
             "how the report is written: " + CLI::detail::join(names, ", ") +
                 ";\ndefault by the end of the name of -o: .jsonl,"
                 "\n.html, .sarif, .xml for junit; else text")
          ->type_name("WORD")
          ->check(CLI::Validator(
              [names](const std::string& word) {
                return CheckWord(word, names);
              },
              ""))
          ->group(group);
  app->add_flag("--json", flags->json,
                "print one line of JSON per clip: --format jsonl")
      ->excludes(format)
      ->group(group);
  app->add_option("-o,--output", flags->output,
                  "write the report into FILE; - is stdout, the default")
      ->type_name("FILE")
      ->group(group);
  app->add_option("--summary", flags->summary,
                  "write the summary of all clips as JSON into FILE;\n"
                  "- is stdout")
      ->type_name("FILE")
      ->group(group);
  app->add_flag("-f,--force", flags->force, "overwrite files that exist")
      ->group(group);
}

const Rendering& ChosenRendering(const ReportFlags& flags) {
  const Rendering* chosen =
      FindRendering(flags.json ? "jsonl" : std::string_view(flags.format));
  if (chosen == nullptr) chosen = RenderingOfFile(flags.output);
  return chosen == nullptr ? Renderings().front() : *chosen;
}

std::string RenderingNote(const ReportFlags& flags) {
  const bool is_chosen = flags.json || !flags.format.empty() ||
                         RenderingOfFile(flags.output) != nullptr;
  const std::string end = std::filesystem::path(flags.output).extension();
  if (is_chosen || end.empty()) return {};
  return Printable(flags.output) + ": note: no format has the ending " +
         Printable(end) + ", so the report is text; --format names another\n";
}

}  // namespace bvhmill::client
