// Data of which a part is lost: no server begins with the rest, and no tool
// changes it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "bvhmill/base/status.h"
#include "server/store/check_data.h"
#include "server/store/data_folder.h"
#include "server/store/fault_points.h"
#include "server/store/file_ops.h"
#include "server/store/sqlite/sqlite.h"
#include "tests/crash/crash_work.h"

namespace bvhmill::testing {
namespace {

namespace fs = std::filesystem;

using server::DataFolder;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The sizes of all files but those that the start of a server makes.
std::map<std::string, uintmax_t> SizesIn(const std::string& folder) {
  std::map<std::string, uintmax_t> sizes;
  for (const auto& file : fs::recursive_directory_iterator(folder)) {
    const std::string name = file.path().filename();
    if (file.is_regular_file() && name != "lock" && name != "jobs.db-shm") {
      sizes[file.path()] = file.file_size();
    }
  }
  return sizes;
}

class LostData : public ::testing::Test {
 protected:
  LostData() { fs::remove_all(parent_); }
  ~LostData() override { fs::remove_all(parent_); }

  static absl::Status OpenAt(const std::string& path) {
    std::unique_ptr<DataFolder> folder;
    return DataFolder::Open(path, {}, &folder);
  }
  // A folder with one job that is over, as a server leaves it that is stopped,
  // or that is killed.
  void Make(bool is_killed) {
    fs::remove_all(parent_);
    const std::string made = parent_ + "/made";
    std::unique_ptr<DataFolder> folder;
    std::string id;
    ASSERT_TRUE(DataFolder::Open(made, {}, &folder).ok());
    ASSERT_TRUE(RunWholeJob(folder.get(), "s", &id).ok());
    if (!is_killed) folder = nullptr;
    fs::remove(made + "/reserve");
    fs::copy(made, path_, fs::copy_options::recursive);
    EXPECT_EQ(fs::exists(path_ + "/jobs.db-open"), is_killed);
  }
  static void ExpectRefused(const absl::Status& status, const char* message) {
    EXPECT_EQ(CallErrorOf(status).reason, "DATA_INCOMPLETE") << message;
    EXPECT_THAT(std::string(MessageOf(status)), HasSubstr(message));
    EXPECT_THAT(std::string(MessageOf(status)), HasSubstr("restore"));
  }
  std::string File(const char* name) const { return path_ + "/" + name; }
  int64_t JobsOf(server::DataCheck* check) const {
    const absl::Status checked = server::CheckData(path_, "", check);
    EXPECT_TRUE(checked.ok()) << checked;
    return check->jobs;
  }

  const std::string parent_ =
      ::testing::TempDir() + "lost-data-" + std::to_string(getpid());
  const std::string path_ = parent_ + "/state";
};

// A part of the data that is removed after a server was stopped or killed.
struct Loss {
  const char* name;
  bool is_killed;
  std::function<void()> lose;
  const char* message;
};

TEST_F(LostData, OfTheDatabaseIsRefusedAndLeftAsItIs) {
  const auto empty = [](const std::string& file) { fs::resize_file(file, 0); };
  const auto remove = [](const std::string& file) { fs::remove_all(file); };
  const Loss kLosses[] = {
      {"no database", false, [&] { remove(File("jobs.db")); },
       "jobs.db is missing"},
      {"an empty database", false, [&] { empty(File("jobs.db")); },
       "jobs.db is empty"},
      {"a database without tables", false,
       [&] {
         remove(File("jobs.db"));
         std::unique_ptr<server::Database> database;
         ASSERT_TRUE(server::Database::Open(File("jobs.db"), &database).ok());
       },
       "jobs.db has none of the tables"},
      {"no database beside its log", true, [&] { remove(File("jobs.db")); },
       "jobs.db is missing"},
      {"an empty database beside its log", true,
       [&] { empty(File("jobs.db")); }, "jobs.db is empty"},
      {"no log", true, [&] { remove(File("jobs.db-wal")); },
       "jobs.db-wal is missing"},
      {"an empty log", true, [&] { empty(File("jobs.db-wal")); },
       "jobs.db-wal is empty"},
      {"a mark alone", true,
       [&] {
         for (const char* name : {"jobs.db", "jobs.db-wal", "blobs"}) {
           remove(File(name));
         }
       },
       "jobs.db is missing"},
  };
  for (const Loss& loss : kLosses) {
    Make(loss.is_killed);
    loss.lose();
    const auto before = SizesIn(path_);
    server::DataCheck check;
    for (const absl::Status& refused :
         {OpenAt(path_), server::CheckData(path_, "", &check)}) {
      ExpectRefused(refused, loss.message);
    }
    EXPECT_EQ(SizesIn(path_), before) << loss.name;
  }
}

// A check of the data lists the blobs that are lost.
TEST_F(LostData, OfAllBlobsIsRefused) {
  const auto remove = [](const std::string& file) { fs::remove_all(file); };
  const Loss kLosses[] = {
      {"no blobs", false, [&] { remove(File("blobs")); },
       "the sources and outputs that they name are missing"},
      {"an empty folder of blobs", true,
       [&] {
         remove(File("blobs"));
         fs::create_directory(File("blobs"));
       },
       "the sources and outputs that they name are missing"},
  };
  for (const Loss& loss : kLosses) {
    Make(loss.is_killed);
    loss.lose();
    ExpectRefused(OpenAt(path_), loss.message);
    server::DataCheck check;
    EXPECT_EQ(JobsOf(&check), 1) << loss.name;
    EXPECT_FALSE(check.faults.empty()) << loss.name;
    ExpectRefused(OpenAt(path_), loss.message);
  }
}

TEST_F(LostData, AFirstStartWorks) {
  const struct {
    const char* name;
    std::function<void()> make;
  } kCases[] = {
      {"no folder", [] {}},
      {"an empty folder", [&] { fs::create_directories(path_); }},
      {"a first start that was killed",
       [&] {
         fs::create_directories(File("blobs"));
         fs::create_directories(File("uploads"));
         std::ofstream(File("jobs.db"));
       }},
  };
  for (const auto& c : kCases) {
    fs::remove_all(parent_);
    c.make();
    EXPECT_TRUE(OpenAt(path_).ok()) << c.name;
    EXPECT_TRUE(OpenAt(path_).ok()) << c.name;
  }
}

// A backup has no mark. The check of what a killed server has left changes
// nothing.
TEST_F(LostData, WholeDataAreUsed) {
  const struct {
    const char* name;
    bool is_killed;
    std::function<void()> change;
  } kCases[] = {
      {"a server that was stopped", false, [] {}},
      {"a server that was killed", true, [] {}},
      {"a server that was killed, checked", true,
       [&] {
         server::DataCheck check;
         const auto before = SizesIn(path_);
         EXPECT_EQ(JobsOf(&check), 1);
         EXPECT_EQ(SizesIn(path_), before);
       }},
      {"a log without a mark", true, [&] { fs::remove(File("jobs.db-open")); }},
      {"a backup of the blobs that are lost", false,
       [&] {
         fs::remove_all(File("blobs"));
         fs::create_directories(File("blobs/lost"));
         fs::copy(parent_ + "/made/blobs", File("blobs"),
                  fs::copy_options::recursive);
       }},
  };
  for (const auto& c : kCases) {
    Make(c.is_killed);
    c.change();
    const absl::Status opened = OpenAt(path_);
    EXPECT_TRUE(opened.ok()) << c.name << opened;
    server::DataCheck check;
    EXPECT_EQ(JobsOf(&check), 1) << c.name;
    EXPECT_THAT(check.faults, IsEmpty()) << c.name;
  }
}

// Else the next start would miss the log.
TEST_F(LostData, AMarkThatCannotBeRemovedKeepsItsLog) {
  for (const server::Effect effect :
       {server::Effect::kRemove, server::Effect::kSync}) {
    Make(/*is_killed=*/false);
    std::unique_ptr<DataFolder> folder;
    std::string id;
    ASSERT_TRUE(DataFolder::Open(path_, {}, &folder).ok());
    ASSERT_TRUE(RunWholeJob(folder.get(), "t", &id).ok());
    server::FaultPoints::Arm(
        {.at = 1, .fault = server::Fault::kIoError, .only = effect});
    folder = nullptr;
    EXPECT_GE(server::FaultPoints::Disarm(), 1);
    EXPECT_TRUE(fs::exists(File("jobs.db-wal")));
    EXPECT_TRUE(OpenAt(path_).ok());
    server::DataCheck check;
    EXPECT_EQ(JobsOf(&check), 2);
  }
}

// With the space of the reserve, jobs can be deleted on a full disk.
TEST_F(LostData, TheReserveIsGivenUpOnce) {
  std::unique_ptr<DataFolder> folder;
  ASSERT_TRUE(DataFolder::Open(path_, {}, &folder).ok());
  if (!fs::exists(File("reserve"))) GTEST_SKIP() << "no space can be kept here";
  EXPECT_EQ(fs::file_size(File("reserve")), uintmax_t{16} << 20);
  int calls = 0;
  const auto full = [&] {
    ++calls;
    return server::FileFault("write", "f", ENOSPC);
  };
  EXPECT_FALSE(folder->WithReserve(full).ok());
  EXPECT_EQ(calls, 2);
  EXPECT_FALSE(fs::exists(File("reserve")));
  EXPECT_FALSE(folder->WithReserve(full).ok());
  EXPECT_EQ(calls, 3);
  folder->KeepReserve();
  EXPECT_TRUE(fs::exists(File("reserve")));
  EXPECT_TRUE(folder->WithReserve([] { return absl::OkStatus(); }).ok());
  EXPECT_TRUE(fs::exists(File("reserve")));
}

}  // namespace
}  // namespace bvhmill::testing
