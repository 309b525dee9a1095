#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <ctime>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "client/cli/commands/commands.h"
#include "client/cli/commands/conversion.h"
#include "client/cli/jobs/job_fetch.h"
#include "client/cli/jobs/job_server.h"
#include "client/cli/jobs/submission.h"
#include "client/cli/options/option_flags.h"
#include "client/cli/ui/console.h"

namespace bvhmill::client {
namespace {

constexpr char kJobExamples[] =
    "  bvhmill job submit -r takes --emit npz --server HOST:7450\n"
    "  bvhmill job list --server HOST:7450\n"
    "  bvhmill job wait JOB --server HOST:7450\n"
    "  bvhmill job results JOB -o out --server HOST:7450\n";

struct JobFlags {
  RunOptions run;
  std::string name;
  std::vector<std::string> blobs;
  bool json = false;
  bool all = false;
};

// The message in the JSON of protobuf, on one line.
std::string JsonLine(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions how;
  how.always_print_primitive_fields = true;
  how.preserve_proto_field_names = true;
  std::string text;
  // It fails only for messages that no server of this API sends.
  static_cast<void>(
      google::protobuf::util::MessageToJsonString(message, &text, how));
  return PlainJson(text) + "\n";
}

std::string TimeText(const google::protobuf::Timestamp& time) {
  if (time.seconds() == 0) return "-";
  const std::time_t seconds = time.seconds();
  std::tm parts = {};
  gmtime_r(&seconds, &parts);
  char text[32] = {};
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%SZ", &parts);
  return text;
}

// A caller without a token has no name.
std::string CallerText(const std::string& caller) {
  return caller.empty() ? "-" : Printable(caller);
}

std::string JobListText(const std::vector<v1::Job>& jobs, bool has_callers) {
  std::vector<std::vector<std::string>> rows;
  for (const v1::Job& job : jobs) {
    std::vector<std::string>& row = rows.emplace_back(std::vector<std::string>(
        {Printable(job.name()), StateWord(job.state()),
         std::to_string(job.items().total()), std::to_string(job.items().ok()),
         std::to_string(job.items().failed()), TimeText(job.create_time()),
         Printable(job.display_name())}));
    if (has_callers) row.insert(row.begin() + 1, CallerText(job.caller()));
  }
  std::vector<Column> columns = {
      {"JOB", Align::kLeft},     {"STATE", Align::kLeft},
      {"CLIPS", Align::kRight},  {"GOOD", Align::kRight},
      {"FAILED", Align::kRight}, {"CREATED", Align::kLeft},
      {"NAME", Align::kLeft}};
  if (has_callers)
    columns.insert(columns.begin() + 1, {"CALLER", Align::kLeft});
  return RenderTable(columns, rows);
}

// "12 of 100", or "12" without a limit.
std::string PartText(const std::string& part, int64_t limit,
                     const std::string& all) {
  return limit == 0 ? part : part + " of " + all;
}

std::string UsageText(const v1::ListUsageResponse& response) {
  std::vector<std::vector<std::string>> rows;
  for (const v1::Usage& usage : response.usages()) {
    rows.push_back(
        {CallerText(usage.caller()),
         PartText(std::to_string(usage.jobs()), usage.max_jobs(),
                  std::to_string(usage.max_jobs())),
         PartText(std::to_string(usage.queued_items()),
                  usage.max_queued_items(),
                  std::to_string(usage.max_queued_items())),
         std::to_string(usage.running_items()),
         PartText(Megabytes(usage.data_bytes()), usage.max_data_bytes(),
                  Megabytes(usage.max_data_bytes()))});
  }
  return RenderTable({{"CALLER", Align::kLeft},
                      {"JOBS", Align::kRight},
                      {"UNFINISHED CLIPS", Align::kRight},
                      {"RUNNING", Align::kRight},
                      {"STORED", Align::kRight}},
                     rows);
}

std::string ShowText(const v1::Job& job) {
  std::string text = JobLine(job) + "\n";
  if (!job.caller().empty())
    text += "caller   " + CallerText(job.caller()) + "\n";
  text += "created  " + TimeText(job.create_time()) + "\n";
  text += "started  " + TimeText(job.start_time()) + "\n";
  text += "ended    " + TimeText(job.end_time()) + "\n";
  text += "expires  " + TimeText(job.expire_time()) + "\n";
  if (!job.display_name().empty()) {
    text += "name     " + Printable(job.display_name()) + "\n";
  }
  if (job.has_blocked()) {
    text += "blocked  " + Printable(job.blocked().message()) + "\n";
  }
  if (job.has_error()) {
    text += "error    " + Printable(job.error().message()) + "\n";
  }
  return text;
}

int Put(const Session& session, const std::string& data) {
  session.console->PrintData(data);
  return session.console->data_lost() ? kExitClipFailed : kExitGood;
}

int ListJobs(const JobClient& jobs, const JobFlags& flags, Session* session) {
  std::vector<v1::Job> all;
  v1::ListJobsRequest request;
  request.set_page_size(1000);
  request.set_all_callers(flags.all);
  PageBounds bounds;
  do {
    const auto page = jobs.List(request, session->cancel);
    if (!page.ok()) return JobFailure(*session, page.status());
    all.insert(all.end(), page->jobs().begin(), page->jobs().end());
    request.set_page_token(page->next_page_token());
    const absl::Status fits =
        bounds.Take(request.page_token(), page->ByteSizeLong());
    if (!fits.ok()) return JobFailure(*session, fits);
  } while (!request.page_token().empty());
  if (!flags.json) return Put(*session, JobListText(all, flags.all));
  std::string lines;
  for (const v1::Job& job : all) lines += JsonLine(job);
  return Put(*session, lines);
}

int ListUsage(const JobClient& jobs, const JobFlags& flags, Session* session) {
  v1::ListUsageRequest request;
  request.set_all_callers(flags.all);
  const auto response = jobs.Usage(request, session->cancel);
  if (!response.ok()) return JobFailure(*session, response.status());
  if (!flags.json) return Put(*session, UsageText(*response));
  std::string lines;
  for (const v1::Usage& usage : response->usages()) lines += JsonLine(usage);
  return Put(*session, lines);
}

int ShowJob(const JobClient& jobs, const JobFlags& flags, Session* session) {
  const auto job = jobs.Get(JobName(flags.name), session->cancel);
  if (!job.ok()) return JobFailure(*session, job.status());
  return Put(*session, flags.json ? JsonLine(*job) : ShowText(*job));
}

int WaitForJob(const JobClient& jobs, const JobFlags& flags, Session* session) {
  return AwaitJob(jobs, *session, JobName(flags.name));
}

int CancelJob(const JobClient& jobs, const JobFlags& flags, Session* session) {
  const auto job = jobs.Cancel(JobName(flags.name), session->cancel);
  if (!job.ok()) return JobFailure(*session, job.status());
  session->console->PrintDiagnostics(JobLine(*job) + "\n");
  return kExitGood;
}

int DeleteJob(const JobClient& jobs, const JobFlags& flags, Session* session) {
  const absl::Status deleted =
      jobs.Delete(JobName(flags.name), session->cancel);
  if (!deleted.ok()) return JobFailure(*session, deleted);
  return kExitGood;
}

int DeleteBlobs(const JobClient& jobs, const JobFlags& flags,
                Session* session) {
  const std::string prefix = "blobs/";
  for (const std::string& blob : flags.blobs) {
    const absl::Status deleted = jobs.DeleteBlob(
        blob.starts_with(prefix) ? blob : prefix + blob, session->cancel);
    if (!deleted.ok()) return JobFailure(*session, deleted);
  }
  return kExitGood;
}

using Action = int (*)(const JobClient&, const JobFlags&, Session*);

struct Row {
  const char* name;
  const char* help;
  Action action;
  // The words after the command: "JOB", "BLOB..." or none.
  std::string_view words;
  // The help of --json and of --all; null: the command lacks the flag.
  const char* json;
  const char* all;
  // Waits for a server that does not answer.
  bool waits;
};

constexpr std::string_view kJobWord = "JOB";
constexpr std::string_view kBlobWords = "BLOB...";

constexpr Row kRows[] = {
    {"list", "list your jobs, the newest first", &ListJobs, "",
     "print one JSON object per job", "list the jobs of all callers", false},
    {"show", "print the state of a job", &ShowJob, kJobWord,
     "print one JSON object per job", nullptr, false},
    {"wait", "wait until a job is over", &WaitForJob, kJobWord, nullptr,
     nullptr, true},
    {"cancel", "end a job; clips that are done keep their results", &CancelJob,
     kJobWord, nullptr, nullptr, false},
    {"delete", "forget a job that is over, and its results", &DeleteJob,
     kJobWord, nullptr, nullptr, false},
    {"usage", "print what you use of the server, and your limits", &ListUsage,
     "", "print one JSON object per caller", "print the usage of all callers",
     false},
    {"delete-blob", "remove stored files or outputs that no job needs",
     &DeleteBlobs, kBlobWords, nullptr, nullptr, false},
};

Command AddRow(CLI::App* parent, const Row& row) {
  const auto flags = std::make_shared<JobFlags>();
  CLI::App* app = parent->add_subcommand(row.name, row.help);
  app->footer("  bvhmill job " + std::string(row.name) +
              (row.words.empty() ? "" : " " + std::string(row.words)) +
              " --server HOST:7450\n");
  if (row.json != nullptr) {
    app->add_flag("--json", flags->json, row.json)->group("Output");
  }
  if (row.all != nullptr) {
    app->add_flag(
           "--all", flags->all,
           std::string(row.all) + ";\nneeds a token with the scope admin")
        ->group("Output");
  }
  AddJobOptions(app, &flags->run,
                row.words == kJobWord ? &flags->name : nullptr);
  if (row.words == kBlobWords) {
    app->add_option("BLOB", flags->blobs,
                    "SHA-256 of a file or an output; sha256sum prints it")
        ->required()
        ->group("Job");
  }
  return {app,
          [app, flags, action = row.action,
           waits = row.waits](Session* session) -> int {
            if (waits) AwaitServer(flags->run, *session);
            ExitCode exit = kExitGood;
            const auto jobs = OpenJobs(app, flags->run, session, &exit);
            return jobs == nullptr ? exit : action(*jobs, *flags, session);
          }};
}

}  // namespace

std::vector<Command> AddJob(CLI::App* parent) {
  CLI::App* job = parent->add_subcommand(
      "job", "have a server convert many clips while you are away");
  job->footer(kJobExamples);
  job->require_subcommand(1);
  std::vector<Command> commands = {AddJobSubmit(job)};
  for (const Row& row : kRows) commands.push_back(AddRow(job, row));
  commands.push_back(AddJobResults(job));
  return commands;
}

namespace {

constexpr char kJobResultsExamples[] =
    "  bvhmill job results JOB -o out --server HOST:7450\n";

struct JobResultsFlags {
  RunOptions run;
  FetchOptions fetch;
};

int RunJobResults(const CLI::App* app, JobResultsFlags* flags,
                  Session* session) {
  const std::string wrong = WhyNoFolder(flags->fetch.output);
  if (!wrong.empty()) return Misused(app, session, wrong);
  ExitCode exit = kExitGood;
  const auto jobs = OpenJobs(app, flags->run, session, &exit);
  if (jobs == nullptr) return exit;
  flags->fetch.name = JobName(flags->fetch.name);
  return JobFetch(flags->fetch, *jobs, session).Run();
}

}  // namespace

Command AddJobResults(CLI::App* job) {
  const auto flags = std::make_shared<JobResultsFlags>();
  CLI::App* app = job->add_subcommand(
      "results", "fetch the results of a job, as convert writes them");
  app->footer(kJobResultsExamples);
  app->add_option("-o,--output", flags->fetch.output,
                  "folder for the outputs; it is made if it is missing;\n"
                  "outputs that are there already are not fetched again")
      ->type_name("DIR")
      ->required()
      ->group("Output");
  app->add_flag("-f,--force", flags->fetch.force,
                "overwrite outputs that exist")
      ->group("Output");
  AddBatchOptions(app, &flags->run);
  AddJobOptions(app, &flags->run, &flags->fetch.name);
  return {app, [app, flags](Session* session) {
            return RunJobResults(app, flags.get(), session);
          }};
}

namespace {

constexpr char kJobSubmitExamples[] =
    "  bvhmill job submit -r takes --emit anim,positions --server HOST:7450\n"
    "  bvhmill job submit -r takes --emit npz --wait --server HOST:7450\n"
    "  bvhmill job submit -r takes --emit csv --name night --server "
    "HOST:7450\n";

struct JobSubmitFlags {
  RunOptions run;
  InputOptions input;
  SubmitOptions submit;
  OutputFlags outputs;
};

void AddSubmitOptions(CLI::App* app, JobSubmitFlags* flags) {
  const char* group = "Job";
  app->add_option("--name", flags->submit.display_name,
                  "a name for people, which job list shows")
      ->type_name("TEXT")
      ->group(group);
  app->add_flag("--again", flags->submit.again,
                "make another job of what was submitted before; without,\n"
                "the same files with the same options are the same job")
      ->group(group);
  app->add_flag("--wait", flags->submit.wait, "wait until the job is over")
      ->group(group);
}

int RunJobSubmit(const CLI::App* app, JobSubmitFlags* flags, Session* session) {
  SubmitOptions& submit = flags->submit;
  const std::string wrong =
      CompleteOptions(app, *session, &flags->outputs, &submit.convert);
  if (!wrong.empty()) return Misused(app, session, wrong);
  auto inputs =
      TakeInputs(flags->input, std::nullopt, flags->run.quiet, *session);
  if (!inputs.ok()) {
    return Misused(app, session, std::string(MessageOf(inputs.status())));
  }
  const std::vector<std::string>& emit = flags->outputs.emit;
  submit.report =
      std::find(emit.begin(), emit.end(), kReportName) != emit.end();
  ExitCode exit = kExitGood;
  const auto jobs = OpenJobs(app, flags->run, session, &exit);
  if (jobs == nullptr) return exit;
  return Submission(submit, *std::move(inputs), *jobs, session).Run();
}

}  // namespace

Command AddJobSubmit(CLI::App* job) {
  const auto flags = std::make_shared<JobSubmitFlags>();
  CLI::App* app = job->add_subcommand(
      "submit", "upload clips and have a server convert them");
  app->footer(kJobSubmitExamples);
  AddInputOptions(app, &flags->input);
  // A job reads files, not stdin, so that it can be submitted again.
  app->get_option("INPUT")->description("BVH and .anim files; folders with -r");
  AddSubmitOptions(app, flags.get());
  AddEmitFlag(app, "formats to make", kReportName, &flags->outputs)->required();
  AddOutputFlags(app, &flags->outputs);
  AddAnimFlags(app, &flags->outputs);
  AddOptionFlags(app, {OptionGroup::kReading}, &flags->submit.convert);
  AddEditFlags(app, &flags->submit.convert);
  AddOptionFlags(app, {OptionGroup::kReport}, &flags->submit.convert);
  AddBatchOptions(app, &flags->run);
  AddJobOptions(app, &flags->run, nullptr);
  return {app, [app, flags](Session* session) {
            return RunJobSubmit(app, flags.get(), session);
          }};
}

}  // namespace bvhmill::client
