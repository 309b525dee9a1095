#pragma once

// ItemStorer, step 4 of an item of a job (see job_runner.h): it persists
// results and retries. An item with a result gets its outputs and its result
// stored; any other item waits again. Either ends the lease of the item.
//
//   ItemStorer storer(log, &metrics, &folder, hooks);
//   work->end().result = ...;  // Or `fault`.
//   storer.Put(work);          // Returns at once; on_end follows.
//
// Two threads store the items in batches: one wait for the disk serves a batch.
// While one thread waits for its files, the other stores its results. A batch
// that cannot be stored waits again, and no try counts.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "server/jobs/item_work.h"
#include "server/observe/log.h"
#include "server/observe/metrics.h"
#include "server/store/data_folder.h"

namespace bvhmill::server {

using WorkPtr = std::shared_ptr<ItemWork>;

// See the top of the file. Thread-safe.
class ItemStorer {
 public:
  // Functions of the owner. The threads of the storer call them.
  struct Hooks {
    // The jobs with these numbers are over.
    std::function<void(const std::vector<int64_t>& jobs)> on_over;
    // Results were stored.
    std::function<void()> on_stored;
    // A store has failed, or the server was short of memory or disk. Not called
    // if IsShortOfQuota(why), nor for a try that counts.
    std::function<void(const absl::Status& why)> on_fault;
    // The storer does not use these items any more.
    std::function<void(const std::vector<WorkPtr>& works)> on_end;
  };

  // Starts the threads. All parts must outlive the storer.
  ItemStorer(const Log& log, Metrics* metrics, DataFolder* folder, Hooks hooks);
  // Stores the items that were put. A lease that cannot be released now stays
  // until it expires or the next server starts.
  ~ItemStorer();
  ItemStorer(const ItemStorer&) = delete;
  ItemStorer& operator=(const ItemStorer&) = delete;

  // Queues an item whose `end` is set.
  void Put(const WorkPtr& work);
  // Releases the leases of items that no worker has: the items wait again, and
  // no try counts. Returns before that is stored.
  void GiveBack(const std::vector<Lease>& leases);
  // Why the last try of an item of this job has failed on this server. OK if no
  // try has, if it was more than kLongestBackoffMs ago, or if the item has a
  // result now.
  absl::Status WhyItWaits(int64_t job);
  // True while results of 64 MiB or more wait to be stored. No item should
  // begin then.
  bool IsFull() const;

 private:
  // A job and an item of it.
  using ItemKey = std::pair<int64_t, int64_t>;
  // A try of an item that has failed.
  struct Trouble {
    int64_t item = 0;
    int64_t at_ms = 0;
    absl::Status why;
  };

  void Run(const std::stop_token& stop);
  void StoreOrGiveBack(const std::vector<WorkPtr>& done);
  void Store(const std::vector<WorkPtr>& done, std::vector<FailedTry>* tries);
  bool Counts(const WorkPtr& work);
  absl::Status FindStored(std::span<NewBlob* const> blobs);
  absl::Status StoreResults(const std::vector<WorkPtr>& done);
  void CountAndLog(ItemWork& work);
  void AddTry(const WorkPtr& work, const absl::Status& why, bool counts,
              std::vector<FailedTry>* tries);
  void ReleaseTries(const std::vector<FailedTry>& tries);

  const Log& log_;
  Metrics& metrics_;
  DataFolder& folder_;
  const Hooks hooks_;

  // Bytes of results that were put and are not stored yet.
  std::atomic<int64_t> waiting_bytes_{0};
  // Guards the members from here to troubles_.
  std::mutex mutex_;
  std::condition_variable_any put_;
  // Items that are not stored yet.
  std::vector<WorkPtr> done_;
  // Failed tries that are not stored yet, or could not be.
  std::vector<FailedTry> tries_;
  // The number of results that were stored, and for each item that has met a
  // fault of the store: that number at its last fault.
  int64_t stored_ = 0;
  std::map<ItemKey, int64_t> met_faults_;
  // The last failed try of each job.
  std::map<int64_t, Trouble> troubles_;

  // The last members: they use the others.
  std::jthread first_;
  std::jthread second_;
};

// True if `why` refuses an item for the limits of its caller or its connection:
// the server itself has room.
bool IsShortOfQuota(const absl::Status& why);

}  // namespace bvhmill::server
