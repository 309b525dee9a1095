#pragma once

// Numbers of the advisory locks that servers take in a database of jobs, for
// SQL. They differ, and no other program takes them in this database.

// While the schema is made or upgraded.
// While blobs are named, or removed; postgres_name_lock.cc.
// While a job is counted against the bounds of its caller, and made.

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <pqxx/pqxx>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "server/store/fault_points.h"

#define BVHMILL_SCHEMA_LOCK "7450113361905"
#define BVHMILL_NAME_LOCK "7450113361906"
#define BVHMILL_BOUNDS_LOCK "7450113361907"

namespace bvhmill::server {

// Errors of PostgreSQL as statuses.

// UNAVAILABLE, DATABASE_UNAVAILABLE. The message names no host, since peers see
// it.
absl::Status DatabaseUnavailable();

// The same with the text of `fault`, for the operator: it may name hosts.
absl::Status CannotConnect(const std::exception& fault);

// The status of an exception that libpqxx has thrown. UNAVAILABLE,
// DATABASE_UNAVAILABLE: the connection is lost; the database starts, stops or
// has too many connections; or a lock was waited for too long.
// RESOURCE_EXHAUSTED, DISK_FULL. INTERNAL, STORE_FAULT for all others.
absl::Status StatusOfFault(const std::exception& fault);

// True if the database has made this transaction fail since it and others
// waited for each other or added the same row. It may be run again.
bool MayRunAgain(const std::exception& fault);

// For faults of tests: throws the exception of libpqxx for a statement that
// fails as `fault` says, before it has happened or after it. Does nothing for
// other faults.
void ThrowBefore(Fault fault);
void ThrowAfter(Fault fault);

// The first line of the text of `fault`.
std::string FirstLine(const std::exception& fault);

// PostgresConnections to PostgreSQL, and transactions on them.

// `address` with settings by which a connection notices that the database is
// gone. Settings that `address` has already stay.
std::string WithTimeouts(const std::string& address);

// Makes each use of a lost connection an error. Without this, libpqxx makes a
// new connection, which knows neither the transaction nor the settings.
void StayLost(pqxx::connection* connection);

// One connection, with the statements that are prepared on it. Used by one
// thread at a time.
class Session {
 public:
  // Connects. Throws what libpqxx throws. `slot` is the row of each job in
  // which this session counts: see PostgresJobStore.
  Session(const std::string& address, int slot);

  pqxx::connection& connection() { return connection_; }
  int slot() const { return slot_; }
  // The name under which the statement is prepared; prepares it at first.
  const std::string& NameOf(const char* sql);

 private:
  pqxx::connection connection_;
  const int slot_;
  std::map<std::string, std::string, std::less<>> names_;
};

// The moment from which a change counts as stored.
enum class Commit : uint8_t {
  // When it is on the disk of the database, and of its synchronous standby if
  // it has one.
  kDurable,
  // At once: the database may forget the change when it is killed. For changes
  // whose loss costs nothing but time.
  kFast,
  // As kDurable, for work that is one statement. The statement commits itself,
  // which saves two messages. An error that the work returns after it undoes
  // nothing.
  kOneStatement,
  // Nothing is changed: one statement that reads, without a transaction.
  kNone,
};

// A transaction that is not waited for: Commit::kFast. It begins with a single
// message, which libpqxx's own transactions cannot do.
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

// A pool of eight connections at most. A thread waits ten seconds for one, then
// UNAVAILABLE. Thread-safe. After a connection could not be made, others are
// refused for a time that doubles from 50 ms to 2 s, so that threads do not
// wait for a database that is gone.
class PostgresConnections {
 public:
  // Connects at the first use. `first_slot`: the slots of different servers
  // should differ.
  PostgresConnections(const std::string& address, int first_slot);

  // Makes a connection and closes it. The status is for the operator: it may
  // name hosts.
  absl::Status Try();

  // Runs `work` in a transaction, which is committed if `work` returns OK. Runs
  // `work` again, five times in all at most, if the database asks for that, or
  // if the connection was lost before the commit. So `work` must set all its
  // results anew. Statuses: that of `work`, and those of StatusOfFault. After
  // UNAVAILABLE it is not known whether the transaction was committed.
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

// The same for texts: {"a","b"}.
std::string ArrayOfTexts(const std::vector<std::string>& texts);

// Values of bytes for a statement, and bytes of a result.
inline pqxx::binarystring BytesFor(std::string_view bytes) {
  return {bytes.data() == nullptr ? "" : bytes.data(), bytes.size()};
}
inline std::string BytesOf(const pqxx::field& field) {
  return pqxx::binarystring(field).str();
}

// The time of the clock of the database, in SQL.
#define BVHMILL_DATABASE_MS \
  "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"

}  // namespace bvhmill::server
