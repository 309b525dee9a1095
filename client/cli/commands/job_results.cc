#include <memory>
#include <string>

#include "client/cli/commands/commands.h"
#include "client/cli/jobs/job_fetch.h"
#include "client/cli/jobs/job_server.h"

namespace bvhmill::client {
namespace {

constexpr char kExamples[] =
    "  bvhmill job results JOB -o out --server HOST:7450\n";

struct Flags {
  RunOptions run;
  FetchOptions fetch;
};

int Run(const CLI::App* app, Flags* flags, Session* session) {
  ExitCode exit = kExitGood;
  const auto jobs = OpenJobs(app, flags->run, session, &exit);
  if (jobs == nullptr) return exit;
  flags->fetch.name = JobName(flags->fetch.name);
  return JobFetch(flags->fetch, *jobs, session).Run();
}

}  // namespace

Command AddJobResults(CLI::App* job) {
  const auto flags = std::make_shared<Flags>();
  CLI::App* app = job->add_subcommand(
      "results", "fetch the results of a job, as convert writes them");
  app->footer(kExamples);
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
            return Run(app, flags.get(), session);
          }};
}

}  // namespace bvhmill::client
