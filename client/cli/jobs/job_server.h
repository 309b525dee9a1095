#pragma once

// The parts that the job commands share: options, connection, messages.

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "client/cli/options/options.h"
#include "client/cli/session.h"
#include "client/cpp/job_client.h"

namespace bvhmill::client {

// The annotation of a job for whose results `job results` writes a
// .report.json.
inline constexpr char kReportAnnotation[] = "bvhmill.report";
// The annotation with the sum of the bytes of all sources, for the progress.
inline constexpr char kBytesAnnotation[] = "bvhmill.bytes";

// Adds --server and its options, and a positional option for the name of a job
// if `name` is not null.
void AddJobOptions(CLI::App* app, RunOptions* run, std::string* name);

// Connects to the server of `run`, and fills session->options and
// session->engine. On failure prints the reason, sets `exit` and returns null.
std::unique_ptr<JobClient> OpenJobs(const CLI::App* app, const RunOptions& run,
                                    Session* session, ExitCode* exit);

// "jobs/ID" for "ID" or "jobs/ID".
std::string JobName(const std::string& word);

// Prints why a call has failed; returns the exit status.
ExitCode JobFailure(const Session& session, const absl::Status& status);

// A line about a job for people: state and counts.
std::string JobLine(const v1::Job& job);
// "RUNNING" for JOB_STATE_RUNNING.
std::string StateWord(v1::JobState state);
bool IsJobOver(const v1::Job& job);

// Waits until the job is over, shows its progress and prints JobLine. Returns
// the exit status: kExitClipFailed if an item has failed or the job was
// cancelled; that of JobFailure if a call fails.
ExitCode AwaitJob(const JobClient& jobs, const Session& session,
                  const std::string& name);

}  // namespace bvhmill::client
