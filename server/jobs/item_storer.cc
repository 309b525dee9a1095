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
// Items whose results are stored at once.
constexpr size_t kMaxStored = 128;
// Results that are stored at once, and the last one that reaches this size.
constexpr int64_t kMaxStoredBytes = int64_t{32} << 20;
// While results of this size wait, no item begins: one may have 64 MB.
constexpr int64_t kMaxWaitingBytes = int64_t{64} << 20;
// Waiting times after a try that failed.
constexpr int64_t kFirstBackoffMs = 1'000;

// Items that are known to have met a fault of the store, and jobs with an item
// whose last try has failed.
constexpr size_t kMaxMetFaults = 10'000;

int64_t ResultBytes(const WorkPtr& work) {
  const auto& result = work->end().result;
  return result ? static_cast<int64_t>(result->bytes.size()) : 0;
}

// The number of the first works that are stored at once.
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

bool IsShortOfQuota(const absl::Status& why) {
  const CallError error = CallErrorOf(why);
  return error.reason == "CALLER_BUSY" || error.reason == "CONNECTION_BUSY";
}

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
  // The runner would wait for ever for an item that is not put.
  const auto put = [&] {
    const std::lock_guard lock(mutex_);
    done_.push_back(work);
    // With the mutex: once the item is taken, this object may be destroyed.
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
    // Tries that are left get one chance more.
    const bool is_end = done_.empty() && stop.stop_requested();
    if (is_end && (was_end || tries_.empty())) break;
    was_end = is_end;
    const ptrdiff_t count = CountToStore(done_);
    std::vector<WorkPtr> done(done_.begin(), done_.begin() + count);
    done_.erase(done_.begin(), done_.begin() + count);
    lock.unlock();
    int64_t bytes = 0;
    for (const WorkPtr& work : done) bytes += ResultBytes(work);
    // Also without items: tries may be left from before.
    StoreOrGiveBack(done);
    waiting_bytes_ -= bytes;
    if (!done.empty()) hooks_.on_end(done);
    // Frees what the items hold without the mutex.
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

// After an exception the leases of all items are given back: an item whose
// lease is neither used nor ended would stay leased. The lease of an item that
// was stored before the exception has ended, so giving it back does nothing.
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

// No try counts while the disk is full or cannot be read. But if an item meets
// such a fault again, although others were stored meanwhile, the item itself is
// too large for the disk, or its source is on a broken part of the disk.
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

// Marks the blobs as used; UNAVAILABLE if one was removed.
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

// Outputs first, then the results that name them. Sending outputs may take
// long, so others may have the names meanwhile.
absl::Status ItemStorer::StoreResults(const std::vector<WorkPtr>& done) {
  // Results need room, too, also those without outputs.
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
    const ItemEnd& end = done[i]->end();
    (end.result->code == 0 ? metrics_.good_items : metrics_.failed_items).Add();
    if (end.result->is_set_aside) metrics_.items_set_aside.Add();
    if (end.converted != nullptr) CountClip(*end.converted, &metrics_);
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

// The item will wait again.
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

// Another server may have stored the result: then no try fails any more.
absl::Status ItemStorer::WhyItWaits(int64_t job) {
  const std::lock_guard lock(mutex_);
  const auto found = troubles_.find(job);
  const bool is_known = found != troubles_.end() &&
                        WallClockMs() - found->second.at_ms < kLongestBackoffMs;
  return is_known ? found->second.why : absl::OkStatus();
}

// Tries that cannot be stored now are stored later.
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

}  // namespace bvhmill::server
