#pragma once

// The stores of jobs that a test is run with, by name: "sqlite" and "postgres".

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "bench/support/postgres_process.h"
#include "server/store/postgres/open_postgres.h"
#include "server/store/sqlite/sqlite.h"

namespace bvhmill::testing {

// One PostgreSQL for all tests of this process; null with the reason if there
// is none.
inline bench::PostgresProcess* SharedPostgres(std::string* why) {
  static std::string reason;
  static const std::unique_ptr<bench::PostgresProcess> postgres =
      bench::PostgresProcess::Start(/*durable=*/false, &reason);
  *why = reason;
  return postgres.get();
}

// A database of jobs of one kind, which is empty at first.
class StoreKind {
 public:
  virtual ~StoreKind() = default;
  // Opens the store as a server does whose predecessor was killed: `*store` is
  // closed first, and its leases end.
  virtual void Open(std::unique_ptr<server::JobStore>* store) = 0;
};

class SqliteKind final : public StoreKind {
 public:
  explicit SqliteKind(const std::string& name)
      : folder_(::testing::TempDir() + "store-" + name + "-" +
                std::to_string(getpid())) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~SqliteKind() override { std::filesystem::remove_all(folder_); }

  void Open(std::unique_ptr<server::JobStore>* store) override {
    *store = nullptr;
    std::unique_ptr<server::SqlDatabase> database;
    ASSERT_TRUE(
        server::OpenSqlite(folder_ + "/jobs.db", /*may_begin=*/true, &database)
            .ok());
    ASSERT_TRUE(server::JobStore::Open(std::move(database), store).ok());
  }

 private:
  const std::string folder_;
};

class PostgresKind final : public StoreKind {
 public:
  explicit PostgresKind(const std::string& address) : address_(address) {}

  void Open(std::unique_ptr<server::JobStore>* store) override {
    const bool is_first = *store == nullptr;
    *store = nullptr;
    std::string identity;
    const absl::Status opened =
        server::OpenPostgresJobStore(address_, store, &identity);
    ASSERT_TRUE(opened.ok()) << opened;
    if (!is_first) EndLeases(store->get());
  }

 private:
  // Leases of tests are short: they end after the time that a server waits.
  static void EndLeases(server::JobStore* store) {
    constexpr int64_t kLeaseMs = 100;
    server::JobStats stats{.leased = 1};
    for (int i = 0; i < 500 && stats.leased > 0; ++i) {
      ASSERT_TRUE(store->Heartbeat(1'000'000, 1'000'000 + kLeaseMs).ok());
      ASSERT_TRUE(store->Stats(&stats).ok());
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    ASSERT_EQ(stats.leased, 0);
  }

  const std::string address_;
};

// False, with the reason in `*why`, if the kind cannot be tested here.
inline bool CanTest(const std::string& kind, std::string* why) {
  if (kind == "sqlite") return true;
  if (!server::HasPostgres()) {
    *why = "the program was built without PostgreSQL";
    return false;
  }
  return SharedPostgres(why) != nullptr;
}

// Null, with the reason in `*why`, if the kind cannot be tested here.
inline std::unique_ptr<StoreKind> MakeKind(const std::string& kind,
                                           const std::string& name,
                                           std::string* why) {
  if (!CanTest(kind, why)) return nullptr;
  if (kind == "sqlite") return std::make_unique<SqliteKind>(name);
  return std::make_unique<PostgresKind>(SharedPostgres(why)->NewDatabase(name));
}

}  // namespace bvhmill::testing
