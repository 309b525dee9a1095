#pragma once

// Connections to PostgreSQL: a pool, transactions that run again after a
// deadlock or a lost connection, prepared statements, and errors as statuses.
//
//   PostgresConnections connections(address, /*first_slot=*/0);
//   return connections.Run(Commit::kDurable, [&](Work* work) {
//     const pqxx::result rows = work->Run("SELECT a FROM t WHERE b = $1", 7);
//     for (const auto& row : rows) Use(row[0].as<int64_t>());
//     return absl::OkStatus();
//   });
//
// Each statement and each commit passes a point of fault_points.h.

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

// Keys of the advisory locks of servers, in SQL. Each has one purpose, and no
// other program uses them in this database: a change of the schema; names of
// blobs, see postgres_name_lock.cc; the check of a new job against its bounds.
#define BVHMILL_SCHEMA_LOCK "7450113361905"
#define BVHMILL_NAME_LOCK "7450113361906"
#define BVHMILL_BOUNDS_LOCK "7450113361907"

// The time by the clock of the database, in SQL: milliseconds since 1970.
#define BVHMILL_DATABASE_MS \
  "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"

namespace bvhmill::server {

// The moment from which a change counts as stored.
enum class Commit : uint8_t {
  // When it is on the disk of the database, and of its synchronous standby if
  // it has one.
  kDurable,
  // At once: the database may lose the change in a crash. For changes whose
  // loss costs only time.
  kFast,
  // As kDurable, for work that is one statement, which saves two messages. The
  // statement commits itself; a later error does not roll it back.
  kOneStatement,
  // Nothing is changed: one statement that reads, without a transaction.
  kNone,
};

// For faults of tests: throws the exception of libpqxx for a statement that
// fails as `fault` says, before its effect or after it. Does nothing for other
// faults.
void ThrowBefore(Fault fault);
void ThrowAfter(Fault fault);

// A connection and its prepared statements. Used by one thread at a time.
class Session {
 public:
  // Connects. Throws what libpqxx throws. `slot` is the number of the row of
  // job_count to which this session adds: see PostgresJobStore.
  Session(const std::string& address, int slot);

  pqxx::connection& connection() { return connection_; }
  int slot() const { return slot_; }
  // The name of the prepared statement. Prepares it at the first call.
  const std::string& NameOf(const char* sql);

 private:
  pqxx::connection connection_;
  const int slot_;
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

// A running transaction. Rolls back if it is destroyed before Finish. All
// functions throw what libpqxx throws.
class Work {
 public:
  Work(Session* session, Commit commit);

  // Runs a statement with values for $1, $2, ...
  template <typename... Args>
  pqxx::result Run(const char* sql, const Args&... args) {
    const Fault fault = FaultPoints::Reach(Effect::kSql);
    ThrowBefore(fault);
    pqxx::result rows = work_->exec_prepared(session_.NameOf(sql), args...);
    ThrowAfter(fault);
    return rows;
  }
  // Runs statements without values.
  void Execute(const std::string& sql) {
    const Fault fault = FaultPoints::Reach(Effect::kSql);
    ThrowBefore(fault);
    work_->exec(sql);
    ThrowAfter(fault);
  }
  // Sends `news` to all servers when the transaction is committed.
  void Notify(const std::string& news);
  // Commits.
  void Finish() {
    const Fault fault = FaultPoints::Reach(Effect::kSql);
    ThrowBefore(fault);
    if (fast_) fast_->Commit();
    work_->commit();
    ThrowAfter(fault);
  }
  int slot() const { return session_.slot(); }

 private:
  Session& session_;
  std::unique_ptr<pqxx::transaction_base> work_;
  std::optional<FastTransaction> fast_;
};

// A pool of at most eight connections. Thread-safe. A thread waits ten seconds
// for a connection, then UNAVAILABLE. After a failed attempt to connect, others
// fail at once for a time that doubles from 50 ms to 2 s, so that threads do
// not wait for a database that is down.
class PostgresConnections {
 public:
  // Connects at the first use. `first_slot`: the slots of different servers
  // should differ.
  PostgresConnections(const std::string& address, int first_slot);

  // Opens a connection and closes it. The status is for the operator: it may
  // name hosts.
  absl::Status Try();

  // Runs `work` in a transaction, which is committed if `work` returns OK. Runs
  // `work` again, at most five times in all, after a deadlock, a serialization
  // failure or a duplicate row, or if the connection was lost before the
  // commit. So `work` must reset all its results. Statuses: that of `work`, and
  // those of StatusOfFault. After UNAVAILABLE it is not known whether the
  // transaction was committed.
  absl::Status Run(Commit commit,
                   const std::function<absl::Status(Work*)>& work);

 private:
  using Clock = std::chrono::steady_clock;
  using SessionPtr = std::unique_ptr<Session>;

  absl::Status Take(SessionPtr* session);
  absl::Status Connect(SessionPtr* session);
  void GiveBack(SessionPtr session);
  // Whether to run the work once more.
  enum class Next : uint8_t { kStop, kAgain };
  Next RunOnce(Commit commit, const std::function<absl::Status(Work*)>& work,
               bool may_retry, absl::Status* status);

  const std::string address_;
  std::mutex mutex_;
  std::condition_variable given_back_;
  std::vector<SessionPtr> idle_;
  int open_ = 0;
  int next_slot_;
  Clock::time_point refused_until_;
  Clock::duration pause_{};
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

// Values of statements and results.

// A literal of an array: {1,2,3}.
template <typename Numbers>
std::string ArrayOf(const Numbers& numbers) {
  std::string text = "{";
  for (const auto number : numbers) {
    if (text.size() > 1) text += ',';
    text += std::to_string(number);
  }
  return text + "}";
}

// A literal of an array of texts: {"a","b"}.
std::string ArrayOfTexts(const std::vector<std::string>& texts);

// The value of a bytea parameter, and the bytes of a bytea field.
inline pqxx::binarystring BytesFor(std::string_view bytes) {
  return {bytes.data() == nullptr ? "" : bytes.data(), bytes.size()};
}
inline std::string BytesOf(const pqxx::field& field) {
  return pqxx::binarystring(field).str();
}

}  // namespace bvhmill::server
