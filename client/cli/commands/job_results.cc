#include <memory>
#include <string>

#include "client/cli/commands/commands.h"
#include "client/cli/commands/one_output.h"
#include "client/cli/jobs/job_fetch.h"
#include "client/cli/jobs/job_server.h"

namespace bvhmill::client {
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

}  // namespace bvhmill::client
