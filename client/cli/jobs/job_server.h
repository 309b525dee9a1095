#pragma once

// The parts that the `job` commands share: options, connection, messages, the
// wait for the end of a job, and the formats of its outputs.
//
//   std::unique_ptr<JobClient> jobs = OpenJobs(app, run, session, &exit);
//   if (jobs == nullptr) return exit;
//   return AwaitJob(*jobs, *session, JobName(word));

#include <CLI/CLI.hpp>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "bvhmill/encode/output.h"
#include "bvhmill/v1/result.pb.h"
#include "client/cli/options/options.h"
#include "client/cli/session.h"
#include "client/cpp/job_client.h"

namespace bvhmill::client {

// The annotation of a job for whose results `job results` writes a
// .report.json.
inline constexpr char kReportAnnotation[] = "bvhmill.report";
// The annotation with the sum of the bytes of all sources, for AwaitJob.
inline constexpr char kBytesAnnotation[] = "bvhmill.bytes";

// Adds --server and its options, and a positional option for the name of a job
// if `name` is not null.
void AddJobOptions(CLI::App* app, RunOptions* run, std::string* name);

// Waits until the server of `run` answers, e.g. since it is started again:
// busy_timeout of ConnectOptions at most. Says so on stderr.
void AwaitServer(const RunOptions& run, const Session& session);

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
// True if the state of the job does not change any more.
bool IsJobOver(const v1::Job& job);

// Waits until the job is over, shows its progress and prints JobLine. Returns
// the exit status: kExitClipFailed if an item has failed or the job was
// cancelled; that of JobFailure if a call fails.
ExitCode AwaitJob(const JobClient& jobs, const Session& session,
                  const std::string& name);

// Returns a request for each output of `result`, in their order, with the
// format of the output. `requests` are those of the job; an item may have other
// ones. The format is that of the request with the id and the media type of the
// output; else the format with this name and media type; else the only format
// with this media type. FAILED_PRECONDITION if an output has none of these, or
// if two outputs would have the same file. O(outputs x formats).
absl::StatusOr<std::vector<OutputRequest>> RequestsOf(
    const v1::ClipResult& result, std::span<const OutputRequest> requests);

}  // namespace bvhmill::client
