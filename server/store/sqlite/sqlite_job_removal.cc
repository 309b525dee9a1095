// The removal of jobs: the part of SqliteJobStore that may take long.

#include <array>
#include <limits>
#include <thread>

#include "bvhmill/base/status.h"
#include "server/store/job_parts.h"
#include "server/store/removal_sql.h"
#include "server/store/sqlite/sqlite_job_store.h"

namespace bvhmill::server {

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

// The items of a job below `end`, with their results.
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
  // The rows that are left are a whole job, so a check of the data is content.
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
  // The job is gone. Rows that cannot be removed now are left to Expire.
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

// Gives pages that removed rows have left back to the disk, at most 256 MiB of
// them. Others write between the parts. Files that were made without
// auto_vacuum keep theirs.
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
  // Some pages are kept for the next rows.
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

}  // namespace bvhmill::server
