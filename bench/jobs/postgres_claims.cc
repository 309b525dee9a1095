#include "bench/jobs/postgres_claims.h"

#include <chrono>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/support/postgres_process.h"
#include "bvhmill/base/status.h"
#include "bvhmill/digest/sha256.h"
#include "server/store/postgres/open_postgres.h"

namespace bvhmill::bench {
namespace {

using server::ClaimedItem;
using server::FinishedItem;
using server::JobInfo;
using server::JobStore;

constexpr int kItems = 60'000;
constexpr int kWorkers = 4;
constexpr int kClaim = 16;
constexpr int64_t kNowMs = 1'000'000;
constexpr int64_t kUntilMs = kNowMs + 600'000;

bool AddJob(JobStore* store, JobInfo* info) {
  server::NewJob job;
  job.options = std::string(200, 'o');
  for (int i = 0; i < kItems; ++i) {
    server::NewItem& item = job.items.emplace_back();
    item.key = "takes/" + std::to_string(i) + ".bvh";
    item.blob = std::string(64, 'a');
  }
  bool is_new = false;
  return store->Create(job, kNowMs, info, &is_new).ok();
}

// Bytes that differ as much as those of the result of a clip.
std::string MakeResult(int64_t item, size_t bytes) {
  std::string out;
  for (int i = 0; out.size() < bytes; ++i) {
    out +=
        Sha256Of(std::to_string(item) + "/" + std::to_string(i)).substr(0, 16) +
        " a part of a report ";
  }
  return out;
}

using Results = std::vector<server::ItemResult>;

// The results of all items, of this many bytes and with an output, or empty.
// They are made before the time is taken.
Results MakeResults(size_t bytes) {
  Results results(kItems);
  for (int item = 0; item < kItems && bytes > 0; ++item) {
    server::ItemResult& result = results[static_cast<size_t>(item)];
    result.bytes = MakeResult(item, bytes);
    result.outputs = {Sha256Of(result.bytes)};
  }
  return results;
}

// Items that one worker has claimed and completed.
std::vector<int64_t> WorkAll(const Results& results, JobStore* store) {
  std::vector<int64_t> done;
  while (true) {
    std::vector<ClaimedItem> items;
    const absl::Status claimed = store->Claim(
        {.limit = kClaim, .now_ms = kNowMs, .until_ms = kUntilMs}, &items);
    if (!claimed.ok() || items.empty()) return done;
    std::vector<FinishedItem> finished;
    for (const ClaimedItem& item : items) {
      FinishedItem& one = finished.emplace_back();
      one.lease = item.lease;
      one.result = results[static_cast<size_t>(item.lease.item)];
    }
    std::vector<bool> accepted;
    std::vector<int64_t> over;
    if (!store->Complete(finished, kNowMs, &accepted, &over).ok()) return done;
    for (size_t i = 0; i < items.size(); ++i) {
      if (accepted[i]) done.push_back(items[i].lease.item);
    }
  }
}

// Seconds; negative if an item was lost or done twice.
double RunWorkers(const Results& results, const JobInfo& job, JobStore* store) {
  const auto begin = std::chrono::steady_clock::now();
  std::mutex mutex;
  std::multiset<int64_t> all;
  {
    std::vector<std::jthread> workers;
    workers.reserve(kWorkers);
    for (int i = 0; i < kWorkers; ++i) {
      workers.emplace_back([&] {
        const std::vector<int64_t> done = WorkAll(results, store);
        const std::lock_guard lock(mutex);
        all.insert(done.begin(), done.end());
      });
    }
  }
  const std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - begin;
  const std::set<int64_t> distinct(all.begin(), all.end());
  JobInfo end;
  const bool is_good = all.size() == kItems && distinct.size() == kItems &&
                       store->Get(job.caller, job.id, &end).ok() &&
                       end.state == server::JobState::kSucceeded &&
                       end.ok == kItems;
  return is_good ? seconds.count() : -1;
}

double SizeOf(PostgresProcess* postgres) {
  return std::atof(
      postgres->RunSql("jobs", "SELECT pg_database_size('jobs')").c_str());
}

}  // namespace

void ClaimFromPostgres(size_t result_bytes, benchmark::State* state) {
  std::string why;
  const auto postgres = PostgresProcess::Start(/*durable=*/true, &why);
  std::unique_ptr<JobStore> store;
  std::string identity;
  if (postgres == nullptr) {
    state->SkipWithError(("no PostgreSQL: " + why).c_str());
    return;
  }
  const absl::Status opened = server::OpenPostgresJobStore(
      postgres->NewDatabase("jobs"), &store, &identity);
  if (!opened.ok()) {
    state->SkipWithError(
        ("no store: " + std::string(MessageOf(opened))).c_str());
    return;
  }
  const Results results = MakeResults(result_bytes);
  double seconds = 0;
  const double empty = SizeOf(postgres.get());
  while (state->KeepRunning()) {
    JobInfo job;
    if (!AddJob(store.get(), &job)) {
      state->SkipWithError("the job could not be created");
      return;
    }
    const double took = RunWorkers(results, job, store.get());
    if (took < 0) state->SkipWithError("an item was lost or done twice");
    seconds += took;
  }
  state->counters["claims_per_s"] =
      static_cast<double>(state->iterations()) * kItems / seconds;
  state->counters["bytes_per_item"] =
      (SizeOf(postgres.get()) - empty) /
      (static_cast<double>(state->iterations()) * kItems);
}

}  // namespace bvhmill::bench
