#include "server/jobs/held_items.h"

#include <utility>

namespace bvhmill::server {

bool HeldItems::HasRoom(const std::string& caller) const {
  const auto found = items_.find(caller);
  return size_ < kMost &&
         (found == items_.end() || found->second.size() < kMostOfCaller);
}

bool HeldItems::AddLast(const WorkPtr& work) {
  const std::string& caller = work->item().caller;
  if (!HasRoom(caller)) return false;
  items_[caller].push_back(work);
  ++size_;
  return true;
}

bool HeldItems::AddFirst(const WorkPtr& work) {
  const std::string& caller = work->item().caller;
  if (!HasRoom(caller)) return false;
  items_[caller].push_front(work);
  ++size_;
  return true;
}

std::vector<std::string> HeldItems::Callers() const {
  std::vector<std::string> callers;
  for (const auto& [caller, items] : items_) callers.push_back(caller);
  return callers;
}

WorkPtr HeldItems::Take(const std::string& caller) {
  const auto found = items_.find(caller);
  if (found == items_.end()) return nullptr;
  WorkPtr work;
  // Without memory an item may have left its queue empty.
  if (!found->second.empty()) {
    work = std::move(found->second.front());
    found->second.pop_front();
    --size_;
  }
  if (found->second.empty()) items_.erase(found);
  return work;
}

std::vector<WorkPtr> HeldItems::TakeAll() {
  std::vector<WorkPtr> all;
  for (const auto& [caller, items] : items_) {
    all.insert(all.end(), items.begin(), items.end());
  }
  items_.clear();
  size_ = 0;
  return all;
}

bool CallersLeftOut::Has(Clock::time_point now,
                         const std::string& caller) const {
  const auto found = until_.find(caller);
  return found != until_.end() && found->second > now;
}

void CallersLeftOut::AddTo(Clock::time_point now,
                           std::set<std::string>* callers) {
  std::erase_if(until_, [&](const auto& entry) { return entry.second <= now; });
  for (const auto& [caller, until] : until_) callers->insert(caller);
}

}  // namespace bvhmill::server
