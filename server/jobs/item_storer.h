#pragma once

// Stores how items ended: outputs and results, or that an item waits again.
//
// Workers put items that are done, and go on. Two threads store them, those of
// many items at once, so that the disk is waited for once: while one waits for
// its files, the other stores its results.

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
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

// True if the limits of its caller, and not the server, kept an item from its
// work.
bool IsShortOfQuota(const absl::Status& why);

class ItemStorer {
 public:
  // Functions of the owner. The threads of the storer call them.
  struct Hooks {
    // These jobs are over.
    std::function<void(const std::vector<int64_t>& jobs)> on_over;
    // Results were stored.
    std::function<void()> on_stored;
    // Something could not be stored, or an item found the server short of
    // something: not only its caller.
    std::function<void(const absl::Status& why)> on_fault;
    // Nothing is left to do with these items.
    std::function<void(const std::vector<WorkPtr>& works)> on_end;
  };

  // Starts the threads. All parts must outlive the storer.
  ItemStorer(const Log& log, Metrics* metrics, DataFolder* folder, Hooks hooks);
  // Stores all that was put.
  ~ItemStorer();
  ItemStorer(const ItemStorer&) = delete;
  ItemStorer& operator=(const ItemStorer&) = delete;

  // Takes an item whose `end` is set. Any thread.
  void Put(const WorkPtr& work);
  // Ends leases of items that are not worked on: they wait again, and no try
  // counts. Any thread.
  void GiveBack(const std::vector<Lease>& leases);

 private:
  // A job and an item of it.
  using ItemKey = std::pair<int64_t, int64_t>;

  void Run(const std::stop_token& stop);
  void StoreOrGiveBack(const std::vector<WorkPtr>& done);
  void Store(const std::vector<WorkPtr>& done, std::vector<FailedTry>* tries);
  bool Counts(const WorkPtr& work);
  absl::Status StoreResults(const std::vector<WorkPtr>& done);
  void AddTry(const WorkPtr& work, const absl::Status& why, bool counts,
              std::vector<FailedTry>* tries);
  void ReleaseTries(const std::vector<FailedTry>& tries);

  const Log& log_;
  Metrics& metrics_;
  DataFolder& folder_;
  const Hooks hooks_;

  std::mutex mutex_;
  std::condition_variable_any put_;
  // Both with the mutex. Tries are those that could not be stored.
  std::vector<WorkPtr> done_;
  std::vector<FailedTry> tries_;
  // Results that were stored, and how many there were when an item met a fault
  // of the store the last time.
  int64_t stored_ = 0;
  std::map<ItemKey, int64_t> met_faults_;

  // The last members: they use the others.
  std::jthread first_;
  std::jthread second_;
};

}  // namespace bvhmill::server
