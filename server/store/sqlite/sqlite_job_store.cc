#include "server/store/sqlite/sqlite_job_store.h"

#include <algorithm>
#include <random>
#include <string_view>
#include <utility>

#include "bvhmill/base/call_error.h"
#include "bvhmill/base/limits.h"
#include "bvhmill/base/status.h"
#include "server/store/blob_store.h"
#include "server/store/job_parts.h"
#include "server/store/job_rows.h"
#include "server/store/lost_data.h"
#include "server/store/migrations.h"
#include "server/store/sqlite/open_mark.h"

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

// If the mark stays, the log must stay, too.
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

// The leases of the process before end; jobs that it was cancelling are over.
// The version is written so that the log is not empty: see open_mark.h.
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
  // The rows of a job that was deleted meanwhile are not all.
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

// The caller keeps jobs from naming blobs meanwhile, so that what is stored is
// all that there is.
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

}  // namespace bvhmill::server
