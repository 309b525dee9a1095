#include "client/cli/jobs/submission.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <random>
#include <set>
#include <utility>

#include "bvhmill/base/limits.h"
#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "bvhmill/digest/sha256.h"
#include "bvhmill/files/outputs.h"
#include "bvhmill/files/posix_files.h"
#include "bvhmill/wire/options.h"
#include "client/cli/batch.h"
#include "client/cli/io/read_clip.h"
#include "client/cli/jobs/job_server.h"
#include "client/cli/manifest.h"

namespace bvhmill::client {
namespace {

constexpr size_t kFileBytes = size_t{1} << 20;
constexpr size_t kNamesAtOnce = 2000;
// The longest key that servers accept, in bytes: ClipHeader.key of the API.
constexpr size_t kMaxKeyBytes = 1024;

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

// Leaves out a clip with a longer key, for which servers refuse the whole job.
void CheckKey(Input* input) {
  const size_t bytes = KeyOfName(input->base).size();
  if (!input->status.ok() || bytes <= kMaxKeyBytes) return;
  input->status = MakeStatus(absl::StatusCode::kFailedPrecondition,
                             "its name takes " + std::to_string(bytes) +
                                 " bytes in a job, more than " +
                                 std::to_string(kMaxKeyBytes));
}

// True if the file is the reason why its upload failed: others can be uploaded.
bool IsFaultOfFile(const absl::Status& status) {
  const CallError error = CallErrorOf(status);
  const bool is_too_large =
      error.reason == kLimitExceeded && error.limit_name == "max_blob_bytes";
  return is_too_large || error.reason == "DIGEST_MISMATCH" ||
         absl::IsNotFound(status);
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
  for (Input& input : inputs_) CheckKey(&input);
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
    if (source.bytes == 0) source.encoding = EncodingOfFile(input.path, piece);
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
  const bool is_lost = outcome.kind == Outcome::Kind::kFailed;
  if (is_lost && !IsFaultOfFile(result.status)) may_make_job_ = false;
  return outcome;
}

// Uploads the files at these indices. Leaves a file out of the job if it is the
// reason why its upload failed.
ExitCode Submission::UploadMissing(const std::vector<size_t>& missing) {
  std::vector<Input> inputs;
  for (const size_t index : missing) inputs.push_back(inputs_[index]);
  // Each is written by one thread.
  std::vector<uint8_t> has_failed(missing.size(), 0);
  const Totals totals =
      RunClips(session_, inputs, [&](size_t i, ClipProgress* progress) {
        Outcome outcome = Upload(inputs[i], sources_[missing[i]], progress);
        has_failed[i] = outcome.kind == Outcome::Kind::kFailed ? 1 : 0;
        return outcome;
      });
  uploaded_files_ = totals.good;
  uploaded_bytes_ = totals.bytes;
  for (size_t i = 0; i < missing.size(); ++i) {
    if (has_failed[i] != 0) LeaveOut(sources_[missing[i]].blob);
  }
  if (totals.exit == kExitInterrupted) {
    session_.console->PrintDiagnostics(
        "bvhmill: interrupted; the same command goes on\n");
  }
  return totals.exit;
}

// Several files may have the same bytes.
void Submission::LeaveOut(const std::string& blob) {
  for (Source& source : sources_) {
    if (source.blob == blob) source.is_good = false;
  }
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
    source->set_encoding(OnWire(sources_[i].encoding));
    source->set_display_name(KeyOfName(input.path));
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

// Checks the limits of the server before files are uploaded, which may need
// hours.
absl::Status Submission::CheckSize(const v1::CreateJobRequest& request) const {
  const JobLimits limits = session_.engine->LimitsOfJobs();
  const auto clips = static_cast<int64_t>(request.items_size());
  const auto bytes = static_cast<int64_t>(request.ByteSizeLong());
  int64_t most = clips;
  if (Exceeds(clips, limits.clips)) most = limits.clips;
  if (Exceeds(bytes, limits.request_bytes)) {
    const double part =
        static_cast<double>(limits.request_bytes) / static_cast<double>(bytes);
    most =
        std::min(most, static_cast<int64_t>(part * static_cast<double>(clips)));
  }
  if (most == clips) return absl::OkStatus();
  return MakeStatus(absl::StatusCode::kResourceExhausted,
                    "a job of " + Count(clips, "clip") +
                        " is too large for the server, which takes about " +
                        std::to_string(most) +
                        " clips with such names; submit parts of the folder");
}

// Makes the job, or sets `lacks_sources`. The server checks the bounds of a job
// before it looks for the sources, so a job that it has no room for is refused
// before anything is uploaded.
ExitCode Submission::Make(const v1::CreateJobRequest& request,
                          bool* lacks_sources) {
  const auto job = jobs_.Create(request, session_.cancel);
  if (!job.ok() && lacks_sources != nullptr) {
    *lacks_sources = CallErrorOf(job.status()).reason == "BLOBS_MISSING";
    if (*lacks_sources) return kExitGood;
  }
  if (!job.ok()) return JobFailure(session_, job.status());
  session_.console->PrintData(Printable(job->name()) + "\n");
  ExitCode exit = kExitGood;
  if (session_.console->data_lost()) {
    session_.console->PrintDiagnostics("bvhmill: the name of the job is " +
                                       Printable(job->name()) + "\n");
    exit = kExitClipFailed;
  }
  if (!session_.options.quiet) {
    session_.console->PrintDiagnostics(
        "submitted " + Count(request.items_size(), "clip") + ", uploaded " +
        Count(uploaded_files_, "file") + " of " + Megabytes(uploaded_bytes_) +
        "\n");
  }
  if (options_.wait) {
    return std::max(exit, AwaitJob(jobs_, session_, job->name()));
  }
  if (!IsJobOver(*job)) return exit;
  // No new job is over so soon.
  session_.console->PrintDiagnostics(
      "bvhmill: this job was made before and is " + StateWord(job->state()) +
      "; --again makes another one\n");
  return job->state() == v1::JOB_STATE_CANCELLED ? kExitClipFailed : exit;
}

ExitCode Submission::Run() {
  const Totals read = RunClips(
      session_, inputs_,
      [this](size_t index, ClipProgress*) { return AddSource(index); });
  if (read.exit == kExitInterrupted || read.good == 0) return read.exit;
  const absl::Status fits = CheckSize(Request());
  if (!fits.ok()) {
    session_.console->PrintDiagnostics(
        "bvhmill: " + std::string(MessageOf(fits)) + "\n");
    return kExitServerError;
  }
  std::vector<size_t> missing;
  const absl::Status found = FindMissing(&missing);
  if (!found.ok()) return JobFailure(session_, found);
  ExitCode exit = read.exit;
  if (!missing.empty()) {
    bool lacks_sources = false;
    const ExitCode made = Make(Request(), &lacks_sources);
    if (!lacks_sources) return std::max(exit, made);
    exit = std::max(exit, UploadMissing(missing));
  }
  if (exit > kExitClipFailed) return exit;
  const v1::CreateJobRequest request = Request();
  if (!may_make_job_ || request.items().empty()) {
    session_.console->PrintDiagnostics("bvhmill: no job was made\n");
    return exit;
  }
  return std::max(exit, Make(request, nullptr));
}

}  // namespace bvhmill::client
