// Claims and their ends: the part of PostgresJobStore that workers use.

#include <set>
#include <string>
#include <utility>

#include "bvhmill/base/call_error.h"
#include "bvhmill/base/status.h"
#include "server/store/claim_shares.h"
#include "server/store/job_parts.h"
#include "server/store/may_begin_sql.h"
#include "server/store/postgres/counts_sql.h"
#include "server/store/postgres/postgres_job_store.h"

namespace bvhmill::server {
namespace {

#define BVHMILL_NOW_MAY_BEGIN BVHMILL_MAY_BEGIN("$2::bigint")
// `which` selects the jobs and numbers of waiting items. Items that another
// claim is about to lease are passed over.
#define BVHMILL_CLAIM(which)                                              \
  "WITH got AS MATERIALIZED (" which                                      \
  "), numbered AS (SELECT job, number, row_number() OVER (ORDER BY job, " \
  "number) AS n FROM got) "                                               \
  "UPDATE item SET state = 1, lease = $4::bigint + n, lease_until_ms "    \
  "= " BVHMILL_DATABASE_MS                                                \
  " + $5 FROM numbered WHERE item.job = numbered.job AND item.number = "  \
  "numbered.number RETURNING item.job, item.number, lease, key, blob, "   \
  "encoding, format, display_name, options, tries, crashes, last_error"

// The jobs of a caller in their order, and the waiting items of each in theirs.
constexpr char kFresh[] = BVHMILL_CLAIM(
    "SELECT i.job, i.number FROM (SELECT number FROM job WHERE caller = $1 AND "
    "state < 4 AND state <> 3 ORDER BY number) j CROSS JOIN LATERAL (SELECT "
    "job, number FROM item WHERE item.job = j.number AND state = 0 AND "
    "crashes < 2 AND " BVHMILL_NOW_MAY_BEGIN
    " ORDER BY number LIMIT $3 FOR UPDATE SKIP LOCKED) i LIMIT $3");
// Suspects are few: all of a caller are sorted by their crashes.
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

// Counts leases of jobs, and reads the jobs. The lock keeps a job from ending
// until its leases are counted.
constexpr char kBeginJobs[] =
    "WITH found AS MATERIALIZED (SELECT number, state, options FROM job WHERE "
    "number = ANY ($1::bigint[]) AND state < 4 ORDER BY number FOR KEY SHARE), "
    "counted AS (" BVHMILL_ADD_COUNTS(
        "SELECT u.job, $2::int, u.leased, 0, 0, 0, 0 FROM unnest($1::bigint[], "
        "$3::bigint[]) u (job, leased) JOIN found ON found.number = u.job "
        "ORDER BY u.job") ") SELECT number, state, options FROM found";

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
  // `aside`: 1 if the item is set aside.
  std::vector<int> codes, aside;
  // The results one after the other; those of an item begin at `at`, from 1.
  std::string bytes;
  std::vector<size_t> at, sizes;
  // The bytes of their rows.
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

// Columns of their outputs.
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

// One statement, so that it needs no transaction around it: stores the results
// of items that still have their leases, names their outputs, and counts them.
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

// The leases whose items got their results.
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

// Counts the leases, and reads what the items of a job share.
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
  // A job has ended meanwhile: its items are not leased.
  if (found.size() != leased.size()) {
    throw pqxx::serialization_failure("a job has ended");
  }
  std::map<int64_t, std::shared_ptr<const std::string>> options;
  bool are_new = false;
  for (const auto& row : found) {
    options[row[0].as<int64_t>()] =
        std::make_shared<const std::string>(BytesOf(row[2]));
    are_new = are_new || row[1].as<int>() == 1;
  }
  for (ClaimedItem& item : *items) {
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

}  // namespace bvhmill::server
