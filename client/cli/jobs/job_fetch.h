#pragma once

// Runs `bvhmill job results`.

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "client/cli/batch.h"
#include "client/cli/claims.h"
#include "client/cli/io/clip_outputs.h"
#include "client/cli/io/output_dir.h"
#include "client/cli/session.h"
#include "client/cpp/job_client.h"

namespace bvhmill::client {

struct FetchOptions {
  std::string name;
  std::string output;
  bool force = false;
};

// Writes the outputs of a job into a folder, with the names that `convert`
// gives them. All references are borrowed.
class JobFetch {
 public:
  JobFetch(const FetchOptions& options, const JobClient& jobs, Session* session)
      : options_(options), jobs_(jobs), session_(*session) {}

  // Fetches the results that there are, and prints the failures and a summary.
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
  // The rules of all items, without requests. A copy for each item gets the
  // requests of its outputs.
  OutputRules rules_;
  // The requests of the job.
  std::vector<OutputRequest> requests_;
  OutputClaims claims_;
  std::optional<OutputDir> directory_;
};

}  // namespace bvhmill::client
