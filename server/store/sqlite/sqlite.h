#pragma once

// The embedded database: SQLite. OpenSqlite opens the job database of a server.
// Below that: connections, prepared statements, transactions, and a mark that
// detects the loss of the log.
//
//   Transaction transaction(&database);
//   BVHMILL_RETURN_IF_ERROR(transaction.status());
//   Statement find(&database, "SELECT a FROM t WHERE b = ?");
//   find.Bind(7);
//   while (find.Step()) Use(find.Int(0));
//   BVHMILL_RETURN_IF_ERROR(find.status());
//   return transaction.Commit();
//
// One thread at a time uses a connection and its statements. A call waits for
// the lock of another connection for 10 s at most. Each run of a Statement and
// each call of Execute is one fault point, at which a test can inject an error
// (fault_points.h).
//
// Errors: RESOURCE_EXHAUSTED with the reason DISK_FULL if the disk is full;
// else INTERNAL with the reason STORE_FAULT.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "server/store/sql.h"

struct sqlite3;
struct sqlite3_stmt;

namespace bvhmill::server {

// A connection to a database file.
class Database {
 public:
  // Opens or makes the file. WAL, synchronous = FULL: a committed change is on
  // the disk. Temporary tables are in memory.
  static absl::Status Open(const std::string& path,
                           std::unique_ptr<Database>* database);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // Sets whether closing this connection, if it is the last one, keeps the WAL
  // file (true), or writes it into the database and removes it (false). The
  // initial value is true if the database has a mark: see SetOpenMark.
  void KeepLog(bool stays);

  // Runs statements without values, separated by semicolons.
  absl::Status Execute(const std::string& sql);
  // The number of rows that the last INSERT, UPDATE or DELETE has changed.
  int64_t changes() const;
  // The rowid of the last row that was inserted; 0 if there is none.
  int64_t last_row() const;

 private:
  friend class Statement;
  friend class Transaction;

  void Rollback();
  explicit Database(sqlite3* handle) : handle_(handle) {}
  sqlite3_stmt* Find(const std::string& sql, absl::Status* status);
  absl::Status FaultOf(int code) const;

  sqlite3* const handle_;
  // Prepared statements by text.
  std::map<std::string, sqlite3_stmt*, std::less<>> statements_;
};

// A prepared statement with values for its question marks. The database
// prepares each text once and keeps it until it is closed, so use a small
// number of texts. Two statements of one database with the same text must not
// exist at the same time: the end of one resets the other.
class Statement {
 public:
  // Borrows `database`. `sql` is one statement, as ForSqlite reads it; an error
  // in it is in status().
  Statement(Database* database, const std::string& sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  // Binds the value of the next question mark. Strings must live until the last
  // Step. `text` is UTF-8. An error is in status(): Step then returns false.
  Statement& Bind(int64_t value);
  Statement& Bind(std::string_view text);
  Statement& BindBytes(std::string_view bytes);
  Statement& BindNull();

  // Reads the next row. False at the end, and after an error, which is in
  // status(). Do not call it after the end without Reset: the statement would
  // run once more.
  bool Step();
  // Runs the statement to its end and drops its rows. Returns status().
  absl::Status Run();
  // Removes the values, so that the statement can run again with others.
  // Required between Step and Bind. An error stays: Step then returns false.
  void Reset();

  // The number of columns of the result.
  int columns() const;
  // The value of a column; the first one is 0. Requires that the last Step
  // returned true. NULL is 0 or "". Text also returns the bytes of a BLOB.
  int64_t Int(int column) const;
  std::string Text(int column) const;
  bool IsInt(int column) const;

  const absl::Status& status() const { return status_; }

 private:
  // Keeps the error of a call of SQLite that returned `code`.
  void Note(int code);

  Database& database_;
  // Declared before statement_, whose initializer may set it to an error.
  absl::Status status_;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
};

// A write transaction; a database can run one at a time. Borrows the database.
// Takes the write lock at once. Rolls back at the end of its scope, unless
// Commit returned OK.
class Transaction {
 public:
  explicit Transaction(Database* database)
      : database_(*database), status_(database->Execute("BEGIN IMMEDIATE")) {}
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  // OK if the transaction began. If not, run no statements for it: each would
  // commit on its own.
  const absl::Status& status() const { return status_; }
  absl::Status Commit();

 private:
  Database& database_;
  absl::Status status_;
  bool is_done_ = false;
};

// Opens or makes the database of jobs at `path`, and its tables. Until it is
// closed, the database has a mark: see below. FAILED_PRECONDITION: DATA_TOO_OLD
// and DATA_TOO_NEW, see CheckSchemaVersion; DATA_INCOMPLETE if a part of it is
// lost, or if it is new and `may_begin` is false.
absl::Status OpenSqlite(const std::string& path, bool may_begin,
                        std::unique_ptr<SqlDatabase>* database);

// Sets `version` to that of the schema of `database`; 0 for a new file.
absl::Status FindVersion(Database* database, int64_t* version);

// The mark of a database that is in use: an empty file jobs.db-open in the same
// folder. It exists from the start of a server to its orderly end. Meanwhile
// jobs.db-wal contains jobs that jobs.db lacks. So if the mark exists and the
// log does not, jobs are lost.

// DATA_INCOMPLETE if the database at `path` has a mark, and it or its log is
// missing or empty. Also if the database is missing or empty and `may_begin` is
// false. Call it before SQLite opens the file: SQLite would make a new
// database, and remove a log without one.
absl::Status CheckJobsThere(const std::string& path, bool may_begin);
// Returns the status DATA_INCOMPLETE for a database without the tables of a
// server.
absl::Status JobsLostError();

// Makes the mark. The caller syncs the folder.
absl::Status SetOpenMark(const std::string& path);
// Removes the mark; the removal is on the disk when this returns OK.
absl::Status RemoveOpenMark(const std::string& path);

}  // namespace bvhmill::server
