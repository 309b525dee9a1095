// Leases and results: the part of SqliteJobStore that workers use.

#include <map>
#include <set>
#include <string>
#include <utility>

#include "bvhmill/base/status.h"
#include "server/store/claim_shares.h"
#include "server/store/job_parts.h"
#include "server/store/sqlite/claim_sql.h"
#include "server/store/sqlite/sqlite_job_store.h"

namespace bvhmill::server {
namespace {

// The state of a job that has begun.
constexpr int64_t kRunningState = static_cast<int64_t>(JobState::kRunning);

std::vector<std::string> CallersOf(Statement* find) {
  std::vector<std::string> callers;
  while (find->Step()) callers.push_back(find->Text(0));
  return callers;
}

}  // namespace

absl::Status SqliteJobStore::Claim(const ClaimRules& rules,
                                   std::vector<ClaimedItem>* items) {
  const std::lock_guard lock(write_mutex_);
  items->clear();
  const absl::Status status = ClaimAll(rules, items);
  if (!status.ok()) items->clear();
  return status;
}

absl::Status SqliteJobStore::ClaimAll(const ClaimRules& rules,
                                      std::vector<ClaimedItem>* items) {
  Transaction transaction(writer_.get());
  BVHMILL_RETURN_IF_ERROR(transaction.status());
  std::vector<std::string> callers;
  {
    Statement find(writer_.get(), kWaitingCallersSql);
    callers = CallersOf(&find);
    BVHMILL_RETURN_IF_ERROR(find.status());
  }
  Leave(rules.without, &callers);
  TakeTurns(&last_caller_, &callers);
  BVHMILL_RETURN_IF_ERROR(
      ClaimShares(std::move(callers), rules.limit, items,
                  [&](const std::string& caller, int64_t limit) {
                    return ClaimOf(caller, rules, limit, items);
                  }));
  return items->empty() ? absl::OkStatus() : transaction.Commit();
}

absl::Status SqliteJobStore::ClaimOf(const std::string& caller,
                                     const ClaimRules& rules, int64_t limit,
                                     std::vector<ClaimedItem>* items) {
  const size_t begin = items->size();
  {
    Statement find(writer_.get(),
                   rules.suspects ? kSuspectItemsSql : kFreshItemsSql);
    find.Bind(caller).Bind(rules.now_ms).Bind(limit);
    // Items of one job share their options.
    int64_t job = -1;
    std::shared_ptr<const std::string> options;
    while (find.Step()) {
      ClaimedItem& claimed = items->emplace_back();
      claimed.caller = caller;
      claimed.lease.job = find.Int(0);
      claimed.lease.item = find.Int(1);
      claimed.item = {find.Text(2),
                      find.Text(3),
                      static_cast<int>(find.Int(4)),
                      static_cast<int>(find.Int(5)),
                      find.Text(6),
                      find.Text(7)};
      if (claimed.lease.job != job) {
        job = claimed.lease.job;
        options = std::make_shared<const std::string>(find.Text(8));
      }
      claimed.options =
          claimed.item.options.empty()
              ? options
              : std::make_shared<const std::string>(claimed.item.options);
      claimed.tries = static_cast<int>(find.Int(9));
      claimed.crashes = static_cast<int>(find.Int(10));
      claimed.why = find.Text(11);
    }
    BVHMILL_RETURN_IF_ERROR(find.status());
  }
  for (size_t i = begin; i < items->size(); ++i) {
    BVHMILL_RETURN_IF_ERROR(LeaseTo(rules, &(*items)[i]));
  }
  return absl::OkStatus();
}

absl::Status SqliteJobStore::LeaseTo(const ClaimRules& rules,
                                     ClaimedItem* item) {
  item->lease.lease = ++next_lease_;
  {
    Statement lease(writer_.get(),
                    "UPDATE item SET state = 1, lease = ?, lease_until_ms = ? "
                    "WHERE job = ? AND number = ?");
    lease.Bind(item->lease.lease).Bind(rules.until_ms);
    BVHMILL_RETURN_IF_ERROR(
        lease.Bind(item->lease.job).Bind(item->lease.item).Run());
  }
  Statement begin(writer_.get(),
                  "UPDATE job SET leased = leased + 1, state = ?, start_ms = "
                  "CASE start_ms WHEN 0 THEN ? ELSE start_ms END WHERE number "
                  "= ?");
  return begin.Bind(kRunningState)
      .Bind(rules.now_ms)
      .Bind(item->lease.job)
      .Run();
}

absl::Status SqliteJobStore::FindSuspects(int64_t now_ms,
                                          std::set<std::string>* callers) {
  const std::lock_guard lock(read_mutex_);
  callers->clear();
  Statement find(reader_.get(), kSuspectCallersSql);
  find.Bind(now_ms);
  while (find.Step()) callers->insert(find.Text(0));
  return find.status();
}

// All leases are of this process, so none is over: a clock that jumps ends
// none.
absl::Status SqliteJobStore::Heartbeat(int64_t /*now_ms*/, int64_t until_ms) {
  const std::lock_guard lock(write_mutex_);
  Statement renew(writer_.get(),
                  "UPDATE item SET lease_until_ms = ? WHERE state = 1");
  return renew.Bind(until_ms).Run();
}

absl::Status SqliteJobStore::CompleteOne(const FinishedItem& item,
                                         bool* is_accepted) {
  const Lease& lease = item.lease;
  {
    Statement done(writer_.get(),
                   "UPDATE item SET state = 2 WHERE job = ? AND number = ? AND "
                   "state = 1 AND lease = ?");
    done.Bind(lease.job).Bind(lease.item).Bind(lease.lease);
    BVHMILL_RETURN_IF_ERROR(done.Run());
  }
  *is_accepted = writer_->changes() == 1;
  if (!*is_accepted) return absl::OkStatus();
  {
    Statement add(writer_.get(),
                  "INSERT INTO result (job, item, blob, code, bytes) SELECT "
                  "job, number, blob, ?, ? FROM item WHERE job = ? AND number "
                  "= ?");
    add.Bind(item.result.code).BindBytes(item.result.bytes);
    BVHMILL_RETURN_IF_ERROR(add.Bind(lease.job).Bind(lease.item).Run());
  }
  int64_t position = 0;
  for (const std::string& blob : item.result.outputs) {
    Statement add(writer_.get(),
                  "INSERT INTO output (job, item, position, blob) VALUES (?, "
                  "?, ?, ?)");
    add.Bind(lease.job).Bind(lease.item).Bind(position++).Bind(blob);
    BVHMILL_RETURN_IF_ERROR(add.Run());
  }
  Statement count(writer_.get(),
                  "UPDATE job SET leased = leased - 1, ok = ok + ?, failed = "
                  "failed + ?, set_aside = set_aside + ? WHERE number = ?");
  const int64_t ok = item.result.code == 0 ? 1 : 0;
  count.Bind(ok).Bind(1 - ok).Bind(item.result.is_set_aside ? 1 : 0);
  return count.Bind(lease.job).Run();
}

absl::Status SqliteJobStore::AddBytes(int64_t job, int64_t bytes) {
  Statement add(writer_.get(),
                "UPDATE job_bytes SET bytes = bytes + ? WHERE job = ?");
  return add.Bind(bytes).Bind(job).Run();
}

// A job is over if every item has a result; or, if it was cancelled, if none is
// leased.
absl::Status SqliteJobStore::EndIfOver(int64_t job, int64_t now_ms,
                                       std::vector<int64_t>* over) {
  Statement end(
      writer_.get(),
      "UPDATE job SET end_ms = max(create_ms, ?), state = CASE WHEN total = ok "
      "+ failed THEN 4 ELSE 6 END WHERE number = ? AND state < 4 AND (total = "
      "ok + failed OR (state = 3 AND leased = 0))");
  BVHMILL_RETURN_IF_ERROR(end.Bind(now_ms).Bind(job).Run());
  if (writer_->changes() == 1) over->push_back(job);
  return absl::OkStatus();
}

absl::Status SqliteJobStore::Complete(std::span<const FinishedItem> items,
                                      int64_t now_ms,
                                      std::vector<bool>* accepted,
                                      std::vector<int64_t>* over) {
  const std::lock_guard lock(write_mutex_);
  Transaction transaction(writer_.get());
  BVHMILL_RETURN_IF_ERROR(transaction.status());
  // The jobs, and the bytes of the rows that each of them gets.
  std::map<int64_t, int64_t> jobs;
  accepted->clear();
  for (const FinishedItem& item : items) {
    bool is_accepted = false;
    BVHMILL_RETURN_IF_ERROR(CompleteOne(item, &is_accepted));
    accepted->push_back(is_accepted);
    jobs[item.lease.job] += is_accepted ? RowBytesOf(item.result) : 0;
  }
  for (const auto& [job, bytes] : jobs) {
    BVHMILL_RETURN_IF_ERROR(AddBytes(job, bytes));
    BVHMILL_RETURN_IF_ERROR(EndIfOver(job, now_ms, over));
  }
  return transaction.Commit();
}

absl::Status SqliteJobStore::ReleaseOne(const FailedTry& failed) {
  {
    Statement release(
        writer_.get(),
        "UPDATE item SET state = 0, tries = tries + ?1, not_before_ms = ?2, "
        "last_error = iif(?1, ?3, last_error) WHERE job = ?4 AND number = ?5 "
        "AND state = 1 AND lease = ?6");
    release.Bind(failed.counts ? 1 : 0).Bind(failed.not_before_ms);
    release.Bind(failed.why).Bind(failed.lease.job).Bind(failed.lease.item);
    BVHMILL_RETURN_IF_ERROR(release.Bind(failed.lease.lease).Run());
  }
  if (writer_->changes() == 0) return absl::OkStatus();
  Statement count(writer_.get(),
                  "UPDATE job SET leased = leased - 1 WHERE number = ?");
  return count.Bind(failed.lease.job).Run();
}

absl::Status SqliteJobStore::Release(std::span<const FailedTry> tries,
                                     int64_t now_ms,
                                     std::vector<int64_t>* over) {
  const std::lock_guard lock(write_mutex_);
  Transaction transaction(writer_.get());
  BVHMILL_RETURN_IF_ERROR(transaction.status());
  std::set<int64_t> jobs;
  for (const FailedTry& failed : tries) {
    BVHMILL_RETURN_IF_ERROR(ReleaseOne(failed));
    jobs.insert(failed.lease.job);
  }
  for (const int64_t job : jobs) {
    BVHMILL_RETURN_IF_ERROR(EndIfOver(job, now_ms, over));
  }
  return transaction.Commit();
}

}  // namespace bvhmill::server
