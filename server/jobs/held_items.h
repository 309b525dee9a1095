#pragma once

// Claimed items whose callers have no room left in their limits. The items keep
// their leases and wait here, while items of other callers run. In the database
// each would wait a second before it is claimed again. Their number is bounded:
// else callers without room could make a server claim more and more.
//
// Not thread-safe.

#include <chrono>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "server/jobs/item_storer.h"

namespace bvhmill::server {

class HeldItems {
 public:
  // The most items of one caller: as many as one claim may get.
  static constexpr size_t kMostOfCaller = 256;
  // The most items of all callers.
  static constexpr size_t kMost = 512;

  // Adds an item after all others of its caller. False if there are too many:
  // the caller of this function must give the lease of the item back.
  bool AddLast(const WorkPtr& work);
  // The same, before all others of its caller.
  bool AddFirst(const WorkPtr& work);

  size_t size() const { return size_; }
  bool Has(const std::string& caller) const { return items_.contains(caller); }
  // The callers that have items, sorted.
  std::vector<std::string> Callers() const;
  // Removes and returns the first item of a caller; null if there is none.
  WorkPtr Take(const std::string& caller);
  // Removes and returns all items.
  std::vector<WorkPtr> TakeAll();

 private:
  bool HasRoom(const std::string& caller) const;

  // By caller.
  std::map<std::string, std::deque<WorkPtr>> items_;
  size_t size_ = 0;
};

// Callers whose items are not claimed for a time. Not thread-safe.
class CallersLeftOut {
 public:
  using Clock = std::chrono::steady_clock;

  // Leaves out `caller` until this time.
  void Add(const std::string& caller, Clock::time_point until) {
    until_[caller] = until;
  }
  // Leaves out `caller` no longer.
  void Remove(const std::string& caller) { until_.erase(caller); }
  bool Has(Clock::time_point now, const std::string& caller) const;
  // Adds the callers that are left out at `now` to `callers`. Forgets those
  // whose time is over.
  void AddTo(Clock::time_point now, std::set<std::string>* callers);

 private:
  std::map<std::string, Clock::time_point> until_;
};

}  // namespace bvhmill::server
