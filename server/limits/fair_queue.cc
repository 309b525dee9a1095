#include "server/limits/fair_queue.h"

#include <algorithm>
#include <iterator>
#include <new>
#include <utility>

namespace bvhmill::server {

FairQueue::FairQueue(Options options)
    : options_(std::move(options)), workers_(options_.threads) {
  for (int i = 0; i < options_.spare_threads; ++i) {
    spares_.emplace_back(
        [this](const std::stop_token& stop) { RunSpare(stop); });
  }
}

FairQueue::~FairQueue() {
  // Spare threads first: their tasks may enqueue others.
  for (std::jthread& spare : spares_) spare.request_stop();
  spares_.clear();
  workers_.Wait();
}

FairQueue::Lines::iterator FairQueue::FindOrAdd(const std::string& caller) {
  const auto known = lines_.find(caller);
  if (known != lines_.end()) return known->second;
  Lines added;
  added.push_back({caller, {}, 0});
  lines_.emplace(caller, added.begin());
  resting_.splice(resting_.end(), added);
  return std::prev(resting_.end());
}

bool FairQueue::Enqueue(const std::string& caller, std::function<void()> task) {
  const std::lock_guard lock(mutex_);
  const auto line = FindOrAdd(caller);
  line->waiting.push_back({std::move(task), Clock::now()});
  if (line->waiting.size() == 1) {
    waiting_.splice(waiting_.end(), resting_, line);
  }
  if (active_workers_ < threads() && StartWorker()) return true;
  if (active_workers_ > 0) {
    CallSpare();
    return true;
  }
  // Nobody will look at it.
  line->waiting.pop_back();
  if (line->waiting.empty()) resting_.splice(resting_.end(), waiting_, line);
  return false;
}

// Another worker will look at the lines. False if the system has no memory for
// that.
bool FairQueue::StartWorker() {
  try {
    // It waits for the mutex.
    if (!workers_.Enqueue([this] { RunWorker(); })) return false;
  } catch (const std::bad_alloc&) {
    return false;
  }
  ++active_workers_;
  return true;
}

void FairQueue::CallSpare() {
  if (!is_watched_) backlog_.notify_one();
}

FairQueue::Task FairQueue::Take(Lines::iterator line) {
  Task task = std::move(line->waiting.front());
  line->waiting.pop_front();
  ++line->running;
  Lines& to = line->waiting.empty() ? resting_ : waiting_;
  to.splice(to.end(), waiting_, line);
  return task;
}

void FairQueue::Done(Lines::iterator line) {
  if (--line->running > 0 || !line->waiting.empty()) return;
  lines_.erase(line->caller);
  resting_.erase(line);
}

void FairQueue::RunOne(Lines::iterator line,
                       std::unique_lock<std::mutex>* lock) {
  Task task = Take(line);
  lock->unlock();
  busy_.fetch_add(1, std::memory_order_relaxed);
  try {
    task.work();
  } catch (...) {
    options_.on_exception();
  }
  // What it holds goes without the mutex.
  task.work = nullptr;
  busy_.fetch_sub(1, std::memory_order_relaxed);
  lock->lock();
  Done(line);
}

void FairQueue::RunWorker() {
  std::unique_lock lock(mutex_);
  while (!waiting_.empty()) RunOne(waiting_.begin(), &lock);
  --active_workers_;
}

// The first line that is due for a spare thread; the end if there is none. At
// most as many lines have running tasks as there are threads.
FairQueue::Lines::iterator FairQueue::FindOverdue(Clock::time_point now) {
  if (active_workers_ < threads()) return waiting_.end();
  return std::find_if(waiting_.begin(), waiting_.end(), [&](const Line& line) {
    return line.running == 0 &&
           now - line.waiting.front().queued_at >= options_.patience;
  });
}

// Returns once a line is overdue; the end if no task waits any more.
FairQueue::Lines::iterator FairQueue::AwaitOverdue(
    const std::stop_token& stop, std::unique_lock<std::mutex>* lock) {
  while (!stop.stop_requested() && !waiting_.empty()) {
    const auto line = FindOverdue(Clock::now());
    if (line != waiting_.end()) return line;
    stopped_.wait_for(*lock, stop, options_.patience, [] { return false; });
  }
  return waiting_.end();
}

void FairQueue::RunSpare(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  const auto is_needed = [this] { return !waiting_.empty() && !is_watched_; };
  while (backlog_.wait(lock, stop, is_needed) && !stop.stop_requested()) {
    is_watched_ = true;
    const auto line = AwaitOverdue(stop, &lock);
    is_watched_ = false;
    if (line == waiting_.end()) continue;
    // Another one watches meanwhile.
    CallSpare();
    RunOne(line, &lock);
  }
}

}  // namespace bvhmill::server
