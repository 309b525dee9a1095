#pragma once

// The parts of a server that work on jobs, without sockets of the server.

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>

#include "server/jobs/jobs.h"
#include "server/store/sqlite/sqlite.h"
#include "tests/server/jobs/job_fixture.h"

namespace bvhmill::testing {

using server::DataFolder;

inline server::AdmissionLimits OneClipPerConnection() {
  server::AdmissionLimits limits;
  limits.max_inflight_clips_per_connection = 1;
  return limits;
}

// The parts of a server that work on jobs, without sockets.
struct JobParts {
  explicit JobParts(const std::string& folder) {
    config.data_dir = folder;
    config.jobs.min_free_disk_bytes = 0;
    EXPECT_TRUE(server::TokenStore::Open("", &tokens).ok());
  }
  server::JobRunner::Parts All() {
    return {config, log, metrics, *tokens, admission, queue};
  }

  server::ServerConfig config;
  server::Log log{server::LogFormat::kOff};
  server::Metrics metrics;
  std::unique_ptr<server::TokenStore> tokens;
  server::Admission admission{OneClipPerConnection()};
  server::FairQueue queue{{.threads = 2}};
};

class JobPartsTest : public ::testing::Test {
 protected:
  JobPartsTest() { std::filesystem::remove_all(folder_); }
  ~JobPartsTest() override { std::filesystem::remove_all(folder_); }

  // Opens the folder without a server.
  std::unique_ptr<DataFolder> Open() const {
    std::unique_ptr<DataFolder> folder;
    EXPECT_TRUE(DataFolder::Open(folder_, {}, &folder).ok());
    return folder;
  }
  static void Upload(const std::string& bytes, DataFolder* folder,
                     const std::string& caller = "") {
    std::unique_ptr<server::BlobUpload> upload;
    const absl::Status started = folder->blobs().StartUpload(
        {server::SpaceOf(caller), Sha256Of(bytes)}, &upload);
    if (absl::IsAlreadyExists(started)) return;
    ASSERT_TRUE(started.ok()) << started;
    ASSERT_TRUE(upload->Append(bytes).ok());
    ASSERT_TRUE(upload->Finish().ok());
  }
  // A job of a caller, with one clip several times.
  static server::JobInfo MakeJob(DataFolder* folder,
                                 const std::string& caller = "",
                                 int items = 1) {
    const std::string clip = SmallClip();
    Upload(clip, folder, caller);
    v1::ConvertOptions options;
    options.add_outputs()->mutable_positions();
    server::NewJob job;
    job.caller = caller;
    job.options = options.SerializeAsString();
    for (int i = 0; i < items; ++i) {
      job.items.push_back({.key = std::to_string(i), .blob = Sha256Of(clip)});
    }
    server::JobInfo info;
    bool is_new = false;
    EXPECT_TRUE(
        folder->jobs().Create(job, server::WallClockMs(), &info, &is_new).ok());
    return info;
  }
  static int64_t GoodItems(const server::JobInfo& job, DataFolder* folder) {
    server::JobInfo info;
    EXPECT_TRUE(folder->jobs().Get(job.caller, job.id, &info).ok());
    return info.ok;
  }
  // Wakes the runner until it has looked for items `count` times; the last look
  // may not have ended.
  static void AwaitLooks(int count, server::JobRunner* runner) {
    const int64_t looks = runner->looks();
    EXPECT_TRUE(Eventually([&] {
      runner->Wake();
      return runner->looks() >= looks + count;
    }));
  }
  // The only room of a caller is taken until the ticket is released.
  void TakeRoom(const std::string& caller, server::Ticket* ticket) {
    server::Caller taker;
    taker.name = caller;
    ASSERT_TRUE(
        parts_.admission.TryEnter(taker, "jobs of " + caller, 1, ticket).ok());
  }
  void RunSql(const std::string& sql) const {
    std::unique_ptr<server::Database> database;
    ASSERT_TRUE(server::Database::Open(folder_ + "/jobs.db", &database).ok());
    ASSERT_TRUE(database->Execute(sql).ok());
  }
  // The time at which the lease of the first item ends; 0 if there is none.
  int64_t LeaseEnd() const {
    std::unique_ptr<server::Database> database;
    EXPECT_TRUE(server::Database::Open(folder_ + "/jobs.db", &database).ok());
    server::Statement find(
        database.get(),
        "SELECT until_ms FROM lease JOIN item ON item.lease = "
        "lease.number WHERE item.state = 1");
    return find.Step() ? find.Int(0) : 0;
  }

  const std::string folder_ =
      ::testing::TempDir() + "job-parts-" + std::to_string(getpid());
  JobParts parts_{folder_};
};

}  // namespace bvhmill::testing
