#pragma once

// Items that are claimed, and whose callers have no room left in their limits.
// They keep their leases and wait here, while items of other callers run: one
// that waited in the database would wait for a second each time. They are
// bounded, so that no callers can have a server claim more and more.
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
  // Items of one caller: as many as one claim may get.
  static constexpr size_t kMostOfCaller = 256;
  // Items of all callers.
  static constexpr size_t kMost = 512;

  // Adds an item after all others of its caller, or before them. False if there
  // are too many: the item must give its lease back.
  bool AddLast(const WorkPtr& work);
  bool AddFirst(const WorkPtr& work);

  size_t size() const { return size_; }
  bool Has(const std::string& caller) const { return items_.contains(caller); }
  std::vector<std::string> Callers() const;
  // The first item of a caller; null if there is none.
  WorkPtr Take(const std::string& caller);
  // All of them. Empty after it.
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

  void Add(const std::string& caller, Clock::time_point until) {
    until_[caller] = until;
  }
  // Adds those that are left out now to `callers`.
  void AddTo(Clock::time_point now, std::set<std::string>* callers);

 private:
  std::map<std::string, Clock::time_point> until_;
};

}  // namespace bvhmill::server
