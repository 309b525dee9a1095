#include "client/cli/jobs/job_fetch.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <span>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "bvhmill/digest/sha256.h"
#include "bvhmill/encode/encode.h"
#include "bvhmill/encode/npy.h"
#include "bvhmill/encode/report_json.h"
#include "bvhmill/files/outputs.h"
#include "bvhmill/wire/options.h"
#include "bvhmill/wire/result.h"
#include "client/cli/jobs/job_server.h"
#include "client/cli/ui/issue_lines.h"

namespace bvhmill::client {
namespace {

constexpr int kPageSize = 200;
// Bounds the sizes that a server states, so that the sum of a page is in range.
constexpr int64_t kMaxShown = int64_t{1} << 50;

// The part of the file of an output that is not in its blob.
std::string HeadOf(const v1::Output& output) {
  if (!output.has_tensor()) return "";
  const auto& shape = output.tensor().shape();
  return NpyHeader("<f4", std::vector<int64_t>(shape.begin(), shape.end()));
}

// The digest of the file at `path` after `head`, as the name of a blob; empty
// if it cannot be read, or does not begin with `head`.
std::string BlobOfFile(const std::string& path, const std::string& head) {
  std::ifstream file(path, std::ios::binary);
  std::string piece(head.size(), '\0');
  file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
  if (!file || piece != head) return "";
  Sha256 digest;
  piece.resize(size_t{1} << 20);
  while (file) {
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    digest.Add({piece.data(), static_cast<size_t>(file.gcount())});
  }
  return "blobs/" + digest.Finish();
}

// True if the file at `path` has this text.
bool HasText(const std::string& path, const std::string& text) {
  std::ifstream file(path, std::ios::binary);
  std::string found(text.size() + 1, '\0');
  file.read(found.data(), static_cast<std::streamsize>(found.size()));
  found.resize(static_cast<size_t>(file.gcount()));
  return found == text;
}

// The inputs of the results of a page, for the names of outputs and for
// messages.
std::vector<Input> InputsOf(const v1::ListJobResultsResponse& page,
                            OutputClaims* claims) {
  std::vector<Input> inputs;
  for (const v1::ClipResult& result : page.results()) {
    Input& input = inputs.emplace_back();
    input.base = NameOfKey(result.key());
    input.path = NameOfKey(
        result.display_name().empty() ? result.key() : result.display_name());
    for (const v1::Output& output : result.outputs()) {
      input.bytes += std::clamp<int64_t>(output.size_bytes(), 0, kMaxShown);
    }
  }
  // A server may have items of other clients, with any keys.
  ClaimOutputs(&inputs, claims);
  return inputs;
}

// The error for a server that sends pages without end.
absl::Status TooManyResults(int64_t clips) {
  return MakeStatus(absl::StatusCode::kInternal,
                    "the server's answer is broken: more results than the " +
                        std::to_string(clips) + " of the job");
}

// A note about what the report of a clip lacks; empty if it is complete.
std::string LeftOutNote(const v1::ClipResult& message, const Input& input) {
  std::string parts;
  for (const std::string& part : message.left_out()) {
    parts += (parts.empty() ? "" : ", ") + Printable(part);
  }
  if (parts.empty()) return parts;
  return Printable(input.path) + ": note: its result is too large and lacks " +
         parts + "\n";
}

}  // namespace

absl::Status JobFetch::Open(v1::Job* job) {
  auto found = jobs_.Get(options_.name, session_.cancel);
  if (!found.ok()) return found.status();
  *job = *std::move(found);
  ConvertOptions convert;
  BVHMILL_RETURN_IF_ERROR(wire::FromProto(job->options(), &convert));
  requests_ = convert.outputs;
  rules_.report = job->annotations().contains(kReportAnnotation);
  rules_.force = options_.force;
  return absl::OkStatus();
}

// True if all files of a clip are in the folder, with the same bytes; false if
// it has none.
bool JobFetch::IsThere(const v1::ClipResult& message, const OutputRules& rules,
                       const Input& input, const std::string& report) const {
  if (message.outputs().empty() && report.empty()) return false;
  const std::string stem = options_.output + "/" + input.base;
  for (int i = 0; i < message.outputs_size(); ++i) {
    const OutputRequest& request = rules.requests[static_cast<size_t>(i)];
    const std::string path =
        stem + std::string(FormatOf(request.format).extension);
    const v1::Output& output = message.outputs(i);
    if (output.has_status()) continue;
    if (BlobOfFile(path, HeadOf(output)) != output.blob()) return false;
  }
  return report.empty() ||
         HasText(stem + std::string(kReportExtension), report + "\n");
}

absl::Status JobFetch::FetchInto(const v1::ClipResult& message,
                                 const ConvertResult& result,
                                 const std::string& report,
                                 ClipOutputs* outputs, int64_t* bytes) {
  if (!result.status.ok()) return outputs->CommitReport(report);
  BVHMILL_RETURN_IF_ERROR(outputs->Begin(result.info, result.outputs));
  for (int i = 0; i < message.outputs_size(); ++i) {
    if (message.outputs(i).has_status()) continue;
    BVHMILL_RETURN_IF_ERROR(jobs_.Download(
        message.outputs(i).blob(), message.outputs(i).size_bytes(),
        [&](std::string_view piece) {
          *bytes += static_cast<int64_t>(piece.size());
          return outputs->Data(static_cast<size_t>(i), piece);
        },
        session_.cancel));
  }
  return outputs->Commit(result, report);
}

// Fetches the outputs and the report of a clip, unless they are in the folder.
absl::Status JobFetch::FetchFiles(const v1::ClipResult& message,
                                  const ConvertResult& result,
                                  const Input& input, bool* is_there,
                                  int64_t* bytes) {
  BVHMILL_RETURN_IF_ERROR(input.status);
  OutputRules rules = rules_;
  auto requests = RequestsOf(message, requests_);
  if (!requests.ok()) return requests.status();
  rules.requests = *std::move(requests);
  std::string report;
  if (rules.report && HasReport(result)) {
    report = ReportJson(KeyOfName(input.path), result.report, result.info);
  }
  *is_there = IsThere(message, rules, input, report);
  if (*is_there) return absl::OkStatus();
  ClipOutputs outputs(*directory_, rules, input);
  const absl::StatusOr<bool> needed = outputs.Prepare(session_.cancel);
  if (!needed.ok()) return needed.status();
  return FetchInto(message, result, report, &outputs, bytes);
}

Outcome JobFetch::Fetch(const v1::ClipResult& message, const Input& input) {
  ConvertResult result = ReadResult(message);
  const bool has_failed = !FirstFailure(result).ok();
  bool is_there = false;
  int64_t bytes = 0;
  const absl::Status fetched =
      FetchFiles(message, result, input, &is_there, &bytes);
  const std::string why =
      result.status.ok() ? OutcomeOf(session_, input, result).diagnostics
                         : "bvhmill: " + FailureLine(input.path, result) + "\n";
  result.status = fetched;
  result.outputs.clear();
  Outcome outcome = OutcomeOf(session_, input, result);
  if (has_failed && outcome.kind != Outcome::Kind::kCancelled) {
    // The clip has failed; others can be fetched.
    if (fetched.ok()) outcome.kind = Outcome::Kind::kFailed;
    outcome.diagnostics.insert(0, why);
  } else if (is_there) {
    outcome.kind = Outcome::Kind::kSkipped;
  }
  if (!is_there) outcome.diagnostics += LeftOutNote(message, input);
  outcome.bytes = bytes;
  return outcome;
}

void JobFetch::AddPage(const v1::ListJobResultsResponse& page, Totals* totals) {
  const std::vector<Input> inputs = InputsOf(page, &claims_);
  const Totals some =
      RunClips(session_, inputs, [&](size_t i, ClipProgress* /*progress*/) {
        return Fetch(page.results(static_cast<int>(i)), inputs[i]);
      });
  totals->good += some.good;
  totals->failed += some.failed;
  totals->skipped += some.skipped;
  totals->bytes += some.bytes;
  totals->seconds += some.seconds;
  totals->is_cut = totals->is_cut || some.is_cut;
  totals->exit = std::max(totals->exit, some.exit);
}

ExitCode JobFetch::Run() {
  v1::Job job;
  if (const absl::Status opened = Open(&job); !opened.ok()) {
    return JobFailure(session_, opened);
  }
  auto directory = OutputDir::Open(options_.output);
  if (!directory.ok()) {
    session_.console->PrintDiagnostics(
        "bvhmill: " + std::string(MessageOf(directory.status())) + "\n");
    return kExitUsage;
  }
  directory_ = *std::move(directory);
  Totals totals;
  totals.clips = job.items().total();
  v1::ListJobResultsRequest request;
  request.set_name(job.name());
  request.set_page_size(kPageSize);
  PageBounds bounds;
  int64_t results = 0;
  while (!totals.is_cut) {
    const auto page = jobs_.Results(request, session_.cancel);
    if (!page.ok()) return JobFailure(session_, page.status());
    if (page->results().empty()) break;
    results += page->results_size();
    absl::Status fits = bounds.Take(page->next_page_token(), /*bytes=*/0);
    if (results > job.items().total()) fits = TooManyResults(totals.clips);
    if (!fits.ok()) return JobFailure(session_, fits);
    AddPage(*page, &totals);
    request.set_page_token(page->next_page_token());
    if (request.page_token().empty()) break;
  }
  if (!session_.options.quiet) {
    session_.console->PrintDiagnostics(Summary(totals, "fetched"));
  }
  const int64_t got = totals.good + totals.failed + totals.skipped;
  if (got >= totals.clips || totals.is_cut) return totals.exit;
  session_.console->PrintDiagnostics(
      IsJobOver(job) ? "bvhmill: the job is " + StateWord(job.state()) +
                           "; the rest has no results\n"
                     : "bvhmill: the job still runs; fetch the rest later\n");
  return std::max(totals.exit, kExitClipFailed);
}

}  // namespace bvhmill::client
