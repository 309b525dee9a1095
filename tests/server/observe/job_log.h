#pragma once

// A server with jobs whose log and metrics a test reads.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tests/server/jobs/job_fixture.h"
#include "tests/server/observe/log_lines.h"

namespace bvhmill::testing {

class JobLogTest : public JobServerTest {
 protected:
  void StartLogged(
      server::LogFormat format,
      const std::function<void(server::ServerConfig*)>& more = {}) {
    StartJobs([&](server::ServerConfig* config) {
      config->log = format;
      config->metrics = "127.0.0.1:0";
      if (more) more(config);
    });
  }

  // The lines of the log; the server ends.
  std::vector<std::string> Lines() {
    server_ = nullptr;
    return stderr_.Lines();
  }
  bool HasLine(const std::string& part) const {
    const auto lines = stderr_.Lines();
    return std::any_of(lines.begin(), lines.end(), [&](const auto& line) {
      return line.find(part) != std::string::npos;
    });
  }
  // Waits for a line that contains `part`.
  bool Logs(const std::string& part) const {
    return Eventually([&] { return HasLine(part); });
  }

  std::string Page() const { return FetchMetrics(server_->metrics_address()); }
  bool Shows(const std::string& row) const {
    return Eventually(
        [&] { return Page().find("\n" + row + "\n") != std::string::npos; });
  }

  // Stores the clips and runs a job of them, each of which has the key of its
  // index.
  v1::Job RunJob(const std::vector<std::string>& clips,
                 const v1::ConvertOptions* options = nullptr) {
    for (const std::string& clip : clips) calls_->Store(clip);
    v1::CreateJobRequest request = JobOfClips(clips);
    if (options != nullptr) *request.mutable_options() = *options;
    v1::Job job;
    EXPECT_TRUE(calls_->Create(request, &job).ok());
    return calls_->Await(job.name());
  }

  // The file of a blob.
  std::string PathOf(const std::string& bytes) const {
    for (const auto& file :
         std::filesystem::recursive_directory_iterator(folder_ + "/blobs")) {
      if (file.path().filename() == Sha256Of(bytes)) return file.path();
    }
    return "";
  }

  const StderrFile stderr_;
};

}  // namespace bvhmill::testing
