// Databases of SQLite that earlier servers have stored.

#include "tests/server/store/upgrade.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "bvhmill/base/status.h"
#include "server/store/migrations.h"
#include "server/store/sqlite/sqlite.h"
#include "server/store/sqlite/sqlite_job_store.h"
#include "tests/crash/sqlite_faults.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

using server::Database;
using server::JobState;

class OldSqlite final : public OldDatabase {
 public:
  explicit OldSqlite(std::string folder) : folder_(std::move(folder)) {}
  ~OldSqlite() override { std::filesystem::remove_all(folder_); }

  std::string path() const { return folder_ + "/jobs.db"; }
  void Load() override {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    ASSERT_TRUE(Open()
                    ->Execute(ReadFile(
                        SourceFile("tests/server/store/sqlite_0001.sql")))
                    .ok());
  }
  absl::Status Upgrade(const std::vector<std::string_view>& later) override {
    std::vector<std::string_view> steps(server::SqliteMigrations().begin(),
                                        server::SqliteMigrations().end());
    steps.insert(steps.end(), later.begin(), later.end());
    std::unique_ptr<Database> database;
    const absl::Status opened = Database::Open(path(), &database);
    return opened.ok() ? server::Migrate(steps, database.get()) : opened;
  }
  int64_t Steps() override { return std::stoll(Query("PRAGMA user_version")); }
  std::string Query(const std::string& sql) override {
    const auto database = Open();
    server::Statement find(database.get(), sql.c_str());
    std::string text;
    while (find.Step()) {
      for (int i = 0; i < find.columns(); ++i) {
        if (i > 0) text += '|';
        text += find.Text(i);
      }
      text += '\n';
    }
    return text;
  }

 private:
  std::unique_ptr<Database> Open() const {
    std::unique_ptr<Database> database;
    const absl::Status opened = Database::Open(path(), &database);
    EXPECT_TRUE(opened.ok()) << opened;
    return database;
  }

  const std::string folder_;
};

class SqliteUpgrade : public ::testing::Test {
 protected:
  static int64_t LaterSteps() {
    return static_cast<int64_t>(server::SqliteMigrations().size()) + 1;
  }

  OldSqlite old_{::testing::TempDir() + "upgrade-" + std::to_string(getpid())};
};

TEST_F(SqliteUpgrade, AServerGoesOnWithADatabaseOfTheFirstSchema) {
  old_.Load();
  ASSERT_EQ(old_.Steps(), 1);
  std::unique_ptr<server::SqliteJobStore> store;
  ASSERT_TRUE(server::SqliteJobStore::Open(old_.path(), &store).ok());
  ExpectOldBytes(store.get());
  std::vector<server::ClaimedItem> items;
  ASSERT_TRUE(
      store
          ->Claim({.limit = 16, .now_ms = 1'000'000, .until_ms = 1'060'000},
                  &items)
          .ok());
  ASSERT_EQ(items.size(), 3u);
  EXPECT_EQ(items[0].item.key, "leased.bvh");
  EXPECT_EQ(items[0].crashes, 1);
  EXPECT_EQ(items[2].why, "no memory");
  std::vector<server::FinishedItem> done;
  for (const auto& item : items) {
    done.emplace_back().lease = item.lease;
    done.back().result.bytes = "new";
  }
  std::vector<bool> accepted;
  std::vector<int64_t> over;
  ASSERT_TRUE(store->Complete(done, 1'000'001, &accepted, &over).ok());
  ExpectOldJobIsDone(store.get());
}

TEST_F(SqliteUpgrade, AJobThatNoCallerSeesIsNotCounted) {
  old_.Load();
  old_.Query("UPDATE job SET caller = '/gone', state = 6, end_ms = 1");
  ASSERT_TRUE(old_.Upgrade({}).ok());
  EXPECT_EQ(old_.Query("SELECT count(*) FROM job_bytes"), "0\n");
}

TEST_F(SqliteUpgrade, ALaterStepKeepsAllRows) {
  old_.Load();
  const std::string rows = RowsOf(&old_);
  ASSERT_TRUE(old_.Upgrade({kLaterStep}).ok());
  ExpectUpgraded(&old_, LaterSteps(), rows);
  // This server does not know the step.
  std::unique_ptr<server::SqliteJobStore> store;
  const absl::Status refused =
      server::SqliteJobStore::Open(old_.path(), &store);
  EXPECT_TRUE(absl::IsFailedPrecondition(refused));
  EXPECT_EQ(CallErrorOf(refused).reason, "DATA_TOO_NEW");
  EXPECT_THAT(refused.ToString(),
              ::testing::HasSubstr("a newer bvhmilld has made the data"));
  ExpectUpgraded(&old_, LaterSteps(), rows);
}

// Points are also the writes of SQLite to its files.
TEST_F(SqliteUpgrade, EachKillLeavesAWholeDatabase) {
  NumberFilesOfSqlite(true);
  ExpectEachKillLeavesAWholeDatabase(&old_, LaterSteps());
  NumberFilesOfSqlite(false);
}

TEST_F(SqliteUpgrade, AStepThatFailsChangesNothing) {
  ExpectAFailureChangesNothing(&old_);
}

}  // namespace
}  // namespace bvhmill::testing
