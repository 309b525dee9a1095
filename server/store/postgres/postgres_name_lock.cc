// The lock of names in the database: an advisory lock of one session. The
// threads of a server share it.

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "bvhmill/base/status.h"
#include "server/store/name_lock.h"
#include "server/store/postgres/connections.h"
#include "server/store/postgres/open_postgres.h"

namespace bvhmill::server {
namespace {

constexpr char kShare[] =
    "SELECT pg_advisory_lock_shared(" BVHMILL_NAME_LOCK ")";
constexpr char kUnshare[] =
    "SELECT pg_advisory_unlock_shared(" BVHMILL_NAME_LOCK ")";
// Later requests wait for this one, so the timeout is short.
constexpr char kTake[] =
    "SET lock_timeout = '2s'; SELECT pg_advisory_lock(" BVHMILL_NAME_LOCK ")";
constexpr char kGive[] = "SELECT pg_advisory_unlock(" BVHMILL_NAME_LOCK
                         "); SET lock_timeout = '10s'";
constexpr std::chrono::seconds kLockTimeout(2);
// For threads of this server that wait to share it.
constexpr std::chrono::seconds kShareTimeout(10);
// After this time no further thread joins the shared lock, so that another
// server can hold it alone.
constexpr std::chrono::seconds kLongestShare(1);

class PostgresNameLock final : public NameLock {
 public:
  explicit PostgresNameLock(const std::string& address)
      : address_(WithTimeouts(address)) {}

  absl::Status Connect() {
    const std::lock_guard lock(mutex_);
    return RunLocked("SELECT 1");
  }
  absl::Status Hold(std::unique_ptr<Held>* held) override;
  absl::Status HoldAlone(std::unique_ptr<Held>* held) override;

 private:
  using Clock = std::chrono::steady_clock;

  // Made before the lock is taken, so that a failed allocation holds no lock.
  struct Share final : public Held {
    ~Share() override {
      if (lock != nullptr) lock->EndShare();
    }
    // Null: not held.
    PostgresNameLock* lock = nullptr;
  };
  struct Alone final : public Held {
    ~Alone() override {
      if (lock != nullptr) lock->EndAlone();
    }
    PostgresNameLock* lock = nullptr;
  };

  absl::Status RunLocked(const char* sql);
  void EndShare();
  void EndAlone();
  // Requires that mutex_ is held.
  void LetOthers();
  bool MayShare() const {
    return !is_alone_ &&
           (holders_ == 0 || Clock::now() < shared_since_ + kLongestShare);
  }

  const std::string address_;
  std::mutex mutex_;
  std::condition_variable changed_;
  // The members below require the mutex. A lost session releases its locks.
  std::unique_ptr<Session> session_;
  int holders_ = 0;
  // True while a thread holds the lock alone, or waits for that.
  bool is_alone_ = false;
  Clock::time_point shared_since_;
};

// Requires that mutex_ is held. Connects once more if the session was lost
// before.
absl::Status PostgresNameLock::RunLocked(const char* sql) {
  for (int i = 0; i < 2; ++i) {
    const bool is_new = session_ == nullptr;
    try {
      if (is_new) session_ = std::make_unique<Session>(address_);
      pqxx::nontransaction(session_->connection()).exec(sql);
      return absl::OkStatus();
    } catch (const std::exception& fault) {
      const absl::Status status = StatusOfFault(fault);
      const bool is_open =
          session_ != nullptr && session_->connection().is_open();
      // The statement failed by the timeout of the lock.
      if (is_open) return status;
      session_ = nullptr;
      if (is_new) return DatabaseUnavailable();
    }
  }
  return DatabaseUnavailable();
}

absl::Status PostgresNameLock::Hold(std::unique_ptr<Held>* held) {
  auto out = std::make_unique<Share>();
  std::unique_lock lock(mutex_);
  const bool may_share =
      changed_.wait_for(lock, kShareTimeout, [this] { return MayShare(); });
  if (!may_share) return DatabaseUnavailable();
  if (holders_ == 0) {
    BVHMILL_RETURN_IF_ERROR(RunLocked(kShare));
    shared_since_ = Clock::now();
  }
  ++holders_;
  out->lock = this;
  lock.unlock();
  // This may release what `held` was.
  *held = std::move(out);
  return absl::OkStatus();
}

void PostgresNameLock::EndShare() {
  const std::lock_guard lock(mutex_);
  // A session that was lost has lost the lock.
  if (--holders_ == 0 && session_ != nullptr && !RunLocked(kUnshare).ok()) {
    session_ = nullptr;
  }
  changed_.notify_all();
}

absl::Status PostgresNameLock::HoldAlone(std::unique_ptr<Held>* held) {
  *held = nullptr;
  auto out = std::make_unique<Alone>();
  std::unique_lock lock(mutex_);
  if (is_alone_) return absl::OkStatus();
  is_alone_ = true;
  absl::Status taken;
  bool is_taken = false;
  try {
    if (changed_.wait_for(lock, kLockTimeout,
                          [this] { return holders_ == 0; })) {
      taken = RunLocked(kTake);
      is_taken = taken.ok();
    }
  } catch (...) {
    LetOthers();
    throw;
  }
  if (is_taken) {
    out->lock = this;
    *held = std::move(out);
    return absl::OkStatus();
  }
  LetOthers();
  // Null without an error: the other servers did not release it in time.
  return session_ != nullptr ? absl::OkStatus() : taken;
}

void PostgresNameLock::LetOthers() {
  is_alone_ = false;
  changed_.notify_all();
}

void PostgresNameLock::EndAlone() {
  const std::lock_guard lock(mutex_);
  if (session_ != nullptr && !RunLocked(kGive).ok()) session_ = nullptr;
  LetOthers();
}

}  // namespace

absl::Status OpenPostgresNameLock(const std::string& address,
                                  std::unique_ptr<NameLock>* lock) {
  auto out = std::make_unique<PostgresNameLock>(address);
  BVHMILL_RETURN_IF_ERROR(out->Connect());
  *lock = std::move(out);
  return absl::OkStatus();
}

}  // namespace bvhmill::server
