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
#include "server/store/postgres/open_postgres.h"

namespace bvhmill::server {
namespace {

// The columns that ReadJob reads, of `job` and of the sums `c` of its counts.
#define BVHMILL_JOB_COLUMNS                                             \
  "job.id, job.number, job.caller, job.display_name, job.annotations, " \
  "job.state, job.total, c.ok, c.failed, c.leased, c.set_aside, "       \
  "job.create_ms, job.start_ms, job.end_ms"
#define BVHMILL_JOB_SUMS                                                    \
  " CROSS JOIN LATERAL (SELECT coalesce(sum(ok), 0)::bigint AS ok, "        \
  "coalesce(sum(failed), 0)::bigint AS failed, coalesce(sum(leased), "      \
  "0)::bigint AS leased, coalesce(sum(set_aside), 0)::bigint AS set_aside " \
  "FROM job_count WHERE job_count.job = job.number) c "

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
      "request_id, request_digest, state, total, create_ms, end_ms) VALUES "
      "($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) RETURNING number",
      info->id, job.caller, SpaceOf(job.caller), BytesFor(job.display_name),
      BytesFor(job.annotations), BytesFor(job.options),
      BytesFor(job.request_id), job.request_digest,
      static_cast<int>(info->state), info->total, info->create_ms,
      info->end_ms);
  info->number = added[0][0].as<int64_t>();
}

void Remove(const std::vector<int64_t>& jobs, Work* work) {
  const std::string numbers = ArrayOf(jobs);
  for (const char* const sql :
       {"DELETE FROM output WHERE job = ANY ($1::bigint[])",
        "DELETE FROM result WHERE job = ANY ($1::bigint[])",
        "DELETE FROM item WHERE job = ANY ($1::bigint[])",
        "DELETE FROM job_count WHERE job = ANY ($1::bigint[])",
        "DELETE FROM job WHERE number = ANY ($1::bigint[])"}) {
    work->Run(sql, numbers);
  }
}

}  // namespace

absl::Status OpenPostgresJobStore(const std::string& address,
                                  std::unique_ptr<JobStore>* store,
                                  std::string* identity) {
  std::unique_ptr<PostgresJobStore> out;
  BVHMILL_RETURN_IF_ERROR(PostgresJobStore::Open(address, &out, identity));
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
                                    std::string* identity) {
  Connections connections(address, 0);
  BVHMILL_RETURN_IF_ERROR(connections.Try());
  BVHMILL_RETURN_IF_ERROR(MigratePostgres(PostgresMigrations(), &connections));
  int server = 0;
  BVHMILL_RETURN_IF_ERROR(connections.Run(Commit::kDurable, [&](Work* work) {
    const pqxx::row row =
        work->Run("SELECT nextval('server_number'), id FROM identity")[0];
    server = row[0].as<int>();
    *identity = row[1].c_str();
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
    if (job.items.empty()) return absl::OkStatus();
    AddItems(info->number, job, work);
    work->Notify(TextOf({JobNews::Kind::kItems}));
    return absl::OkStatus();
  });
}

absl::Status PostgresJobStore::Get(const std::string& caller,
                                   const std::string& id, JobInfo* info) {
  return connections_.Run(Commit::kDurable, [&](Work* work) {
    return FindJob(caller, id, work, info);
  });
}

absl::Status PostgresJobStore::List(const JobPage& page,
                                    std::vector<JobInfo>* jobs) {
  return connections_.Run(Commit::kDurable, [&](Work* work) {
    jobs->clear();
    std::vector<int> states;
    for (const JobState state : page.states) {
      states.push_back(static_cast<int>(state));
    }
    const pqxx::result found = work->Run(
        "SELECT " BVHMILL_JOB_COLUMNS " FROM job" BVHMILL_JOB_SUMS
        "WHERE job.caller = $1 AND ($2::bigint = 0 OR job.number < $2) AND "
        "($3::int[] = '{}' OR job.state = ANY ($3)) ORDER BY job.number DESC "
        "LIMIT $4",
        page.caller, page.before, ArrayOf(states), page.limit);
    for (const auto& row : found) ReadJob(row, &jobs->emplace_back());
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
    const pqxx::result found = work->Run(
        "SELECT item, bytes FROM (SELECT item, bytes, row_number() OVER "
        "so_far, "
        "sum(octet_length(bytes)) OVER so_far AS size FROM (SELECT item, bytes "
        "FROM result WHERE job = $1 AND item > $2 AND (NOT $3::boolean OR code "
        "<> 0) ORDER BY item LIMIT $4) page WINDOW so_far AS (ORDER BY item)) "
        "sized WHERE row_number = 1 OR size <= $5 ORDER BY item",
        job.number, page.after, page.failed_only, page.limit, page.max_bytes);
    for (const auto& row : found) {
      results->push_back({row[0].as<int64_t>(), BytesOf(row[1])});
    }
    return absl::OkStatus();
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

absl::Status PostgresJobStore::Delete(const std::string& caller,
                                      const std::string& id) {
  return connections_.Run(Commit::kDurable, [&](Work* work) -> absl::Status {
    JobInfo job;
    BVHMILL_RETURN_IF_ERROR(FindJob(caller, id, work, &job));
    if (!IsOver(job.state)) return JobNotOver();
    Remove({job.number}, work);
    return absl::OkStatus();
  });
}

absl::Status PostgresJobStore::Expire(int64_t before_ms, int64_t* count) {
  return connections_.Run(Commit::kDurable, [&](Work* work) {
    // Other servers pass over jobs that are being removed.
    const pqxx::result found = work->Run(
        "SELECT number FROM job WHERE state >= 4 AND end_ms < $1 ORDER BY "
        "end_ms LIMIT 100 FOR UPDATE SKIP LOCKED",
        before_ms);
    std::vector<int64_t> jobs;
    for (const auto& row : found) jobs.push_back(row[0].as<int64_t>());
    if (!jobs.empty()) Remove(jobs, work);
    *count = static_cast<int64_t>(jobs.size());
    return absl::OkStatus();
  });
}

absl::Status PostgresJobStore::IsNamed(const std::string& space,
                                       const std::string& digest,
                                       bool* is_named) {
  return connections_.Run(Commit::kDurable, [&](Work* work) {
    *is_named = !work->Run(kFindNameSql, digest, space).empty();
    return absl::OkStatus();
  });
}

absl::Status PostgresJobStore::Count(const std::string& caller,
                                     int64_t* waiting, int64_t* jobs) {
  return connections_.Run(Commit::kDurable, [&](Work* work) {
    const pqxx::result items = work->Run(
        "SELECT coalesce(sum(job.total - c.ok - c.failed), 0)::bigint FROM "
        "job" BVHMILL_JOB_SUMS "WHERE job.state < 4");
    *waiting = items[0][0].as<int64_t>();
    const pqxx::result kept =
        work->Run("SELECT count(*) FROM job WHERE caller = $1", caller);
    *jobs = kept[0][0].as<int64_t>();
    return absl::OkStatus();
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
