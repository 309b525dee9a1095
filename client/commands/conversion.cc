#include "client/commands/conversion.h"

#include <chrono>
#include <unordered_map>
#include <utility>

#include "bvhmill/base/status.h"
#include "bvhmill/base/utf8.h"
#include "bvhmill/encode/report_json.h"
#include "client/issue_lines.h"
#include "client/table.h"
#include "client/text.h"

namespace bvhmill::client {
namespace {

absl::Status Refused(const std::string& why) {
  return MakeStatus(absl::StatusCode::kFailedPrecondition, why);
}

// Fails inputs whose outputs would leave the directory, or be those of an
// earlier input.
void ClaimOutputs(std::vector<Input>* inputs) {
  std::unordered_map<std::string, std::string> claims;
  for (Input& input : *inputs) {
    if (!input.status.ok()) continue;
    if (!StaysBelow(input.base)) {
      input.status = Refused(
          "its outputs would leave the output directory; a list names clips "
          "by relative paths without '..'");
      continue;
    }
    input.base = Normalized(input.base);
    const auto [claim, is_new] = claims.emplace(input.base, input.path);
    if (!is_new) {
      input.status =
          Refused("gives the same outputs as " + Printable(claim->second));
    }
  }
}

std::string QuotedList(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const std::string& text : texts) {
    out += (out.size() > 1 ? "," : "") + JsonQuote(text);
  }
  return out + "]";
}

}  // namespace

Conversion::Conversion(const ConversionOptions& options,
                       std::vector<Input> inputs, Session* session)
    : options_(options),
      session_(*session),
      inputs_(std::move(inputs)),
      lines_(session->console) {
  rules_.requests = options.convert.outputs;
  rules_.report = options.report;
  rules_.force = options.force;
  rules_.resume = options.resume;
  ClaimOutputs(&inputs_);
  for (const Input& input : inputs_) {
    if (input.is_stdin) continue;
    const std::optional<FileId> id = IdOfFile(input.path);
    if (id) rules_.inputs.insert(*id);
  }
}

ExitCode Conversion::Run() {
  const ExitCode exit = OpenEngine(&session_);
  if (exit != kExitGood) return exit;
  const absl::Status ready = OpenOutputs();
  if (!ready.ok()) {
    session_.console->Talk("bvhmill: " + std::string(MessageOf(ready)) + "\n");
    return kExitUsage;
  }
  rows_.resize(inputs_.size());
  Totals totals = RunClips(session_, static_cast<int64_t>(inputs_.size()),
                           [this](size_t index) { return ConvertOne(index); });
  if (lines_.failed()) totals.exit = std::max(totals.exit, kExitClipFailed);
  if (options_.table) session_.console->Data(Table());
  if (totals.exit == kExitInterrupted) {
    session_.console->Talk("bvhmill: interrupted; --resume goes on\n");
  }
  if (!session_.options.quiet) {
    session_.console->Talk(Summary(totals, "converted"));
  }
  if (!session_.options.quiet || options_.fail_on) {
    session_.console->Talk(codes_.Line(Severity::kWarning));
  }
  return totals.exit;
}

absl::Status Conversion::OpenOutputs() {
  absl::StatusOr<OutputDir> directory = OutputDir::Open(options_.output);
  if (!directory.ok()) return directory.status();
  directory_ = *std::move(directory);
  return lines_.Open(options_.report_jsonl, options_.force, options_.resume);
}

Outcome Conversion::ConvertOne(size_t index) {
  const auto start = std::chrono::steady_clock::now();
  const Input& input = inputs_[index];
  ClipOutputs outputs(*directory_, rules_, input.base);
  ConvertResult result;
  IssueView view = ViewFor(session_.console->talks_to_terminal());
  int64_t bytes = 0;
  const absl::StatusOr<bool> needed =
      input.status.ok() ? outputs.Prepare() : true;
  if (!needed.ok()) {
    result.status = needed.status();
  } else if (*needed) {
    result = ConvertInto(input, &outputs, &view, &bytes);
  }
  Outcome outcome = OutcomeOf(session_, input, result, view);
  outcome.bytes = bytes;
  Warn(input, result.report, view, &outcome);
  if (needed.ok() && !*needed) {
    outcome.kind = Outcome::Kind::kSkipped;
  } else if (outcome.kind == Outcome::Kind::kGood ||
             outcome.kind == Outcome::Kind::kFailed ||
             outcome.kind == Outcome::Kind::kServerError) {
    PutLine(input, result, outputs);
  }
  const std::chrono::duration<double> time =
      std::chrono::steady_clock::now() - start;
  rows_[index] = MakeRow(result, outputs, outcome, time.count());
  return outcome;
}

// Shows the warnings of a clip that was converted, or fails by them.
void Conversion::Warn(const Input& input, const Report& report,
                      const IssueView& view, Outcome* outcome) {
  const bool fails_by_them = outcome->kind == Outcome::Kind::kFailed &&
                             !Passes(report, options_.fail_on);
  const bool speaks = outcome->kind == Outcome::Kind::kGood || fails_by_them;
  if (!speaks || !IsGood(report.verdict)) return;
  codes_.Add(report);
  if (session_.options.quiet) return;
  outcome->talk.insert(0, WarningText(input.path, report, view));
}

ConvertResult Conversion::ConvertInto(const Input& input, ClipOutputs* outputs,
                                      IssueView* view, int64_t* bytes) {
  ConvertResult result = WithClip(
      session_, input, options_.convert.report,
      [&](const ClipData& clip) {
        ConvertResult made = session_.engine->Convert(
            input.path, clip, options_.convert, outputs, session_.cancel);
        TakeLinesOf(input, clip, made.report, view);
        return made;
      },
      bytes);
  // Nothing is kept of a clip that was given up half-way.
  if (absl::IsCancelled(result.status) || !outputs->status().ok()) {
    return result;
  }
  if (result.status.ok() && !Passes(result.report, options_.fail_on)) {
    result.status = Refused("has " + FaultCounts(result.report.counts) +
                            "; --fail-on warning keeps no outputs of it");
  }
  std::string report;
  if (options_.report && HasReport(result)) {
    report = ReportJson(ToUtf8(input.path), result.report, result.info);
  }
  const absl::Status stored = result.status.ok()
                                  ? outputs->Commit(result, report)
                                  : outputs->CommitReport(report);
  if (!stored.ok()) result.status = stored;
  return result;
}

void Conversion::PutLine(const Input& input, const ConvertResult& result,
                         const ClipOutputs& outputs) {
  if (!lines_.is_open()) return;
  std::string line = "{\"file\":" + JsonQuote(input.path) + ",\"status\":" +
                     JsonQuote(absl::StatusCodeToString(result.status.code()));
  if (!result.status.ok()) {
    line += ",\"message\":" + JsonQuote(MessageOf(result.status));
  }
  line += ",\"outputs\":" + QuotedList(outputs.paths());
  if (HasReport(result)) {
    // {"report": ..., "info": ...}, opened up.
    line += "," + ReportJson("", result.report, result.info).substr(1);
  } else {
    line += "}";
  }
  lines_.Put(line);
}

Conversion::Row Conversion::MakeRow(const ConvertResult& result,
                                    const ClipOutputs& outputs,
                                    const Outcome& outcome,
                                    double seconds) const {
  using Kind = Outcome::Kind;
  Row row;
  if (HasReport(result)) {
    row.warnings = std::to_string(result.report.counts.warnings);
  }
  if (!result.info.joints.empty()) {
    row.joints = std::to_string(result.info.joint_count);
    row.frames = std::to_string(result.info.frames);
  }
  switch (outcome.kind) {
    case Kind::kGood:
      row.verdict = VerdictName(result.report.verdict);
      row.rate = Rate(outcome.bytes, seconds);
      break;
    case Kind::kFailed:
    case Kind::kServerError:
      row.verdict = HasReport(result) && !IsGood(result.report.verdict)
                        ? VerdictName(result.report.verdict)
                        : "failed";
      break;
    case Kind::kSkipped:
      row.verdict = "skipped";
      break;
    default:
      return row;
  }
  row.outputs = std::to_string(outputs.paths().size());
  return row;
}

std::string Conversion::Table() const {
  std::vector<std::vector<std::string>> cells;
  for (size_t i = 0; i < rows_.size(); ++i) {
    const Row& row = rows_[i];
    cells.push_back({Printable(inputs_[i].path), row.joints, row.frames,
                     row.verdict, row.warnings, row.outputs, row.rate});
  }
  return RenderTable({{"CLIP", Align::kLeft},
                      {"JOINTS", Align::kRight},
                      {"FRAMES", Align::kRight},
                      {"VERDICT", Align::kLeft},
                      {"WARNINGS", Align::kRight},
                      {"OUTPUTS", Align::kRight},
                      {"MB/s", Align::kRight}},
                     cells);
}

}  // namespace bvhmill::client
