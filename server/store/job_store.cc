#include "server/store/job_store.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <random>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>

#include "bvhmill/base/limits.h"
#include "bvhmill/base/status.h"

namespace bvhmill::server {
namespace {

// The most rows of one INSERT or VALUES: a database keeps a prepared statement
// for each number of rows that came.
constexpr size_t kMostRows = 64;
// A job is removed so: first it is hidden, so that no caller sees it. Then its
// rows are removed in several transactions, so that others write in between. If
// the process is killed, the next Expire removes the rest. No caller has this
// name; the end is long ago, so that Expire finds the job.
#define BVHMILL_GONE \
  "caller = '/gone', request_id = NULL, state = 6, end_ms = 1"
// The most items that one transaction removes, and the pause between two.
constexpr int64_t kRemovedAtOnce = 2000;
constexpr std::chrono::milliseconds kRemovalPause(1);

// Servers pass from here to the commit one after the other. The number is the
// key of a lock of the database: see postgres/connections.h for the others.
constexpr char kLockBounds[] = "[SELECT pg_advisory_xact_lock(7450113361907)]";

// News for other servers: "items", "over NUMBER" or "cancelled NUMBER".
constexpr char kItemsNews[] = "items";
constexpr std::string_view kOverNews = "over ";
constexpr std::string_view kCancelledNews = "cancelled ";

JobNews NewsOf(std::string_view text) {
  if (text == kItemsNews) return {JobNews::Kind::kItems, 0};
  for (const auto& [prefix, kind] :
       {std::pair(kOverNews, JobNews::Kind::kOver),
        std::pair(kCancelledNews, JobNews::Kind::kCancelled)}) {
    if (!text.starts_with(prefix)) continue;
    JobNews news{kind, 0};
    text.remove_prefix(prefix.size());
    std::from_chars(text.data(), text.data() + text.size(), news.job);
    return news;
  }
  return {JobNews::Kind::kMissed, 0};
}

// The columns that ReadJob reads. The items of a job that is not over are
// counted.
#define BVHMILL_COUNT(stored, items)                                     \
  "CASE WHEN job.state >= 4 THEN " stored " ELSE (SELECT count(*)" items \
  ") "                                                                   \
  "END"
#define BVHMILL_FAILED \
  " FROM item {INDEXED BY item_failed} WHERE item.code <> 0 AND item.job = "
#define BVHMILL_JOB_COLUMNS \
  "job.id, job.number, job.caller, job.display_name, job.annotations, "       \
  "job.state, job.total, job.create_ms, job.start_ms, job.end_ms, "           \
  BVHMILL_COUNT("job.failed", BVHMILL_FAILED "job.number") ", "               \
  BVHMILL_COUNT("job.set_aside", BVHMILL_FAILED                               \
                "job.number AND item.set_aside = 1") ", "                     \
  BVHMILL_COUNT("0", BVHMILL_LEASED "job.number") ", "                        \
  BVHMILL_COUNT("job.total - job.ok - job.failed", BVHMILL_WAITING "job.number")
constexpr size_t kAfterJob = 14;

void ReadJob(const SqlRow& row, JobInfo* job) {
  job->id = row.Text(0);
  job->number = row.Int(1);
  job->caller = row.Text(2);
  job->display_name = row.Text(3);
  job->annotations = row.Text(4);
  job->state = static_cast<JobState>(row.Int(5));
  job->total = row.Int(6);
  job->create_ms = row.Int(7);
  job->start_ms = row.Int(8);
  job->end_ms = row.Int(9);
  job->failed = row.Int(10);
  job->set_aside = row.Int(11);
  job->running = row.Int(12);
  job->ok = job->total - row.Int(13) - job->running - job->failed;
}

// A bit for each state.
int64_t MaskOf(std::span<const JobState> states) {
  int64_t mask = 0;
  for (const JobState state : states) mask |= 1 << static_cast<int>(state);
  return mask == 0 ? -1 : mask;
}

std::string RandomId() {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
  constexpr int kLength = 20;
  std::random_device random;
  std::string id;
  for (int i = 0; i < kLength; ++i) {
    id += kLetters[std::uniform_int_distribution<size_t>(
        0, kLetters.size() - 1)(random)];
  }
  return id;
}

// `more` would make `value`, which exceeds the limit.
absl::Status TooMany(const std::string& limit_name, int64_t limit,
                     int64_t value, int64_t more) {
  const std::string number = std::to_string(value);
  const std::string room =
      std::to_string(std::max<int64_t>(limit - (value - more), 0));
  return MakeCallError({.code = absl::StatusCode::kResourceExhausted,
                        .reason = "LIMIT_EXCEEDED",
                        .limit_name = limit_name,
                        .limit = limit,
                        .args = {{"value", number}, {"room", room}},
                        .message = number + " exceeds " + limit_name + " = " +
                                   std::to_string(limit) +
                                   "; there is room for " + room});
}

// The counts that CheckBounds compares with the bounds of a new job. They do
// not include that job.
struct BoundCounts {
  // Unfinished items of all callers, and those of the caller of the job.
  int64_t items = 0;
  int64_t own_items = 0;
  // Kept jobs of the caller.
  int64_t own_jobs = 0;
  // The sum of NewJob::asked over the unfinished items of the caller.
  int64_t own_asked = 0;
};

// RESOURCE_EXHAUSTED, LIMIT_EXCEEDED if the job and `counts` together exceed
// the bounds of the job.
absl::Status CheckBounds(const NewJob& job, const BoundCounts& counts) {
  const auto more = static_cast<int64_t>(job.items.size());
  const int64_t items = counts.items + more;
  if (Exceeds(items, job.max_queued_items)) {
    return TooMany("max_queued_items", job.max_queued_items, items, more);
  }
  const int64_t own = counts.own_items + more;
  if (Exceeds(own, job.max_own_items)) {
    return TooMany("max_queued_items_per_caller", job.max_own_items, own, more);
  }
  const int64_t jobs = counts.own_jobs + 1;
  if (Exceeds(jobs, job.max_jobs)) {
    return TooMany("max_jobs_per_caller", job.max_jobs, jobs, 1);
  }
  const int64_t space = job.space_bytes + counts.own_asked + job.asked * more;
  return Exceeds(space, job.max_space_bytes)
             ? TooMany("max_data_bytes_per_caller", job.max_space_bytes, space,
                       job.asked * more)
             : absl::OkStatus();
}

// The state of a new job, with an id of 20 random letters and digits (103
// bits). Its number is not set. A job without items is over at once.
JobInfo InfoOfNewJob(const NewJob& job, int64_t now_ms) {
  JobInfo info;
  info.id = RandomId();
  info.caller = job.caller;
  info.display_name = job.display_name;
  info.annotations = job.annotations;
  info.total = static_cast<int64_t>(job.items.size());
  info.create_ms = now_ms;
  const bool is_empty = job.items.empty();
  info.state = is_empty ? JobState::kSucceeded : JobState::kPending;
  info.end_ms = is_empty ? now_ms : 0;
  return info;
}

absl::Status RequestIdUsed(const std::string& id) {
  return MakeCallError(
      {.code = absl::StatusCode::kAlreadyExists,
       .reason = "REQUEST_ID_USED",
       .field = "request_id",
       .args = {{"resource_type", "job"}, {"resource_name", "jobs/" + id}},
       .message = "another request with this id has made "
                  "jobs/" +
                  id});
}

absl::Status JobNotOver() {
  return MakeCallError({.code = absl::StatusCode::kFailedPrecondition,
                        .reason = "JOB_NOT_OVER",
                        .message = "the job still runs; cancel it first"});
}

// The condition on a job whose caller is the parameter, e.g. "$1".
std::string IsOf(const std::string& caller, const std::string& parameter) {
  return caller == kAnyCaller
             ? "job.caller <> '/gone' AND " + parameter + " = '*'"
             : "job.caller = " + parameter;
}

absl::Status FindJob(const std::string& caller, const std::string& id,
                     SqlWork* work, JobInfo* info) {
  SqlResult found;
  BVHMILL_RETURN_IF_ERROR(
      work->Run("SELECT " BVHMILL_JOB_COLUMNS
                ", job.options FROM job WHERE job.id = $1 AND " +
                    IsOf(caller, "$2"),
                {id, caller}, &found));
  if (found.rows.empty()) return NoJob(id);
  ReadJob(found.rows[0], info);
  info->options = found.rows[0].Text(kAfterJob);
  return absl::OkStatus();
}

absl::Status FindRequest(const NewJob& job, SqlWork* work, JobInfo* info,
                         bool* is_there) {
  *is_there = false;
  if (job.request_id.empty()) return absl::OkStatus();
  SqlResult found;
  BVHMILL_RETURN_IF_ERROR(
      work->Run("SELECT " BVHMILL_JOB_COLUMNS
                ", job.request_digest FROM job WHERE job.caller = $1 AND "
                "job.request_id = $2",
                {job.caller, SqlValue::Bytes(job.request_id)}, &found));
  *is_there = !found.rows.empty();
  if (!*is_there) return absl::OkStatus();
  ReadJob(found.rows[0], info);
  return found.rows[0].Text(kAfterJob) == job.request_digest
             ? absl::OkStatus()
             : RequestIdUsed(info->id);
}

// The counts of unfinished items, if `open` is the number of those of a job.
absl::Status CountItems(const NewJob& job, const std::string& open,
                        SqlWork* work, BoundCounts* counts) {
  SqlResult items;
  BVHMILL_RETURN_IF_ERROR(work->Run(
      "SELECT coalesce(sum(live.open), 0), coalesce(sum(CASE WHEN live.caller "
      "= $1 THEN live.open ELSE 0 END), 0), coalesce(sum(CASE WHEN live.caller "
      "= $1 THEN live.open * live.asked ELSE 0 END), 0) FROM (SELECT "
      "job.caller, job.asked, " +
          open + " AS open FROM job WHERE job.state < 4) live",
      {job.caller}, &items));
  counts->items = items.rows[0].Int(0);
  counts->own_items = items.rows[0].Int(1);
  counts->own_asked = items.rows[0].Int(2);
  return absl::OkStatus();
}

// Counting a million items takes a second, so they are counted only if there
// may be no room.
absl::Status CheckRoomIn(const NewJob& job, SqlWork* work) {
  SqlResult jobs;
  BVHMILL_RETURN_IF_ERROR(work->Run(
      "SELECT count(*) FROM job WHERE caller = $1", {job.caller}, &jobs));
  BoundCounts counts = {.own_jobs = jobs.rows[0].Int(0)};
  BVHMILL_RETURN_IF_ERROR(CountItems(job, "job.total", work, &counts));
  if (CheckBounds(job, counts).ok()) return absl::OkStatus();
  BVHMILL_RETURN_IF_ERROR(
      CountItems(job,
                 "(SELECT count(*)" BVHMILL_WAITING
                 "job.number) + (SELECT count(*)" BVHMILL_LEASED "job.number)",
                 work, &counts));
  return CheckBounds(job, counts);
}

absl::Status AddJob(const NewJob& job, SqlWork* work, JobInfo* info) {
  SqlResult added;
  BVHMILL_RETURN_IF_ERROR(work->Run(
      "INSERT INTO job (id, caller, space, display_name, annotations, options, "
      "request_id, request_digest, state, total, create_ms, end_ms, asked) "
      "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) "
      "RETURNING number",
      {info->id, job.caller, SpaceOf(job.caller),
       SqlValue::Bytes(job.display_name), SqlValue::Bytes(job.annotations),
       SqlValue::Bytes(job.options), SqlValue::BytesOrNull(job.request_id),
       job.request_digest, static_cast<int>(info->state), info->total,
       info->create_ms, info->end_ms, job.asked},
      &added));
  info->number = added.rows[0].Int(0);
  return absl::OkStatus();
}

absl::Status AddItems(const NewJob& from, int64_t job, SqlWork* work) {
  for (size_t begin = 0; begin < from.items.size(); begin += kMostRows) {
    const size_t count = std::min(kMostRows, from.items.size() - begin);
    std::vector<SqlValue> values;
    for (size_t i = begin; i < begin + count; ++i) {
      const NewItem& item = from.items[i];
      values.insert(
          values.end(),
          {job, static_cast<int64_t>(i), SqlValue::Bytes(item.key), item.blob,
           item.encoding, item.format, SqlValue::Bytes(item.display_name),
           SqlValue::Bytes(item.options)});
    }
    BVHMILL_RETURN_IF_ERROR(
        work->Run("INSERT INTO item (job, number, key, blob, encoding, format, "
                  "display_name, options) VALUES " +
                      ParameterRows(count, {"bigint", "bigint", "bytea", "text",
                                            "int", "int", "bytea", "bytea"}),
                  values));
  }
  return absl::OkStatus();
}

// `condition`, e.g. "job.number IN", and the parameters of `set`, which are
// added to `values`; empty if the set is.
template <typename Set>
std::string In(const char* condition, const Set& set,
               std::vector<SqlValue>* values) {
  std::string sql;
  for (const auto& value : set) {
    values->emplace_back(value);
    sql += (sql.empty() ? std::string(condition) + " ($" : ", $") +
           std::to_string(values->size());
  }
  return sql.empty() ? sql : sql + ")";
}

void ReadItem(const SqlRow& row, ClaimedItem* claimed) {
  claimed->lease.item = row.Int(0);
  claimed->item = {row.Text(1),
                   row.Text(2),
                   static_cast<int>(row.Int(3)),
                   static_cast<int>(row.Int(4)),
                   row.Text(5),
                   row.Text(6)};
  claimed->tries = static_cast<int>(row.Int(7));
  claimed->crashes = static_cast<int>(row.Int(8));
  claimed->why = row.Text(9);
}

// The time until which a claim holds, and its lease; 0 = none was made yet.
struct NewLease {
  int64_t milliseconds = 0;
  int64_t number = 0;
};

absl::Status MakeLease(SqlWork* work, NewLease* lease) {
  if (lease->number != 0) return absl::OkStatus();
  SqlResult added;
  BVHMILL_RETURN_IF_ERROR(
      work->Run("INSERT INTO lease (until_ms) VALUES (now_ms() + $1::bigint) "
                "RETURNING number",
                {lease->milliseconds}, &added));
  lease->number = added.rows[0].Int(0);
  return absl::OkStatus();
}

// Leases the items of `job`, a row of kLeastServedSql, that `which` selects, at
// most `limit`, and appends them in their order. The row of the job is locked
// until the commit, so that the job neither ends in between nor is cancelled.
// No items if it has ended.
absl::Status LeaseItems(const SqlRow& job, const std::string& which,
                        int64_t limit, const ClaimRules& rules, SqlWork* work,
                        NewLease* lease, std::vector<ClaimedItem>* items) {
  const int64_t number = job.Int(0);
  BVHMILL_RETURN_IF_ERROR(MakeLease(work, lease));
  if (job.Int(4) != 0) {
    BVHMILL_RETURN_IF_ERROR(work->Run(
        "UPDATE job SET served = (SELECT max(live.served) + 1 FROM job live "
        "WHERE live.state < 4), state = 2, start_ms = CASE start_ms WHEN 0 "
        "THEN $2 ELSE start_ms END WHERE number = $1 AND state < 3",
        {number, rules.now_ms}));
  }
  SqlResult leased;
  BVHMILL_RETURN_IF_ERROR(work->Run(
      "WITH held AS MATERIALIZED (SELECT number FROM job WHERE number = $1 AND "
      "state < 3 [FOR SHARE]), got AS MATERIALIZED (SELECT "
      "item.number" BVHMILL_WAITING "(SELECT number FROM held) AND " +
          which +
          " ORDER BY item.number LIMIT $4::bigint [FOR UPDATE SKIP LOCKED]) "
          "UPDATE item SET state = 1, lease = $2 WHERE job = $1 AND number IN "
          "(SELECT number FROM got) RETURNING number, key, blob, encoding, "
          "format, display_name, options, tries, crashes, last_error",
      {number, lease->number, rules.alone ? job.Int(5) : rules.now_ms, limit},
      &leased));
  const auto options = std::make_shared<const std::string>(job.Text(3));
  const auto first = static_cast<ptrdiff_t>(items->size());
  for (const SqlRow& row : leased.rows) {
    ClaimedItem& claimed = items->emplace_back();
    claimed.lease = {.job = number, .item = 0, .lease = lease->number};
    ReadItem(row, &claimed);
    claimed.job_id = job.Text(1);
    claimed.caller = job.Text(2);
    claimed.options =
        claimed.item.options.empty()
            ? options
            : std::make_shared<const std::string>(claimed.item.options);
  }
  std::sort(items->begin() + first, items->end(),
            [](const ClaimedItem& a, const ClaimedItem& b) {
              return a.lease.item < b.lease.item;
            });
  return absl::OkStatus();
}

// Leases items of the jobs that were served least recently, each job once.
absl::Status ClaimByTurns(const ClaimRules& rules, SqlWork* work,
                          NewLease* lease, std::vector<ClaimedItem>* items) {
  std::set<int64_t> tried;
  while (static_cast<int>(items->size()) < rules.limit) {
    std::vector<SqlValue> values = {rules.now_ms};
    const std::string others =
        In(" AND job.caller NOT IN", rules.without, &values) +
        In(" AND job.number NOT IN", tried, &values);
    SqlResult next;
    BVHMILL_RETURN_IF_ERROR(
        work->Run(kLeastServedSql + others + kLeastServedEnd, values, &next));
    if (next.rows.empty()) break;
    tried.insert(next.rows[0].Int(0));
    BVHMILL_RETURN_IF_ERROR(LeaseItems(
        next.rows[0], "item.crashes < 2 AND " BVHMILL_MAY_BEGIN("$3"),
        rules.limit - static_cast<int64_t>(items->size()), rules, work, lease,
        items));
  }
  return absl::OkStatus();
}

// Leases one item that must run alone.
absl::Status ClaimAlone(const ClaimRules& rules, SqlWork* work, NewLease* lease,
                        std::vector<ClaimedItem>* items) {
  std::vector<SqlValue> values = {rules.now_ms};
  const std::string others =
      In(" AND job.caller NOT IN", rules.without, &values);
  SqlResult next;
  BVHMILL_RETURN_IF_ERROR(
      work->Run(kAloneSql + others +
                    " ORDER BY item.crashes, item.job, item.number LIMIT 1",
                values, &next));
  if (next.rows.empty()) return absl::OkStatus();
  return LeaseItems(next.rows[0], "item.number = $3::bigint", 1, rules, work,
                    lease, items);
}

// Job, item and lease of leased items.
using LeaseKeys = std::set<std::tuple<int64_t, int64_t, int64_t>>;

LeaseKeys::value_type KeyOf(const Lease& lease) {
  return {lease.job, lease.item, lease.lease};
}

// Stores the results of items, of which none comes twice. Adds those whose
// leases are valid to `accepted`.
absl::Status StoreResults(std::span<const FinishedItem* const> items,
                          SqlWork* work, LeaseKeys* accepted) {
  std::vector<SqlValue> values;
  for (const FinishedItem* const item : items) {
    values.insert(values.end(),
                  {item->lease.job, item->lease.item, item->lease.lease,
                   item->result.code, item->result.is_set_aside ? 1 : 0,
                   SqlValue::Bytes(item->result.bytes)});
  }
  SqlResult done;
  BVHMILL_RETURN_IF_ERROR(work->Run(
      "UPDATE item SET state = 2, code = u.column4, set_aside = u.column5, "
      "result = u.column6 FROM (VALUES " +
          ParameterRows(items.size(),
                        {"bigint", "bigint", "bigint", "int", "int", "bytea"}) +
          ") AS u WHERE item.job = u.column1 AND item.number = u.column2 AND "
          "item.state = 1 AND item.lease = u.column3 RETURNING job, number, "
          "lease",
      values, &done));
  for (const SqlRow& row : done.rows) {
    accepted->emplace(row.Int(0), row.Int(1), row.Int(2));
  }
  return absl::OkStatus();
}

// Stores the names of the outputs of accepted items.
absl::Status NameOutputs(std::span<const FinishedItem* const> items,
                         const LeaseKeys& accepted, SqlWork* work) {
  std::vector<SqlValue> values;
  const auto insert = [&] {
    if (values.empty()) return absl::OkStatus();
    const size_t rows = values.size() / 4;
    const absl::Status status =
        work->Run("INSERT INTO blob (job, item, position, digest) VALUES " +
                      ParameterRows(rows, {"bigint", "bigint", "int", "text"}),
                  values);
    values.clear();
    return status;
  };
  for (const FinishedItem* const item : items) {
    if (!accepted.contains(KeyOf(item->lease))) continue;
    int position = 0;
    for (const std::string& blob : item->result.outputs) {
      values.insert(values.end(),
                    {item->lease.job, item->lease.item, position++, blob});
      if (values.size() == 4 * kMostRows) BVHMILL_RETURN_IF_ERROR(insert());
    }
  }
  return insert();
}

// The condition that no item of `job` will get another result.
// Leases and items of the past leave dead entries at the front of an index of
// PostgreSQL, so it is read from its end.
#define BVHMILL_IS_OVER                                                 \
  "job.state < 4 AND (job.state = 3 OR (SELECT 1" BVHMILL_WAITING       \
  "job.number ORDER BY item.number DESC LIMIT 1) IS NULL) AND (SELECT " \
  "1" BVHMILL_LEASED "job.number ORDER BY item.lease DESC LIMIT 1) IS NULL"

}  // namespace

absl::Status NoJob(const std::string& id) {
  return MakeCallError(
      {.code = absl::StatusCode::kNotFound,
       .reason = "JOB_UNKNOWN",
       .args = {{"resource_type", "job"}, {"resource_name", "jobs/" + id}},
       .message = "there is no job jobs/" + id});
}

absl::Status JobStore::Open(std::unique_ptr<SqlDatabase> database,
                            std::unique_ptr<JobStore>* store) {
  std::unique_ptr<JobStore> out(new JobStore(std::move(database)));
  if (!out->database_->is_shared()) BVHMILL_RETURN_IF_ERROR(out->Recover());
  *store = std::move(out);
  return absl::OkStatus();
}

// Ends the leases of the process before, and the jobs that it was ending.
absl::Status JobStore::Recover() {
  int64_t now_ms = 0;
  BVHMILL_RETURN_IF_ERROR(
      database_->Run(Commit::kDurable, [&](SqlWork* work) -> absl::Status {
        SqlResult time;
        BVHMILL_RETURN_IF_ERROR(work->Run("SELECT now_ms()", {}, &time));
        now_ms = time.rows[0].Int(0);
        BVHMILL_RETURN_IF_ERROR(
            work->Run("UPDATE item SET state = 0, crashes = crashes + 1 WHERE "
                      "state = 1",
                      {}));
        return work->Run("DELETE FROM lease", {});
      }));
  return EndLiveJobs(now_ms);
}

absl::Status JobStore::HasJobs(bool* has_jobs) {
  return database_->Run(Commit::kRead, [&](SqlWork* work) {
    SqlResult found;
    const absl::Status status = work->Run(
        "SELECT 1 FROM job WHERE caller <> '/gone' LIMIT 1", {}, &found);
    *has_jobs = !found.rows.empty();
    return status;
  });
}

absl::Status JobStore::FindRepeat(const NewJob& job, JobInfo* info,
                                  bool* is_there) {
  return database_->Run(Commit::kRead, [&](SqlWork* work) {
    return FindRequest(job, work, info, is_there);
  });
}

absl::Status JobStore::Create(const NewJob& job, int64_t now_ms, JobInfo* info,
                              bool* is_new) {
  return database_->Run(Commit::kDurable, [&](SqlWork* work) -> absl::Status {
    bool is_there = false;
    BVHMILL_RETURN_IF_ERROR(FindRequest(job, work, info, &is_there));
    *is_new = !is_there;
    if (is_there) return absl::OkStatus();
    BVHMILL_RETURN_IF_ERROR(work->Run(kLockBounds, {}));
    BVHMILL_RETURN_IF_ERROR(CheckRoomIn(job, work));
    *info = InfoOfNewJob(job, now_ms);
    BVHMILL_RETURN_IF_ERROR(AddJob(job, work, info));
    BVHMILL_RETURN_IF_ERROR(AddItems(job, info->number, work));
    return job.items.empty() ? absl::OkStatus() : work->Notify(kItemsNews);
  });
}

absl::Status JobStore::Get(const std::string& caller, const std::string& id,
                           JobInfo* info) {
  return database_->Run(Commit::kRead, [&](SqlWork* work) {
    return FindJob(caller, id, work, info);
  });
}

// The database ends the page by its bytes: each row carries the sum of the
// bytes up to it. 640 bytes are the name, times, counts and blocking reason of
// a job in an answer.
absl::Status JobStore::List(const JobPage& page, std::vector<JobInfo>* jobs,
                            bool* has_more) {
  return database_->Run(Commit::kRead, [&](SqlWork* work) -> absl::Status {
    SqlResult found;
    BVHMILL_RETURN_IF_ERROR(work->Run(
        "SELECT " BVHMILL_JOB_COLUMNS
        ", sized.all_rows FROM (SELECT page.number, count(*) OVER () AS "
        "all_rows, row_number() OVER (ORDER BY page.number DESC) AS place, "
        "sum(640 + length(page.display_name) + length(page.annotations)) OVER "
        "(ORDER BY page.number DESC) AS size FROM (SELECT number, "
        "display_name, annotations FROM job WHERE " +
            IsOf(page.caller, "$1") +
            " AND ($2::bigint = 0 OR number < $2) AND (($3::bigint >> state) & "
            "1) = 1 ORDER BY "
            "number DESC LIMIT $4::bigint + 1) page) sized JOIN job ON "
            "job.number "
            "= sized.number WHERE sized.place <= $4::bigint AND (sized.place = "
            "1 "
            "OR $5::bigint = 0 OR sized.size <= $5) ORDER BY job.number DESC",
        {page.caller, page.before, MaskOf(page.states), page.limit,
         page.max_bytes},
        &found));
    jobs->clear();
    for (const SqlRow& row : found.rows) ReadJob(row, &jobs->emplace_back());
    *has_more =
        !found.rows.empty() &&
        found.rows[0].Int(kAfterJob) > static_cast<int64_t>(found.rows.size());
    return absl::OkStatus();
  });
}

absl::Status JobStore::Results(const std::string& caller, const std::string& id,
                               const ResultPage& page,
                               std::vector<StoredResult>* results) {
  const std::string from =
      page.failed_only ? BVHMILL_FAILED "$1" : " FROM item WHERE job = $1";
  return database_->Run(Commit::kRead, [&](SqlWork* work) -> absl::Status {
    JobInfo job;
    BVHMILL_RETURN_IF_ERROR(FindJob(caller, id, work, &job));
    SqlResult found;
    BVHMILL_RETURN_IF_ERROR(work->Run(
        "SELECT number, result FROM (SELECT number, result, row_number() OVER "
        "(ORDER BY number) AS place, sum(length(result)) OVER (ORDER BY "
        "number) AS size FROM (SELECT number, result" +
            from +
            " AND number > $2::bigint AND state = 2 ORDER BY number LIMIT "
            "$3::bigint) page) sized WHERE place = 1 OR "
            "size <= $4::bigint ORDER BY number",
        {job.number, page.after, page.limit, page.max_bytes}, &found));
    results->clear();
    for (const SqlRow& row : found.rows) {
      results->push_back({row.Int(0), row.Text(1)});
    }
    // If the job was deleted meanwhile, some rows may be missing.
    return FindJob(caller, id, work, &job);
  });
}

absl::Status JobStore::Cancel(const std::string& caller, const std::string& id,
                              int64_t now_ms, JobInfo* info) {
  BVHMILL_RETURN_IF_ERROR(
      database_->Run(Commit::kDurable, [&](SqlWork* work) -> absl::Status {
        BVHMILL_RETURN_IF_ERROR(FindJob(caller, id, work, info));
        if (IsOver(info->state)) return absl::OkStatus();
        BVHMILL_RETURN_IF_ERROR(
            work->Run("UPDATE job SET state = 3 WHERE number = $1 AND state < "
                      "3",
                      {info->number}));
        return work->Notify(std::string(kCancelledNews) +
                            std::to_string(info->number));
      }));
  if (IsOver(info->state)) return absl::OkStatus();
  std::vector<int64_t> over;
  // A job that cannot be ended now is ended by a heartbeat.
  static_cast<void>(EndJobs({info->number}, now_ms, &over));
  return Get(caller, id, info);
}

// The caller holds the lock of names, so that no job begins to name a blob
// meanwhile.
absl::Status JobStore::FindNamed(std::span<const BlobName> blobs,
                                 std::vector<bool>* named) {
  return database_->Run(Commit::kRead, [&](SqlWork* work) -> absl::Status {
    named->assign(blobs.size(), false);
    for (size_t begin = 0; begin < blobs.size(); begin += kMostRows) {
      const size_t count = std::min(kMostRows, blobs.size() - begin);
      std::vector<SqlValue> values;
      for (size_t i = begin; i < begin + count; ++i) {
        values.insert(values.end(), {static_cast<int64_t>(i), blobs[i].digest,
                                     blobs[i].space});
      }
      SqlResult found;
      BVHMILL_RETURN_IF_ERROR(work->Run(
          "SELECT u.column1 FROM (VALUES " +
              ParameterRows(count, {"bigint", "text", "text"}) +
              ") AS u WHERE " BVHMILL_IS_NAMED("u.column2", "u.column3"),
          values, &found));
      for (const SqlRow& row : found.rows) {
        (*named)[static_cast<size_t>(row.Int(0))] = true;
      }
    }
    return absl::OkStatus();
  });
}

absl::Status JobStore::CheckRoom(const NewJob& job) {
  return database_->Run(Commit::kRead,
                        [&](SqlWork* work) { return CheckRoomIn(job, work); });
}

absl::Status JobStore::Stats(JobStats* stats) {
  return database_->Run(Commit::kRead, [&](SqlWork* work) -> absl::Status {
    SqlResult found;
    BVHMILL_RETURN_IF_ERROR(work->Run(
        "SELECT count(*), coalesce(sum(waiting), 0), coalesce(sum(leased), 0), "
        "coalesce(min(create_ms), 0) FROM (SELECT job.create_ms, (SELECT "
        "count(*)" BVHMILL_WAITING
        "job.number) AS waiting, (SELECT "
        "count(*)" BVHMILL_LEASED
        "job.number) AS leased FROM job WHERE job.state < 4) live",
        {}, &found));
    const SqlRow& row = found.rows[0];
    *stats = {row.Int(0), row.Int(1), row.Int(2), row.Int(3)};
    return absl::OkStatus();
  });
}

absl::Status JobStore::Usage(const std::string& caller,
                             std::vector<CallerUsage>* usages) {
  return database_->Run(Commit::kRead, [&](SqlWork* work) -> absl::Status {
    SqlResult found;
    BVHMILL_RETURN_IF_ERROR(work->Run(
        "SELECT kept.caller, count(*), coalesce(sum(kept.waiting), 0), "
        "coalesce(sum(kept.leased), 0) FROM (SELECT job.caller, " BVHMILL_COUNT(
            "0", BVHMILL_WAITING
            "job.number") " AS waiting, " BVHMILL_COUNT("0", BVHMILL_LEASED
                                                        "job.number") " AS "
                                                                      "leased "
                                                                      "FROM "
                                                                      "job "
                                                                      "WHERE " +
            IsOf(caller, "$1") +
            ") kept GROUP BY kept.caller ORDER BY kept.caller",
        {caller}, &found));
    usages->clear();
    for (const SqlRow& row : found.rows) {
      usages->push_back({row.Text(0), row.Int(1), row.Int(2), row.Int(3)});
    }
    return absl::OkStatus();
  });
}

void JobStore::Listen(const std::function<void(const JobNews&)>& hear) {
  database_->Listen([hear](const std::string& news) { hear(NewsOf(news)); });
}

// Leases and results.

absl::Status JobStore::Claim(const ClaimRules& rules,
                             std::vector<ClaimedItem>* items) {
  const absl::Status status = database_->Run(Commit::kFast, [&](SqlWork* work) {
    items->clear();
    NewLease lease = {.milliseconds = rules.until_ms - rules.now_ms};
    return rules.alone ? ClaimAlone(rules, work, &lease, items)
                       : ClaimByTurns(rules, work, &lease, items);
  });
  if (!status.ok()) items->clear();
  if (items->empty()) return status;
  const std::lock_guard lock(mutex_);
  leases_[(*items)[0].lease.lease] = static_cast<int64_t>(items->size());
  return status;
}

absl::Status JobStore::FindAlone(int64_t now_ms,
                                 std::set<std::string>* callers) {
  return database_->Run(Commit::kRead, [&](SqlWork* work) -> absl::Status {
    SqlResult found;
    BVHMILL_RETURN_IF_ERROR(work->Run(kAloneCallersSql, {now_ms}, &found));
    callers->clear();
    for (const SqlRow& row : found.rows) callers->insert(row.Text(0));
    return absl::OkStatus();
  });
}

absl::Status JobStore::Complete(std::span<const FinishedItem> items,
                                int64_t now_ms, std::vector<bool>* accepted,
                                std::vector<int64_t>* over) {
  accepted->clear();
  if (items.empty()) return absl::OkStatus();
  // A lease may come twice; the first one counts.
  LeaseKeys seen;
  std::vector<const FinishedItem*> first;
  for (const FinishedItem& item : items) {
    accepted->push_back(seen.insert(KeyOf(item.lease)).second);
    if (accepted->back()) first.push_back(&item);
  }
  LeaseKeys stored;
  BVHMILL_RETURN_IF_ERROR(
      database_->Run(Commit::kDurable, [&](SqlWork* work) -> absl::Status {
        stored.clear();
        const std::span<const FinishedItem* const> all(first);
        for (size_t at = 0; at < all.size(); at += kMostRows) {
          const auto some =
              all.subspan(at, std::min(kMostRows, all.size() - at));
          BVHMILL_RETURN_IF_ERROR(StoreResults(some, work, &stored));
        }
        return NameOutputs(all, stored, work);
      }));
  std::set<int64_t> jobs;
  std::map<int64_t, int64_t> leases;
  for (size_t i = 0; i < items.size(); ++i) {
    const Lease& lease = items[i].lease;
    (*accepted)[i] = (*accepted)[i] && stored.contains(KeyOf(lease));
    if (!(*accepted)[i]) continue;
    jobs.insert(lease.job);
    ++leases[lease.lease];
  }
  LeasesEnded(leases);
  static_cast<void>(EndJobs(jobs, now_ms, over));
  return absl::OkStatus();
}

absl::Status JobStore::Release(std::span<const FailedTry> tries, int64_t now_ms,
                               std::vector<int64_t>* over) {
  std::set<int64_t> jobs;
  std::map<int64_t, int64_t> leases;
  BVHMILL_RETURN_IF_ERROR(
      database_->Run(Commit::kDurable, [&](SqlWork* work) -> absl::Status {
        jobs.clear();
        leases.clear();
        for (const FailedTry& failed : tries) {
          SqlResult released;
          BVHMILL_RETURN_IF_ERROR(work->Run(
              "UPDATE item SET state = 0, tries = tries + $1::int, "
              "not_before_ms = $2, last_error = CASE WHEN $1::int > 0 THEN "
              "$3::bytea ELSE last_error END WHERE job = $4 AND number = $5 "
              "AND state = 1 AND lease = $6",
              {failed.counts ? 1 : 0, failed.not_before_ms,
               SqlValue::Bytes(failed.why), failed.lease.job, failed.lease.item,
               failed.lease.lease},
              &released));
          jobs.insert(failed.lease.job);
          leases[failed.lease.lease] += released.changed;
        }
        return absl::OkStatus();
      }));
  LeasesEnded(leases);
  static_cast<void>(EndJobs(jobs, now_ms, over));
  return absl::OkStatus();
}

// Forgets leases whose items have all ended: they need no renewal.
void JobStore::LeasesEnded(const std::map<int64_t, int64_t>& items) {
  const std::lock_guard lock(mutex_);
  for (const auto& [lease, count] : items) {
    const auto found = leases_.find(lease);
    if (found == leases_.end()) continue;
    found->second -= count;
    if (found->second <= 0) leases_.erase(found);
  }
}

// The end of jobs, and heartbeats.

// Locks the rows of the jobs first, which waits for claims that are about to
// lease their items.
absl::Status JobStore::EndSome(std::span<const int64_t> jobs, int64_t now_ms,
                               std::vector<int64_t>* over) {
  SqlResult ended;
  BVHMILL_RETURN_IF_ERROR(
      database_->Run(Commit::kDurable, [&](SqlWork* work) -> absl::Status {
        std::vector<SqlValue> locked;
        const std::string which = In("number IN", jobs, &locked);
        BVHMILL_RETURN_IF_ERROR(work->Run("SELECT 1 FROM job WHERE " + which +
                                              " ORDER BY number [FOR UPDATE]",
                                          locked));
        std::vector<SqlValue> values = {now_ms};
        BVHMILL_RETURN_IF_ERROR(work->Run(
            "UPDATE job SET end_ms = CASE WHEN create_ms > $1::bigint THEN "
            "create_ms ELSE $1::bigint END, state = CASE WHEN EXISTS (SELECT "
            "1" BVHMILL_WAITING
            "job.number) THEN 6 ELSE 4 END, ok = (SELECT count(*) FROM item "
            "WHERE item.job = job.number AND item.state = 2 AND item.code = "
            "0), failed = (SELECT count(*)" BVHMILL_FAILED
            "job.number), set_aside = (SELECT count(*)" BVHMILL_FAILED
            "job.number AND item.set_aside = 1) WHERE " BVHMILL_IS_OVER
            " AND " +
                In("job.number IN", jobs, &values) + " RETURNING number",
            values, &ended));
        for (const SqlRow& row : ended.rows) {
          BVHMILL_RETURN_IF_ERROR(work->Notify(std::string(kOverNews) +
                                               std::to_string(row.Int(0))));
        }
        return absl::OkStatus();
      }));
  for (const SqlRow& row : ended.rows) over->push_back(row.Int(0));
  return absl::OkStatus();
}

// Most jobs are not over: a look costs no write.
absl::Status JobStore::EndJobs(const std::set<int64_t>& jobs, int64_t now_ms,
                               std::vector<int64_t>* over) {
  const std::vector<int64_t> all(jobs.begin(), jobs.end());
  for (size_t begin = 0; begin < all.size(); begin += kMostRows) {
    const auto some =
        std::span(all).subspan(begin, std::min(kMostRows, all.size() - begin));
    SqlResult found;
    BVHMILL_RETURN_IF_ERROR(database_->Run(Commit::kRead, [&](SqlWork* work) {
      std::vector<SqlValue> values;
      const std::string which = In("job.number IN", some, &values);
      return work->Run(
          "SELECT number FROM job WHERE " BVHMILL_IS_OVER " AND " + which,
          values, &found);
    }));
    std::vector<int64_t> ending;
    for (const SqlRow& row : found.rows) ending.push_back(row.Int(0));
    if (!ending.empty()) {
      BVHMILL_RETURN_IF_ERROR(EndSome(ending, now_ms, over));
    }
  }
  return absl::OkStatus();
}

// A server may have crashed between the last result of a job and its end.
absl::Status JobStore::EndLiveJobs(int64_t now_ms) {
  SqlResult found;
  BVHMILL_RETURN_IF_ERROR(database_->Run(Commit::kRead, [&](SqlWork* work) {
    return work->Run("SELECT number FROM job WHERE " BVHMILL_IS_OVER, {},
                     &found);
  }));
  std::set<int64_t> jobs;
  for (const SqlRow& row : found.rows) jobs.insert(row.Int(0));
  std::vector<int64_t> over;
  return EndJobs(jobs, now_ms, &over);
}

absl::Status JobStore::EndLeasesOfOthers() {
  constexpr int kMost = 10'000;
  return database_->Run(Commit::kDurable, [&](SqlWork* work) -> absl::Status {
    SqlResult ended;
    BVHMILL_RETURN_IF_ERROR(work->Run(
        "WITH gone AS MATERIALIZED (SELECT job, number FROM item WHERE state = "
        "1 AND lease IN (SELECT number FROM lease WHERE until_ms < now_ms()) "
        "ORDER BY job, number LIMIT $1::bigint [FOR UPDATE SKIP LOCKED]) "
        "UPDATE item SET state = 0, crashes = crashes + 1 FROM gone WHERE "
        "item.job = gone.job AND item.number = gone.number",
        {kMost}, &ended));
    return ended.changed > 0 ? work->Notify(kItemsNews) : absl::OkStatus();
  });
}

absl::Status JobStore::Heartbeat(int64_t now_ms, int64_t until_ms) {
  const std::chrono::milliseconds lease(until_ms - now_ms);
  std::vector<int64_t> leases;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [number, items] : leases_) leases.push_back(number);
  }
  BVHMILL_RETURN_IF_ERROR(
      database_->Run(Commit::kFast, [&](SqlWork* work) -> absl::Status {
        for (const int64_t number : leases) {
          BVHMILL_RETURN_IF_ERROR(
              work->Run("UPDATE lease SET until_ms = now_ms() + $1::bigint "
                        "WHERE number = $2",
                        {lease.count(), number}));
        }
        return work->Run(
            "DELETE FROM lease WHERE until_ms < now_ms() AND NOT EXISTS "
            "(SELECT 1 FROM item WHERE item.state = 1 AND item.lease = "
            "lease.number)",
            {});
      }));
  if (database_->is_shared()) {
    const Clock::time_point now = Clock::now();
    const std::lock_guard lock(mutex_);
    // Servers send several heartbeats per lease. If this one is late by half of
    // a lease, those of others may be late, too.
    if (2 * (now - last_beat_) > lease) beats_since_ = now;
    last_beat_ = now;
    if (now - beats_since_ < lease) return absl::OkStatus();
  }
  // One server alone holds all leases: none has expired, even if the clock
  // jumps.
  if (database_->is_shared()) BVHMILL_RETURN_IF_ERROR(EndLeasesOfOthers());
  return EndLiveJobs(now_ms);
}

// The removal of jobs.

absl::Status JobStore::RemoveSome(int64_t job, Removed* removed) {
  return database_->Run(Commit::kDurable, [&](SqlWork* work) -> absl::Status {
    *removed = Removed::kByAnother;
    SqlResult mine;
    BVHMILL_RETURN_IF_ERROR(
        work->Run("SELECT 1 FROM job WHERE number = $1 AND state >= 4 [FOR "
                  "UPDATE SKIP LOCKED]",
                  {job}, &mine));
    if (mine.rows.empty()) return absl::OkStatus();
    SqlResult next;
    BVHMILL_RETURN_IF_ERROR(
        work->Run("SELECT number FROM item WHERE job = $1 ORDER BY number "
                  "LIMIT 1 OFFSET $2::bigint",
                  {job, kRemovedAtOnce}, &next));
    const bool is_last = next.rows.empty();
    const int64_t end =
        is_last ? std::numeric_limits<int64_t>::max() : next.rows[0].Int(0);
    BVHMILL_RETURN_IF_ERROR(work->Run(
        "DELETE FROM blob WHERE job = $1 AND item < $2::bigint", {job, end}));
    BVHMILL_RETURN_IF_ERROR(work->Run(
        "DELETE FROM item WHERE job = $1 AND number < $2::bigint", {job, end}));
    *removed = is_last ? Removed::kAll : Removed::kPart;
    return is_last
               ? work->Run("DELETE FROM job WHERE number = $1", {job})
               : work->Run("UPDATE job SET " BVHMILL_GONE " WHERE number = $1",
                           {job});
  });
}

absl::Status JobStore::Delete(const std::string& caller,
                              const std::string& id) {
  int64_t job = 0;
  BVHMILL_RETURN_IF_ERROR(
      database_->Run(Commit::kDurable, [&](SqlWork* work) -> absl::Status {
        SqlResult hidden;
        BVHMILL_RETURN_IF_ERROR(work->Run(
            "UPDATE job SET " BVHMILL_GONE " WHERE id = $1 AND " +
                IsOf(caller, "$2") + " AND state >= 4 RETURNING number",
            {id, caller}, &hidden));
        if (!hidden.rows.empty()) {
          job = hidden.rows[0].Int(0);
          return absl::OkStatus();
        }
        SqlResult kept;
        BVHMILL_RETURN_IF_ERROR(work->Run(
            "SELECT 1 FROM job WHERE id = $1 AND " + IsOf(caller, "$2"),
            {id, caller}, &kept));
        return kept.rows.empty() ? NoJob(id) : JobNotOver();
      }));
  // The job is hidden. Expire removes rows that cannot be removed now.
  Removed removed = Removed::kPart;
  static_cast<void>(RemoveSome(job, &removed));
  return absl::OkStatus();
}

absl::Status JobStore::Expire(int64_t before_ms, int64_t* count) {
  *count = 0;
  SqlResult old;
  BVHMILL_RETURN_IF_ERROR(database_->Run(Commit::kRead, [&](SqlWork* work) {
    return work->Run(
        "SELECT number FROM job WHERE state >= 4 AND end_ms < $1::bigint ORDER "
        "BY end_ms LIMIT 100",
        {before_ms}, &old);
  }));
  for (const SqlRow& row : old.rows) {
    Removed removed = Removed::kPart;
    while (removed == Removed::kPart) {
      BVHMILL_RETURN_IF_ERROR(RemoveSome(row.Int(0), &removed));
      if (removed == Removed::kPart) std::this_thread::sleep_for(kRemovalPause);
    }
    if (removed == Removed::kAll) ++*count;
  }
  return database_->GiveBackSpace();
}

}  // namespace bvhmill::server
