// The data folder: its lock, uploads, quotas, and the check of its content.

#include "server/store/data_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/digest/sha256.h"
#include "server/store/check_data.h"
#include "server/store/fault_points.h"
#include "server/store/sqlite/sqlite.h"
#include "tests/crash/crash_work.h"
#include "tests/crash/sqlite_faults.h"

namespace bvhmill::testing {
namespace {

using server::BlobName;
using server::DataFolder;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string ReasonOf(const absl::Status& status) {
  return CallErrorOf(status).reason;
}

class DataFolderTest : public ::testing::Test {
 protected:
  DataFolderTest() { std::filesystem::remove_all(parent_); }
  ~DataFolderTest() override {
    server::FaultPoints::Disarm();
    std::filesystem::remove_all(parent_);
  }

  void Open(const server::BlobQuota& quota = {}) {
    folder_ = nullptr;
    const absl::Status status = DataFolder::Open(path_, quota, &folder_);
    ASSERT_TRUE(status.ok()) << status;
  }
  absl::Status Upload(const std::string& bytes) {
    return UploadSource(folder_.get(), bytes);
  }
  // A job with all results.
  void RunJob() {
    std::string id;
    ASSERT_TRUE(RunWholeJob(folder_.get(), "s", &id).ok());
  }
  std::string PathOf(const std::string& bytes) const {
    const BlobName name = SourceName(bytes);
    return path_ + "/blobs/" + name.space + "/" + name.digest.substr(0, 2) +
           "/" + name.digest;
  }
  server::DataCheck Check() {
    folder_ = nullptr;
    server::DataCheck check;
    const absl::Status status = server::CheckData(path_, "", &check);
    EXPECT_TRUE(status.ok()) << status;
    return check;
  }

  // Its own for each process: tests run at the same time.
  const std::string parent_ =
      ::testing::TempDir() + "data-folder-test-" + std::to_string(getpid());
  const std::string path_ = parent_ + "/state";
  std::unique_ptr<DataFolder> folder_;
};

TEST_F(DataFolderTest, IsOnlyForItsUser) {
  Open();
  struct stat found = {};
  ASSERT_EQ(stat(path_.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0700u);
}

// The folder is on the disk when a server has it: its parts, its database, and
// the name of the database that shares it. A wait that fails is an error.
TEST_F(DataFolderTest, IsOnTheDiskWhenItIsOpen) {
  const auto open = [this] {
    folder_ = nullptr;
    return DataFolder::Open(path_, {}, &folder_);
  };
  const auto identify = [this] {
    std::filesystem::create_directories(path_);
    return server::WriteIdentity(path_, "of a database");
  };
  const struct {
    const char* name;
    std::function<absl::Status()> call;
    int64_t syncs;
  } kCases[] = {{"a folder of its own", open, 2},
                {"a folder of several servers", identify, 2}};
  for (const auto& c : kCases) {
    for (int64_t at = 1; at <= c.syncs + 1; ++at) {
      std::filesystem::remove_all(parent_);
      server::FaultPoints::Arm({.at = at,
                                .fault = server::Fault::kIoError,
                                .only = server::Effect::kSync});
      const absl::Status status = c.call();
      // The end of a database waits for the disk, too.
      EXPECT_GE(server::FaultPoints::Disarm(), std::min(at, c.syncs))
          << c.name << " " << at;
      EXPECT_EQ(status.ok(), at > c.syncs) << c.name << " " << at;
    }
  }
}

TEST_F(DataFolderTest, AJobIsOnTheDiskWhenItIsMade) {
  NumberFilesOfSqlite(true);
  Open();
  for (int i = 0; i < kItems; ++i) ASSERT_TRUE(Upload(SourceOf("s", i)).ok());
  server::JobInfo info;
  bool is_new = false;
  server::FaultPoints::Arm({.only = server::Effect::kSync});
  EXPECT_TRUE(folder_->jobs().Create(JobOf("s"), NowMs(), &info, &is_new).ok());
  EXPECT_GE(server::FaultPoints::Disarm(), 1);
  folder_ = nullptr;
  NumberFilesOfSqlite(false);
}

// systemd may name several folders; other variables count if they are absolute.
TEST(DefaultDataFolder, IsNamedByTheEnvironment) {
  const struct {
    const char* state;
    const char* xdg;
    const char* home;
    const char* folder;
  } kCases[] = {
      {"/s", "/x", "/h", "/s"},
      {"/s:/t", "", "/h", "/s"},
      {"", "/x", "/h", "/x/bvhmill"},
      {"", "x", "/h", "/h/.local/state/bvhmill"},
      {"", "", "/h", "/h/.local/state/bvhmill"},
      {"", "", "h", ""},
      {"", "", "", ""},
  };
  const char* const home = std::getenv("HOME");
  const std::string before = home == nullptr ? "" : home;
  for (const auto& c : kCases) {
    setenv("STATE_DIRECTORY", c.state, 1);
    setenv("XDG_STATE_HOME", c.xdg, 1);
    setenv("HOME", c.home, 1);
    EXPECT_EQ(server::DefaultDataFolder(), c.folder)
        << c.state << " " << c.xdg << " " << c.home;
  }
  unsetenv("STATE_DIRECTORY");
  unsetenv("XDG_STATE_HOME");
  setenv("HOME", before.c_str(), 1);
}

TEST_F(DataFolderTest, RefusesASecondServer) {
  Open();
  std::unique_ptr<DataFolder> second;
  EXPECT_EQ(ReasonOf(DataFolder::Open(path_, {}, &second)), "DATA_IN_USE");
  server::DataCheck check;
  EXPECT_EQ(ReasonOf(server::CheckData(path_, "", &check)), "DATA_IN_USE");
  folder_ = nullptr;
  EXPECT_TRUE(DataFolder::Open(path_, {}, &second).ok());
}

TEST_F(DataFolderTest, AnUploadGoesOnAfterTheServer) {
  Open();
  const std::string bytes(100'000, 'x');
  std::unique_ptr<server::BlobUpload> upload;
  ASSERT_TRUE(folder_->blobs().StartUpload(SourceName(bytes), &upload).ok());
  ASSERT_TRUE(upload->Append(bytes.substr(0, 30'000)).ok());
  std::unique_ptr<server::BlobUpload> second;
  EXPECT_EQ(ReasonOf(folder_->blobs().StartUpload(SourceName(bytes), &second)),
            "UPLOAD_RUNNING");
  upload = nullptr;
  Open();
  ASSERT_TRUE(folder_->blobs().StartUpload(SourceName(bytes), &upload).ok());
  ASSERT_EQ(upload->committed_bytes(), 30'000);
  ASSERT_TRUE(upload->Append(bytes.substr(30'000)).ok());
  EXPECT_TRUE(upload->Finish().ok());
  EXPECT_EQ(ContentOf(folder_.get(), Sha256Of(bytes)), bytes);
  EXPECT_EQ(ReasonOf(folder_->blobs().StartUpload(SourceName(bytes), &second)),
            "BLOB_EXISTS");
}

TEST_F(DataFolderTest, OtherBytesAreRefusedAndDropped) {
  Open();
  std::unique_ptr<server::BlobUpload> upload;
  ASSERT_TRUE(folder_->blobs().StartUpload(SourceName("right"), &upload).ok());
  ASSERT_TRUE(upload->Append("wrong").ok());
  EXPECT_EQ(ReasonOf(upload->Finish()), "DIGEST_MISMATCH");
  upload = nullptr;
  EXPECT_EQ(folder_->blobs().bytes(), 0);
  EXPECT_TRUE(Upload("right").ok());
  EXPECT_EQ(folder_->blobs().bytes(), server::CountedBytes(5));
}

TEST_F(DataFolderTest, SpacesOfCallersAreApart) {
  Open();
  ASSERT_TRUE(Upload("secret").ok());
  bool exists = true;
  ASSERT_TRUE(folder_->blobs()
                  .Find({server::SpaceOf("other"), Sha256Of("secret")}, &exists)
                  .ok());
  EXPECT_FALSE(exists);
}

TEST_F(DataFolderTest, AQuotaRefusesByItsName) {
  Open({.max_bytes = 100'000});
  EXPECT_TRUE(Upload(std::string(80'000, 'a')).ok());
  const absl::Status refused = Upload(std::string(20'000, 'b'));
  EXPECT_TRUE(absl::IsResourceExhausted(refused));
  EXPECT_EQ(CallErrorOf(refused).limit_name, "max_data_bytes");
  EXPECT_TRUE(Upload(std::string(5'000, 'c')).ok());
  // No disk has so much free space.
  Open({.min_free_bytes = int64_t{1} << 60});
  EXPECT_EQ(CallErrorOf(Upload("d")).limit_name, "min_free_disk_bytes");
}

// Small blobs took all files of the disk; then no job went on.
TEST_F(DataFolderTest, ADiskThatCanHoldNoMoreFilesIsFull) {
  struct statvfs disk = {};
  ASSERT_EQ(statvfs(::testing::TempDir().c_str(), &disk), 0);
  const auto files = static_cast<int64_t>(disk.f_favail);
  // Half of it is enough for outputs.
  Open({.min_free_bytes = 1, .min_free_files = files + files / 4});
  const absl::Status upload = Upload("d");
  // Some file systems state no files.
  if (disk.f_files == 0) {
    EXPECT_TRUE(upload.ok()) << upload;
    return;
  }
  EXPECT_EQ(ReasonOf(upload), "DISK_FULL");
  EXPECT_THAT(std::string(upload.message()), HasSubstr("more files"));
  EXPECT_TRUE(folder_->blobs().CheckDisk().ok());
}

// The database kept the space of all jobs that it ever had.
TEST_F(DataFolderTest, TheDatabaseGivesBackTheSpaceOfRemovedJobs) {
  Open();
  ASSERT_TRUE(Upload("d").ok());
  server::NewJob job;
  job.caller = "s";
  for (int i = 0; i < 4000; ++i) {
    job.items.push_back({.key = std::to_string(i) + std::string(4000, 'k'),
                         .blob = SourceName("d").digest});
  }
  server::JobInfo info;
  bool is_new = false;
  ASSERT_TRUE(folder_->jobs().Create(job, 1000, &info, &is_new).ok());
  // What is in the log comes into the file when it is closed.
  Open();
  const auto full = std::filesystem::file_size(path_ + "/jobs.db");
  EXPECT_GT(full, 16'000'000U);
  ASSERT_TRUE(folder_->jobs().Cancel("s", info.id, 2000, &info).ok());
  ASSERT_TRUE(folder_->jobs().Delete("s", info.id).ok());
  int64_t count = 0;
  ASSERT_TRUE(folder_->jobs().Expire(3000, &count).ok());
  Open();
  EXPECT_LT(std::filesystem::file_size(path_ + "/jobs.db"), full / 2);
}

TEST_F(DataFolderTest, AnOutputLetsNoUploadPass) {
  const auto free = static_cast<int64_t>(
      std::filesystem::space(::testing::TempDir()).available);
  // Half of it is enough for outputs.
  Open({.min_free_bytes = free + free / 4});
  std::unique_ptr<server::NewBlob> blob;
  ASSERT_TRUE(folder_->blobs().Create("s", &blob).ok());
  EXPECT_EQ(CallErrorOf(Upload("d")).limit_name, "min_free_disk_bytes");
}

TEST_F(DataFolderTest, ATornBlobIsFound) {
  Open();
  RunJob();
  std::filesystem::resize_file(PathOf(SourceOf("s", 1)), 7);
  const server::DataCheck check = Check();
  ASSERT_THAT(check.faults, SizeIs(1));
  EXPECT_THAT(check.faults[0], HasSubstr("has other bytes"));
}

TEST_F(DataFolderTest, ALostBlobIsFound) {
  Open();
  RunJob();
  std::filesystem::remove(PathOf(SourceOf("s", 2)));
  const server::DataCheck check = Check();
  ASSERT_THAT(check.faults, SizeIs(1));
  EXPECT_THAT(check.faults[0], HasSubstr("is missing"));
}

TEST_F(DataFolderTest, ACorruptDatabaseIsFound) {
  Open();
  RunJob();
  folder_ = nullptr;
  // Pages of the middle of the file, after it has all rows.
  const std::string file = path_ + "/jobs.db";
  std::fstream database(file, std::ios::in | std::ios::out | std::ios::binary);
  database.seekp(static_cast<int64_t>(std::filesystem::file_size(file)) / 2);
  database << std::string(8192, '\xee');
  database.close();
  server::DataCheck check;
  const absl::Status status = server::CheckData(path_, "", &check);
  EXPECT_TRUE(!status.ok() || !check.faults.empty());
}

struct DiskFault {
  server::Fault fault;
  absl::StatusCode code;
  const char* reason;
};

// All effects fail from some moment on, also those of SQLite on its own files.
// Acknowledged data stay; the server says why it refuses, and goes on when the
// disk does.
TEST_F(DataFolderTest, GoesOnAfterItsDiskHasFailed) {
  constexpr DiskFault kDiskFaults[] = {
      {server::Fault::kNoSpace, absl::StatusCode::kResourceExhausted,
       "DISK_FULL"},
      {server::Fault::kIoError, absl::StatusCode::kInternal, "STORE_FAULT"},
      {server::Fault::kShortWrite, absl::StatusCode::kInternal, "STORE_FAULT"},
  };
  NumberFilesOfSqlite(true);
  Open();
  RunJob();
  int jobs = 1;
  for (const DiskFault& disk : kDiskFaults) {
    // From each of the first effects of a call on.
    for (int64_t at = 1; at <= 12; ++at) {
      const std::string seed = "f" + std::to_string(++jobs);
      server::FaultPoints::Arm({at, disk.fault, /*lasts=*/true});
      server::JobInfo info;
      bool is_new = false;
      const absl::Status refused =
          folder_->jobs().Create(JobOf(seed), NowMs(), &info, &is_new);
      server::FaultPoints::Disarm();
      if (refused.ok()) {
        // The call had fewer effects than that.
        EXPECT_GT(at, 5);
        continue;
      }
      EXPECT_EQ(refused.code(), disk.code) << refused << " at " << at;
      EXPECT_EQ(ReasonOf(refused), disk.reason);
      for (int i = 0; i < kItems; ++i) Upload(SourceOf(seed, i)).IgnoreError();
      const absl::Status made =
          folder_->jobs().Create(JobOf(seed), NowMs(), &info, &is_new);
      EXPECT_TRUE(made.ok()) << made;
      EXPECT_TRUE(is_new);
    }
  }
  for (int i = 0; i < 20; ++i) Work(folder_.get(), 256, [](const auto&) {});
  server::JobStats stats;
  ASSERT_TRUE(folder_->jobs().Stats(&stats).ok());
  EXPECT_EQ(stats.jobs, 0);
  EXPECT_THAT(Check().faults, IsEmpty());
  NumberFilesOfSqlite(false);
}

// So it does not matter if the folder for temporary files is full.
TEST_F(DataFolderTest, MakesNoTemporaryFiles) {
  NumberFilesOfSqlite(true);
  Open();
  RunJob();
  // More than SQLite sorts in its cache.
  constexpr char kMuch[] =
      "CREATE TABLE t (a); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i "
      "+ 1 FROM n WHERE i < 200000) INSERT INTO t SELECT hex(randomblob(20)) "
      "FROM n; CREATE INDEX b ON t (a); DROP TABLE t;";
  {
    std::unique_ptr<server::Database> database;
    ASSERT_TRUE(server::Database::Open(parent_ + "/sorted.db", &database).ok());
    ASSERT_TRUE(database->Execute(kMuch).ok());
    EXPECT_EQ(TemporaryFilesOfSqlite(), 0);
    // As SQLite does unless it is told.
    ASSERT_TRUE(database->Execute("PRAGMA temp_store = FILE").ok());
    ASSERT_TRUE(database->Execute(kMuch).ok());
    EXPECT_GT(TemporaryFilesOfSqlite(), 0);
  }
  NumberFilesOfSqlite(false);
}

TEST_F(DataFolderTest, DataOfAnotherVersionAreRefused) {
  Open();
  folder_ = nullptr;
  for (const auto& [version, reason] :
       {std::pair<const char*, const char*>{"3", "DATA_TOO_OLD"},
        {"1000", "DATA_TOO_NEW"}}) {
    {
      std::unique_ptr<server::Database> database;
      ASSERT_TRUE(server::Database::Open(path_ + "/jobs.db", &database).ok());
      ASSERT_TRUE(
          database->Execute(std::string("PRAGMA user_version = ") + version)
              .ok());
    }
    EXPECT_EQ(ReasonOf(DataFolder::Open(path_, {}, &folder_)), reason);
  }
}

}  // namespace
}  // namespace bvhmill::testing
