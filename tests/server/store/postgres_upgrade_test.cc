// Databases of PostgreSQL that earlier servers have stored. The first schema
// itself: postgres_servers_test.cc.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bvhmill/base/status.h"
#include "server/store/migrations.h"
#include "server/store/postgres/open_postgres.h"
#include "server/store/postgres/postgres_job_store.h"
#include "tests/server/store/store_kinds.h"
#include "tests/server/store/upgrade.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

class OldPostgres final : public OldDatabase {
 public:
  OldPostgres(bench::PostgresProcess* postgres, std::string name)
      : postgres_(*postgres),
        name_(std::move(name)),
        address_(postgres->NewDatabase(name_)) {}

  const std::string& address() const { return address_; }
  void Load() override {
    postgres_.RunSql(
        name_,
        "SET client_min_messages = error; DROP SCHEMA IF EXISTS bvhmill "
        "CASCADE;" +
            ReadFile(SourceFile("tests/server/store/postgres_0001.sql")));
  }
  absl::Status Upgrade(const std::vector<std::string_view>& later) override {
    std::vector<std::string_view> steps(server::PostgresMigrations().begin(),
                                        server::PostgresMigrations().end());
    steps.insert(steps.end(), later.begin(), later.end());
    server::PostgresConnections connections(address_, 0);
    return server::MigratePostgres(steps, &connections);
  }
  int64_t Steps() override {
    return std::stoll(Query("SELECT steps FROM schema_version"));
  }
  std::string Query(const std::string& sql) override {
    return postgres_.RunSql(name_, "SET search_path = bvhmill; " + sql);
  }

 private:
  bench::PostgresProcess& postgres_;
  const std::string name_;
  const std::string address_;
};

class PostgresUpgrade : public ::testing::Test {
 protected:
  void SetUp() override {
    static int databases = 0;
    std::string why;
    bench::PostgresProcess* const postgres = SharedPostgres(&why);
    if (postgres == nullptr) GTEST_SKIP() << why;
    old_ = std::make_unique<OldPostgres>(
        postgres, "upgrade_" + std::to_string(++databases));
  }
  static int64_t LaterSteps() {
    return static_cast<int64_t>(server::PostgresMigrations().size()) + 1;
  }

  std::unique_ptr<OldPostgres> old_;
};

TEST_F(PostgresUpgrade, ALaterStepKeepsAllRows) {
  old_->Load();
  const std::string rows = RowsOf(old_.get());
  const absl::Status upgraded = old_->Upgrade({kLaterStep});
  ASSERT_TRUE(upgraded.ok()) << upgraded;
  ExpectUpgraded(old_.get(), LaterSteps(), rows);
  std::unique_ptr<server::JobStore> store;
  std::string identity;
  const absl::Status refused =
      server::OpenPostgresJobStore(old_->address(), &store, &identity);
  EXPECT_TRUE(absl::IsFailedPrecondition(refused));
  EXPECT_EQ(CallErrorOf(refused).reason, "DATA_TOO_NEW");
  ExpectUpgraded(old_.get(), LaterSteps(), rows);
}

TEST_F(PostgresUpgrade, EachKillLeavesAWholeDatabase) {
  ExpectEachKillLeavesAWholeDatabase(old_.get(), LaterSteps());
}

TEST_F(PostgresUpgrade, AStepThatFailsChangesNothing) {
  ExpectAFailureChangesNothing(old_.get());
}

}  // namespace
}  // namespace bvhmill::testing
