#include "server/store/sqlite/sqlite.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "bvhmill/base/status.h"
#include "server/store/data_folder.h"
#include "server/store/fault_points.h"
#include "server/store/file_ops.h"
#include "server/store/job_rows.h"

namespace bvhmill::server {
namespace {

// A reader of another process, such as a backup, may lock the database.
constexpr int kBusyTimeoutMs = 10'000;

// now_ms() of SQL.
void NowMs(sqlite3_context* context, int /*count*/, sqlite3_value** /*args*/) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  sqlite3_result_int64(
      context,
      std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
}

absl::Status MakeFault(int code, const std::string& text) {
  // SQLITE_IOERR_SHMSIZE: no space for the file jobs.db-shm.
  const bool is_full =
      (code & 0xff) == SQLITE_FULL || code == SQLITE_IOERR_SHMSIZE;
  return MakeCallError(
      {.code = is_full ? absl::StatusCode::kResourceExhausted
                       : absl::StatusCode::kInternal,
       .reason = is_full ? "DISK_FULL" : "STORE_FAULT",
       .message = "the server cannot use its database: " +
                  (is_full ? sqlite3_errstr(SQLITE_FULL) : text)});
}

// The error of a fault that a test has armed; OK if there is none.
absl::Status ArmedFault() {
  switch (FaultPoints::Reach(Effect::kSql)) {
    case Fault::kNone:
      return absl::OkStatus();
    case Fault::kNoSpace:
      return MakeFault(SQLITE_FULL, sqlite3_errstr(SQLITE_FULL));
    default:
      return MakeFault(SQLITE_IOERR, sqlite3_errstr(SQLITE_IOERR));
  }
}

constexpr char kMark[] = "-open";
constexpr char kLog[] = "-wal";
// After the first commit a log of SQLite is never shorter.
constexpr int64_t kLogHeaderBytes = 32;

// -1 if there is no such file.
int64_t SizeOf(const std::string& path) {
  struct stat found = {};
  return stat(path.c_str(), &found) == 0 ? int64_t{found.st_size} : -1;
}

bool HasOpenMark(const std::string& path) { return SizeOf(path + kMark) >= 0; }

absl::Status LostFile(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().native();
  return DataIncomplete("there are jobs or blobs, and the file " + name +
                        (SizeOf(path) < 0 ? " is missing" : " is empty"));
}

}  // namespace

Statement::Statement(Database* database, const std::string& sql)
    : database_(*database), statement_(database->Find(sql, &status_)) {}

Statement::~Statement() { Reset(); }

void Statement::Reset() {
  bound_ = 0;
  if (statement_ == nullptr) return;
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

// A value that could not be bound would be NULL.
void Statement::Note(int code) {
  if (code != SQLITE_OK && status_.ok()) status_ = database_.FaultOf(code);
}

Statement& Statement::Bind(int64_t value) {
  if (statement_ != nullptr) {
    Note(sqlite3_bind_int64(statement_, ++bound_, value));
  }
  return *this;
}

Statement& Statement::Bind(std::string_view text) {
  if (statement_ == nullptr) return *this;
  // Null is no text.
  const char* const data = text.data() == nullptr ? "" : text.data();
  Note(sqlite3_bind_text64(statement_, ++bound_, data, text.size(),
                           SQLITE_STATIC, SQLITE_UTF8));
  return *this;
}

Statement& Statement::BindBytes(std::string_view bytes) {
  if (statement_ == nullptr) return *this;
  const char* const data = bytes.data() == nullptr ? "" : bytes.data();
  Note(sqlite3_bind_blob64(statement_, ++bound_, data, bytes.size(),
                           SQLITE_STATIC));
  return *this;
}

Statement& Statement::BindNull() {
  if (statement_ != nullptr) Note(sqlite3_bind_null(statement_, ++bound_));
  return *this;
}

bool Statement::Step() {
  if (!status_.ok()) return false;
  if (bound_ >= 0) {
    // Once for each run, not for each row.
    status_ = ArmedFault();
    if (!status_.ok()) return false;
    bound_ = -1;
  }
  const int code = sqlite3_step(statement_);
  if (code != SQLITE_ROW && code != SQLITE_DONE) {
    status_ = database_.FaultOf(code);
  }
  return code == SQLITE_ROW;
}

absl::Status Statement::Run() {
  while (Step()) continue;
  return status_;
}

int Statement::columns() const { return sqlite3_column_count(statement_); }

int64_t Statement::Int(int column) const {
  return sqlite3_column_int64(statement_, column);
}

std::string Statement::Text(int column) const {
  const void* const bytes = sqlite3_column_blob(statement_, column);
  const int size = sqlite3_column_bytes(statement_, column);
  if (bytes == nullptr) return "";
  return {static_cast<const char*>(bytes), static_cast<size_t>(size)};
}

bool Statement::IsInt(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_INTEGER;
}

absl::Status Database::Open(const std::string& path,
                            std::unique_ptr<Database>* database) {
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(
      path.c_str(), &handle,
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
      nullptr);
  std::unique_ptr<Database> out(new Database(handle));
  if (code != SQLITE_OK) return out->FaultOf(code);
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, kBusyTimeoutMs);
  sqlite3_create_function(handle, "now_ms", 0, SQLITE_UTF8, nullptr, NowMs,
                          nullptr, nullptr);
  out->KeepLog(HasOpenMark(path));
  // It has an effect on a new file only, but would change an old one.
  std::error_code missing;
  const auto size = std::filesystem::file_size(path, missing);
  if (missing || size == 0) {
    BVHMILL_RETURN_IF_ERROR(out->Execute("PRAGMA auto_vacuum = INCREMENTAL"));
  }
  BVHMILL_RETURN_IF_ERROR(
      out->Execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; "
                   "PRAGMA journal_size_limit = 67108864; "
                   "PRAGMA foreign_keys = ON; PRAGMA cell_size_check = ON; "
                   "PRAGMA temp_store = MEMORY"));
  *database = std::move(out);
  return absl::OkStatus();
}

Database::~Database() {
  for (const auto& [sql, statement] : statements_) sqlite3_finalize(statement);
  sqlite3_close(handle_);
}

void Database::KeepLog(bool stays) {
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, stays ? 1 : 0,
                    nullptr);
}

absl::Status Database::FaultOf(int code) const {
  return MakeFault(code, handle_ == nullptr ? sqlite3_errstr(code)
                                            : sqlite3_errmsg(handle_));
}

sqlite3_stmt* Database::Find(const std::string& sql, absl::Status* status) {
  const auto found = statements_.find(sql);
  if (found != statements_.end()) return found->second;
  sqlite3_stmt* statement = nullptr;
  const int code =
      sqlite3_prepare_v3(handle_, ForSqlite(sql).c_str(), -1,
                         SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) {
    *status = FaultOf(code);
    return nullptr;
  }
  statements_.emplace(sql, statement);
  return statement;
}

absl::Status Database::Execute(const std::string& sql) {
  BVHMILL_RETURN_IF_ERROR(ArmedFault());
  const int code =
      sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? absl::OkStatus() : FaultOf(code);
}

// Passes a fault point, and rolls back also if that is armed: a real fault
// keeps no changes either.
void Database::Rollback() {
  static_cast<void>(ArmedFault());
  sqlite3_exec(handle_, "ROLLBACK", nullptr, nullptr, nullptr);
}

int64_t Database::changes() const { return sqlite3_changes64(handle_); }

int64_t Database::last_row() const {
  return sqlite3_last_insert_rowid(handle_);
}

absl::Status FindVersion(Database* database, int64_t* version) {
  Statement find(database, "PRAGMA user_version");
  *version = find.Step() ? find.Int(0) : 0;
  return find.status();
}

Transaction::~Transaction() {
  if (!is_done_ && status_.ok()) database_.Rollback();
}

absl::Status Transaction::Commit() {
  const absl::Status status = database_.Execute("COMMIT");
  is_done_ = status.ok();
  return status;
}

absl::Status JobsLostError() {
  return DataIncomplete("jobs.db has none of the tables of a server");
}

absl::Status CheckJobsThere(const std::string& path, bool may_begin) {
  const bool is_marked = HasOpenMark(path);
  if ((is_marked || !may_begin) && SizeOf(path) <= 0) return LostFile(path);
  return is_marked && SizeOf(path + kLog) < kLogHeaderBytes
             ? LostFile(path + kLog)
             : absl::OkStatus();
}

absl::Status SetOpenMark(const std::string& path) {
  OwnedFile file;
  return OpenFile(path + kMark, O_WRONLY | O_CREAT, &file);
}

absl::Status RemoveOpenMark(const std::string& path) {
  BVHMILL_RETURN_IF_ERROR(RemoveFile(path + kMark));
  return SyncFolder(std::filesystem::path(path).parent_path().native());
}

// The engine of jobs.

namespace {

// A pause between two transactions, so that others write in between.
constexpr std::chrono::milliseconds kPause(1);

class SqliteWork final : public SqlWork {
 public:
  explicit SqliteWork(Database* database) : database_(*database) {}

  absl::Status Run(const std::string& sql, const std::vector<SqlValue>& values,
                   SqlResult* result) override {
    result->rows.clear();
    result->changed = 0;
    // A lock that SQLite does not need.
    if (ForSqlite(sql).empty()) return absl::OkStatus();
    Statement statement(&database_, sql);
    for (const SqlValue& value : values) Bind(value, &statement);
    while (statement.Step()) {
      SqlRow& row = result->rows.emplace_back();
      for (int i = 0; i < statement.columns(); ++i) {
        statement.IsInt(i) ? row.AddInt(statement.Int(i))
                           : row.AddText(statement.Text(i));
      }
    }
    result->changed = database_.changes();
    return statement.status();
  }
  using SqlWork::Run;

  absl::Status Notify(const std::string& /*news*/) override {
    return absl::OkStatus();
  }

 private:
  static void Bind(const SqlValue& value, Statement* statement) {
    switch (value.kind) {
      case SqlValue::Kind::kNull:
        statement->BindNull();
        break;
      case SqlValue::Kind::kInt:
        statement->Bind(value.number);
        break;
      case SqlValue::Kind::kText:
        statement->Bind(value.text);
        break;
      case SqlValue::Kind::kBytes:
        statement->BindBytes(value.text);
        break;
    }
  }

  Database& database_;
};

class SqliteDatabase final : public SqlDatabase {
 public:
  SqliteDatabase(std::string path, std::unique_ptr<Database> writer,
                 std::unique_ptr<Database> reader)
      : path_(std::move(path)),
        writer_(std::move(writer)),
        reader_(std::move(reader)) {}
  // If the mark remains, the log must remain, too.
  ~SqliteDatabase() override { KeepLog(!RemoveOpenMark(path_).ok()); }

  bool is_shared() const override { return false; }

  absl::Status Run(Commit commit,
                   const std::function<absl::Status(SqlWork*)>& work) override {
    if (commit == Commit::kRead) {
      const std::lock_guard lock(read_mutex_);
      SqliteWork reads(reader_.get());
      return work(&reads);
    }
    const std::lock_guard lock(write_mutex_);
    Transaction transaction(writer_.get());
    BVHMILL_RETURN_IF_ERROR(transaction.status());
    SqliteWork writes(writer_.get());
    BVHMILL_RETURN_IF_ERROR(work(&writes));
    return transaction.Commit();
  }

  // At most 256 MiB. A file that was made without auto_vacuum keeps its free
  // pages.
  absl::Status GiveBackSpace() override {
    constexpr int kMostParts = 32;
    bool has_more = true;
    for (int part = 0; part < kMostParts && has_more; ++part) {
      if (part > 0) std::this_thread::sleep_for(kPause);
      BVHMILL_RETURN_IF_ERROR(GiveBackSomePages(&has_more));
    }
    return absl::OkStatus();
  }

  void KeepLog(bool stays) {
    writer_->KeepLog(stays);
    reader_->KeepLog(stays);
  }

 private:
  absl::Status GiveBackSomePages(bool* has_more) {
    // Pages for the next rows.
    constexpr int64_t kKeptPages = 1024;
    const std::lock_guard lock(write_mutex_);
    {
      Statement count(writer_.get(), "PRAGMA freelist_count");
      *has_more = count.Step() && count.Int(0) > kKeptPages;
      BVHMILL_RETURN_IF_ERROR(count.status());
    }
    return *has_more ? writer_->Execute("PRAGMA incremental_vacuum(2048)")
                     : absl::OkStatus();
  }

  const std::string path_;
  // Two connections, so that reads do not wait for writes to the disk.
  std::mutex write_mutex_;
  std::unique_ptr<Database> writer_;
  std::mutex read_mutex_;
  std::unique_ptr<Database> reader_;
};

// Writes the version also if the tables are there, so that the log is not
// empty: see sqlite.h.
absl::Status MakeTables(int64_t version, Database* database) {
  Transaction transaction(database);
  BVHMILL_RETURN_IF_ERROR(transaction.status());
  if (version == 0) {
    BVHMILL_RETURN_IF_ERROR(database->Execute(
        SchemaSql("INTEGER PRIMARY KEY AUTOINCREMENT", "WITHOUT ROWID")));
  }
  BVHMILL_RETURN_IF_ERROR(database->Execute("PRAGMA user_version = " +
                                            std::to_string(kSchemaVersion)));
  return transaction.Commit();
}

}  // namespace

absl::Status OpenSqlite(const std::string& path, bool may_begin,
                        std::unique_ptr<SqlDatabase>* database) {
  std::unique_ptr<Database> writer;
  std::unique_ptr<Database> reader;
  BVHMILL_RETURN_IF_ERROR(CheckJobsThere(path, may_begin));
  BVHMILL_RETURN_IF_ERROR(Database::Open(path, &writer));
  int64_t version = 0;
  BVHMILL_RETURN_IF_ERROR(FindVersion(writer.get(), &version));
  if (version == 0 && !may_begin) return JobsLostError();
  if (version != 0) BVHMILL_RETURN_IF_ERROR(CheckSchemaVersion(version));
  BVHMILL_RETURN_IF_ERROR(MakeTables(version, writer.get()));
  BVHMILL_RETURN_IF_ERROR(Database::Open(path, &reader));
  BVHMILL_RETURN_IF_ERROR(SetOpenMark(path));
  auto out = std::make_unique<SqliteDatabase>(path, std::move(writer),
                                              std::move(reader));
  out->KeepLog(true);
  *database = std::move(out);
  return absl::OkStatus();
}

// JobRows in SQLite.

namespace {

class SqliteRows final : public JobRows {
 public:
  explicit SqliteRows(std::unique_ptr<Database> database)
      : database_(std::move(database)) {}

  absl::Status CheckVersion() {
    int64_t version = 0;
    BVHMILL_RETURN_IF_ERROR(FindVersion(database_.get(), &version));
    if (version == 0) return JobsLostError();
    return CheckSchemaVersion(version);
  }

  absl::Status FindDamage(
      const std::function<void(const std::string& fault)>& add) override {
    Statement integrity(database_.get(), "PRAGMA integrity_check(100)");
    while (integrity.Step()) {
      const std::string said = integrity.Text(0);
      if (said != "ok") add("the database is damaged: " + said);
    }
    return integrity.status();
  }

  // No other process changes the database while it is checked.
  absl::Status Read(const std::string& sql,
                    const std::function<void(const Row& row)>& take) override {
    Statement find(database_.get(), sql);
    Row row;
    while (find.Step()) {
      row.clear();
      for (int i = 0; i < find.columns(); ++i) row.push_back(find.Text(i));
      take(row);
    }
    return find.status();
  }

  absl::Status IsNamed(const BlobName& blob, bool* is_named) override {
    Statement find(database_.get(), kIsNamedSql);
    *is_named = find.Bind(blob.digest).Bind(blob.space).Step();
    return find.status();
  }

 private:
  const std::unique_ptr<Database> database_;
};

}  // namespace

absl::Status OpenSqliteRows(const std::string& path,
                            std::unique_ptr<JobRows>* rows) {
  std::unique_ptr<Database> database;
  BVHMILL_RETURN_IF_ERROR(Database::Open(path, &database));
  auto out = std::make_unique<SqliteRows>(std::move(database));
  BVHMILL_RETURN_IF_ERROR(out->CheckVersion());
  *rows = std::move(out);
  return absl::OkStatus();
}

}  // namespace bvhmill::server
