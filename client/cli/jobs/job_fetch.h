#pragma once

// Runs `bvhmill job results`: writes the outputs of a job of a server into a
// folder, with the names that `convert` uses.

#include <optional>
#include <string>
#include <vector>

#include "bvhmill/files/outputs.h"
#include "client/cli/batch.h"
#include "client/cli/io/clip_outputs.h"
#include "client/cli/session.h"
#include "client/cpp/job_client.h"

namespace bvhmill::client {

struct FetchOptions {
  // "jobs/ID".
  std::string name;
  // The folder.
  std::string output;
  // Replace files that exist.
  bool force = false;
};

// One run of the command. All references are borrowed.
class JobFetch {
 public:
  JobFetch(const FetchOptions& options, const JobClient& jobs, Session* session)
      : options_(options), jobs_(jobs), session_(*session) {}

  // Fetches the results that exist, and prints the failures and a summary.
  // kExitClipFailed if a clip has failed, or has no result yet. Call once.
  ExitCode Run();

 private:
  absl::Status Open(v1::Job* job);
  void AddPage(const v1::ListJobResultsResponse& page, Totals* totals);
  Outcome Fetch(const v1::ClipResult& message, const Input& input);
  absl::Status FetchInto(const v1::ClipResult& message,
                         const ConvertResult& result, const std::string& report,
                         ClipOutputs* outputs, int64_t* bytes);
  absl::Status FetchFiles(const v1::ClipResult& message,
                          const ConvertResult& result, const Input& input,
                          bool* is_there, int64_t* bytes);
  bool IsThere(const v1::ClipResult& message, const OutputRules& rules,
               const Input& input, const std::string& report) const;

  const FetchOptions& options_;
  const JobClient& jobs_;
  Session& session_;
  // The rules of all items, without requests. Each item uses a copy with the
  // requests of its own outputs.
  OutputRules rules_;
  // The requests of the job.
  std::vector<OutputRequest> requests_;
  OutputClaims claims_;
  std::optional<OutputDir> directory_;
};

}  // namespace bvhmill::client
