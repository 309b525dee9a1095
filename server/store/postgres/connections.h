#pragma once

// Jobs of several servers in PostgreSQL, as an engine of sql.h: a pool of
// connections, transactions that run again after a deadlock or a lost
// connection, prepared statements, and errors as statuses. News of other
// servers come by LISTEN and NOTIFY.

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <pqxx/pqxx>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "server/store/fault_points.h"
#include "server/store/sql.h"

// Keys of the advisory locks of servers, in SQL. Each has one purpose, and no
// other program uses them in this database: the making of the tables; names of
// blobs, see postgres_name_lock.cc. job_store.cc has a third one,
// 7450113361907.
#define BVHMILL_SCHEMA_LOCK "7450113361905"
#define BVHMILL_NAME_LOCK "7450113361906"

namespace bvhmill::server {

// For faults of tests: throws the exception of libpqxx for a statement that
// fails as `fault` says, before its effect or after it. Does nothing for other
// faults.
void ThrowBefore(Fault fault);
void ThrowAfter(Fault fault);

// A connection and its prepared statements. Used by one thread at a time.
class Session {
 public:
  // Connects. Throws what libpqxx throws.
  explicit Session(const std::string& address);

  pqxx::connection& connection() { return connection_; }
  // The name of the prepared statement. Prepares it at the first call.
  const std::string& NameOf(const std::string& sql);

 private:
  pqxx::connection connection_;
  std::map<std::string, std::string, std::less<>> names_;
};

// The transaction of Commit::kFast. It begins with one message; the
// transactions of libpqxx need more.
class FastTransaction {
 public:
  explicit FastTransaction(pqxx::nontransaction* work);
  // Rolls back, unless the transaction was committed.
  ~FastTransaction();
  FastTransaction(const FastTransaction&) = delete;
  FastTransaction& operator=(const FastTransaction&) = delete;
  void Commit();

 private:
  pqxx::nontransaction& work_;
  bool is_over_ = false;
};

// A running transaction. Rolls back if it is destroyed before Finish. An
// exception of libpqxx in Run is kept, and its status returned.
class PostgresWork final : public SqlWork {
 public:
  PostgresWork(Session* session, Commit commit);

  absl::Status Run(const std::string& sql, const std::vector<SqlValue>& values,
                   SqlResult* result) override;
  using SqlWork::Run;
  absl::Status Notify(const std::string& news) override;
  // Runs statements without values.
  absl::Status Execute(const std::string& sql);
  // Commits. Throws what libpqxx throws.
  void Finish();
  // Throws the exception that Run kept, if any.
  void ThrowFault() const {
    if (fault_) std::rethrow_exception(fault_);
  }

 private:
  absl::Status Keep(const std::exception& fault);

  Session& session_;
  std::unique_ptr<pqxx::transaction_base> work_;
  std::optional<FastTransaction> fast_;
  std::exception_ptr fault_;
};

// A pool of at most eight connections. Thread-safe. A thread waits ten seconds
// for a connection, then UNAVAILABLE. After a failed attempt to connect, others
// fail at once for a time that doubles from 50 ms to 2 s, so that threads do
// not wait for a database that is down.
class PostgresConnections final : public SqlDatabase {
 public:
  // Connects at the first use.
  explicit PostgresConnections(const std::string& address);
  ~PostgresConnections() override;

  // Opens a connection and closes it. The status is for the operator: it may
  // name hosts.
  absl::Status Try();

  bool is_shared() const override { return true; }
  // Runs `work` again, at most five times in all, after a deadlock, a
  // serialization failure or a duplicate row, or if the connection was lost
  // before the commit. Statuses: that of `work`, and those of StatusOfFault.
  absl::Status Run(Commit commit,
                   const std::function<absl::Status(SqlWork*)>& work) override;
  void Listen(std::function<void(const std::string&)> hear) override;

 private:
  using Clock = std::chrono::steady_clock;
  using SessionPtr = std::unique_ptr<Session>;
  class Listener;

  absl::Status Take(SessionPtr* session);
  absl::Status Connect(SessionPtr* session);
  void GiveBack(SessionPtr session);
  // Whether to run the work once more.
  enum class Next : uint8_t { kStop, kAgain };
  Next RunOnce(Commit commit, const std::function<absl::Status(SqlWork*)>& work,
               bool may_retry, absl::Status* status);

  const std::string address_;
  std::mutex mutex_;
  std::condition_variable given_back_;
  std::vector<SessionPtr> idle_;
  int open_ = 0;
  Clock::time_point refused_until_;
  Clock::duration pause_{};
  // The last member: its thread ends first.
  std::unique_ptr<Listener> listener_;
};

// Errors of PostgreSQL as statuses.

// UNAVAILABLE, DATABASE_UNAVAILABLE. The message names no host, since peers see
// it.
absl::Status DatabaseUnavailable();
// The same with the text of `fault`, for the operator: it may name hosts.
absl::Status CannotConnect(const std::exception& fault);
// The status of an exception of libpqxx. UNAVAILABLE, DATABASE_UNAVAILABLE: the
// connection is lost; the database starts, stops or has too many connections;
// or the timeout of a lock has passed. RESOURCE_EXHAUSTED, DISK_FULL. INTERNAL,
// STORE_FAULT for all others.
absl::Status StatusOfFault(const std::exception& fault);

// Connections outside of the pool.

// `address` with settings by which a connection detects that the database is
// down. Does not replace a setting of `address`.
std::string WithTimeouts(const std::string& address);

// Makes each use of a lost connection an error. Without this, libpqxx connects
// again, to a session without the transaction and the settings.
void StayLost(pqxx::connection* connection);

}  // namespace bvhmill::server
