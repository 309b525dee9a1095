#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/encode/report_json.h"
#include "client/cli/batch.h"
#include "client/cli/commands/commands.h"
#include "client/cli/options/option_flags.h"
#include "client/cli/ui/clip_facts.h"
#include "client/cli/ui/json_text.h"

namespace bvhmill::client {
namespace {

constexpr char kInfoExamples[] =
    "  bvhmill info take.bvh\n"
    "  bvhmill info -r takes\n"
    "  bvhmill info -r takes --csv > takes.csv\n"
    "  bvhmill info --json *.bvh\n";

struct InfoFlags {
  RunOptions run;
  InputOptions input;
  ConvertOptions convert;
  bool json = false;
  bool csv = false;
};

// A line of a table for programs (RFC 4180).
std::string CsvLine(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& cell : cells) {
    line += line.empty() ? "" : ",";
    if (cell.find_first_of(",\"\n") == cell.npos) {
      line += cell;
      continue;
    }
    line += '"';
    for (const char c : cell) line += c == '"' ? "\"\"" : std::string(1, c);
    line += '"';
  }
  return line + "\n";
}

std::string JsonOf(const Input& input, const ClipInfo& info,
                   const std::optional<ClipMeasures>& measures) {
  std::string box = "null";
  if (measures && measures->extents) {
    box = JsonObject({{"min", JsonNumbers(measures->extents->least)},
                      {"max", JsonNumbers(measures->extents->greatest)}});
  }
  std::optional<std::string> root;
  if (measures) root = BodyRootName(info, *measures);
  return JsonObject(
             {{"file", JsonPath(input.path)},
              {"info", ClipInfoJson(info)},
              {"names", NamingJson(info)},
              {"extents", box},
              {"body_root", root ? JsonQuote(*root) : "null"},
              {"measures", measures ? MeasuresJson(*measures) : "null"}}) +
         "\n";
}

// Sets `row`, if it is not null, to the cells of the clip; else prints it.
Outcome DescribeOne(const InfoFlags& flags, const Session& session,
                    const Input& input, ClipProgress* progress,
                    std::vector<std::string>* row) {
  int64_t bytes = 0;
  const ConvertResult result = WithClip(
      session, input, flags.convert.report,
      [&](const ClipData& clip) {
        return session.engine->Validate(input.path, clip, flags.convert,
                                        session.cancel);
      },
      &bytes, progress);
  Outcome outcome = OutcomeOf(session, input, result);
  outcome.bytes = bytes;
  if (outcome.kind != Outcome::Kind::kGood) return outcome;
  if (row != nullptr) {
    *row = ClipCells(input.path, result.info, result.measures);
    if (flags.csv) outcome.data = CsvLine(*row);
  } else if (flags.json) {
    outcome.data = JsonOf(input, result.info, result.measures);
  } else {
    outcome.data = ClipFacts(input.path, result.info, result.measures,
                             flags.convert.edits.source.meters_per_unit);
  }
  return outcome;
}

int RunInfo(const CLI::App* app, InfoFlags* flags, Session* session) {
  std::string wrong = ChooseEngine(*session, &flags->run);
  if (wrong.empty()) {
    wrong = CompleteOptions(app, *session, nullptr, &flags->convert);
  }
  if (!wrong.empty()) return Misused(app, session, wrong);
  const auto inputs =
      TakeInputs(flags->input, std::nullopt, flags->run.quiet, *session);
  if (!inputs.ok()) {
    return Misused(app, session, std::string(MessageOf(inputs.status())));
  }
  flags->convert.measures = true;
  session->options = flags->run;
  const ExitCode exit = OpenEngine(session);
  if (exit != kExitGood) return exit;
  if (flags->csv) {
    session->console->PrintData(
        "clip,joints,frames,fps,seconds,height,names\n");
  }
  const bool is_table = flags->csv || (flags->input.recursive && !flags->json);
  std::vector<std::vector<std::string>> rows(is_table ? inputs->size() : 0);
  const Totals totals =
      RunClips(*session, *inputs, [&](size_t i, ClipProgress* progress) {
        return DescribeOne(*flags, *session, (*inputs)[i], progress,
                           is_table ? &rows[i] : nullptr);
      });
  std::erase_if(rows, [](const auto& row) { return row.empty(); });
  if (is_table && !flags->csv && !rows.empty()) {
    session->console->PrintData(
        RenderTable({ClipColumns().begin(), ClipColumns().end()},
                    std::move(rows), session->console->stdout_width()));
  }
  return totals.exit;
}

}  // namespace

Command AddInfo(CLI::App* parent) {
  const auto flags = std::make_shared<InfoFlags>();
  CLI::App* app = parent->add_subcommand(
      "info", "print joints, frames, rate, size and motion of clips");
  app->footer(kInfoExamples);
  AddInputOptions(app, &flags->input);
  AddOptionFlags(app, {OptionGroup::kReading}, &flags->convert);
  const auto json =
      app->add_flag("--json", flags->json, "print one line of JSON per clip")
          ->group("Output");
  app->add_flag("--csv", flags->csv,
                "print a table for programs; -r alone prints one for people")
      ->excludes(json)
      ->group("Output");
  AddBatchOptions(app, &flags->run);
  AddServerOptions(app, kConvertingServer, &flags->run.connect);
  AddLocalOptions(app, &flags->run);
  return {app, [app, flags](Session* session) {
            return RunInfo(app, flags.get(), session);
          }};
}

}  // namespace bvhmill::client
