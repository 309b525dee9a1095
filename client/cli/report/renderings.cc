#include "client/cli/report/renderings.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "client/cli/options/options.h"

namespace bvhmill::client {
namespace {

// The first is the default.
constexpr std::array kRenderings = {
    Rendering{.name = "text",
              .extension = ".txt",
              .is_for_people = true,
              .make = MakeTextWriter},
    Rendering{.name = "jsonl",
              .extension = ".jsonl",
              .make = MakeJsonLinesWriter,
              .has_measures = true},
    Rendering{.name = "html",
              .extension = ".html",
              .make = MakeHtmlWriter,
              .has_pictures = true,
              .has_measures = true},
    Rendering{.name = "sarif",
              .extension = ".sarif",
              .make = MakeSarifWriter,
              .has_utf16_columns = true},
    Rendering{.name = "junit", .extension = ".xml", .make = MakeJunitWriter},
};

// Null if there is none.
const Rendering* FindRendering(std::string_view name) {
  const auto* found = std::find_if(
      kRenderings.begin(), kRenderings.end(),
      [&](const Rendering& rendering) { return rendering.name == name; });
  return found == kRenderings.end() ? nullptr : found;
}

// Null if the end of the name chooses none.
const Rendering* RenderingOfFile(std::string_view path) {
  const auto is_same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == b;
  };
  const auto* found = std::find_if(
      kRenderings.begin(), kRenderings.end(), [&](const Rendering& rendering) {
        const std::string_view end = rendering.extension;
        return path.size() >= end.size() &&
               std::equal(path.end() - end.size(), path.end(), end.begin(),
                          is_same);
      });
  return found == kRenderings.end() ? nullptr : found;
}

absl::Status Failed(const std::string& path, std::string_view why) {
  return MakeStatus(absl::StatusCode::kFailedPrecondition,
                    Printable(path) + ": " + std::string(why));
}

}  // namespace

absl::Status ReportOutput::Open(const std::string& path, bool force) {
  path_ = path;
  if (path == "-") return absl::OkStatus();
  auto file = ChosenFile::Create(path, force);
  if (!file.ok()) return Failed(path, MessageOf(file.status()));
  file_.emplace(*std::move(file));
  return absl::OkStatus();
}

bool ReportOutput::Put(std::string_view text) {
  if (!file_) return console_.PrintData(text);
  if (status_.ok()) status_ = file_->Append(text);
  return status_.ok();
}

absl::Status ReportOutput::Close() {
  if (!file_) return absl::OkStatus();
  if (status_.ok()) status_ = file_->Close();
  return status_.ok() ? status_ : Failed(path_, MessageOf(status_));
}

void AddRenderingOptions(CLI::App* app, ReportFlags* flags) {
  const char* group = "Report";
  std::vector<std::string> names;
  for (const Rendering& rendering : kRenderings) {
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
  return chosen == nullptr ? kRenderings.front() : *chosen;
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
