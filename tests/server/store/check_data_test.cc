// The check of data: what it finds, for both engines of jobs, and what it
// leaves alone.

#include "server/store/check_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/digest/sha256.h"
#include "server/store/sqlite/sqlite.h"
#include "tests/crash/crash_work.h"
#include "tests/server/store/store_kinds.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

using server::DataCheck;
using server::DataFolder;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// The messages of the crash tests.
bool IsCrashMessage(server::StoredMessage kind, std::string_view bytes) {
  switch (kind) {
    case server::StoredMessage::kOptions:
      return bytes == "options";
    case server::StoredMessage::kAnnotations:
      return bytes.empty();
    case server::StoredMessage::kResult:
      return bytes.starts_with("result of ");
  }
  return false;
}

std::set<std::string> FilesIn(const std::string& folder) {
  std::set<std::string> files;
  for (const auto& file :
       std::filesystem::recursive_directory_iterator(folder)) {
    files.insert(file.path().native());
  }
  return files;
}

// A place with one job that is over.
class CheckedPlace {
 public:
  explicit CheckedPlace(const std::string& engine) : engine_(engine) {
    static int places = 0;
    name_ =
        "check_" + std::to_string(getpid()) + "_" + std::to_string(++places);
    place_.folder = ::testing::TempDir() + name_;
    std::filesystem::remove_all(place_.folder);
  }
  ~CheckedPlace() { std::filesystem::remove_all(place_.folder); }

  // False, with the reason, if the engine cannot be used here.
  bool Make(std::string* why) {
    if (!CanTest(engine_, why)) return false;
    if (engine_ == "postgres") {
      place_.database = SharedPostgres(why)->NewDatabase(name_);
    }
    Open();
    RunJob("s");
    folder_ = nullptr;
    return true;
  }
  void Open() {
    const absl::Status opened = OpenPlace(place_, &folder_);
    ASSERT_TRUE(opened.ok()) << opened;
  }
  void Close() { folder_ = nullptr; }

  std::string RunJob(const std::string& seed) {
    std::string id;
    EXPECT_TRUE(RunWholeJob(folder_.get(), seed, &id).ok());
    return id;
  }

  // $BYTES stands for a literal of the byte 255.
  void Damage(std::string sql) {
    const std::string word = "$BYTES";
    const bool is_sqlite = engine_ == "sqlite";
    if (const size_t at = sql.find(word); at != sql.npos) {
      sql.replace(at, word.size(), is_sqlite ? "X'FF'" : R"('\xff'::bytea)");
    }
    if (!is_sqlite) {
      std::string why;
      EXPECT_EQ(
          SharedPostgres(&why)->RunSql(
              name_,
              "SET search_path = bvhmill; SET client_min_messages = error;" +
                  sql),
          "");
      return;
    }
    std::unique_ptr<server::Database> database;
    ASSERT_TRUE(
        server::Database::Open(place_.folder + "/jobs.db", &database).ok());
    ASSERT_TRUE(database->Execute("PRAGMA foreign_keys = OFF;" + sql).ok());
  }
  DataCheck Check() const {
    DataCheck check;
    check.is_message = &IsCrashMessage;
    const absl::Status status =
        server::CheckData(place_.folder, place_.database, &check);
    EXPECT_TRUE(status.ok()) << status;
    return check;
  }
  std::string ReasonOfCheck() const {
    DataCheck check;
    return CallErrorOf(
               server::CheckData(place_.folder, place_.database, &check))
        .reason;
  }
  std::string PathOf(const std::string& bytes) const {
    const std::string digest = Sha256Of(bytes);
    return place_.folder + "/blobs/" + server::SpaceOf(kCaller) + "/" +
           digest.substr(0, 2) + "/" + digest;
  }

  const std::string engine_;
  std::string name_;
  Place place_;
  std::unique_ptr<DataFolder> folder_;
};

class CheckData : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    std::string why;
    at_ = std::make_unique<CheckedPlace>(GetParam());
    if (!at_->Make(&why)) GTEST_SKIP() << why;
  }

  std::unique_ptr<CheckedPlace> at_;
};

TEST_P(CheckData, FindsNothingInGoodData) {
  const DataCheck check = at_->Check();
  EXPECT_THAT(check.faults, IsEmpty());
  EXPECT_EQ(check.jobs, 1);
  EXPECT_EQ(check.items, kItems);
  EXPECT_EQ(check.results, kItems);
  EXPECT_EQ(check.blobs, 2 * kItems);
  EXPECT_EQ(check.unnamed, 0);
  EXPECT_FALSE(check.is_live);
}

TEST_P(CheckData, ChangesNothing) {
  const std::set<std::string> before = FilesIn(at_->place_.folder);
  at_->Check();
  EXPECT_EQ(FilesIn(at_->place_.folder), before);
}

struct RowDamage {
  const char* sql;
  const char* fault;
};

TEST_P(CheckData, FindsRowsThatDoNotFit) {
  constexpr RowDamage kDamages[] = {
      {"UPDATE item SET result = NULL WHERE number = 1",
       "item 1: is done and has no"},
      {"UPDATE item SET state = 0 WHERE number = 1",
       "item 1: has an output and no"},
      {"UPDATE item SET state = 0 WHERE number = 1",
       "counts: do not fit its items"},
      {"UPDATE item SET state = 0 WHERE number = 1",
       "item 1: has a result and is not done"},
      {"UPDATE item SET blob = 'x' WHERE number = 2",
       "item 2: its blob x is missing"},
      {"UPDATE blob SET digest = 'y' WHERE item = 2",
       "item 2: its blob y is missing"},
      {"DELETE FROM item WHERE number = 3", "counts: do not fit its items"},
      {"DELETE FROM item WHERE number = 3", "item 3: has an output and no"},
      {"UPDATE item SET code = 3 WHERE number = 0",
       "counts: do not fit its items"},
      {"UPDATE job SET total = 9", "counts: do not fit its items"},
      {"DELETE FROM job", "item 0: belongs to no job"},
      {"UPDATE item SET state = 7 WHERE number = 0",
       "item 0: has a state that does not exist"},
      {"UPDATE item SET tries = -1 WHERE number = 0",
       "item 0: has a negative count of tries"},
      {"UPDATE job SET state = 17", "state: does not exist"},
      {"UPDATE job SET end_ms = 0", "times: do not fit its state"},
      {"UPDATE item SET result = $BYTES WHERE number = 2",
       "item 2: has bytes that are no message"},
      {"UPDATE item SET options = $BYTES WHERE number = 1",
       "item 1: has bytes that are no message"},
      {"UPDATE job SET options = $BYTES",
       "options: has bytes that are no message"},
      {"UPDATE job SET annotations = $BYTES",
       "annotations: has bytes that are no message"},
  };
  std::string why;
  for (const RowDamage& damage : kDamages) {
    CheckedPlace at(GetParam());
    ASSERT_TRUE(at.Make(&why));
    at.Damage(damage.sql);
    EXPECT_THAT(at.Check().faults, Contains(HasSubstr(damage.fault)))
        << damage.sql;
  }
}

TEST_P(CheckData, FindsBlobsThatAreTornOrLost) {
  std::filesystem::resize_file(at_->PathOf(SourceOf("s", 1)), 7);
  std::filesystem::remove(at_->PathOf(SourceOf("s", 2)));
  const DataCheck check = at_->Check();
  EXPECT_THAT(check.faults, SizeIs(2));
  EXPECT_THAT(check.faults, Contains(HasSubstr("has other bytes")));
  EXPECT_THAT(check.faults, Contains(HasSubstr("item 2: its blob")));
}

TEST_P(CheckData, CountsBlobsThatNoJobNames) {
  at_->Open();
  ASSERT_TRUE(UploadSource(at_->folder_.get(), "of no job").ok());
  at_->Close();
  const DataCheck check = at_->Check();
  EXPECT_THAT(check.faults, IsEmpty());
  EXPECT_EQ(check.unnamed, 1);
}

TEST_P(CheckData, RefusesFoldersWithoutData) {
  std::filesystem::remove_all(at_->place_.folder);
  EXPECT_EQ(at_->ReasonOfCheck(), "DATA_MISSING");
}

TEST(CheckDataTest, SaysWhyAFolderHasNoData) {
  const TempDir dir;
  testing::WriteFile(dir.File("file"), "");
  server::DataCheck check;
  const auto why = [&](const std::string& path) {
    return std::string(server::CheckData(path, "", &check).message());
  };
  EXPECT_THAT(why(dir.File("absent")),
              EndsWith("absent has no data of a server"));
  EXPECT_THAT(why(dir.File("file")),
              EndsWith("file cannot be read: Not a directory"));
}

INSTANTIATE_TEST_SUITE_P(Sqlite, CheckData, ::testing::Values("sqlite"));
INSTANTIATE_TEST_SUITE_P(Postgres, CheckData, ::testing::Values("postgres"));

class CheckSharedData : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    if (!at_.Make(&why)) GTEST_SKIP() << why;
    postgres_ = SharedPostgres(&why);
  }

  CheckedPlace at_{"postgres"};
  bench::PostgresProcess* postgres_ = nullptr;
};

// One server makes jobs, works on them, deletes them and removes their blobs.
TEST_F(CheckSharedData, FindsNothingBesideARunningServer) {
  at_.Open();
  std::jthread load([this](const std::stop_token& stop) {
    for (int i = 0; !stop.stop_requested(); ++i) {
      const std::string id = at_.RunJob("load" + std::to_string(i));
      if (i % 3 == 0) continue;
      EXPECT_TRUE(at_.folder_->jobs().Delete(kCaller, id).ok());
      int64_t count = 0;
      EXPECT_TRUE(at_.folder_->Collect(NowMs() + 1000, &count).ok());
    }
  });
  const std::string made = at_.place_.folder + "/new";
  const size_t servers = FilesIn(made).size();
  int64_t most = 0;
  for (int i = 0; i < 25; ++i) {
    const DataCheck check = at_.Check();
    EXPECT_THAT(check.faults, IsEmpty());
    EXPECT_TRUE(check.is_live);
    most = std::max(most, check.jobs);
  }
  EXPECT_GT(most, 2);
  EXPECT_GE(FilesIn(made).size(), servers);
}

TEST_F(CheckSharedData, RefusesWhatDoesNotBelongTogether) {
  DataCheck check;
  const absl::Status unnamed = server::CheckData(at_.place_.folder, "", &check);
  EXPECT_EQ(CallErrorOf(unnamed).reason, "DATA_OF_ANOTHER_DATABASE");
  EXPECT_THAT(std::string(MessageOf(unnamed)), HasSubstr("--jobs-database"));
  CheckedPlace other("postgres");
  CheckedPlace alone("sqlite");
  std::string why;
  ASSERT_TRUE(other.Make(&why));
  ASSERT_TRUE(alone.Make(&why));
  for (const CheckedPlace* const at : {&other, &alone}) {
    EXPECT_EQ(CallErrorOf(server::CheckData(at->place_.folder,
                                            at_.place_.database, &check))
                  .reason,
              "DATA_OF_ANOTHER_DATABASE");
  }
}

TEST_F(CheckSharedData, RefusesADatabaseWithoutJobsOrOfAnotherVersion) {
  at_.Damage("UPDATE schema_version SET steps = 1000");
  EXPECT_EQ(at_.ReasonOfCheck(), "DATA_TOO_NEW");
  at_.Damage("DROP SCHEMA bvhmill CASCADE");
  EXPECT_EQ(at_.ReasonOfCheck(), "DATA_MISSING");
  at_.place_.database = "host=/nowhere dbname=none";
  EXPECT_EQ(at_.ReasonOfCheck(), "DATABASE_UNAVAILABLE");
}

// The file of a table is overwritten where its only page begins.
TEST_F(CheckSharedData, FindsATableThatCannotBeRead) {
  std::string path =
      postgres_->RunSql(at_.name_,
                        "SELECT current_setting('data_directory') || '/' || "
                        "pg_relation_filepath('bvhmill.item')");
  ASSERT_EQ(path.back(), '\n');
  path.pop_back();
  postgres_->RunSql(at_.name_, "CHECKPOINT");
  postgres_->Kill();
  std::fstream(path, std::ios::in | std::ios::out | std::ios::binary)
      << std::string(64, '\xee');
  ASSERT_TRUE(postgres_->StartAgain());
  EXPECT_THAT(at_.Check().faults,
              Contains(HasSubstr("the table item is damaged")));
  // A server says so, too, and goes on with what it can read.
  at_.Open();
  std::vector<server::JobInfo> jobs;
  bool has_more = false;
  ASSERT_TRUE(at_.folder_->jobs()
                  .List({.caller = kCaller, .limit = 10}, &jobs, &has_more)
                  .ok());
  ASSERT_THAT(jobs, SizeIs(1));
  std::vector<server::StoredResult> results;
  const absl::Status read = at_.folder_->jobs().Results(
      kCaller, jobs[0].id, {.limit = 10, .max_bytes = 1 << 20}, &results);
  EXPECT_TRUE(absl::IsInternal(read)) << read;
  EXPECT_EQ(CallErrorOf(read).reason, "STORE_FAULT");
}

}  // namespace
}  // namespace bvhmill::testing
