#include "server/store/sqlite/sqlite_job_store.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "bvhmill/base/limits.h"
#include "bvhmill/base/status.h"
#include "server/store/blob_store.h"
#include "server/store/data_folder.h"
#include "server/store/job_parts.h"
#include "server/store/job_rows.h"
#include "server/store/migrations.h"
#include "server/store/sqlite/sqlite.h"

namespace bvhmill::server {
namespace {

// The columns that ReadJob reads.
#define BVHMILL_JOB_COLUMNS                                           \
  "id, number, caller, display_name, annotations, state, total, ok, " \
  "failed, leased, set_aside, create_ms, start_ms, end_ms"

void ReadJob(const Statement& row, JobInfo* job) {
  int column = 0;
  job->id = row.Text(column++);
  job->number = row.Int(column++);
  job->caller = row.Text(column++);
  job->display_name = row.Text(column++);
  job->annotations = row.Text(column++);
  job->state = static_cast<JobState>(row.Int(column++));
  for (int64_t* const value :
       {&job->total, &job->ok, &job->failed, &job->running, &job->set_aside,
        &job->create_ms, &job->start_ms, &job->end_ms}) {
    *value = row.Int(column++);
  }
}

// A bit for each state.
int64_t MaskOf(std::span<const JobState> states) {
  int64_t mask = 0;
  for (const JobState state : states) mask |= 1 << static_cast<int>(state);
  return mask == 0 ? -1 : mask;
}

// The state of a job that has begun.
constexpr int64_t kRunningState = static_cast<int64_t>(JobState::kRunning);

std::vector<std::string> CallersOf(Statement* find) {
  std::vector<std::string> callers;
  while (find->Step()) callers.push_back(find->Text(0));
  return callers;
}

}  // namespace

absl::Status Migrate(std::span<const std::string_view> steps,
                     Database* database) {
  int64_t version = 0;
  BVHMILL_RETURN_IF_ERROR(FindVersion(database, &version));
  const auto count = static_cast<int64_t>(steps.size());
  if (version > count) {
    return MakeCallError({.code = absl::StatusCode::kFailedPrecondition,
                          .reason = "DATA_TOO_NEW",
                          .message = "a newer bvhmilld has made the data"});
  }
  for (; version < count; ++version) {
    Transaction transaction(database);
    BVHMILL_RETURN_IF_ERROR(transaction.status());
    BVHMILL_RETURN_IF_ERROR(
        database->Execute(std::string(steps[static_cast<size_t>(version)])));
    BVHMILL_RETURN_IF_ERROR(database->Execute("PRAGMA user_version = " +
                                              std::to_string(version + 1)));
    BVHMILL_RETURN_IF_ERROR(transaction.Commit());
  }
  return absl::OkStatus();
}

SqliteJobStore::SqliteJobStore(std::string path,
                               std::unique_ptr<Database> writer,
                               std::unique_ptr<Database> reader)
    : path_(std::move(path)),
      writer_(std::move(writer)),
      reader_(std::move(reader)) {
  // Leases of two processes differ.
  next_lease_ = static_cast<int64_t>(std::random_device()()) << 30;
}

// If the mark remains, the log must remain, too.
SqliteJobStore::~SqliteJobStore() {
  const bool stays = !RemoveOpenMark(path_).ok();
  writer_->KeepLog(stays);
  reader_->KeepLog(stays);
}

absl::Status SqliteJobStore::Open(const std::string& path,
                                  std::unique_ptr<SqliteJobStore>* store,
                                  bool may_begin) {
  std::unique_ptr<Database> writer;
  std::unique_ptr<Database> reader;
  BVHMILL_RETURN_IF_ERROR(CheckJobsThere(path, may_begin));
  BVHMILL_RETURN_IF_ERROR(Database::Open(path, &writer));
  int64_t version = 0;
  BVHMILL_RETURN_IF_ERROR(FindVersion(writer.get(), &version));
  if (version == 0 && !may_begin) return JobsLost();
  BVHMILL_RETURN_IF_ERROR(Migrate(SqliteMigrations(), writer.get()));
  BVHMILL_RETURN_IF_ERROR(Database::Open(path, &reader));
  std::unique_ptr<SqliteJobStore> out(
      new SqliteJobStore(path, std::move(writer), std::move(reader)));
  BVHMILL_RETURN_IF_ERROR(out->Recover());
  BVHMILL_RETURN_IF_ERROR(SetOpenMark(path));
  out->writer_->KeepLog(true);
  out->reader_->KeepLog(true);
  *store = std::move(out);
  return absl::OkStatus();
}

absl::Status SqliteJobStore::HasJobs(bool* has_jobs) {
  const std::lock_guard lock(read_mutex_);
  Statement find(reader_.get(), "SELECT 1 FROM caller_jobs LIMIT 1");
  *has_jobs = find.Step();
  return find.status();
}

// Ends the leases of the earlier process, and the jobs that it was cancelling.
// Writes the version so that the log is not empty: see sqlite.h.
absl::Status SqliteJobStore::Recover() {
  return writer_->Execute(
      "BEGIN IMMEDIATE;"
      "PRAGMA user_version = " +
      std::to_string(SqliteMigrations().size()) +
      ";UPDATE item SET state = 0, crashes = crashes + 1 WHERE state = 1;"
      "UPDATE job SET leased = 0 WHERE leased <> 0;"
      "UPDATE job SET state = 6, end_ms = max(create_ms, "
      "unixepoch() * 1000) WHERE state = 3;"
      "COMMIT");
}

absl::Status SqliteJobStore::FindRequest(const NewJob& job, JobInfo* info,
                                         bool* is_there) {
  *is_there = false;
  if (job.request_id.empty()) return absl::OkStatus();
  Statement find(writer_.get(), "SELECT " BVHMILL_JOB_COLUMNS
                                ", request_digest FROM job "
                                "WHERE caller = ? AND request_id = ?");
  find.Bind(job.caller).Bind(job.request_id);
  if (!find.Step()) return find.status();
  *is_there = true;
  ReadJob(find, info);
  constexpr int kDigest = 14;
  if (find.Text(kDigest) == job.request_digest) return absl::OkStatus();
  return RequestIdUsed(info->id);
}

absl::Status SqliteJobStore::FindRepeat(const NewJob& job, JobInfo* info,
                                        bool* is_there) {
  const std::lock_guard lock(write_mutex_);
  return FindRequest(job, info, is_there);
}

absl::Status SqliteJobStore::AddItems(int64_t job, const NewJob& from) {
  Statement add(writer_.get(),
                "INSERT INTO item (job, number, key, blob, encoding, format, "
                "display_name, options) VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  int64_t number = 0;
  for (const NewItem& item : from.items) {
    add.Reset();
    BVHMILL_RETURN_IF_ERROR(add.Bind(job)
                                .Bind(number++)
                                .Bind(item.key)
                                .Bind(item.blob)
                                .Bind(item.encoding)
                                .Bind(item.format)
                                .Bind(item.display_name)
                                .BindBytes(item.options)
                                .Run());
  }
  return absl::OkStatus();
}

absl::Status SqliteJobStore::Create(const NewJob& job, int64_t now_ms,
                                    JobInfo* info, bool* is_new) {
  const std::lock_guard lock(write_mutex_);
  Transaction transaction(writer_.get());
  BVHMILL_RETURN_IF_ERROR(transaction.status());
  bool is_there = false;
  BVHMILL_RETURN_IF_ERROR(FindRequest(job, info, &is_there));
  *is_new = !is_there;
  if (is_there) return absl::OkStatus();
  BVHMILL_RETURN_IF_ERROR(CheckRoomIn(writer_.get(), job));
  *info = InfoOfNewJob(job, now_ms);
  const std::string space = SpaceOf(job.caller);
  {
    Statement add(
        writer_.get(),
        "INSERT INTO job (id, caller, space, display_name, annotations, "
        "options, request_id, request_digest, state, total, create_ms, end_ms) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    add.Bind(info->id).Bind(job.caller).Bind(space).Bind(job.display_name);
    add.BindBytes(job.annotations).BindBytes(job.options);
    add.Bind(job.request_id).Bind(job.request_digest);
    add.Bind(static_cast<int64_t>(info->state)).Bind(info->total);
    BVHMILL_RETURN_IF_ERROR(add.Bind(now_ms).Bind(info->end_ms).Run());
  }
  info->number = writer_->last_row();
  {
    Statement count(writer_.get(),
                    "INSERT INTO job_bytes (job, caller, bytes, asked) VALUES "
                    "(?, ?, ?, ?)");
    count.Bind(info->number).Bind(job.caller).Bind(RowBytesOf(job));
    BVHMILL_RETURN_IF_ERROR(count.Bind(job.asked).Run());
  }
  BVHMILL_RETURN_IF_ERROR(AddItems(info->number, job));
  return transaction.Commit();
}

absl::Status SqliteJobStore::FindJob(Database* database,
                                     const std::string& caller,
                                     const std::string& id, JobInfo* info) {
  Statement find(database, "SELECT " BVHMILL_JOB_COLUMNS
                           " FROM job WHERE id = ? AND caller = ?");
  find.Bind(id).Bind(caller);
  if (!find.Step()) return find.status().ok() ? NoJob(id) : find.status();
  ReadJob(find, info);
  return absl::OkStatus();
}

absl::Status SqliteJobStore::Get(const std::string& caller,
                                 const std::string& id, JobInfo* info) {
  const std::lock_guard lock(read_mutex_);
  BVHMILL_RETURN_IF_ERROR(FindJob(reader_.get(), caller, id, info));
  Statement find(reader_.get(), "SELECT options FROM job WHERE number = ?");
  if (find.Bind(info->number).Step()) info->options = find.Text(0);
  return find.status();
}

absl::Status SqliteJobStore::List(const JobPage& page,
                                  std::vector<JobInfo>* jobs, bool* has_more) {
  const std::lock_guard lock(read_mutex_);
  Statement find(reader_.get(),
                 "SELECT " BVHMILL_JOB_COLUMNS
                 " FROM job WHERE caller = ? AND (? = 0 OR number < ?) AND "
                 "(? >> state) & 1 ORDER BY number DESC LIMIT ?");
  find.Bind(page.caller).Bind(page.before).Bind(page.before);
  find.Bind(MaskOf(page.states)).Bind(page.limit + 1);
  int64_t bytes = 0;
  *has_more = false;
  while (!*has_more && find.Step()) {
    JobInfo job;
    ReadJob(find, &job);
    bytes += BytesOf(job);
    *has_more = static_cast<int>(jobs->size()) == page.limit ||
                (!jobs->empty() && Exceeds(bytes, page.max_bytes));
    if (!*has_more) jobs->push_back(std::move(job));
  }
  return find.status();
}

absl::Status SqliteJobStore::Results(const std::string& caller,
                                     const std::string& id,
                                     const ResultPage& page,
                                     std::vector<StoredResult>* results) {
  const std::lock_guard lock(read_mutex_);
  JobInfo job;
  BVHMILL_RETURN_IF_ERROR(FindJob(reader_.get(), caller, id, &job));
  Statement find(reader_.get(),
                 page.failed_only
                     ? "SELECT item, bytes FROM result WHERE job = ? AND item "
                       "> ? AND code <> 0 ORDER BY item LIMIT ?"
                     : "SELECT item, bytes FROM result WHERE job = ? AND item "
                       "> ? ORDER BY item LIMIT ?");
  find.Bind(job.number).Bind(page.after).Bind(page.limit);
  int64_t bytes = 0;
  while (find.Step()) {
    StoredResult result{find.Int(0), find.Text(1)};
    bytes += static_cast<int64_t>(result.bytes.size());
    if (!results->empty() && bytes > page.max_bytes) break;
    results->push_back(std::move(result));
  }
  BVHMILL_RETURN_IF_ERROR(find.status());
  // If the job was deleted meanwhile, some rows may be missing.
  return FindJob(reader_.get(), caller, id, &job);
}

absl::Status SqliteJobStore::Cancel(const std::string& caller,
                                    const std::string& id, int64_t now_ms,
                                    JobInfo* info) {
  const std::lock_guard lock(write_mutex_);
  Transaction transaction(writer_.get());
  BVHMILL_RETURN_IF_ERROR(transaction.status());
  BVHMILL_RETURN_IF_ERROR(FindJob(writer_.get(), caller, id, info));
  if (IsOver(info->state)) return absl::OkStatus();
  {
    Statement cancel(writer_.get(),
                     "UPDATE job SET state = 3 WHERE number = ?");
    BVHMILL_RETURN_IF_ERROR(cancel.Bind(info->number).Run());
  }
  std::vector<int64_t> over;
  BVHMILL_RETURN_IF_ERROR(EndIfOver(info->number, now_ms, &over));
  BVHMILL_RETURN_IF_ERROR(FindJob(writer_.get(), caller, id, info));
  return transaction.Commit();
}

// The caller holds the lock of names, so that no job begins to name a blob
// meanwhile.
absl::Status SqliteJobStore::FindNamed(std::span<const BlobName> blobs,
                                       std::vector<bool>* named) {
  named->clear();
  const std::lock_guard lock(read_mutex_);
  for (const BlobName& blob : blobs) {
    Statement find(reader_.get(), kFindNameSql);
    named->push_back(find.Bind(blob.digest).Bind(blob.space).Step());
    BVHMILL_RETURN_IF_ERROR(find.status());
  }
  return absl::OkStatus();
}

absl::Status SqliteJobStore::CheckRoomIn(Database* database,
                                         const NewJob& job) {
  BoundCounts counts;
  Statement items(database,
                  "SELECT coalesce(sum(left), 0), coalesce(sum(iif(caller = "
                  "?1, left, 0)), 0), coalesce(sum(iif(caller = ?1, left * "
                  "asked, 0)), 0) FROM (SELECT job.caller, total - ok - failed "
                  "AS left, asked FROM job JOIN job_bytes ON job_bytes.job = "
                  "job.number WHERE state < 4)");
  if (items.Bind(job.caller).Step()) {
    counts.items = items.Int(0);
    counts.own_items = items.Int(1);
    counts.own_asked = items.Int(2);
  }
  BVHMILL_RETURN_IF_ERROR(items.status());
  Statement kept(database,
                 "SELECT jobs, bytes FROM caller_jobs WHERE caller = ?");
  if (kept.Bind(job.caller).Step()) {
    counts.own_jobs = kept.Int(0);
    counts.own_bytes = kept.Int(1);
  }
  BVHMILL_RETURN_IF_ERROR(kept.status());
  return CheckBounds(job, counts);
}

absl::Status SqliteJobStore::CheckRoom(const NewJob& job) {
  const std::lock_guard lock(read_mutex_);
  return CheckRoomIn(reader_.get(), job);
}

absl::Status SqliteJobStore::Stats(JobStats* stats) {
  const std::lock_guard lock(read_mutex_);
  Statement find(
      reader_.get(),
      "SELECT count(*), coalesce(sum(total - ok - failed - leased), 0), "
      "coalesce(sum(leased), 0), coalesce(min(create_ms), 0) FROM job WHERE "
      "state < 4");
  if (find.Step()) {
    *stats = {find.Int(0), find.Int(1), find.Int(2), find.Int(3)};
  }
  return find.status();
}

// Leases and results.

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
      claimed.job_id = find.Text(12);
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

// This process holds all leases, so none has expired, even if the clock jumps.
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
  // The bytes of the new rows of each job.
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

// The removal of jobs.

absl::Status SqliteJobStore::DropBytes(int64_t job) {
  Statement drop(writer_.get(), "DELETE FROM job_bytes WHERE job = ?");
  return drop.Bind(job).Run();
}

absl::Status SqliteJobStore::Hide(const std::string& caller,
                                  const std::string& id, int64_t* number) {
  const std::lock_guard lock(write_mutex_);
  Transaction transaction(writer_.get());
  BVHMILL_RETURN_IF_ERROR(transaction.status());
  JobInfo job;
  BVHMILL_RETURN_IF_ERROR(FindJob(writer_.get(), caller, id, &job));
  if (!IsOver(job.state)) return JobNotOver();
  *number = job.number;
  BVHMILL_RETURN_IF_ERROR(DropBytes(job.number));
  {
    Statement hide(writer_.get(),
                   "UPDATE job SET " BVHMILL_GONE " WHERE number = ?");
    BVHMILL_RETURN_IF_ERROR(hide.Bind(job.number).Run());
  }
  return transaction.Commit();
}

// Removes the items of a job below `end`, with their results.
absl::Status SqliteJobStore::RemoveItems(int64_t job, int64_t end) {
  std::array<int64_t, 4> removed = {};
  size_t table = 0;
  for (const char* const sql :
       {"DELETE FROM output WHERE job = ? AND item < ?",
        "DELETE FROM result WHERE job = ? AND item < ? AND code = 0",
        "DELETE FROM result WHERE job = ? AND item < ?",
        "DELETE FROM item WHERE job = ? AND number < ?"}) {
    Statement remove(writer_.get(), sql);
    BVHMILL_RETURN_IF_ERROR(remove.Bind(job).Bind(end).Run());
    removed[table++] = writer_->changes();
  }
  BVHMILL_RETURN_IF_ERROR(DropBytes(job));
  // The remaining rows are a consistent job, so a check of the data finds no
  // fault.
  Statement shrink(writer_.get(),
                   "UPDATE job SET " BVHMILL_GONE
                   ", ok = ok - ?, failed = failed - ?, total = total - ? "
                   "WHERE number = ?");
  shrink.Bind(removed[1]).Bind(removed[2]).Bind(removed[3]);
  return shrink.Bind(job).Run();
}

absl::Status SqliteJobStore::RemoveSome(int64_t job, bool* is_gone) {
  const std::lock_guard lock(write_mutex_);
  Transaction transaction(writer_.get());
  BVHMILL_RETURN_IF_ERROR(transaction.status());
  int64_t end = std::numeric_limits<int64_t>::max();
  {
    Statement find(writer_.get(),
                   "SELECT number FROM item WHERE job = ? ORDER BY number "
                   "LIMIT 1 OFFSET ?");
    *is_gone = !find.Bind(job).Bind(kRemovedAtOnce).Step();
    if (!*is_gone) end = find.Int(0);
    BVHMILL_RETURN_IF_ERROR(find.status());
  }
  BVHMILL_RETURN_IF_ERROR(RemoveItems(job, end));
  if (*is_gone) {
    Statement remove(writer_.get(), "DELETE FROM job WHERE number = ?");
    BVHMILL_RETURN_IF_ERROR(remove.Bind(job).Run());
  }
  return transaction.Commit();
}

// Others write between the transactions.
absl::Status SqliteJobStore::Remove(int64_t job, int most_parts) {
  bool is_gone = false;
  for (int part = 0; part < most_parts && !is_gone; ++part) {
    if (part > 0) std::this_thread::sleep_for(kRemovalPause);
    BVHMILL_RETURN_IF_ERROR(RemoveSome(job, &is_gone));
  }
  return absl::OkStatus();
}

absl::Status SqliteJobStore::Delete(const std::string& caller,
                                    const std::string& id) {
  int64_t job = 0;
  BVHMILL_RETURN_IF_ERROR(Hide(caller, id, &job));
  // The job is hidden. Expire removes rows that cannot be removed now.
  static_cast<void>(Remove(job, /*most_parts=*/1));
  return absl::OkStatus();
}

absl::Status SqliteJobStore::Expire(int64_t before_ms, int64_t* count) {
  std::vector<int64_t> jobs;
  {
    const std::lock_guard lock(read_mutex_);
    Statement find(reader_.get(),
                   "SELECT number FROM job WHERE state >= 4 AND end_ms < ? "
                   "LIMIT 100");
    find.Bind(before_ms);
    while (find.Step()) jobs.push_back(find.Int(0));
    BVHMILL_RETURN_IF_ERROR(find.status());
  }
  *count = 0;
  for (const int64_t job : jobs) {
    BVHMILL_RETURN_IF_ERROR(Remove(job, std::numeric_limits<int>::max()));
    ++*count;
  }
  return GiveBackPages();
}

// Returns free pages to the disk, at most 256 MiB of them. Others write between
// the parts. A file that was made without auto_vacuum keeps its free pages.
absl::Status SqliteJobStore::GiveBackPages() {
  constexpr int kMostParts = 32;
  bool has_more = true;
  for (int part = 0; part < kMostParts && has_more; ++part) {
    if (part > 0) std::this_thread::sleep_for(kRemovalPause);
    BVHMILL_RETURN_IF_ERROR(GiveBackSomePages(&has_more));
  }
  return absl::OkStatus();
}

absl::Status SqliteJobStore::GiveBackSomePages(bool* has_more) {
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

// JobRows in SQLite.

namespace {

class SqliteRows final : public JobRows {
 public:
  explicit SqliteRows(std::unique_ptr<Database> database)
      : database_(std::move(database)) {}

  absl::Status CheckVersion() {
    int64_t version = 0;
    BVHMILL_RETURN_IF_ERROR(FindVersion(database_.get(), &version));
    if (version == 0) return JobsLost();
    const auto steps = static_cast<int64_t>(SqliteMigrations().size());
    return version == steps ? absl::OkStatus() : OtherVersion();
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
    Statement find(database_.get(), sql.c_str());
    Row row;
    while (find.Step()) {
      row.clear();
      for (int i = 0; i < find.columns(); ++i) row.push_back(find.Text(i));
      take(row);
    }
    return find.status();
  }

  const char* counts() const override {
    return "SELECT number AS job, ok, failed, leased FROM job";
  }

  const char* counted_bytes() const override {
    return "SELECT caller, job, bytes FROM job_bytes";
  }

  const char* wrong_sums() const override {
    return "SELECT caller FROM (SELECT caller, jobs, bytes FROM caller_jobs "
           "UNION ALL SELECT caller, -count(*), -sum(bytes) FROM job_bytes "
           "GROUP BY caller) GROUP BY caller HAVING sum(jobs) <> 0 OR "
           "sum(bytes) <> 0";
  }

  // The length of a text would be the number of its characters.
  const char* row_bytes() const override {
    return BVHMILL_ROW_BYTES("length(CAST(", " AS BLOB))");
  }

  absl::Status IsNamed(const BlobName& blob, bool* is_named) override {
    Statement find(database_.get(), kFindNameSql);
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
