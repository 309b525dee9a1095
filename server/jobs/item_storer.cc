#include "server/jobs/item_storer.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "bvhmill/base/status.h"
#include "server/jobs/jobs.h"
#include "server/rpc/catch_as_status.h"
#include "server/store/file_ops.h"

namespace bvhmill::server {
namespace {

constexpr char kStorerWhere[] = "the results of jobs";
constexpr std::chrono::milliseconds kStorerTick(200);
// The most items of a batch.
constexpr size_t kMaxStored = 128;
// A batch ends with the result that reaches this size.
constexpr int64_t kMaxStoredBytes = int64_t{32} << 20;
// While results of this size wait, no item begins: one result may have 64 MB.
constexpr int64_t kMaxWaitingBytes = int64_t{64} << 20;
// The backoff after the first failed try, which doubles with each try; also
// that of an item that was refused for a quota.
constexpr int64_t kFirstBackoffMs = 1'000;

// The most entries of met_faults_ and of troubles_.
constexpr size_t kMaxMetFaults = 10'000;

int64_t ResultBytes(const WorkPtr& work) {
  const auto& result = work->end().result;
  return result ? static_cast<int64_t>(result->bytes.size()) : 0;
}

// The number of items at the front of `done` that make up the next batch.
ptrdiff_t CountToStore(const std::vector<WorkPtr>& done) {
  size_t count = 0;
  for (int64_t bytes = 0;
       count < std::min(done.size(), kMaxStored) && bytes < kMaxStoredBytes;
       ++count) {
    bytes += ResultBytes(done[count]);
  }
  return static_cast<ptrdiff_t>(count);
}

int64_t BackoffMs(const ClaimedItem& item) {
  const int shift = std::min(item.tries, 10);
  return std::min(kFirstBackoffMs << shift, kLongestBackoffMs);
}

}  // namespace

ItemStorer::ItemStorer(const Log& log, Metrics* metrics, DataFolder* folder,
                       Hooks hooks)
    : log_(log),
      metrics_(*metrics),
      folder_(*folder),
      hooks_(std::move(hooks)),
      first_([this](const std::stop_token& stop) { Run(stop); }),
      second_([this](const std::stop_token& stop) { Run(stop); }) {}

ItemStorer::~ItemStorer() {
  first_.request_stop();
  second_.request_stop();
  first_.join();
  second_.join();
}

void ItemStorer::Put(const WorkPtr& work) {
  waiting_bytes_ += ResultBytes(work);
  // Retries until there is memory: the runner waits for every item.
  const auto put = [&] {
    const std::lock_guard lock(mutex_);
    done_.push_back(work);
    // With the mutex: after the item is stored, this object may be destroyed.
    put_.notify_one();
  };
  while (!CatchAndLog(log_, kStorerWhere, put)) {
    std::this_thread::sleep_for(kStorerTick);
  }
}

bool ItemStorer::IsFull() const { return waiting_bytes_ >= kMaxWaitingBytes; }

void ItemStorer::Run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  bool was_end = false;
  while (true) {
    put_.wait_for(lock, stop, kStorerTick, [this] { return !done_.empty(); });
    // At the end, tries that could not be stored are tried once more.
    const bool is_end = done_.empty() && stop.stop_requested();
    if (is_end && (was_end || tries_.empty())) break;
    was_end = is_end;
    const ptrdiff_t count = CountToStore(done_);
    std::vector<WorkPtr> done(done_.begin(), done_.begin() + count);
    done_.erase(done_.begin(), done_.begin() + count);
    lock.unlock();
    int64_t bytes = 0;
    for (const WorkPtr& work : done) bytes += ResultBytes(work);
    // Also without items: tries of an earlier batch may be left.
    StoreOrGiveBack(done);
    waiting_bytes_ -= bytes;
    if (!done.empty()) hooks_.on_end(done);
    // Frees the items without the mutex.
    done.clear();
    lock.lock();
  }
}

void ItemStorer::GiveBack(const std::vector<Lease>& leases) {
  const std::lock_guard lock(mutex_);
  for (const Lease& lease : leases) {
    tries_.push_back({.lease = lease, .counts = false});
  }
}

// Stores a batch. After an exception, releases the leases of all its items:
// otherwise they would stay leased. The lease of an item that was stored before
// the exception has ended, so its release does nothing.
void ItemStorer::StoreOrGiveBack(const std::vector<WorkPtr>& done) {
  std::vector<FailedTry> tries;
  const absl::Status stored = CatchAsStatus(log_, kStorerWhere, [&] {
    Store(done, &tries);
    return absl::OkStatus();
  });
  if (stored.ok()) return;
  const auto give_back = [&] {
    std::vector<Lease> leases;
    for (const FailedTry& failed : tries) leases.push_back(failed.lease);
    for (const WorkPtr& work : done) leases.push_back(work->item().lease);
    GiveBack(leases);
  };
  while (!CatchAndLog(log_, kStorerWhere, give_back)) {
    std::this_thread::sleep_for(kStorerTick);
  }
  CatchAndLog(log_, kStorerWhere, [&] { hooks_.on_fault(stored); });
}

// Stores a batch and the tries that are left. `tries` gets the failed tries.
void ItemStorer::Store(const std::vector<WorkPtr>& done,
                       std::vector<FailedTry>* tries) {
  std::vector<WorkPtr> results;
  {
    const std::lock_guard lock(mutex_);
    tries->swap(tries_);
  }
  for (const WorkPtr& work : done) {
    const ItemEnd& end = work->end();
    if (end.result) {
      results.push_back(work);
    } else {
      AddTry(work, end.fault, Counts(work), tries);
    }
  }
  const absl::Status stored =
      results.empty() ? absl::OkStatus() : StoreResults(results);
  if (!stored.ok()) {
    for (const WorkPtr& work : results) {
      AddTry(work, stored, /*counts=*/false, tries);
    }
  }
  ReleaseTries(*tries);
}

// True if a failed try counts. No try counts while the disk is full or memory
// is short. But if an item meets such a fault again, although other items were
// stored meanwhile, the item itself is too large, so its try counts.
bool ItemStorer::Counts(const WorkPtr& work) {
  const ItemEnd& end = work->end();
  if (!end.may_be_its_own && !IsDiskFull(end.fault)) return end.counts;
  const Lease& lease = work->item().lease;
  const std::lock_guard lock(mutex_);
  if (met_faults_.size() >= kMaxMetFaults) met_faults_.clear();
  const auto [found, is_new] =
      met_faults_.try_emplace({lease.job, lease.item}, stored_);
  return !is_new && std::exchange(found->second, stored_) < stored_;
}

// Marks the blobs as used. UNAVAILABLE if one was removed.
absl::Status ItemStorer::FindStored(std::span<NewBlob* const> blobs) {
  std::vector<BlobName> stored;
  for (const NewBlob* const blob : blobs) stored.push_back(blob->name());
  std::vector<bool> exist;
  BVHMILL_RETURN_IF_ERROR(folder_.blobs().FindAll(stored, &exist));
  const bool is_gone =
      std::find(exist.begin(), exist.end(), false) != exist.end();
  return is_gone ? absl::UnavailableError("a stored output was removed")
                 : absl::OkStatus();
}

// Counts an item whose result was stored, and logs it if outputs are missing.
void ItemStorer::CountAndLog(ItemWork& work) {
  const ClaimedItem& item = work.item();
  const ItemEnd& end = work.end();
  if (end.result->is_set_aside) {
    metrics_.items_set_aside.Add();
  } else {
    (end.result->code == 0 ? metrics_.good_items : metrics_.failed_items).Add();
  }
  ConvertResult aside;
  aside.status = end.fault;
  const ConvertResult& result = end.converted ? *end.converted : aside;
  if (end.converted) CountClip(result, &metrics_);
  metrics_.callers.Of(item.caller).clips.Add();
  LogClip(result,
          {.caller = item.caller,
           .job = "jobs/" + item.job_id,
           .key = item.item.key},
          log_);
}

// Stores outputs first, then the results that name them. Sending outputs to a
// store may be slow, so the lock of names is locked only after it.
absl::Status ItemStorer::StoreResults(const std::vector<WorkPtr>& done) {
  // Results without outputs need disk space, too.
  BVHMILL_RETURN_IF_ERROR(folder_.blobs().CheckDisk());
  std::vector<NewBlob*> blobs;
  std::vector<FinishedItem> items;
  for (const WorkPtr& work : done) {
    for (const auto& blob : work->end().outputs) blobs.push_back(blob.get());
    items.push_back({work->item().lease, *work->end().result});
  }
  BVHMILL_RETURN_IF_ERROR(folder_.blobs().Commit(blobs));
  NamesHeld names;
  BVHMILL_RETURN_IF_ERROR(folder_.HoldNames(&names));
  BVHMILL_RETURN_IF_ERROR(FindStored(blobs));
  std::vector<bool> accepted;
  std::vector<int64_t> over;
  BVHMILL_RETURN_IF_ERROR(
      folder_.jobs().Complete(items, WallClockMs(), &accepted, &over));
  for (size_t i = 0; i < done.size(); ++i) {
    if (!accepted[i]) continue;
    CatchAndLog(log_, kStorerWhere, [&] { CountAndLog(*done[i]); });
  }
  {
    const std::lock_guard lock(mutex_);
    stored_ += static_cast<int64_t>(done.size());
    for (const WorkPtr& work : done) {
      const auto found = troubles_.find(work->item().lease.job);
      if (found == troubles_.end()) continue;
      if (found->second.item == work->item().lease.item) troubles_.erase(found);
    }
  }
  hooks_.on_stored();
  if (!over.empty()) hooks_.on_over(over);
  return absl::OkStatus();
}

// Adds a failed try: the item will wait again.
void ItemStorer::AddTry(const WorkPtr& work, const absl::Status& why,
                        bool counts, std::vector<FailedTry>* tries) {
  FailedTry& failed = tries->emplace_back();
  failed.lease = work->item().lease;
  failed.counts = counts;
  failed.why = MessageOf(why);
  if (absl::IsCancelled(why)) return;
  const bool is_short = IsShortOfQuota(why);
  if (!is_short) {
    const std::lock_guard lock(mutex_);
    if (troubles_.size() >= kMaxMetFaults) troubles_.clear();
    troubles_[failed.lease.job] = {failed.lease.item, WallClockMs(), why};
  }
  if (!failed.counts && !is_short) hooks_.on_fault(why);
  const int64_t wait_ms = failed.counts ? BackoffMs(work->item())
                          : is_short    ? kFirstBackoffMs
                                        : 0;
  failed.not_before_ms = WallClockMs() + wait_ms;
  if (!failed.counts) return;
  metrics_.item_retries.Add();
  log_.Event("job retry", "a try of an item has failed: " + failed.why);
}

// A trouble expires, since another server may have stored the result.
absl::Status ItemStorer::WhyItWaits(int64_t job) {
  const std::lock_guard lock(mutex_);
  const auto found = troubles_.find(job);
  const bool is_known = found != troubles_.end() &&
                        WallClockMs() - found->second.at_ms < kLongestBackoffMs;
  return is_known ? found->second.why : absl::OkStatus();
}

// Stores failed tries. Those that cannot be stored now are stored later.
void ItemStorer::ReleaseTries(const std::vector<FailedTry>& tries) {
  if (tries.empty()) return;
  std::vector<int64_t> over;
  const absl::Status released =
      folder_.jobs().Release(tries, WallClockMs(), &over);
  if (!released.ok()) {
    {
      const std::lock_guard lock(mutex_);
      tries_.insert(tries_.end(), tries.begin(), tries.end());
    }
    return hooks_.on_fault(released);
  }
  if (!over.empty()) hooks_.on_over(over);
}

bool IsShortOfQuota(const absl::Status& why) {
  const CallError error = CallErrorOf(why);
  return error.reason == "CALLER_BUSY" || error.reason == "CONNECTION_BUSY";
}

}  // namespace bvhmill::server
