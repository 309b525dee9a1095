#pragma once

// A thin layer over SQLite: connections, statements, transactions. Every
// statement passes a fault point. One thread at a time uses a connection and
// its statements.
//
// Statuses: RESOURCE_EXHAUSTED, DISK_FULL; INTERNAL, STORE_FAULT.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"

struct sqlite3;
struct sqlite3_stmt;

namespace bvhmill::server {

class Database;

// A prepared statement with values for its question marks:
//
//   Statement find(&database, "SELECT a FROM t WHERE b = ?");
//   find.Bind(7);
//   while (find.Step()) Use(find.Int(0));
//   if (!find.status().ok()) ...
//
// Two statements with the same text must not be used at the same time.
class Statement {
 public:
  Statement(Database* database, const char* sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  // Gives the next question mark its value. Strings must live until the last
  // Step.
  Statement& Bind(int64_t value);
  Statement& Bind(std::string_view text);
  Statement& BindBytes(std::string_view bytes);

  // True if there is a row. False at the end, or after an error.
  bool Step();
  // Runs a statement that gives no rows.
  absl::Status Run();
  // Lets the statement be used again with other values.
  void Reset();

  // Columns of the row.
  int columns() const;
  int64_t Int(int column) const;
  std::string Text(int column) const;

  const absl::Status& status() const { return status_; }

 private:
  Database& database_;
  // Before the statement: to find it may fail.
  absl::Status status_;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
};

class Database {
 public:
  // Opens or makes the file. WAL, synchronous = FULL: what is committed is on
  // the disk. The folder for temporary files is not used.
  static absl::Status Open(const std::string& path,
                           std::unique_ptr<Database>* database);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // Runs statements without values, separated by semicolons.
  absl::Status Execute(const std::string& sql);
  // Rows that the last statement changed.
  int64_t changes() const;
  // The number of the last row that was added.
  int64_t last_row() const;

 private:
  friend class Statement;
  friend class Transaction;

  void Rollback();
  explicit Database(sqlite3* handle) : handle_(handle) {}
  sqlite3_stmt* Find(const char* sql, absl::Status* status);
  absl::Status FaultOf(int code) const;

  sqlite3* const handle_;
  // Prepared statements by text.
  std::map<std::string, sqlite3_stmt*, std::less<>> statements_;
};

// A transaction. Rolls back at the end of its scope, unless it was committed.
class Transaction {
 public:
  explicit Transaction(Database* database)
      : database_(*database), status_(database->Execute("BEGIN IMMEDIATE")) {}
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  // The error if it could not begin.
  const absl::Status& status() const { return status_; }
  absl::Status Commit();

 private:
  Database& database_;
  absl::Status status_;
  bool is_done_ = false;
};

}  // namespace bvhmill::server
