#pragma once

// A database of jobs, as both engines offer it: SQLite for one server, and
// PostgreSQL for several. One text of SQL serves both.
//
//   database->Run(Commit::kDurable, [&](SqlWork* work) -> absl::Status {
//     SqlResult found;
//     BVHMILL_RETURN_IF_ERROR(
//         work->Run("SELECT a FROM t WHERE b = $1", {7}, &found));
//     for (const SqlRow& row : found.rows) Use(row.Int(0));
//     return absl::OkStatus();
//   });
//
// The text is that of PostgreSQL. SQLite sees it without casts ($1::bigint) and
// without what is in brackets: [FOR UPDATE]. SQLite has one writer at a time,
// so it needs no locks of rows. PostgreSQL does not see what is in braces:
// {INDEXED BY item_waiting}. SQLite would choose another index. now_ms() is a
// function of both: the time by the clock of the database, in milliseconds
// since 1970.
//
// Each statement and each commit passes a point of fault_points.h. Errors:
// RESOURCE_EXHAUSTED, DISK_FULL; INTERNAL, STORE_FAULT; UNAVAILABLE,
// DATABASE_UNAVAILABLE.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace bvhmill::server {

// The version of the schema. Databases of other versions are refused.
inline constexpr int64_t kSchemaVersion = 100;

// The value of a parameter. Borrows its text.
struct SqlValue {
  enum class Kind : uint8_t { kNull, kInt, kText, kBytes };

  SqlValue(int64_t value) : kind(Kind::kInt), number(value) {}  // NOLINT
  SqlValue(int value) : SqlValue(int64_t{value}) {}             // NOLINT
  SqlValue(std::string_view value)                              // NOLINT
      : kind(Kind::kText), text(value) {}
  SqlValue(const std::string& value)  // NOLINT
      : SqlValue(std::string_view(value)) {}
  // A text with any bytes, for a column of type BYTEA.
  static SqlValue Bytes(std::string_view value) {
    SqlValue bytes(value);
    bytes.kind = Kind::kBytes;
    return bytes;
  }
  // The same, but NULL if it is empty.
  static SqlValue BytesOrNull(std::string_view value) {
    SqlValue bytes = Bytes(value);
    if (value.empty()) bytes.kind = Kind::kNull;
    return bytes;
  }

  Kind kind;
  int64_t number = 0;
  std::string_view text;
};

// A row of a result. NULL is 0 and "".
class SqlRow {
 public:
  void AddInt(int64_t value) { fields_.push_back({value, ""}); }
  void AddText(std::string value) { fields_.push_back({0, std::move(value)}); }

  int64_t Int(size_t column) const { return fields_[column].number; }
  const std::string& Text(size_t column) const { return fields_[column].text; }

 private:
  struct Field {
    int64_t number;
    std::string text;
  };
  std::vector<Field> fields_;
};

struct SqlResult {
  std::vector<SqlRow> rows;
  // Rows that an INSERT, UPDATE or DELETE has changed.
  int64_t changed = 0;
};

// A running transaction. Used by one thread.
class SqlWork {
 public:
  SqlWork() = default;
  virtual ~SqlWork() = default;
  SqlWork(const SqlWork&) = delete;
  SqlWork& operator=(const SqlWork&) = delete;

  // Runs one statement with values for $1, $2, ... Engines keep each text
  // prepared, so use a small number of texts. After an error the transaction
  // is rolled back: return the error.
  virtual absl::Status Run(const std::string& sql,
                           const std::vector<SqlValue>& values,
                           SqlResult* result) = 0;
  absl::Status Run(const std::string& sql,
                   const std::vector<SqlValue>& values) {
    SqlResult ignored;
    return Run(sql, values, &ignored);
  }
  // Sends `news` to all servers when the transaction is committed.
  virtual absl::Status Notify(const std::string& news) = 0;
};

// The moment from which a change counts as stored.
enum class Commit : uint8_t {
  // When it is on the disk of the database, and of its synchronous standby if
  // it has one.
  kDurable,
  // At once: the database may lose the change in a crash. For changes whose
  // loss costs only time. SQLite treats it as kDurable.
  kFast,
  // Nothing is changed. Each statement sees the latest commit.
  kRead,
};

// Thread-safe.
class SqlDatabase {
 public:
  SqlDatabase() = default;
  virtual ~SqlDatabase() = default;
  SqlDatabase(const SqlDatabase&) = delete;
  SqlDatabase& operator=(const SqlDatabase&) = delete;

  // True if several servers use the database at once.
  virtual bool is_shared() const = 0;

  // Runs `work` in a transaction, which is committed if `work` returns OK. An
  // engine for several servers runs `work` again after a conflict with another
  // transaction, or if the connection was lost before the commit; so `work`
  // must reset its results. After UNAVAILABLE it is not known whether the
  // transaction was committed.
  virtual absl::Status Run(
      Commit commit, const std::function<absl::Status(SqlWork*)>& work) = 0;

  // Returns free pages to the disk, some hundred MiB at most.
  virtual absl::Status GiveBackSpace() { return absl::OkStatus(); }

  // From now on a thread calls `hear` with what Notify of any server sends.
  // "" = some may have been lost. Call it once; it ends with the database. A
  // database of one server does nothing.
  virtual void Listen(std::function<void(const std::string&)> /*hear*/) {}
};

// `count` rows of parameters for VALUES: "($1::bigint, $2::text), ...". `types`
// are those of one row.
std::string ParameterRows(size_t count,
                          std::initializer_list<const char*> types);

// The text for SQLite, and for PostgreSQL: see the top of the file.
std::string ForSqlite(std::string_view sql);
std::string ForPostgres(std::string_view sql);

// The statements that make the tables. {number} is a column whose values the
// database chooses, ascending; {item_storage} are options of the table of
// items.
std::string SchemaSql(std::string_view number, std::string_view item_storage);

// OK for kSchemaVersion. FAILED_PRECONDITION: DATA_TOO_OLD, DATA_TOO_NEW.
absl::Status CheckSchemaVersion(int64_t version);

}  // namespace bvhmill::server
