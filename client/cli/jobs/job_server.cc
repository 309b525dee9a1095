#include "client/cli/jobs/job_server.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "bvhmill/encode/encode.h"
#include "client/cli/ui/progress.h"
#include "client/cli/ui/tls_advice.h"

namespace bvhmill::client {
namespace {

const Format* FormatNamed(const v1::Output& output,
                          std::span<const OutputRequest> requests) {
  for (const OutputRequest& request : requests) {
    const Format& format = FormatOf(request.format);
    if (OutputId(request) == output.id() &&
        format.media_type == output.media_type()) {
      return &format;
    }
  }
  const Format* of_media_type = nullptr;
  int same = 0;
  for (const Format& format : Formats()) {
    if (format.media_type != output.media_type()) continue;
    if (format.name == output.id()) return &format;
    of_media_type = &format;
    ++same;
  }
  return same == 1 ? of_media_type : nullptr;
}

absl::Status Refused(const v1::Output& output, const std::string& why) {
  return MakeStatus(absl::StatusCode::kFailedPrecondition,
                    "its output '" + Printable(output.id()) + "' " + why);
}

}  // namespace

absl::StatusOr<std::vector<OutputRequest>> RequestsOf(
    const v1::ClipResult& result, std::span<const OutputRequest> requests) {
  std::vector<OutputRequest> found;
  std::set<std::string_view> extensions;
  for (const v1::Output& output : result.outputs()) {
    const Format* const format = FormatNamed(output, requests);
    if (format == nullptr) {
      return Refused(output, "is of a format that this program does not know");
    }
    if (!extensions.insert(format->extension).second) {
      return Refused(output, "would have the file of another one");
    }
    found.push_back({output.id(), format->defaults});
  }
  return found;
}

namespace {

constexpr char kPrefix[] = "jobs/";

bool ShowsProgress(const Session& session) {
  const RunOptions& options = session.options;
  if (options.quiet || options.progress == ProgressMode::kNever) return false;
  return options.progress == ProgressMode::kAlways ||
         session.console->stderr_is_terminal();
}

// The line of a job that runs: items, bytes, rate, time left. Assumes that all
// items have the same number of bytes.
std::string ProgressOf(const v1::Job& job, int64_t done_before,
                       double seconds) {
  const v1::ItemCounts& items = job.items();
  const int64_t done = items.ok() + items.failed();
  const int64_t here = done - done_before;
  const auto bytes_of = job.annotations().find(kBytesAnnotation);
  const int64_t all = bytes_of == job.annotations().end()
                          ? 0
                          : std::atoll(bytes_of->second.c_str());
  const double part =
      items.total() == 0
          ? 0
          : static_cast<double>(all) / static_cast<double>(items.total());
  const auto bytes = [&](int64_t count) {
    return static_cast<int64_t>(part * static_cast<double>(count));
  };
  std::string line = std::to_string(done) + "/" + Count(items.total(), "clip") +
                     ", " + Megabytes(bytes(done)) + ", " +
                     Rate(bytes(here), seconds) + " MB/s";
  if (here > 0 && done < items.total() && seconds > 0.5) {
    const double left = seconds * static_cast<double>(items.total() - done) /
                        static_cast<double>(here);
    line += ", " + ClockTime(std::chrono::seconds(static_cast<int64_t>(left))) +
            " left";
  }
  if (job.has_blocked()) {
    line += job.blocked().info().reason() == "JOBS_BUSY"
                ? ", waiting for its turn"
                : ", blocked";
  }
  return line;
}

}  // namespace

void AddJobOptions(CLI::App* app, RunOptions* run, std::string* name) {
  if (name != nullptr) {
    app->add_option("JOB", *name, "name of the job, as submit prints it")
        ->required()
        ->group("Job");
  }
  AddServerOptions(app, "server of the job", &run->connect);
}

void AwaitServer(const RunOptions& run, const Session& session) {
  constexpr std::chrono::milliseconds kPause(500);
  if (run.connect.server.empty()) return;
  const auto end = std::chrono::steady_clock::now() + run.connect.busy_timeout;
  bool is_first = true;
  while (std::chrono::steady_clock::now() < end) {
    const absl::Status connected =
        Client::Connect(run.connect, session.cancel).status();
    const bool waits = CallErrorOf(connected).reason == kServerUnreachable &&
                       !IsCancelled(session.cancel) &&
                       TlsAdvice(CheckTls(run.connect)).empty();
    if (!waits) return;
    if (std::exchange(is_first, false) && !run.quiet) {
      session.console->PrintDiagnostics(
          "bvhmill: " + Printable(run.connect.server) +
          " does not answer; waiting for it for a minute\n");
    }
    std::this_thread::sleep_for(kPause);
  }
}

std::unique_ptr<JobClient> OpenJobs(const CLI::App* app, const RunOptions& run,
                                    Session* session, ExitCode* exit) {
  if (run.connect.server.empty()) {
    *exit = static_cast<ExitCode>(
        Misused(app, session,
                "no server is named; use --server HOST:PORT, or set "
                "BVHMILL_SERVER"));
    return nullptr;
  }
  session->options = run;
  auto client = ConnectOrReport(*session, "", exit);
  if (client == nullptr) return nullptr;
  session->engine = std::make_unique<RemoteEngine>(std::move(client));
  auto jobs = JobClient::Open(run.connect);
  if (jobs.ok()) return *std::move(jobs);
  *exit = JobFailure(*session, jobs.status());
  return nullptr;
}

std::string JobName(const std::string& word) {
  return word.starts_with(kPrefix) ? word : kPrefix + word;
}

ExitCode JobFailure(const Session& session, const absl::Status& status) {
  if (absl::IsCancelled(status) && IsCancelled(session.cancel)) {
    session.console->PrintDiagnostics("bvhmill: interrupted\n");
    return kExitInterrupted;
  }
  const std::string message(MessageOf(status));
  if (CallErrorOf(status).reason == kServerUnreachable) {
    session.console->PrintDiagnostics("bvhmill: " + message + "\n");
    return kExitUnreachable;
  }
  session.console->PrintDiagnostics(
      "bvhmill: the server refuses: " +
      std::string(absl::StatusCodeToString(status.code())) + ": " + message +
      "\n");
  return kExitServerError;
}

std::string StateWord(v1::JobState state) {
  constexpr size_t kStatePrefix = 10;
  const std::string name = v1::JobState_Name(state);
  return name.size() > kStatePrefix ? name.substr(kStatePrefix) : "UNKNOWN";
}

bool IsJobOver(const v1::Job& job) {
  return job.state() >= v1::JOB_STATE_SUCCEEDED;
}

std::string JobLine(const v1::Job& job) {
  const v1::ItemCounts& items = job.items();
  std::string line = Printable(job.name()) + ": " + StateWord(job.state()) +
                     ", " + std::to_string(items.ok()) + " of " +
                     Count(items.total(), "clip") + " good";
  if (items.failed() > 0) {
    line += ", " + std::to_string(items.failed()) + " failed";
  }
  if (items.set_aside() > 0) {
    line += " (" + std::to_string(items.set_aside()) + " of them set aside)";
  }
  return line;
}

ExitCode AwaitJob(const JobClient& jobs, const Session& session,
                  const std::string& name) {
  constexpr std::chrono::milliseconds kStep(500);
  const bool shows = ShowsProgress(session);
  const auto start = std::chrono::steady_clock::now();
  int64_t done_before = -1;
  absl::StatusOr<v1::Job> job = jobs.Get(name, session.cancel);
  while (job.ok() && !IsJobOver(*job)) {
    if (done_before < 0) {
      done_before = job->items().ok() + job->items().failed();
    }
    const std::chrono::duration<double> time =
        std::chrono::steady_clock::now() - start;
    if (shows) {
      session.console->ShowProgress(
          ProgressOf(*job, done_before, time.count()));
    }
    job = jobs.Wait(name, shows ? kStep : std::chrono::milliseconds(30'000),
                    session.cancel);
  }
  if (shows) session.console->ShowProgress("");
  if (!job.ok()) return JobFailure(session, job.status());
  if (!session.options.quiet) {
    session.console->PrintDiagnostics(JobLine(*job) + "\n");
  }
  const bool is_good =
      job->state() == v1::JOB_STATE_SUCCEEDED && job->items().failed() == 0;
  return is_good ? kExitGood : kExitClipFailed;
}

}  // namespace bvhmill::client
