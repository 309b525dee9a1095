#include "server/store/postgres/connections.h"

#include <libpq-fe.h>

#include <algorithm>
#include <pqxx/pqxx>
#include <string_view>

#include "bvhmill/base/status.h"
#include "server/store/postgres/open_postgres.h"

namespace bvhmill::server {
namespace {

// For the threads of calls, of the runner and of the janitor. A database allows
// 100 connections by default.
constexpr int kMaxSessions = 8;
constexpr int kSlots = 16;
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

// The function is deprecated: later versions of libpqxx never reconnect.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
void StayLost(pqxx::connection* connection) {
  connection->inhibit_reactivation(true);
}
#pragma GCC diagnostic pop

Session::Session(const std::string& address, int slot)
    : connection_(address), slot_(slot) {
  ThrowBefore(FaultPoints::Reach(Effect::kSql));
  pqxx::nontransaction(connection_).exec(kSettings);
  StayLost(&connection_);
}

const std::string& Session::NameOf(const char* sql) {
  const auto found = names_.find(std::string_view(sql));
  if (found != names_.end()) return found->second;
  const std::string name = "s" + std::to_string(names_.size());
  connection_.prepare(name, sql);
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

Work::Work(Session* session, Commit commit) : session_(*session) {
  if (commit == Commit::kDurable) {
    work_ = std::make_unique<pqxx::work>(session->connection());
    return;
  }
  auto work = std::make_unique<pqxx::nontransaction>(session->connection());
  if (commit == Commit::kFast) fast_.emplace(work.get());
  work_ = std::move(work);
}

void Work::Notify(const std::string& news) {
  Run("SELECT pg_notify('bvhmill_jobs', $1)", news);
}

PostgresConnections::PostgresConnections(const std::string& address,
                                         int first_slot)
    : address_(WithTimeouts(address)), next_slot_(first_slot) {}

absl::Status PostgresConnections::Try() {
  try {
    auto session = std::make_unique<Session>(address_, 0);
    return absl::OkStatus();
  } catch (const std::exception& fault) {
    return CannotConnect(fault);
  }
}

// Called without the mutex, since it may wait for the database.
absl::Status PostgresConnections::Connect(SessionPtr* session) {
  int slot = 0;
  {
    const std::lock_guard lock(mutex_);
    slot = next_slot_++ % kSlots;
  }
  try {
    *session = std::make_unique<Session>(address_, slot);
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
    Commit commit, const std::function<absl::Status(Work*)>& work,
    bool may_retry, absl::Status* status) {
  SessionPtr session;
  *status = Take(&session);
  if (!status->ok()) return Next::kStop;
  // Once a commit has begun, it is not known whether it was stored.
  bool is_committing = commit == Commit::kOneStatement;
  Next next = Next::kStop;
  try {
    Work running(session.get(), commit);
    *status = work(&running);
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
    Commit commit, const std::function<absl::Status(Work*)>& work) {
  absl::Status status;
  for (int run = 1; run <= kMaxRuns; ++run) {
    const bool may_retry = run < kMaxRuns;
    if (RunOnce(commit, work, may_retry, &status) == Next::kStop) break;
  }
  return status;
}

std::string ArrayOfTexts(const std::vector<std::string>& texts) {
  std::string out = "{";
  for (const std::string& text : texts) {
    if (out.size() > 1) out += ',';
    out += '"';
    for (const char c : text) {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    out += '"';
  }
  return out + "}";
}

}  // namespace bvhmill::server
