#include "server/store/postgres/postgres_job_store.h"

#include <algorithm>
#include <random>
#include <string_view>
#include <utility>

#include "bvhmill/base/call_error.h"
#include "bvhmill/base/status.h"
#include "server/store/blob_store.h"
#include "server/store/job_parts.h"
#include "server/store/job_rows.h"
#include "server/store/migrations.h"
#include "server/store/postgres/advisory_locks.h"
#include "server/store/postgres/open_postgres.h"
#include "server/store/postgres/results_sql.h"

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

// One statement, so that it sees each job before its end or after it: the bytes
// of its results are counted once. `is_added`: the job is among those that are
// counted.
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
    // One server after the other, from here to the commit: each sees the jobs
    // of those before.
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

// The rows of a page are cut by their bytes in the database: each has the sum
// of those before it.
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

// The rows of a page are cut by their bytes in the database: each has the sum
// of those before it.
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
    // The rows of a job that was deleted meanwhile are not all.
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

}  // namespace bvhmill::server
