#include "server/store/postgres/connections.h"

#include <libpq-fe.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <pqxx/pqxx>
#include <stop_token>
#include <string_view>
#include <thread>
#include <utility>

#include "bvhmill/base/status.h"
#include "server/store/postgres/open_postgres.h"

// This file is for libpqxx 6 and 7: it calls what both have, and 7 deprecates.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace bvhmill::server {
namespace {

// For the threads of calls, of the runner and of the janitor. A database allows
// 100 connections by default.
constexpr int kMaxSessions = 8;
constexpr std::chrono::seconds kTimeout(10);
constexpr int kMaxRuns = 5;
constexpr std::chrono::milliseconds kFirstPause(50);
constexpr std::chrono::seconds kLongestPause(2);

// The timeouts end a transaction of a server that hangs, and the session of a
// server whose machine is down. The planner uses indexes also before the
// database has statistics of the tables.
constexpr char kSettings[] =
    "SET synchronous_commit = on; SET lock_timeout = '10s';"
    "SET idle_in_transaction_session_timeout = '30s';"
    "SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5;"
    "SET tcp_keepalives_count = 3; SET tcp_user_timeout = 15000;"
    "SET client_min_messages = warning; SET jit = off;"
    "SET enable_seqscan = off; SET enable_hashjoin = off;"
    "SET enable_mergejoin = off; SET search_path = bvhmill";

// The code of an error of SQL; empty for other errors.
std::string CodeOf(const std::exception& fault) {
  const auto* const error = dynamic_cast<const pqxx::sql_error*>(&fault);
  return error == nullptr ? "" : error->sqlstate();
}

bool IsLost(const std::exception& fault) {
  if (dynamic_cast<const pqxx::broken_connection*>(&fault) != nullptr ||
      dynamic_cast<const pqxx::in_doubt_error*>(&fault) != nullptr) {
    return true;
  }
  const std::string code = CodeOf(fault);
  // Connection exceptions; the database starts, stops or recovers; too many
  // connections; the timeout of a lock; the timeout of an idle transaction.
  for (const std::string_view lost : {"08", "57P", "53300", "55P03", "25P03"}) {
    if (code.starts_with(lost)) return true;
  }
  return false;
}

// True if the database has rolled back this transaction because of a concurrent
// one: a deadlock, a serialization failure or a duplicate row.
bool MayRunAgain(const std::exception& fault) {
  return dynamic_cast<const pqxx::deadlock_detected*>(&fault) != nullptr ||
         dynamic_cast<const pqxx::serialization_failure*>(&fault) != nullptr ||
         dynamic_cast<const pqxx::unique_violation*>(&fault) != nullptr;
}

// The first line of the text of `fault`.
std::string FirstLine(const std::exception& fault) {
  const std::string_view all = fault.what();
  return std::string(all.substr(0, all.find('\n')));
}

bool IsUri(const std::string& address) {
  return address.starts_with("postgresql://") ||
         address.starts_with("postgres://");
}

}  // namespace

absl::Status DatabaseUnavailable() {
  return MakeCallError({.code = absl::StatusCode::kUnavailable,
                        .reason = "DATABASE_UNAVAILABLE",
                        .args = {{"retry_after_ms", "1000"}},
                        .message = "the database of jobs does not answer"});
}

absl::Status CannotConnect(const std::exception& fault) {
  return MakeCallError(
      {.code = absl::StatusCode::kUnavailable,
       .reason = "DATABASE_UNAVAILABLE",
       .message = "the database of jobs cannot be used: " + FirstLine(fault)});
}

absl::Status StatusOfFault(const std::exception& fault) {
  if (IsLost(fault)) return DatabaseUnavailable();
  constexpr std::string_view kDiskFull = "53100";
  const bool is_full = CodeOf(fault) == kDiskFull;
  return MakeCallError(
      {.code = is_full ? absl::StatusCode::kResourceExhausted
                       : absl::StatusCode::kInternal,
       .reason = is_full ? "DISK_FULL" : "STORE_FAULT",
       .message = "the server cannot use its database: " + FirstLine(fault)});
}

void ThrowBefore(Fault fault) {
  if (fault == Fault::kNone || fault == Fault::kLostAnswer) return;
  // The codes of disk_full and io_error.
  const char* const code = fault == Fault::kNoSpace ? "53100" : "58030";
  throw pqxx::sql_error("a fault of a test", "", code);
}

void ThrowAfter(Fault fault) {
  if (fault != Fault::kLostAnswer) return;
  throw pqxx::broken_connection("a fault of a test");
}

std::string WithTimeouts(const std::string& address) {
  std::string out = address;
  for (const std::string setting :
       {"connect_timeout=5", "tcp_user_timeout=15000", "keepalives_idle=10",
        "keepalives_interval=5", "keepalives_count=3",
        "application_name=bvhmilld"}) {
    const std::string name = setting.substr(0, setting.find('=') + 1);
    if (address.find(name) != std::string::npos) continue;
    const bool has_query = out.find('?') != std::string::npos;
    out += (IsUri(address) ? (has_query ? "&" : "?") : " ") + setting;
  }
  return out;
}

std::string WithoutPassword(const std::string& address) {
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options(
      PQconninfoParse(address.c_str(), nullptr), &PQconninfoFree);
  if (options == nullptr) return "a database whose address cannot be read";
  std::string out;
  for (const PQconninfoOption* option = options.get();
       option->keyword != nullptr; ++option) {
    const std::string keyword = option->keyword;
    const bool is_secret =
        keyword.find("password") != keyword.npos || *option->dispchar == '*';
    if (option->val == nullptr || is_secret) continue;
    out += (out.empty() ? "" : " ") + keyword + "=" + option->val;
  }
  return out;
}

#if PQXX_VERSION_MAJOR < 7
void StayLost(pqxx::connection* connection) {
  connection->inhibit_reactivation(true);
}
using SnapshotRead = pqxx::transaction<pqxx::repeatable_read, pqxx::read_only>;
#else
// From version 7 on, libpqxx never reconnects.
void StayLost(pqxx::connection* /*connection*/) {}
using SnapshotRead = pqxx::transaction<pqxx::isolation_level::repeatable_read,
                                       pqxx::write_policy::read_only>;
#endif

Session::Session(const std::string& address) : connection_(address) {
  ThrowBefore(FaultPoints::Reach(Effect::kSql));
  pqxx::nontransaction(connection_).exec(kSettings);
  StayLost(&connection_);
}

const std::string& Session::NameOf(const std::string& sql) {
  const auto found = names_.find(sql);
  if (found != names_.end()) return found->second;
  const std::string name = "s" + std::to_string(names_.size());
  connection_.prepare(name, ForPostgres(sql));
  return names_.emplace(sql, name).first->second;
}

FastTransaction::FastTransaction(pqxx::nontransaction* work) : work_(*work) {
  work_.exec("BEGIN; SET LOCAL synchronous_commit = off");
}

FastTransaction::~FastTransaction() {
  if (is_over_) return;
  try {
    work_.exec("ROLLBACK");
  } catch (const std::exception&) {
    // The connection is lost, which rolls the transaction back.
  }
}

void FastTransaction::Commit() {
  is_over_ = true;
  work_.exec("COMMIT");
}

PostgresWork::PostgresWork(Session* session, Commit commit)
    : session_(*session) {
  if (commit == Commit::kDurable) {
    work_ = std::make_unique<pqxx::work>(session->connection());
    return;
  }
  auto work = std::make_unique<pqxx::nontransaction>(session->connection());
  if (commit == Commit::kFast) fast_.emplace(work.get());
  work_ = std::move(work);
}

absl::Status PostgresWork::Keep(const std::exception& fault) {
  fault_ = std::current_exception();
  return StatusOfFault(fault);
}

namespace {

constexpr pqxx::oid kBytea = 17;

// Values of parameters: libpqxx copies them.
std::vector<std::optional<std::string>> TextsOf(
    const std::vector<SqlValue>& values, pqxx::transaction_base* work) {
  std::vector<std::optional<std::string>> texts;
  for (const SqlValue& value : values) {
    switch (value.kind) {
      case SqlValue::Kind::kNull:
        texts.emplace_back();
        break;
      case SqlValue::Kind::kInt:
        texts.emplace_back(std::to_string(value.number));
        break;
      case SqlValue::Kind::kText:
        texts.emplace_back(value.text);
        break;
      case SqlValue::Kind::kBytes:
        texts.emplace_back(work->esc_raw(
            reinterpret_cast<const unsigned char*>(value.text.data()),
            value.text.size()));
        break;
    }
  }
  return texts;
}

// The bytes of a field of type bytea; none if it is NULL.
std::string BytesOf(const pqxx::field& field) {
  size_t size = 0;
  const std::unique_ptr<unsigned char, decltype(&PQfreemem)> bytes(
      PQunescapeBytea(reinterpret_cast<const unsigned char*>(field.c_str()),
                      &size),
      &PQfreemem);
  if (bytes == nullptr) throw std::bad_alloc();
  return {reinterpret_cast<const char*>(bytes.get()), size};
}

void ReadRow(const pqxx::row& from, SqlRow* row) {
  constexpr pqxx::oid kInt8 = 20;
  constexpr pqxx::oid kInt4 = 23;
  constexpr pqxx::oid kNumeric = 1700;
  for (const auto& field : from) {
    const pqxx::oid type = field.type();
    if (type == kInt8 || type == kInt4 || type == kNumeric) {
      row->AddInt(field.is_null() ? 0
                                  : std::strtoll(field.c_str(), nullptr, 10));
    } else if (type == kBytea) {
      row->AddText(BytesOf(field));
    } else {
      row->AddText(field.c_str());
    }
  }
}

}  // namespace

absl::Status PostgresWork::Run(const std::string& sql,
                               const std::vector<SqlValue>& values,
                               SqlResult* result) {
  try {
    const Fault fault = FaultPoints::Reach(Effect::kSql);
    ThrowBefore(fault);
    const auto texts = TextsOf(values, work_.get());
    const pqxx::result found = work_->exec_prepared(
        session_.NameOf(sql), pqxx::prepare::make_dynamic_params(texts));
    ThrowAfter(fault);
    result->rows.clear();
    for (const auto& row : found) ReadRow(row, &result->rows.emplace_back());
    result->changed = static_cast<int64_t>(found.affected_rows());
    return absl::OkStatus();
  } catch (const std::exception& fault) {
    return Keep(fault);
  }
}

absl::Status PostgresWork::Execute(const std::string& sql) {
  try {
    const Fault fault = FaultPoints::Reach(Effect::kSql);
    ThrowBefore(fault);
    work_->exec(sql);
    ThrowAfter(fault);
    return absl::OkStatus();
  } catch (const std::exception& fault) {
    return Keep(fault);
  }
}

absl::Status PostgresWork::Notify(const std::string& news) {
  return Run("SELECT pg_notify('bvhmill_jobs', $1)", {news});
}

void PostgresWork::Finish() {
  const Fault fault = FaultPoints::Reach(Effect::kSql);
  ThrowBefore(fault);
  if (fast_) fast_->Commit();
  work_->commit();
  ThrowAfter(fault);
}

// Listens on its own connection, in its own thread. If the connection fails, it
// connects again a second later, and reports no error. Each new connection
// begins with "", since earlier news may be lost.
class PostgresConnections::Listener {
 public:
  Listener(std::string address, std::function<void(const std::string&)> hear)
      : address_(std::move(address)),
        hear_(std::move(hear)),
        thread_([this](const std::stop_token& stop) { Run(stop); }) {}

 private:
  class Receiver final : public pqxx::notification_receiver {
   public:
    Receiver(pqxx::connection* connection,
             const std::function<void(const std::string&)>& hear)
        : pqxx::notification_receiver(*connection, "bvhmill_jobs"),
          hear_(hear) {}
    void operator()(const std::string& text, int /*server*/) override {
      hear_(text);
    }

   private:
    const std::function<void(const std::string&)>& hear_;
  };

  void Run(const std::stop_token& stop) {
    constexpr std::chrono::seconds kAgain(1);
    std::mutex mutex;
    std::condition_variable_any stopped;
    std::unique_lock lock(mutex);
    while (!stop.stop_requested()) {
      try {
        ListenOnce(stop);
      } catch (const std::exception&) {
        // The next connection begins with "".
      }
      stopped.wait_for(lock, stop, kAgain, [] { return false; });
    }
  }

  void ListenOnce(const std::stop_token& stop) {
    // The longest time until the thread notices a request to stop.
    constexpr int kLookMicroseconds = 200'000;
    pqxx::connection connection(address_);
    const Receiver receiver(&connection, hear_);
    StayLost(&connection);
    hear_("");
    while (!stop.stop_requested()) {
      connection.await_notification(0, kLookMicroseconds);
    }
  }

  const std::string address_;
  const std::function<void(const std::string&)> hear_;
  // The last member: it uses the others.
  std::jthread thread_;
};

PostgresConnections::PostgresConnections(const std::string& address)
    : address_(WithTimeouts(address)) {}

PostgresConnections::~PostgresConnections() = default;

void PostgresConnections::Listen(std::function<void(const std::string&)> hear) {
  listener_ = std::make_unique<Listener>(address_, std::move(hear));
}

absl::Status PostgresConnections::Try() {
  try {
    auto session = std::make_unique<Session>(address_);
    return absl::OkStatus();
  } catch (const std::exception& fault) {
    return CannotConnect(fault);
  }
}

// Called without the mutex, since it may wait for the database.
absl::Status PostgresConnections::Connect(SessionPtr* session) {
  try {
    *session = std::make_unique<Session>(address_);
    const std::lock_guard lock(mutex_);
    pause_ = {};
    return absl::OkStatus();
  } catch (const std::exception&) {
    const std::lock_guard lock(mutex_);
    pause_ =
        std::clamp<Clock::duration>(2 * pause_, kFirstPause, kLongestPause);
    refused_until_ = Clock::now() + pause_;
    --open_;
    given_back_.notify_one();
    return DatabaseUnavailable();
  }
}

absl::Status PostgresConnections::Take(SessionPtr* session) {
  {
    std::unique_lock lock(mutex_);
    const bool has_room = given_back_.wait_for(lock, kTimeout, [this] {
      return !idle_.empty() || open_ < kMaxSessions;
    });
    if (!has_room) return DatabaseUnavailable();
    if (!idle_.empty()) {
      *session = std::move(idle_.back());
      idle_.pop_back();
      return absl::OkStatus();
    }
    if (Clock::now() < refused_until_) return DatabaseUnavailable();
    ++open_;
  }
  return Connect(session);
}

// `session` is null if its connection was lost. Then the idle ones are closed,
// since they are probably lost, too.
void PostgresConnections::GiveBack(SessionPtr session) {
  std::vector<SessionPtr> lost;
  const std::lock_guard lock(mutex_);
  if (session != nullptr) {
    idle_.push_back(std::move(session));
  } else {
    lost.swap(idle_);
    open_ -= 1 + static_cast<int>(lost.size());
  }
  given_back_.notify_all();
}

PostgresConnections::Next PostgresConnections::RunOnce(
    Commit commit, const std::function<absl::Status(SqlWork*)>& work,
    bool may_retry, absl::Status* status) {
  SessionPtr session;
  *status = Take(&session);
  if (!status->ok()) return Next::kStop;
  // Once a commit has begun, it is not known whether it was stored.
  bool is_committing = false;
  Next next = Next::kStop;
  try {
    PostgresWork running(session.get(), commit);
    *status = work(&running);
    running.ThrowFault();
    if (status->ok()) {
      is_committing = true;
      running.Finish();
    }
  } catch (const std::exception& fault) {
    *status = StatusOfFault(fault);
    const bool is_lost = absl::IsUnavailable(*status);
    if (may_retry && (MayRunAgain(fault) || (is_lost && !is_committing))) {
      next = Next::kAgain;
    }
    if (is_lost || !session->connection().is_open()) session = nullptr;
  }
  GiveBack(std::move(session));
  return next;
}

absl::Status PostgresConnections::Run(
    Commit commit, const std::function<absl::Status(SqlWork*)>& work) {
  absl::Status status;
  for (int run = 1; run <= kMaxRuns; ++run) {
    const bool may_retry = run < kMaxRuns;
    if (RunOnce(commit, work, may_retry, &status) == Next::kStop) break;
  }
  return status;
}

// The schema.

namespace {

constexpr char kNowMs[] =
    "CREATE FUNCTION now_ms() RETURNS bigint LANGUAGE sql VOLATILE AS "
    "'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint'";
// Rows of items change often: they are cleaned often, and have room to change
// where they are.
constexpr char kItemStorage[] =
    "WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, "
    "autovacuum_vacuum_cost_delay = 0)";
// The identity of the database, which its data folder has, too.
constexpr char kIdentity[] =
    "CREATE TABLE identity AS SELECT gen_random_uuid()::text AS id";

// One server at a time; the next ones find the tables.
absl::Status MakeTables(PostgresWork* work) {
  BVHMILL_RETURN_IF_ERROR(
      work->Execute("SELECT pg_advisory_xact_lock(" BVHMILL_SCHEMA_LOCK ")"));
  BVHMILL_RETURN_IF_ERROR(work->Execute("CREATE SCHEMA IF NOT EXISTS bvhmill"));
  BVHMILL_RETURN_IF_ERROR(
      work->Execute("CREATE TABLE IF NOT EXISTS bvhmill.schema_version (steps "
                    "INTEGER NOT NULL)"));
  SqlResult found;
  BVHMILL_RETURN_IF_ERROR(
      work->Run("SELECT max(steps) FROM bvhmill.schema_version", {}, &found));
  const int64_t version = found.rows[0].Int(0);
  if (version != 0) return CheckSchemaVersion(version);
  for (const std::string& sql :
       {std::string(kNowMs),
        SchemaSql("BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
                  kItemStorage),
        std::string(kIdentity),
        "INSERT INTO schema_version VALUES (" + std::to_string(kSchemaVersion) +
            ")"}) {
    BVHMILL_RETURN_IF_ERROR(work->Execute(sql));
  }
  return absl::OkStatus();
}

}  // namespace

bool HasPostgres() { return true; }

absl::Status OpenPostgresJobStore(const std::string& address,
                                  std::unique_ptr<JobStore>* store,
                                  std::string* identity, bool* has_jobs) {
  auto database = std::make_unique<PostgresConnections>(address);
  BVHMILL_RETURN_IF_ERROR(database->Try());
  BVHMILL_RETURN_IF_ERROR(database->Run(Commit::kDurable, [](SqlWork* work) {
    return MakeTables(static_cast<PostgresWork*>(work));
  }));
  SqlResult found;
  BVHMILL_RETURN_IF_ERROR(database->Run(Commit::kRead, [&](SqlWork* work) {
    return work->Run("SELECT id FROM identity", {}, &found);
  }));
  *identity = found.rows[0].Text(0);
  BVHMILL_RETURN_IF_ERROR(JobStore::Open(std::move(database), store));
  bool has_some = false;
  return (*store)->HasJobs(has_jobs == nullptr ? &has_some : has_jobs);
}

// JobRows in PostgreSQL.

namespace {

// No timeout: the transaction is idle while a check reads blobs.
constexpr char kReadSettings[] =
    "SET idle_in_transaction_session_timeout = 0; SET jit = off;"
    "SET client_min_messages = warning; SET search_path = bvhmill";

// Statements that read each table, with the columns whose values PostgreSQL may
// store outside of the row.
constexpr const char* kReadAll[][2] = {
    {"job",
     "SELECT count(md5(options) || md5(annotations) || md5(display_name)) FROM "
     "job"},
    {"item",
     "SELECT count(md5(options) || md5(key) || md5(display_name) || "
     "md5(last_error) || coalesce(md5(result), '')) FROM item"},
    {"blob", "SELECT count(md5(digest)) FROM blob"},
    {"lease", "SELECT count(until_ms) FROM lease"},
};

class PostgresRows final : public JobRows {
 public:
  // Throws what libpqxx throws.
  explicit PostgresRows(const std::string& address)
      : connections_(address), connection_(WithTimeouts(address)) {
    pqxx::nontransaction(connection_).exec(kReadSettings);
    StayLost(&connection_);
    rows_.emplace(connection_);
  }

  absl::Status CheckVersion(std::string* identity) {
    return Catch([&]() -> absl::Status {
      const auto found = rows_->exec(
          "SELECT to_regclass('bvhmill.schema_version') IS NOT NULL");
      if (!found[0][0].as<bool>()) {
        return MakeCallError({.code = absl::StatusCode::kNotFound,
                              .reason = "DATA_MISSING",
                              .message = "the database has no jobs of a "
                                         "server"});
      }
      const auto version = rows_->exec("SELECT max(steps) FROM schema_version");
      BVHMILL_RETURN_IF_ERROR(CheckSchemaVersion(version[0][0].as<int64_t>(0)));
      *identity = rows_->exec("SELECT id FROM identity")[0][0].c_str();
      return absl::OkStatus();
    });
  }

  absl::Status FindDamage(
      const std::function<void(const std::string& fault)>& add) override {
    for (const auto& [table, sql] : kReadAll) {
      const absl::Status read = Read(sql, [](const Row& /*row*/) {});
      if (absl::IsUnavailable(read)) return read;
      if (read.ok()) continue;
      add(std::string("the table ") + table +
          " is damaged: " + std::string(MessageOf(read)));
    }
    return absl::OkStatus();
  }

  // After an error, only the subtransaction is rolled back.
  absl::Status Read(const std::string& sql,
                    const std::function<void(const Row& row)>& take) override {
    return Catch([&] {
      pqxx::subtransaction part(*rows_);
      part.exec("DECLARE found NO SCROLL CURSOR FOR " + sql);
      Row row;
      while (true) {
        const pqxx::result some = part.exec("FETCH 1000 FROM found");
        if (some.empty()) break;
        for (const auto& from : some) {
          row.clear();
          for (const auto& field : from) row.push_back(TextOfField(field));
          take(row);
        }
      }
      part.exec("CLOSE found");
      part.commit();
      return absl::OkStatus();
    });
  }

  void EndReads() override { rows_.reset(); }

  absl::Status IsNamed(const BlobName& blob, bool* is_named) override {
    SqlResult found;
    const absl::Status status =
        connections_.Run(Commit::kRead, [&](SqlWork* work) {
          return work->Run(kIsNamedSql, {blob.digest, blob.space}, &found);
        });
    *is_named = !found.rows.empty();
    return status;
  }

 private:
  static std::string TextOfField(const pqxx::field& field) {
    return field.type() == kBytea ? BytesOf(field) : field.c_str();
  }

  template <typename Callable>
  static absl::Status Catch(const Callable& work) {
    try {
      return work();
    } catch (const std::exception& fault) {
      return StatusOfFault(fault);
    }
  }

  // For IsNamed, which sees later commits. All other reads see one snapshot, on
  // their own connection.
  PostgresConnections connections_;
  pqxx::connection connection_;
  std::optional<SnapshotRead> rows_;
};

}  // namespace

absl::Status OpenPostgresRows(const std::string& address,
                              std::unique_ptr<JobRows>* rows,
                              std::string* identity) {
  std::unique_ptr<PostgresRows> out;
  try {
    out = std::make_unique<PostgresRows>(address);
  } catch (const std::exception& fault) {
    return CannotConnect(fault);
  }
  BVHMILL_RETURN_IF_ERROR(out->CheckVersion(identity));
  *rows = std::move(out);
  return absl::OkStatus();
}

}  // namespace bvhmill::server

#pragma GCC diagnostic pop
