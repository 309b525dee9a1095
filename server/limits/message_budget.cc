#include "server/limits/message_budget.h"

#include <algorithm>
#include <utility>

namespace bvhmill::server {

void MessageBudget::Hold(Place* place, int64_t bytes) {
  place->line_->held += bytes - place->held_;
  held_ += bytes - place->held_;
  place->held_ = bytes;
}

bool MessageBudget::MayStart(const Line& line) const {
  if (most_ == 0 || held_ == 0) return true;
  const auto holders = static_cast<int64_t>(lines_.size());
  return MayHold(most_, holders, line.held + largest_, held_ + largest_);
}

// Goes around the lines until none of them may start a call.
MessageBudget::Starts MessageBudget::GiveTurns() {
  Starts starts;
  size_t passed = 0;
  while (passed < turns_.size()) {
    Line* const line = turns_.front();
    const bool may_start = MayStart(*line);
    passed = may_start ? 0 : passed + 1;
    if (may_start) {
      Place* const place = line->waiting.front();
      line->waiting.pop_front();
      --waiting_;
      ++line->holding;
      place->is_waiting_ = false;
      Hold(place, largest_);
      starts.push_back(std::move(place->start_));
    }
    if (line->waiting.empty()) {
      turns_.pop_front();
    } else {
      turns_.splice(turns_.end(), turns_, turns_.begin());
    }
  }
  return starts;
}

void MessageBudget::Enter(const std::string& caller,
                          std::function<void()> start, Place* place) {
  Starts starts;
  {
    const std::lock_guard lock(mutex_);
    Line& line = lines_[caller];
    line.caller = caller;
    place->line_ = &line;
    place->start_ = std::move(start);
    place->is_waiting_ = true;
    line.waiting.push_back(place);
    ++waiting_;
    if (line.waiting.size() == 1) turns_.push_back(&line);
    starts = GiveTurns();
  }
  for (const auto& one : starts) one();
}

bool MessageBudget::Leave(Place* place) {
  const std::lock_guard lock(mutex_);
  if (!place->is_waiting_) return false;
  Line* const line = std::exchange(place->line_, nullptr);
  place->is_waiting_ = false;
  std::erase(line->waiting, place);
  --waiting_;
  if (line->waiting.empty()) turns_.remove(line);
  ForgetIfIdle(line);
  return true;
}

void MessageBudget::Arrived(Place* place, int64_t bytes) {
  Starts starts;
  {
    const std::lock_guard lock(mutex_);
    if (place->line_ == nullptr) return;
    Hold(place, bytes);
    starts = GiveTurns();
  }
  for (const auto& one : starts) one();
}

void MessageBudget::Release(Place* place) {
  Starts starts;
  {
    const std::lock_guard lock(mutex_);
    if (place->line_ == nullptr) return;
    Hold(place, 0);
    Line* const line = std::exchange(place->line_, nullptr);
    --line->holding;
    ForgetIfIdle(line);
    starts = GiveTurns();
  }
  for (const auto& one : starts) one();
}

void MessageBudget::ForgetIfIdle(Line* line) {
  if (line->holding > 0 || !line->waiting.empty()) return;
  const std::string caller = std::move(line->caller);
  lines_.erase(caller);
}

int64_t MessageBudget::bytes() const {
  const std::lock_guard lock(mutex_);
  return held_;
}

int64_t MessageBudget::waiting() const {
  const std::lock_guard lock(mutex_);
  return waiting_;
}

}  // namespace bvhmill::server
