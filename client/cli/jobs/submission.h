#pragma once

// Runs `bvhmill job submit`: uploads clips to a server and makes a job of them.

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "bvhmill/files/inputs.h"
#include "client/cli/batch.h"
#include "client/cli/session.h"
#include "client/cpp/job_client.h"

namespace bvhmill::client {

struct SubmitOptions {
  ConvertOptions convert;
  // `job results` writes a .report.json for each clip.
  bool report = false;
  std::string display_name;
  // Makes a new job even if one with the same clips and options exists.
  bool again = false;
  // Waits until the job ends.
  bool wait = false;
};

// One run of the command. All references are borrowed.
class Submission {
 public:
  Submission(const SubmitOptions& options, std::vector<Input> inputs,
             const JobClient& jobs, Session* session);

  // Uploads the files that the server lacks, makes the job and prints its name.
  // Leaves out clips that cannot be read or that the server refuses; the exit
  // status is then kExitClipFailed. Call once.
  ExitCode Run();

 private:
  struct Source {
    std::string blob;
    int64_t bytes = 0;
    Encoding encoding = Encoding::kIdentity;
    // The clip is in the job.
    bool is_good = false;
  };

  Outcome AddSource(size_t index);
  Outcome Upload(const Input& input, const Source& source,
                 ClipProgress* progress);
  absl::Status FindMissing(std::vector<size_t>* missing);
  ExitCode UploadMissing(const std::vector<size_t>& missing);
  void LeaveOut(const std::string& blob);
  absl::Status CheckSize(const v1::CreateJobRequest& request) const;
  ExitCode Make(const v1::CreateJobRequest& request, bool* lacks_sources);
  v1::CreateJobRequest Request() const;

  const SubmitOptions& options_;
  std::vector<Input> inputs_;
  const JobClient& jobs_;
  Session& session_;
  // One for each input; each is written by one thread.
  std::vector<Source> sources_;
  int64_t uploaded_files_ = 0;
  int64_t uploaded_bytes_ = 0;
  // False if an upload failed for a reason other than its file, such as a lost
  // connection. Then no job is made.
  std::atomic<bool> may_make_job_ = true;
};

}  // namespace bvhmill::client
