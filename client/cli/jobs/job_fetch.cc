#include "client/cli/jobs/job_fetch.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <span>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/digest/sha256.h"
#include "bvhmill/encode/encoder.h"
#include "bvhmill/encode/npy.h"
#include "bvhmill/encode/report_json.h"
#include "bvhmill/wire/options.h"
#include "bvhmill/wire/result.h"
#include "client/cli/io/item_key.h"
#include "client/cli/jobs/job_server.h"
#include "client/cli/jobs/output_formats.h"
#include "client/cli/ui/issue_lines.h"
#include "client/cli/ui/text.h"

namespace bvhmill::client {
namespace {

constexpr int kPageSize = 200;

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

// The inputs of the results of a page, for the names of outputs and for
// messages.
std::vector<Input> InputsOf(const v1::ListJobResultsResponse& page,
                            OutputClaims* claims) {
  std::vector<Input> inputs;
  for (const v1::ClipResult& result : page.results()) {
    Input& input = inputs.emplace_back();
    input.base = NameOfKey(result.key());
    input.path =
        result.display_name().empty() ? result.key() : result.display_name();
    for (const v1::Output& output : result.outputs()) {
      input.bytes += output.size_bytes();
    }
  }
  // A server may have items of other clients, with any keys.
  ClaimOutputs(&inputs, claims);
  return inputs;
}

// Says what the report of a clip lacks; empty if it is whole.
std::string LeftOutNote(const v1::ClipResult& message, const Input& input) {
  std::string parts;
  for (const std::string& part : message.left_out()) {
    parts += (parts.empty() ? "" : ", ") + part;
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
  auto directory = OutputDir::Open(options_.output);
  if (!directory.ok()) return directory.status();
  directory_ = *std::move(directory);
  return absl::OkStatus();
}

// True if all outputs are in the folder, with the same bytes.
bool JobFetch::IsThere(const v1::ClipResult& message, const OutputRules& rules,
                       const Input& input) const {
  if (message.status().code() != 0 || message.outputs().empty()) return false;
  const std::string stem = options_.output + "/" + input.base;
  for (int i = 0; i < message.outputs_size(); ++i) {
    const OutputRequest& request = rules.requests[static_cast<size_t>(i)];
    const std::string path =
        stem + std::string(FormatOf(request.format).extension);
    const v1::Output& output = message.outputs(i);
    if (BlobOfFile(path, HeadOf(output)) != output.blob()) return false;
  }
  return !rules.report ||
         std::filesystem::exists(stem + std::string(kReportExtension));
}

ConvertResult JobFetch::FetchInto(const v1::ClipResult& message,
                                  const Input& input, ClipOutputs* outputs,
                                  int64_t* bytes) {
  ConvertResult result = wire::FromProto(message);
  if (result.status.ok()) {
    absl::Status stored = outputs->Begin(result.info, result.outputs);
    for (int i = 0; stored.ok() && i < message.outputs_size(); ++i) {
      stored = jobs_.Download(
          message.outputs(i).blob(),
          [&](std::string_view piece) {
            *bytes += static_cast<int64_t>(piece.size());
            return outputs->Data(static_cast<size_t>(i), piece);
          },
          session_.cancel);
    }
    result.status = stored;
    if (!stored.ok()) return result;
  }
  std::string report;
  if (rules_.report && HasReport(result)) {
    report = ReportJson(input.path, result.report, result.info);
  }
  const absl::Status named = result.status.ok()
                                 ? outputs->Commit(result, report)
                                 : outputs->CommitReport(report);
  if (!named.ok()) result.status = named;
  return result;
}

Outcome JobFetch::Fetch(const v1::ClipResult& message, const Input& input) {
  ConvertResult result;
  int64_t bytes = 0;
  result.status = input.status;
  bool is_there = false;
  OutputRules rules = rules_;
  if (result.status.ok()) {
    auto requests = RequestsOf(message, requests_);
    result.status = requests.status();
    if (requests.ok()) rules.requests = *std::move(requests);
  }
  if (result.status.ok()) {
    is_there = IsThere(message, rules, input);
    ClipOutputs outputs(*directory_, rules, input);
    const absl::StatusOr<bool> needed = is_there
                                            ? absl::StatusOr<bool>(false)
                                            : outputs.Prepare(session_.cancel);
    if (!needed.ok()) {
      result.status = needed.status();
    } else if (*needed) {
      result = FetchInto(message, input, &outputs, &bytes);
    }
  }
  Outcome outcome = OutcomeOf(session_, input, result);
  const bool is_known = message.status().code() != 0;
  if (is_known && !IsCancelled(session_.cancel)) {
    // The clip has failed, in any way; no call has. Others can be fetched.
    outcome.kind = Outcome::Kind::kFailed;
    outcome.diagnostics = "bvhmill: " + FailureLine(input.path, result) + "\n";
  }
  if (!is_there) outcome.diagnostics += LeftOutNote(message, input);
  outcome.bytes = bytes;
  if (is_there) outcome.kind = Outcome::Kind::kSkipped;
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
  totals->exit = std::max(totals->exit, some.exit);
}

ExitCode JobFetch::Run() {
  v1::Job job;
  if (const absl::Status opened = Open(&job); !opened.ok()) {
    return JobFailure(session_, opened);
  }
  Totals totals;
  totals.clips = job.items().total();
  v1::ListJobResultsRequest request;
  request.set_name(job.name());
  request.set_page_size(kPageSize);
  while (totals.exit <= kExitClipFailed) {
    const auto page = jobs_.Results(request, session_.cancel);
    if (!page.ok()) return JobFailure(session_, page.status());
    if (page->results().empty()) break;
    AddPage(*page, &totals);
    request.set_page_token(page->next_page_token());
    if (request.page_token().empty()) break;
  }
  if (!session_.options.quiet) {
    session_.console->PrintDiagnostics(Summary(totals, "fetched"));
  }
  const int64_t got = totals.good + totals.failed + totals.skipped;
  if (got >= totals.clips || totals.exit > kExitClipFailed) return totals.exit;
  session_.console->PrintDiagnostics(
      IsJobOver(job) ? "bvhmill: the job is " + StateWord(job.state()) +
                           "; the rest has no results\n"
                     : "bvhmill: the job still runs; fetch the rest later\n");
  return kExitClipFailed;
}

}  // namespace bvhmill::client
