#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "client/cli/commands/commands.h"
#include "client/cli/jobs/job_server.h"
#include "client/cli/jobs/submission.h"
#include "client/cli/options/option_flags.h"

namespace bvhmill::client {
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
  // A job takes files, not stdin: so it can be submitted again.
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
