#include "client/cli/jobs/submission.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <random>
#include <set>
#include <utility>

#include "bvhmill/base/status.h"
#include "bvhmill/base/utf8.h"
#include "bvhmill/digest/sha256.h"
#include "bvhmill/wire/options.h"
#include "bvhmill/wire/source.h"
#include "client/cli/batch.h"
#include "client/cli/claims.h"
#include "client/cli/fixed_order.h"
#include "client/cli/io/item_key.h"
#include "client/cli/io/posix_files.h"
#include "client/cli/io/read_clip.h"
#include "client/cli/jobs/job_server.h"
#include "client/cli/ui/text.h"

namespace bvhmill::client {
namespace {

constexpr size_t kFileBytes = size_t{1} << 20;
constexpr size_t kNamesAtOnce = 2000;

absl::Status CannotRead(int error) {
  return MakeStatus(absl::StatusCode::kNotFound,
                    "cannot be read: " + ErrnoText(error));
}

absl::Status ReadAt(int fd, int64_t offset, size_t size, std::string* bytes) {
  bytes->resize(size);
  size_t done = 0;
  while (done < size) {
    const ssize_t got = pread(fd, bytes->data() + done, size - done,
                              offset + static_cast<int64_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return CannotRead(errno);
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  bytes->resize(done);
  return absl::OkStatus();
}

absl::Status OpenInput(const Input& input, UniqueFd* file) {
  if (!input.status.ok()) return input.status;
  if (input.is_stdin) {
    return MakeStatus(absl::StatusCode::kFailedPrecondition,
                      "a job takes files, not stdin");
  }
  *file = UniqueFd(open(input.path.c_str(), O_RDONLY | O_CLOEXEC));
  return file->valid() ? absl::OkStatus() : CannotRead(errno);
}

v1::ContentEncoding EncodingOnWire(Encoding encoding) {
  switch (encoding) {
    case Encoding::kGzip:
      return v1::CONTENT_ENCODING_GZIP;
    case Encoding::kZstd:
      return v1::CONTENT_ENCODING_ZSTD;
    case Encoding::kIdentity:
      break;
  }
  return v1::CONTENT_ENCODING_IDENTITY;
}

std::string RandomWord() {
  std::random_device random;
  std::string word;
  for (int i = 0; i < 4; ++i) word += std::to_string(random()) + "-";
  return word;
}

}  // namespace

Submission::Submission(const SubmitOptions& options, std::vector<Input> inputs,
                       const JobClient& jobs, Session* session)
    : options_(options),
      inputs_(std::move(inputs)),
      jobs_(jobs),
      session_(*session) {
  ClaimOutputs(&inputs_);
  sources_.resize(inputs_.size());
}

// Computes the name of the blob of an input.
Outcome Submission::AddSource(size_t index) {
  const Input& input = inputs_[index];
  Source& source = sources_[index];
  ConvertResult result;
  UniqueFd file;
  result.status = OpenInput(input, &file);
  Sha256 digest;
  std::string piece;
  while (result.status.ok()) {
    if (IsCancelled(session_.cancel)) {
      result.status = absl::CancelledError("");
      break;
    }
    result.status = ReadAt(file.get(), source.bytes, kFileBytes, &piece);
    digest.Add(piece);
    source.bytes += static_cast<int64_t>(piece.size());
    if (piece.size() < kFileBytes) break;
  }
  if (result.status.ok()) {
    source.blob = "blobs/" + digest.Finish();
    source.is_good = true;
  }
  Outcome outcome = OutcomeOf(session_, input, result);
  outcome.bytes = source.bytes;
  return outcome;
}

absl::Status Submission::FindMissing(std::vector<size_t>* missing) {
  std::map<std::string, size_t> first;
  for (size_t i = 0; i < sources_.size(); ++i) {
    if (sources_[i].is_good) first.emplace(sources_[i].blob, i);
  }
  std::vector<std::string> names;
  for (auto next = first.begin(); next != first.end();) {
    names.clear();
    for (; next != first.end() && names.size() < kNamesAtOnce; ++next) {
      names.push_back(next->first);
    }
    auto lacks = jobs_.FindMissing(names, session_.cancel);
    if (!lacks.ok()) return lacks.status();
    for (const std::string& name : *lacks) {
      const auto found = first.find(name);
      if (found != first.end()) missing->push_back(found->second);
    }
  }
  std::sort(missing->begin(), missing->end());
  return absl::OkStatus();
}

Outcome Submission::Upload(const Input& input, const Source& source,
                           ClipProgress* progress) {
  ConvertResult result;
  UniqueFd file;
  result.status = OpenInput(input, &file);
  if (result.status.ok()) {
    result.status = jobs_.Upload(
        source.blob, source.bytes,
        [&](int64_t offset, size_t size, std::string* bytes) {
          return ReadAt(file.get(), offset, size, bytes);
        },
        progress, session_.cancel);
  }
  Outcome outcome = OutcomeOf(session_, input, result);
  outcome.bytes = source.bytes;
  return outcome;
}

ExitCode Submission::UploadMissing(const std::vector<size_t>& missing) {
  std::vector<Input> inputs;
  for (const size_t index : missing) inputs.push_back(inputs_[index]);
  const Totals totals =
      RunClips(session_, inputs, [&](size_t i, ClipProgress* progress) {
        return Upload(inputs[i], sources_[missing[i]], progress);
      });
  uploaded_bytes_ = totals.bytes;
  if (totals.exit == kExitInterrupted) {
    session_.console->PrintDiagnostics(
        "bvhmill: interrupted; the same command goes on\n");
  }
  return totals.exit;
}

v1::CreateJobRequest Submission::Request() const {
  v1::CreateJobRequest request;
  request.set_display_name(ToUtf8(options_.display_name));
  *request.mutable_options() = wire::ToProto(options_.convert);
  int64_t bytes = 0;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (!sources_[i].is_good) continue;
    const Input& input = inputs_[i];
    v1::JobItem* const item = request.add_items();
    item->set_key(KeyOfName(input.base));
    v1::BlobSource* const source = item->mutable_source();
    source->set_blob(sources_[i].blob);
    source->set_encoding(EncodingOnWire(EncodingOf(input)));
    source->set_display_name(ToUtf8(input.path));
    source->set_format(wire::ToProto(input.format));
    bytes += sources_[i].bytes;
  }
  auto& annotations = *request.mutable_annotations();
  annotations[kBytesAnnotation] = std::to_string(bytes);
  if (options_.report) annotations[kReportAnnotation] = "1";
  // The same command on the same files is the same job, so that a command that
  // was interrupted makes no second one.
  std::string content = session_.engine->Build() + "\n";
  content += options_.again ? RandomWord() : std::string();
  v1::CreateJobRequest plain = request;
  plain.clear_annotations();
  content += InFixedOrder(plain);
  content += options_.report ? "report" : "";
  request.set_request_id(Sha256Of(content));
  return request;
}

ExitCode Submission::Run() {
  const Totals read = RunClips(
      session_, inputs_,
      [this](size_t index, ClipProgress*) { return AddSource(index); });
  if (read.exit == kExitInterrupted || read.good == 0) return read.exit;
  std::vector<size_t> missing;
  const absl::Status found = FindMissing(&missing);
  if (!found.ok()) return JobFailure(session_, found);
  if (!missing.empty()) {
    const ExitCode uploaded = UploadMissing(missing);
    if (uploaded != kExitGood) return uploaded;
  }
  const auto job = jobs_.Create(Request(), session_.cancel);
  if (!job.ok()) return JobFailure(session_, job.status());
  session_.console->PrintData(job->name() + "\n");
  if (!session_.options.quiet) {
    session_.console->PrintDiagnostics(
        "submitted " + Count(read.good, "clip") + ", uploaded " +
        Count(static_cast<int64_t>(missing.size()), "file") + " of " +
        Megabytes(uploaded_bytes_) + "\n");
  }
  if (!options_.wait) return read.exit;
  return std::max(read.exit, AwaitJob(jobs_, session_, job->name()));
}

}  // namespace bvhmill::client
