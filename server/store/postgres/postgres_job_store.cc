#include "server/store/postgres/postgres_job_store.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "bvhmill/base/status.h"
#include "server/store/blob_store.h"
#include "server/store/job_parts.h"
#include "server/store/job_rows.h"
#include "server/store/migrations.h"
#include "server/store/postgres/connections.h"
#include "server/store/postgres/open_postgres.h"

namespace bvhmill::server {
namespace {

// The columns that ReadJob reads, of `job` and of the sums `c` of its counts.
#define BVHMILL_JOB_COLUMNS                                             \
  "job.id, job.number, job.caller, job.display_name, job.annotations, " \
  "job.state, job.total, c.ok, c.failed, c.leased, c.set_aside, "       \
  "job.create_ms, job.start_ms, job.end_ms"
#define BVHMILL_JOB_SUMS                                                     \
  " CROSS JOIN LATERAL (SELECT coalesce(sum(ok), 0)::bigint AS ok, "         \
  "coalesce(sum(failed), 0)::bigint AS failed, coalesce(sum(leased), "       \
  "0)::bigint AS leased, coalesce(sum(set_aside), 0)::bigint AS set_aside, " \
  "coalesce(sum(bytes), 0)::bigint AS bytes FROM job_count WHERE "           \
  "job_count.job = job.number) c "

// A statement that adds rows to the counts of jobs. `rows` is a SELECT of (job,
// slot, leased, ok, failed, set_aside, bytes), in the order of jobs, so that no
// deadlock occurs.
#define BVHMILL_ADD_COUNTS(rows)                                           \
  "INSERT INTO job_count (job, slot, leased, ok, failed, set_aside, "      \
  "bytes) " rows                                                           \
  " ON CONFLICT (job, slot) DO UPDATE SET leased = job_count.leased + "    \
  "excluded.leased, ok = job_count.ok + excluded.ok, failed = "            \
  "job_count.failed + excluded.failed, set_aside = job_count.set_aside + " \
  "excluded.set_aside, bytes = job_count.bytes + excluded.bytes"

constexpr char kLockBounds[] =
    "SELECT pg_advisory_xact_lock(" BVHMILL_BOUNDS_LOCK ")";

void ReadJob(const pqxx::row& row, JobInfo* job) {
  int column = 0;
  job->id = row[column++].c_str();
  job->number = row[column++].as<int64_t>();
  job->caller = row[column++].c_str();
  job->display_name = BytesOf(row[column++]);
  job->annotations = BytesOf(row[column++]);
  job->state = static_cast<JobState>(row[column++].as<int>());
  for (int64_t* const value :
       {&job->total, &job->ok, &job->failed, &job->running, &job->set_aside,
        &job->create_ms, &job->start_ms, &job->end_ms}) {
    *value = row[column++].as<int64_t>();
  }
}

absl::Status FindJob(const std::string& caller, const std::string& id,
                     Work* work, JobInfo* info) {
  const pqxx::result found = work->Run("SELECT " BVHMILL_JOB_COLUMNS
                                       ", job.options FROM job" BVHMILL_JOB_SUMS
                                       "WHERE job.id = $1 AND job.caller = $2",
                                       id, caller);
  if (found.empty()) return NoJob(id);
  ReadJob(found[0], info);
  constexpr int kOptions = 14;
  info->options = BytesOf(found[0][kOptions]);
  return absl::OkStatus();
}

absl::Status FindRequest(const NewJob& job, Work* work, JobInfo* info,
                         bool* is_there) {
  *is_there = false;
  if (job.request_id.empty()) return absl::OkStatus();
  const pqxx::result found =
      work->Run("SELECT " BVHMILL_JOB_COLUMNS
                ", job.request_digest FROM job" BVHMILL_JOB_SUMS
                "WHERE job.caller = $1 AND job.request_id = $2 AND "
                "job.request_id <> ''",
                job.caller, BytesFor(job.request_id));
  if (found.empty()) return absl::OkStatus();
  *is_there = true;
  ReadJob(found[0], info);
  constexpr int kDigest = 14;
  return found[0][kDigest].c_str() == job.request_digest
             ? absl::OkStatus()
             : RequestIdUsed(info->id);
}

void AddItems(int64_t job, const NewJob& from, Work* work) {
  // The bytes of all items, one after the other: key, name, options.
  std::string bytes;
  std::vector<size_t> at;
  std::vector<size_t> key_size;
  std::vector<size_t> name_size;
  std::vector<size_t> options_size;
  std::vector<std::string> blobs;
  std::vector<int> encodings;
  std::vector<int> formats;
  for (const NewItem& item : from.items) {
    // SQL counts bytes from 1.
    at.push_back(bytes.size() + 1);
    key_size.push_back(item.key.size());
    name_size.push_back(item.display_name.size());
    options_size.push_back(item.options.size());
    bytes.append(item.key).append(item.display_name).append(item.options);
    blobs.push_back(item.blob);
    encodings.push_back(item.encoding);
    formats.push_back(item.format);
  }
  work->Run(
      "INSERT INTO item (job, number, key, blob, encoding, format, "
      "display_name, options) SELECT $1::bigint, n - 1, substring($2::bytea "
      "FROM at FOR k), blob, encoding, format, substring($2::bytea FROM at + k "
      "FOR d), substring($2::bytea FROM at + k + d FOR o) FROM "
      "unnest($3::int[], $4::int[], $5::int[], $6::int[], $7::text[], "
      "$8::int[], $9::int[]) WITH ORDINALITY u (at, k, d, o, blob, encoding, "
      "format, n)",
      job, BytesFor(bytes), ArrayOf(at), ArrayOf(key_size), ArrayOf(name_size),
      ArrayOf(options_size), ArrayOfTexts(blobs), ArrayOf(encodings),
      ArrayOf(formats));
}

void AddJob(const NewJob& job, Work* work, JobInfo* info) {
  const pqxx::result added = work->Run(
      "INSERT INTO job (id, caller, space, display_name, annotations, options, "
      "request_id, request_digest, state, total, create_ms, end_ms, bytes, "
      "asked) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, "
      "$14) RETURNING number",
      info->id, job.caller, SpaceOf(job.caller), BytesFor(job.display_name),
      BytesFor(job.annotations), BytesFor(job.options),
      BytesFor(job.request_id), job.request_digest,
      static_cast<int>(info->state), info->total, info->create_ms, info->end_ms,
      RowBytesOf(job), job.asked);
  info->number = added[0][0].as<int64_t>();
}

// One statement, so that it sees each job either before its end or after it,
// and counts the bytes of its results once. `is_added`: the statement counts
// this job, too.
absl::Status CheckRoomIn(const NewJob& job, bool is_added, Work* work) {
  const pqxx::row row = work->Run(
      "SELECT items, own_items, jobs, (kept + added)::bigint, asked FROM "
      "(SELECT "
      "coalesce(sum(left_items), 0)::bigint AS items, coalesce(sum(left_items) "
      "FILTER (WHERE is_own), 0)::bigint AS own_items, coalesce(sum(bytes) "
      "FILTER (WHERE is_own), 0) AS added, coalesce(sum(left_items * asked) "
      "FILTER (WHERE is_own), 0)::bigint AS asked FROM (SELECT job.total - "
      "c.ok - c.failed AS left_items, job.caller = $1 AS is_own, c.bytes, "
      "job.asked FROM "
      "job" BVHMILL_JOB_SUMS
      "WHERE job.state < 4) open) unfinished, (SELECT count(*) AS jobs, "
      "coalesce(sum(bytes), 0) AS kept FROM job WHERE caller = $1) own",
      job.caller)[0];
  BoundCounts counts = {.items = row[0].as<int64_t>(),
                        .own_items = row[1].as<int64_t>(),
                        .own_jobs = row[2].as<int64_t>(),
                        .own_bytes = row[3].as<int64_t>(),
                        .own_asked = row[4].as<int64_t>()};
  if (is_added) {
    const auto items = static_cast<int64_t>(job.items.size());
    counts.items -= items;
    counts.own_items -= items;
    --counts.own_jobs;
    counts.own_bytes -= RowBytesOf(job);
    counts.own_asked -= job.asked * items;
  }
  return CheckBounds(job, counts);
}

}  // namespace

bool HasPostgres() { return true; }

absl::Status OpenPostgresJobStore(const std::string& address,
                                  std::unique_ptr<JobStore>* store,
                                  std::string* identity, bool* has_jobs) {
  std::unique_ptr<PostgresJobStore> out;
  bool has_some = false;
  BVHMILL_RETURN_IF_ERROR(
      PostgresJobStore::Open(address, &out, identity, &has_some));
  if (has_jobs != nullptr) *has_jobs = has_some;
  *store = std::move(out);
  return absl::OkStatus();
}

PostgresJobStore::PostgresJobStore(std::string address, int server)
    : address_(std::move(address)),
      connections_(address_, server * 5),
      server_(server),
      next_lease_(int64_t{server} << 32) {}

absl::Status PostgresJobStore::Open(const std::string& address,
                                    std::unique_ptr<PostgresJobStore>* store,
                                    std::string* identity, bool* has_jobs) {
  PostgresConnections connections(address, 0);
  BVHMILL_RETURN_IF_ERROR(connections.Try());
  BVHMILL_RETURN_IF_ERROR(MigratePostgres(PostgresMigrations(), &connections));
  int server = 0;
  BVHMILL_RETURN_IF_ERROR(connections.Run(Commit::kDurable, [&](Work* work) {
    const pqxx::row row = work->Run(
        "SELECT nextval('server_number'), id, EXISTS (SELECT 1 FROM job WHERE "
        "caller <> '/gone') FROM identity")[0];
    server = row[0].as<int>();
    *identity = row[1].c_str();
    *has_jobs = row[2].as<bool>();
    return absl::OkStatus();
  }));
  store->reset(new PostgresJobStore(address, server));
  return absl::OkStatus();
}

void PostgresJobStore::Listen(const std::function<void(const JobNews&)>& hear) {
  listener_ = std::make_unique<JobListener>(WithTimeouts(address_), hear);
}

absl::Status PostgresJobStore::FindRepeat(const NewJob& job, JobInfo* info,
                                          bool* is_there) {
  return connections_.Run(Commit::kDurable, [&](Work* work) {
    return FindRequest(job, work, info, is_there);
  });
}

absl::Status PostgresJobStore::Create(const NewJob& job, int64_t now_ms,
                                      JobInfo* info, bool* is_new) {
  return connections_.Run(Commit::kDurable, [&](Work* work) {
    bool is_there = false;
    BVHMILL_RETURN_IF_ERROR(FindRequest(job, work, info, &is_there));
    *is_new = !is_there;
    if (is_there) return absl::OkStatus();
    *info = InfoOfNewJob(job, now_ms);
    AddJob(job, work, info);
    if (!job.items.empty()) {
      AddItems(info->number, job, work);
      work->Notify(TextOf({JobNews::Kind::kItems}));
    }
    // Servers pass from here to the commit one after the other, so that each
    // sees the jobs of the earlier ones.
    work->Run(kLockBounds);
    return CheckRoomIn(job, /*is_added=*/true, work);
  });
}

absl::Status PostgresJobStore::Get(const std::string& caller,
                                   const std::string& id, JobInfo* info) {
  return connections_.Run(Commit::kDurable, [&](Work* work) {
    return FindJob(caller, id, work, info);
  });
}

// The database ends the page by its bytes: each row carries the sum of the
// bytes up to it.
absl::Status PostgresJobStore::List(const JobPage& page,
                                    std::vector<JobInfo>* jobs,
                                    bool* has_more) {
  return connections_.Run(Commit::kDurable, [&](Work* work) {
    jobs->clear();
    std::vector<int> states;
    for (const JobState state : page.states) {
      states.push_back(static_cast<int>(state));
    }
    const pqxx::result found = work->Run(
        "SELECT " BVHMILL_JOB_COLUMNS
        ", rows FROM (SELECT *, count(*) OVER () AS rows, row_number() OVER "
        "so_far, sum(640 + octet_length(display_name) + "
        "octet_length(annotations)) OVER so_far AS size FROM (SELECT number, "
        "id, caller, display_name, annotations, state, total, create_ms, "
        "start_ms, end_ms FROM job WHERE caller = $1 AND ($2::bigint = 0 OR "
        "number < $2) AND ($3::int[] = '{}' OR state = ANY ($3)) ORDER BY "
        "number DESC LIMIT $4::bigint + 1) page WINDOW so_far AS (ORDER BY "
        "number DESC)) job" BVHMILL_JOB_SUMS
        "WHERE row_number <= $4 AND (row_number = 1 OR $5::bigint = 0 OR size "
        "<= $5) ORDER BY number DESC",
        page.caller, page.before, ArrayOf(states), page.limit, page.max_bytes);
    for (const auto& row : found) ReadJob(row, &jobs->emplace_back());
    constexpr int kRows = 14;
    *has_more = !found.empty() && found[0][kRows].as<size_t>() > found.size();
    return absl::OkStatus();
  });
}

// The database ends the page by its bytes: each row carries the sum of the
// bytes up to it.
absl::Status PostgresJobStore::Results(const std::string& caller,
                                       const std::string& id,
                                       const ResultPage& page,
                                       std::vector<StoredResult>* results) {
  return connections_.Run(Commit::kDurable, [&](Work* work) {
    results->clear();
    JobInfo job;
    BVHMILL_RETURN_IF_ERROR(FindJob(caller, id, work, &job));
    const pqxx::result found =
        work->Run(page.failed_only ? kFailedResultsSql : kResultsSql,
                  job.number, page.after, page.limit, page.max_bytes);
    for (const auto& row : found) {
      results->push_back({row[0].as<int64_t>(), BytesOf(row[1])});
    }
    // If the job was deleted meanwhile, some rows may be missing.
    return FindJob(caller, id, work, &job);
  });
}

absl::Status PostgresJobStore::Cancel(const std::string& caller,
                                      const std::string& id, int64_t now_ms,
                                      JobInfo* info) {
  BVHMILL_RETURN_IF_ERROR(
      connections_.Run(Commit::kDurable, [&](Work* work) -> absl::Status {
        BVHMILL_RETURN_IF_ERROR(FindJob(caller, id, work, info));
        if (IsOver(info->state)) return absl::OkStatus();
        work->Run("UPDATE job SET state = 3 WHERE number = $1 AND state < 3",
                  info->number);
        work->Notify(TextOf({JobNews::Kind::kCancelled, info->number}));
        return absl::OkStatus();
      }));
  if (IsOver(info->state)) return absl::OkStatus();
  std::vector<int64_t> over;
  EndJobs({info->number}, now_ms, &over);
  return Get(caller, id, info);
}

absl::Status PostgresJobStore::FindNamed(std::span<const BlobName> blobs,
                                         std::vector<bool>* named) {
  std::vector<std::string> digests;
  std::vector<std::string> spaces;
  for (const BlobName& blob : blobs) {
    digests.push_back(blob.digest);
    spaces.push_back(blob.space);
  }
  return connections_.Run(Commit::kDurable, [&](Work* work) {
    const pqxx::result found = work->Run(
        "SELECT n FROM unnest($1::text[], $2::text[]) WITH ORDINALITY u "
        "(digest, space, n) WHERE EXISTS (SELECT 1 FROM item JOIN job ON "
        "job.number = item.job WHERE item.blob = u.digest AND job.space = "
        "u.space AND job.caller <> '/gone') OR EXISTS (SELECT 1 FROM output "
        "JOIN job ON job.number = output.job WHERE output.blob = u.digest AND "
        "job.space = u.space AND job.caller <> '/gone')",
        ArrayOfTexts(digests), ArrayOfTexts(spaces));
    named->assign(blobs.size(), false);
    for (const auto& row : found) (*named)[row[0].as<size_t>() - 1] = true;
    return absl::OkStatus();
  });
}

absl::Status PostgresJobStore::CheckRoom(const NewJob& job) {
  return connections_.Run(Commit::kDurable, [&](Work* work) {
    return CheckRoomIn(job, /*is_added=*/false, work);
  });
}

absl::Status PostgresJobStore::Stats(JobStats* stats) {
  return connections_.Run(Commit::kDurable, [&](Work* work) {
    const pqxx::row row = work->Run(
        "SELECT count(*), coalesce(sum(job.total - c.ok - c.failed - "
        "c.leased), 0)::bigint, coalesce(sum(c.leased), 0)::bigint, "
        "coalesce(min(job.create_ms), 0) FROM job" BVHMILL_JOB_SUMS
        "WHERE job.state < 4")[0];
    *stats = {row[0].as<int64_t>(), row[1].as<int64_t>(), row[2].as<int64_t>(),
              row[3].as<int64_t>()};
    return absl::OkStatus();
  });
}

// Leases and results.

namespace {

#define BVHMILL_NOW_MAY_BEGIN BVHMILL_MAY_BEGIN("$2::bigint")
// `which` selects the jobs and numbers of waiting items. It skips items that
// another claim is about to lease.
#define BVHMILL_CLAIM(which)                                              \
  "WITH got AS MATERIALIZED (" which                                      \
  "), numbered AS (SELECT job, number, row_number() OVER (ORDER BY job, " \
  "number) AS n FROM got) "                                               \
  "UPDATE item SET state = 1, lease = $4::bigint + n, lease_until_ms "    \
  "= " BVHMILL_DATABASE_MS                                                \
  " + $5 FROM numbered WHERE item.job = numbered.job AND item.number = "  \
  "numbered.number RETURNING item.job, item.number, lease, key, blob, "   \
  "encoding, format, display_name, options, tries, crashes, last_error"

// In the order of jobs, then of items.
constexpr char kFresh[] = BVHMILL_CLAIM(
    "SELECT i.job, i.number FROM (SELECT number FROM job WHERE caller = $1 AND "
    "state < 4 AND state <> 3 ORDER BY number) j CROSS JOIN LATERAL (SELECT "
    "job, number FROM item WHERE item.job = j.number AND state = 0 AND "
    "crashes < 2 AND " BVHMILL_NOW_MAY_BEGIN
    " ORDER BY number LIMIT $3 FOR UPDATE SKIP LOCKED) i LIMIT $3");
// Sorts all suspects of a caller by their crashes: they are few.
constexpr char kSuspect[] = BVHMILL_CLAIM(
    "SELECT item.job, item.number FROM item JOIN job ON job.number = item.job "
    "WHERE job.caller = $1 AND job.state < 4 AND job.state <> 3 AND "
    "item.state = 0 AND crashes >= 2 AND " BVHMILL_NOW_MAY_BEGIN
    " ORDER BY crashes, item.job, item.number LIMIT $3 FOR UPDATE OF item SKIP "
    "LOCKED");
constexpr char kSuspectCallers[] =
    "SELECT DISTINCT caller FROM item JOIN job ON job.number = item.job WHERE "
    "item.state = 0 AND crashes >= 2 "
    "AND " BVHMILL_MAY_BEGIN("$1::bigint") " AND job.state < 4 AND job.state "
    "<> 3";
static_assert(kSuspectCrashes == 2, "as in the statements above");

// Counts the leases of jobs, and reads the jobs. The row lock keeps a job from
// ending before its leases are counted.
constexpr char kBeginJobs[] =
    "WITH found AS MATERIALIZED (SELECT number, state, options, id FROM job "
    "WHERE number = ANY ($1::bigint[]) AND state < 4 ORDER BY number FOR KEY "
    "SHARE), "
    "counted AS (" BVHMILL_ADD_COUNTS(
        "SELECT u.job, $2::int, u.leased, 0, 0, 0, 0 FROM unnest($1::bigint[], "
        "$3::bigint[]) u (job, leased) JOIN found ON found.number = u.job "
        "ORDER BY u.job") ") SELECT number, state, options, id FROM found";

void ReadItem(const pqxx::row& row, ClaimedItem* claimed) {
  int column = 0;
  claimed->lease.job = row[column++].as<int64_t>();
  claimed->lease.item = row[column++].as<int64_t>();
  claimed->lease.lease = row[column++].as<int64_t>();
  claimed->item.key = BytesOf(row[column++]);
  claimed->item.blob = row[column++].c_str();
  claimed->item.encoding = row[column++].as<int>();
  claimed->item.format = row[column++].as<int>();
  claimed->item.display_name = BytesOf(row[column++]);
  claimed->item.options = BytesOf(row[column++]);
  claimed->tries = row[column++].as<int>();
  claimed->crashes = row[column++].as<int>();
  claimed->why = BytesOf(row[column++]);
}

// Columns of the finished items of a call.
struct FinishedColumns {
  std::vector<int64_t> jobs, items, leases;
  // `aside`: 1 if the item is dead-lettered.
  std::vector<int> codes, aside;
  // All results in sequence. `at` is the position of the first byte of each,
  // from 1.
  std::string bytes;
  std::vector<size_t> at, sizes;
  // RowBytesOf each result.
  std::vector<int64_t> row_bytes;

  void Add(const FinishedItem& item) {
    jobs.push_back(item.lease.job);
    items.push_back(item.lease.item);
    leases.push_back(item.lease.lease);
    codes.push_back(item.result.code);
    aside.push_back(item.result.is_set_aside ? 1 : 0);
    at.push_back(bytes.size() + 1);
    sizes.push_back(item.result.bytes.size());
    bytes += item.result.bytes;
    row_bytes.push_back(RowBytesOf(item.result));
  }
};

// Columns of the outputs of the finished items of a call.
struct OutputColumns {
  std::vector<int64_t> leases, jobs, items;
  std::vector<int> positions;
  std::vector<std::string> blobs;

  void Add(const FinishedItem& item) {
    int position = 0;
    for (const std::string& blob : item.result.outputs) {
      leases.push_back(item.lease.lease);
      jobs.push_back(item.lease.job);
      items.push_back(item.lease.item);
      positions.push_back(position++);
      blobs.push_back(blob);
    }
  }
};

// Stores the results of items whose leases are valid, names their outputs, and
// counts them. One statement, so that it needs no transaction around it.
constexpr char kComplete[] =
    "WITH done AS (UPDATE item SET state = 2 FROM unnest($1::bigint[], "
    "$2::bigint[], $3::bigint[], $4::int[], $5::int[], $6::bigint[], "
    "$7::bigint[], $15::bigint[]) u (job, number, lease, code, aside, at, "
    "size, row_bytes) WHERE item.job = u.job AND item.number = u.number AND "
    "item.state = 1 AND item.lease = u.lease RETURNING item.job, item.number, "
    "item.blob, item.lease, u.code, u.aside, u.at, u.size, u.row_bytes), added "
    "AS (INSERT INTO result (job, item, blob, code, bytes) SELECT job, number, "
    "blob, code, substring($8::bytea FROM at::int FOR size::int) FROM done), "
    "named AS (INSERT INTO output (job, item, position, blob) SELECT o.job, "
    "o.item, "
    "o.position, o.blob FROM unnest($9::bigint[], $10::bigint[], "
    "$11::bigint[], $12::int[], $13::text[]) o (lease, job, item, position, "
    "blob) JOIN done ON done.lease = o.lease), counted AS (" BVHMILL_ADD_COUNTS(
        "SELECT job, $14::int, -count(*), count(*) FILTER (WHERE code = 0), "
        "count(*) FILTER (WHERE code <> 0), sum(aside), sum(row_bytes) FROM "
        "done GROUP BY job ORDER BY job") ") SELECT lease FROM done";

// Returns the leases whose results were stored.
std::set<int64_t> StoreFinished(const FinishedColumns& columns,
                                const OutputColumns& outputs, Work* work) {
  const pqxx::result done = work->Run(
      kComplete, ArrayOf(columns.jobs), ArrayOf(columns.items),
      ArrayOf(columns.leases), ArrayOf(columns.codes), ArrayOf(columns.aside),
      ArrayOf(columns.at), ArrayOf(columns.sizes), BytesFor(columns.bytes),
      ArrayOf(outputs.leases), ArrayOf(outputs.jobs), ArrayOf(outputs.items),
      ArrayOf(outputs.positions), ArrayOfTexts(outputs.blobs), work->slot(),
      ArrayOf(columns.row_bytes));
  std::set<int64_t> leases;
  for (const auto& row : done) leases.insert(row[0].as<int64_t>());
  return leases;
}

}  // namespace

absl::Status PostgresJobStore::Claim(const ClaimRules& rules,
                                     std::vector<ClaimedItem>* items) {
  items->clear();
  BVHMILL_RETURN_IF_ERROR(EndDoubtfulLeases());
  std::vector<LeaseRange> ranges;
  const absl::Status status = connections_.Run(Commit::kFast, [&](Work* work) {
    items->clear();
    return ClaimAll(rules, work, items, &ranges);
  });
  if (status.ok()) return status;
  items->clear();
  const std::lock_guard lock(mutex_);
  doubtful_.insert(doubtful_.end(), ranges.begin(), ranges.end());
  return status;
}

absl::Status PostgresJobStore::EndDoubtfulLeases() {
  std::vector<LeaseRange> ranges;
  {
    const std::lock_guard lock(mutex_);
    ranges.swap(doubtful_);
  }
  if (ranges.empty()) return absl::OkStatus();
  const absl::Status ended =
      connections_.Run(Commit::kDurable, [&](Work* work) {
        Changes changes;
        for (const LeaseRange& range : ranges) {
          const pqxx::result waiting = work->Run(
              "UPDATE item SET state = 0 WHERE state = 1 AND lease BETWEEN "
              "$1::bigint AND $2::bigint RETURNING job",
              range.first, range.last);
          for (const auto& row : waiting) {
            --changes[row[0].as<int64_t>()].leased;
          }
        }
        AddCounts(changes, work);
        return absl::OkStatus();
      });
  if (ended.ok()) return ended;
  const std::lock_guard lock(mutex_);
  doubtful_.insert(doubtful_.end(), ranges.begin(), ranges.end());
  return ended;
}

absl::Status PostgresJobStore::ClaimAll(const ClaimRules& rules, Work* work,
                                        std::vector<ClaimedItem>* items,
                                        std::vector<LeaseRange>* ranges) {
  std::vector<std::string> callers;
  const pqxx::result found = work->Run(
      "SELECT DISTINCT caller FROM job WHERE state < 4 AND state <> 3 ORDER BY "
      "caller");
  for (const auto& row : found) callers.emplace_back(row[0].c_str());
  {
    const std::lock_guard lock(mutex_);
    Leave(rules.without, &callers);
    TakeTurns(&last_caller_, &callers);
  }
  BVHMILL_RETURN_IF_ERROR(
      ClaimShares(std::move(callers), rules.limit, items,
                  [&](const std::string& caller, int64_t limit) {
                    ranges->push_back(NewLeases(limit));
                    return ClaimOf(caller, rules, ranges->back(), work, items);
                  }));
  return items->empty() ? absl::OkStatus() : BeginJobs(rules, work, items);
}

PostgresJobStore::LeaseRange PostgresJobStore::NewLeases(int64_t count) {
  const int64_t first = next_lease_.fetch_add(count) + 1;
  return {first, first + count - 1};
}

absl::Status PostgresJobStore::ClaimOf(const std::string& caller,
                                       const ClaimRules& rules,
                                       const LeaseRange& leases, Work* work,
                                       std::vector<ClaimedItem>* items) {
  const pqxx::result leased =
      work->Run(rules.suspects ? kSuspect : kFresh, caller, rules.now_ms,
                leases.last - leases.first + 1, leases.first - 1,
                rules.until_ms - rules.now_ms);
  const auto begin = static_cast<ptrdiff_t>(items->size());
  for (const auto& row : leased) {
    ClaimedItem& claimed = items->emplace_back();
    ReadItem(row, &claimed);
    claimed.caller = caller;
  }
  std::sort(items->begin() + begin, items->end(),
            [](const ClaimedItem& a, const ClaimedItem& b) {
              return a.lease.lease < b.lease.lease;
            });
  return absl::OkStatus();
}

// Counts the leases, and reads the options of the jobs.
absl::Status PostgresJobStore::BeginJobs(const ClaimRules& rules, Work* work,
                                         std::vector<ClaimedItem>* items) {
  std::map<int64_t, int64_t> leased;
  for (const ClaimedItem& item : *items) ++leased[item.lease.job];
  std::vector<int64_t> numbers, counts;
  for (const auto& [job, count] : leased) {
    numbers.push_back(job);
    counts.push_back(count);
  }
  const std::string jobs = ArrayOf(numbers);
  const pqxx::result found =
      work->Run(kBeginJobs, jobs, work->slot(), ArrayOf(counts));
  // A job has ended meanwhile: the exception rolls the claim back, and Run
  // repeats it.
  if (found.size() != leased.size()) {
    throw pqxx::serialization_failure("a job has ended");
  }
  std::map<int64_t, std::shared_ptr<const std::string>> options;
  std::map<int64_t, std::string> ids;
  bool are_new = false;
  for (const auto& row : found) {
    options[row[0].as<int64_t>()] =
        std::make_shared<const std::string>(BytesOf(row[2]));
    ids[row[0].as<int64_t>()] = row[3].c_str();
    are_new = are_new || row[1].as<int>() == 1;
  }
  for (ClaimedItem& item : *items) {
    item.job_id = ids[item.lease.job];
    item.options = item.item.options.empty()
                       ? options[item.lease.job]
                       : std::make_shared<const std::string>(item.item.options);
  }
  if (are_new) {
    work->Run(
        "UPDATE job SET state = 2, start_ms = $2 FROM (SELECT number FROM job "
        "WHERE number = ANY ($1::bigint[]) AND state = 1 ORDER BY number FOR "
        "NO KEY UPDATE) new WHERE job.number = new.number",
        jobs, rules.now_ms);
  }
  return absl::OkStatus();
}

absl::Status PostgresJobStore::FindSuspects(int64_t now_ms,
                                            std::set<std::string>* callers) {
  return connections_.Run(Commit::kNone, [&](Work* work) {
    callers->clear();
    const pqxx::result found = work->Run(kSuspectCallers, now_ms);
    for (const auto& row : found) callers->insert(row[0].c_str());
    return absl::OkStatus();
  });
}

std::set<int64_t> PostgresJobStore::CompleteAll(
    std::span<const FinishedItem> items, Work* work,
    std::vector<bool>* accepted) {
  accepted->clear();
  FinishedColumns columns;
  OutputColumns outputs;
  // A lease may come twice.
  std::set<int64_t> seen;
  for (const FinishedItem& item : items) {
    if (!seen.insert(item.lease.lease).second) continue;
    columns.Add(item);
    outputs.Add(item);
  }
  std::set<int64_t> stored = StoreFinished(columns, outputs, work);
  std::set<int64_t> jobs;
  for (const FinishedItem& item : items) {
    accepted->push_back(stored.erase(item.lease.lease) > 0);
    if (accepted->back()) jobs.insert(item.lease.job);
  }
  return jobs;
}

absl::Status PostgresJobStore::Complete(std::span<const FinishedItem> items,
                                        int64_t now_ms,
                                        std::vector<bool>* accepted,
                                        std::vector<int64_t>* over) {
  accepted->clear();
  if (items.empty()) return absl::OkStatus();
  std::set<int64_t> jobs;
  BVHMILL_RETURN_IF_ERROR(
      connections_.Run(Commit::kOneStatement, [&](Work* work) {
        jobs = CompleteAll(items, work, accepted);
        return absl::OkStatus();
      }));
  EndJobs({jobs.begin(), jobs.end()}, now_ms, over);
  return absl::OkStatus();
}

absl::Status PostgresJobStore::Release(std::span<const FailedTry> tries,
                                       int64_t now_ms,
                                       std::vector<int64_t>* over) {
  Changes changes;
  BVHMILL_RETURN_IF_ERROR(connections_.Run(Commit::kDurable, [&](Work* work) {
    changes.clear();
    for (const FailedTry& failed : tries) {
      const pqxx::result released = work->Run(
          "UPDATE item SET state = 0, tries = tries + $1, not_before_ms = "
          "$2, last_error = CASE WHEN $1 > 0 THEN $3 ELSE last_error END "
          "WHERE job = $4 AND number = $5 AND state = 1 AND lease = $6",
          failed.counts ? 1 : 0, failed.not_before_ms, BytesFor(failed.why),
          failed.lease.job, failed.lease.item, failed.lease.lease);
      if (released.affected_rows() == 1) {
        --changes[failed.lease.job].leased;
      }
    }
    AddCounts(changes, work);
    return absl::OkStatus();
  }));
  EndJobs(JobsOf(changes), now_ms, over);
  return absl::OkStatus();
}

// Counts, the end of jobs, and heartbeats.

namespace {

// The sums of the counts of a job, and the condition on `job` and its sums `c`
// that no item will get another result.
#define BVHMILL_SUMS                                                        \
  "SELECT coalesce(sum(ok + failed), 0) AS done, coalesce(sum(leased), 0) " \
  "AS leased, coalesce(sum(bytes), 0) AS bytes FROM job_count WHERE "       \
  "job_count.job = "
#define BVHMILL_IS_OVER \
  "(c.done >= job.total OR (job.state = 3 AND c.leased = 0))"

std::vector<int64_t> NumbersOf(const pqxx::result& rows) {
  std::vector<int64_t> numbers;
  for (const auto& row : rows) numbers.push_back(row[0].as<int64_t>());
  return numbers;
}

}  // namespace

std::vector<int64_t> PostgresJobStore::JobsOf(const Changes& changes) {
  std::vector<int64_t> jobs;
  for (const auto& [job, change] : changes) jobs.push_back(job);
  return jobs;
}

void PostgresJobStore::AddCounts(const Changes& changes, Work* work) {
  if (changes.empty()) return;
  std::vector<int64_t> leased;
  std::vector<int64_t> ok;
  std::vector<int64_t> failed;
  std::vector<int64_t> set_aside;
  for (const auto& [job, change] : changes) {
    leased.push_back(change.leased);
    ok.push_back(change.ok);
    failed.push_back(change.failed);
    set_aside.push_back(change.set_aside);
  }
  work->Run(
      BVHMILL_ADD_COUNTS(
          "SELECT job, $2::int, leased, ok, failed, set_aside, 0 FROM "
          "unnest($1::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], "
          "$6::bigint[]) u (job, leased, ok, failed, set_aside)"),
      ArrayOf(JobsOf(changes)), work->slot(), ArrayOf(leased), ArrayOf(ok),
      ArrayOf(failed), ArrayOf(set_aside));
}

// Locks the row of the job first, which waits for claims that are about to
// count their leases. Then it reads the sums.
absl::Status PostgresJobStore::EndJob(int64_t job, int64_t now_ms,
                                      bool* is_over) {
  return connections_.Run(Commit::kDurable, [&](Work* work) {
    work->Run("SELECT 1 FROM job WHERE number = $1 FOR UPDATE", job);
    const pqxx::result ended = work->Run(
        "UPDATE job SET end_ms = greatest(create_ms, $2), state = CASE WHEN "
        "c.done >= total THEN 4 ELSE 6 END, bytes = job.bytes + c.bytes FROM "
        "(" BVHMILL_SUMS
        "$1) c WHERE number = $1 AND state < 4 AND " BVHMILL_IS_OVER,
        job, now_ms);
    *is_over = ended.affected_rows() == 1;
    if (*is_over) work->Notify(TextOf({JobNews::Kind::kOver, job}));
    return absl::OkStatus();
  });
}

void PostgresJobStore::EndJobs(const std::vector<int64_t>& jobs, int64_t now_ms,
                               std::vector<int64_t>* over) {
  if (jobs.empty()) return;
  std::vector<int64_t> ending;
  const absl::Status found = connections_.Run(Commit::kNone, [&](Work* work) {
    ending = NumbersOf(
        work->Run("SELECT job.number FROM job CROSS JOIN LATERAL (" BVHMILL_SUMS
                  "job.number) c WHERE job.number = ANY ($1::bigint[]) AND "
                  "job.state < 4 AND " BVHMILL_IS_OVER,
                  ArrayOf(jobs)));
    return absl::OkStatus();
  });
  if (!found.ok()) return;
  for (const int64_t job : ending) {
    bool is_over = false;
    if (EndJob(job, now_ms, &is_over).ok() && is_over) over->push_back(job);
  }
}

absl::Status PostgresJobStore::EndLeasesOfOthers(int64_t now_ms) {
  constexpr int kMost = 10'000;
  std::vector<int64_t> open;
  BVHMILL_RETURN_IF_ERROR(
      connections_.Run(Commit::kDurable, [&](Work* work) -> absl::Status {
        const pqxx::result ended = work->Run(
            "WITH gone AS MATERIALIZED (SELECT job, number FROM item WHERE "
            "state = 1 AND lease > 0 AND lease_until_ms < " BVHMILL_DATABASE_MS
            " ORDER BY job, number LIMIT $1 FOR UPDATE SKIP LOCKED), waits AS "
            "(UPDATE item SET state = 0, crashes = crashes + 1 FROM gone WHERE "
            "item.job = gone.job AND item.number = gone.number RETURNING "
            "item.job) SELECT job, count(*) FROM waits GROUP BY job",
            kMost);
        Changes changes;
        for (const auto& row : ended) {
          changes[row[0].as<int64_t>()].leased = -row[1].as<int64_t>();
        }
        AddCounts(changes, work);
        if (!changes.empty()) work->Notify(TextOf({JobNews::Kind::kItems}));
        // A server may have crashed between the last result of a job and its
        // end.
        open = NumbersOf(work->Run("SELECT number FROM job WHERE state < 4"));
        return absl::OkStatus();
      }));
  std::vector<int64_t> over;
  EndJobs(open, now_ms, &over);
  return absl::OkStatus();
}

absl::Status PostgresJobStore::Heartbeat(int64_t now_ms, int64_t until_ms) {
  const std::chrono::milliseconds lease(until_ms - now_ms);
  BVHMILL_RETURN_IF_ERROR(connections_.Run(Commit::kFast, [&](Work* work) {
    work->Run("UPDATE item SET lease_until_ms = " BVHMILL_DATABASE_MS
              " + $1 WHERE state = 1 AND lease BETWEEN $2::bigint << 32 AND "
              "($2::bigint + 1) << 32",
              lease.count(), server_);
    return absl::OkStatus();
  }));
  const Clock::time_point now = Clock::now();
  {
    const std::lock_guard lock(mutex_);
    // Servers send several heartbeats per lease. If this one is late by half of
    // a lease, those of others may be late, too.
    if (2 * (now - last_beat_) > lease) beats_since_ = now;
    last_beat_ = now;
    if (now - beats_since_ < lease) return absl::OkStatus();
  }
  return EndLeasesOfOthers(now_ms);
}

// The removal of jobs.

// Removes the items of a job below `end`, with their results. The remaining
// rows are a consistent job, so a check of the data finds no fault.
void PostgresJobStore::RemoveItems(int64_t job, int64_t end, Work* work) {
  std::array<int64_t, 4> removed = {};
  size_t table = 0;
  for (const char* const sql :
       {"DELETE FROM output WHERE job = $1 AND item < $2",
        "DELETE FROM result WHERE job = $1 AND item < $2 AND code = 0",
        "DELETE FROM result WHERE job = $1 AND item < $2",
        "DELETE FROM item WHERE job = $1 AND number < $2"}) {
    removed[table++] =
        static_cast<int64_t>(work->Run(sql, job, end).affected_rows());
  }
  AddCounts({{job, {.ok = -removed[1], .failed = -removed[2]}}}, work);
  work->Run("UPDATE job SET " BVHMILL_GONE
            ", total = total - $2 WHERE number = $1",
            job, removed[3]);
}

absl::Status PostgresJobStore::RemoveSome(int64_t job, Removed* removed) {
  return connections_.Run(Commit::kDurable, [&](Work* work) {
    *removed = Removed::kByAnother;
    const pqxx::result mine = work->Run(
        "SELECT 1 FROM job WHERE number = $1 AND state >= 4 FOR UPDATE SKIP "
        "LOCKED",
        job);
    if (mine.empty()) return absl::OkStatus();
    const pqxx::result next = work->Run(
        "SELECT number FROM item WHERE job = $1 ORDER BY number LIMIT 1 OFFSET "
        "$2",
        job, kRemovedAtOnce);
    RemoveItems(job,
                next.empty() ? std::numeric_limits<int64_t>::max()
                             : next[0][0].as<int64_t>(),
                work);
    *removed = next.empty() ? Removed::kAll : Removed::kPart;
    if (!next.empty()) return absl::OkStatus();
    work->Run("DELETE FROM job_count WHERE job = $1", job);
    work->Run("DELETE FROM job WHERE number = $1", job);
    return absl::OkStatus();
  });
}

absl::Status PostgresJobStore::Delete(const std::string& caller,
                                      const std::string& id) {
  int64_t job = 0;
  BVHMILL_RETURN_IF_ERROR(
      connections_.Run(Commit::kDurable, [&](Work* work) -> absl::Status {
        const pqxx::result hidden =
            work->Run("UPDATE job SET " BVHMILL_GONE
                      " WHERE id = $1 AND caller = $2 AND state >= 4 RETURNING "
                      "number",
                      id, caller);
        if (!hidden.empty()) {
          job = hidden[0][0].as<int64_t>();
          return absl::OkStatus();
        }
        const pqxx::result kept = work->Run(
            "SELECT 1 FROM job WHERE id = $1 AND caller = $2", id, caller);
        return kept.empty() ? NoJob(id) : JobNotOver();
      }));
  // The job is hidden. Expire removes rows that cannot be removed now.
  Removed removed = Removed::kPart;
  static_cast<void>(RemoveSome(job, &removed));
  return absl::OkStatus();
}

absl::Status PostgresJobStore::Expire(int64_t before_ms, int64_t* count) {
  *count = 0;
  std::vector<int64_t> jobs;
  BVHMILL_RETURN_IF_ERROR(connections_.Run(Commit::kFast, [&](Work* work) {
    jobs.clear();
    const pqxx::result found = work->Run(
        "SELECT number FROM job WHERE state >= 4 AND end_ms < $1 ORDER BY "
        "end_ms LIMIT 100",
        before_ms);
    for (const auto& row : found) jobs.push_back(row[0].as<int64_t>());
    return absl::OkStatus();
  }));
  for (const int64_t job : jobs) {
    Removed removed = Removed::kPart;
    while (removed == Removed::kPart) {
      BVHMILL_RETURN_IF_ERROR(RemoveSome(job, &removed));
      if (removed == Removed::kPart) std::this_thread::sleep_for(kRemovalPause);
    }
    if (removed == Removed::kAll) ++*count;
  }
  return absl::OkStatus();
}

// The schema.

namespace {

constexpr char kLock[] =
    "SELECT pg_advisory_xact_lock(" BVHMILL_SCHEMA_LOCK ")";

absl::Status RunSteps(std::span<const std::string_view> steps, Work* work) {
  // One server at a time; the next ones find all steps done.
  work->Execute(kLock);
  work->Execute("CREATE SCHEMA IF NOT EXISTS bvhmill");
  work->Execute(
      "CREATE TABLE IF NOT EXISTS bvhmill.schema_version (steps INTEGER NOT "
      "NULL)");
  const pqxx::result found =
      work->Run("SELECT coalesce(max(steps), 0) FROM bvhmill.schema_version");
  const auto done = found[0][0].as<size_t>();
  if (done > steps.size()) {
    return MakeCallError({.code = absl::StatusCode::kFailedPrecondition,
                          .reason = "DATA_TOO_NEW",
                          .message = "a newer bvhmilld has made the data"});
  }
  for (const std::string_view step : steps.subspan(done)) {
    work->Execute(std::string(step));
  }
  if (done == steps.size()) return absl::OkStatus();
  work->Execute("DELETE FROM bvhmill.schema_version");
  work->Execute("INSERT INTO bvhmill.schema_version VALUES (" +
                std::to_string(steps.size()) + ")");
  return absl::OkStatus();
}

}  // namespace

// All steps in one transaction: a server that is killed leaves no step half
// done.
absl::Status MigratePostgres(std::span<const std::string_view> steps,
                             PostgresConnections* connections) {
  return connections->Run(Commit::kDurable,
                          [&](Work* work) { return RunSteps(steps, work); });
}

// JobRows in PostgreSQL.

namespace {

constexpr pqxx::oid kBytea = 17;
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
     "md5(last_error)) FROM item"},
    {"result", "SELECT count(md5(bytes)) FROM result"},
    {"output", "SELECT count(md5(blob)) FROM output"},
    {"job_count", "SELECT count(leased) FROM job_count"},
};

class PostgresRows final : public JobRows {
 public:
  // Throws what libpqxx throws.
  explicit PostgresRows(const std::string& address)
      : connections_(address, 0), connection_(WithTimeouts(address)) {
    pqxx::nontransaction(connection_).exec(kReadSettings);
    StayLost(&connection_);
    rows_.emplace(connection_);
  }

  absl::Status CheckVersion(std::string* identity) {
    return Catch([&] {
      const auto found = rows_->exec(
          "SELECT to_regclass('bvhmill.schema_version') IS NOT NULL");
      if (!found[0][0].as<bool>()) {
        return MakeCallError({.code = absl::StatusCode::kNotFound,
                              .reason = "DATA_MISSING",
                              .message = "the database has no jobs of a "
                                         "server"});
      }
      const auto steps = rows_->exec("SELECT max(steps) FROM schema_version");
      if (steps[0][0].as<size_t>(0) != PostgresMigrations().size()) {
        return OtherVersion();
      }
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

  const char* counts() const override {
    return "SELECT job, sum(ok) AS ok, sum(failed) AS failed, sum(leased) AS "
           "leased FROM job_count GROUP BY job";
  }

  const char* counted_bytes() const override {
    return "SELECT caller, number AS job, bytes + CASE WHEN state < 4 THEN "
           "(SELECT coalesce(sum(c.bytes), 0) FROM job_count c WHERE c.job = "
           "number) ELSE 0 END AS bytes FROM job WHERE caller <> '/gone'";
  }

  const char* row_bytes() const override {
    return BVHMILL_ROW_BYTES("length(", ")");
  }

  absl::Status IsNamed(const BlobName& blob, bool* is_named) override {
    return connections_.Run(Commit::kFast, [&](Work* work) {
      *is_named = !work->Run(kFindNameSql, blob.digest, blob.space).empty();
      return absl::OkStatus();
    });
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
  std::optional<pqxx::transaction<pqxx::repeatable_read, pqxx::read_only>>
      rows_;
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
