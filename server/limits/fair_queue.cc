#include "server/limits/fair_queue.h"

#include <algorithm>
#include <iterator>
#include <new>
#include <utility>

namespace bvhmill::server {

FairQueue::FairQueue(Options options)
    : options_(std::move(options)), workers_(options_.threads) {
  ClassOf(Priority::kBackground).priority = Priority::kBackground;
  for (int i = 0; i < options_.spare_threads; ++i) {
    spares_.emplace_back(
        [this](const std::stop_token& stop) { RunSpare(stop); });
  }
  for (int i = 0; i < std::max(threads() / 2, 1); ++i) {
    long_threads_.emplace_back(
        [this](const std::stop_token& stop) { RunLong(stop); });
  }
}

FairQueue::~FairQueue() {
  // The workers last: the tasks of other threads may enqueue more.
  for (std::jthread& thread : long_threads_) thread.request_stop();
  long_threads_.clear();
  for (std::jthread& spare : spares_) spare.request_stop();
  spares_.clear();
  workers_.Wait();
}

FairQueue::Lines::iterator FairQueue::FindOrAdd(Class* tasks,
                                                const std::string& caller) {
  const auto known = tasks->lines.find(caller);
  if (known != tasks->lines.end()) return known->second;
  Lines added;
  added.push_back({caller, {}, 0});
  tasks->lines.emplace(caller, added.begin());
  tasks->resting.splice(tasks->resting.end(), added);
  return std::prev(tasks->resting.end());
}

FairQueue::Lines::iterator FairQueue::Add(Class* tasks,
                                          const std::string& caller,
                                          std::function<void()> task) {
  const auto line = FindOrAdd(tasks, caller);
  line->waiting.push_back({std::move(task), Clock::now()});
  if (line->waiting.size() == 1) {
    tasks->waiting.splice(tasks->waiting.end(), tasks->resting, line);
  }
  return line;
}

void FairQueue::EnqueueLong(const std::string& caller,
                            std::function<void()> task) {
  const std::lock_guard lock(mutex_);
  Add(&long_tasks_, caller, std::move(task));
  has_long_.notify_one();
}

bool FairQueue::Enqueue(const std::string& caller, std::function<void()> task,
                        Priority priority) {
  const std::lock_guard lock(mutex_);
  Class* const tasks = &ClassOf(priority);
  const auto line = Add(tasks, caller, std::move(task));
  const bool is_started =
      tasks->active_workers < threads() && StartWorker(tasks);
  const bool shares = classes_[0].active_workers > 0 &&
                      classes_[1].active_workers > 0 && AreWorkersTaken();
  if (!is_started || shares) CallSpare();
  if (is_started || tasks->active_workers > 0) return true;
  // No worker will look at it.
  line->waiting.pop_back();
  if (line->waiting.empty()) {
    tasks->resting.splice(tasks->resting.end(), tasks->waiting, line);
  }
  return false;
}

// Enqueues one more call of RunWorker. False if the system has no memory for
// it.
bool FairQueue::StartWorker(Class* tasks) {
  try {
    // The call waits for the mutex.
    if (!workers_.Enqueue([this, tasks] { RunWorker(tasks); },
                          tasks->priority)) {
      return false;
    }
  } catch (const std::bad_alloc&) {
    return false;
  }
  ++tasks->active_workers;
  return true;
}

// No worker is free for one more task.
bool FairQueue::AreWorkersTaken() const {
  return classes_[0].active_workers + classes_[1].active_workers >= threads();
}

// Tasks of the other priority wait for a worker: it decides whose turn it is.
bool FairQueue::MustYield(const Class& tasks) const {
  return workers_.has_waiting(tasks.priority == Priority::kInteractive
                                  ? Priority::kBackground
                                  : Priority::kInteractive);
}

// True if tasks wait that a spare thread would run after a time.
bool FairQueue::MayBeOverdue() {
  const Class& background = ClassOf(Priority::kBackground);
  return !ClassOf(Priority::kInteractive).waiting.empty() ||
         (!background.waiting.empty() && background.running == 0);
}

void FairQueue::CallSpare() {
  if (MayBeOverdue() && !is_watched_) backlog_.notify_one();
}

FairQueue::Task FairQueue::Take(Class* tasks, Lines::iterator line) {
  Task task = std::move(line->waiting.front());
  line->waiting.pop_front();
  ++line->running;
  ++tasks->running;
  Lines& to = line->waiting.empty() ? tasks->resting : tasks->waiting;
  to.splice(to.end(), tasks->waiting, line);
  return task;
}

void FairQueue::Done(Class* tasks, Lines::iterator line) {
  --tasks->running;
  if (--line->running > 0 || !line->waiting.empty()) return;
  tasks->lines.erase(line->caller);
  tasks->resting.erase(line);
}

void FairQueue::RunOne(Class* tasks, Lines::iterator line,
                       std::unique_lock<std::mutex>* lock) {
  Task task = Take(tasks, line);
  lock->unlock();
  busy_.fetch_add(1, std::memory_order_relaxed);
  try {
    task.work();
  } catch (...) {
    options_.on_exception();
  }
  // The task frees what it owns without the mutex.
  task.work = nullptr;
  busy_.fetch_sub(1, std::memory_order_relaxed);
  lock->lock();
  Done(tasks, line);
}

// Runs tasks until none waits, or until it must yield. Without memory to yield,
// it continues.
void FairQueue::RunWorker(Class* tasks) {
  std::unique_lock lock(mutex_);
  while (!tasks->waiting.empty()) {
    RunOne(tasks, tasks->waiting.begin(), &lock);
    const bool yields = !tasks->waiting.empty() && MustYield(*tasks);
    if (yields && StartWorker(tasks)) break;
  }
  --tasks->active_workers;
  // It has yielded: no background task may run until its turn comes.
  if (!tasks->waiting.empty()) CallSpare();
}

// The first interactive line that is due, else a background line.
FairQueue::Overdue FairQueue::FindOverdue(Clock::time_point now) {
  if (!AreWorkersTaken()) return {};
  const auto is_late = [&](const Line& line) {
    return now - line.waiting.front().queued_at >= options_.timeout;
  };
  Class& interactive = ClassOf(Priority::kInteractive);
  const auto line = std::find_if(
      interactive.waiting.begin(), interactive.waiting.end(),
      [&](const Line& one) { return one.running == 0 && is_late(one); });
  if (line != interactive.waiting.end()) return {&interactive, line};
  Class& background = ClassOf(Priority::kBackground);
  const bool is_due = background.running == 0 && !background.waiting.empty() &&
                      is_late(background.waiting.front());
  return is_due ? Overdue{&background, background.waiting.begin()} : Overdue{};
}

// The time of the next look for a line that is overdue: when the next one may
// be, at most the timeout from now.
FairQueue::Clock::time_point FairQueue::NextLook(Clock::time_point now) {
  Clock::time_point next = now + options_.timeout;
  for (const Class& tasks : classes_) {
    for (const Line& line : tasks.waiting) {
      const auto due = line.waiting.front().queued_at + options_.timeout;
      if (due > now) next = std::min(next, due);
    }
  }
  return next;
}

// Returns once a line is overdue; none if no line can be any more.
FairQueue::Overdue FairQueue::AwaitOverdue(const std::stop_token& stop,
                                           std::unique_lock<std::mutex>* lock) {
  while (!stop.stop_requested() && MayBeOverdue()) {
    const auto now = Clock::now();
    const Overdue found = FindOverdue(now);
    if (found.tasks != nullptr) return found;
    stopped_.wait_until(*lock, stop, NextLook(now), [] { return false; });
  }
  return {};
}

void FairQueue::RunSpare(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  const auto is_needed = [&] { return MayBeOverdue() && !is_watched_; };
  while (backlog_.wait(lock, stop, is_needed) && !stop.stop_requested()) {
    is_watched_ = true;
    const Overdue found = AwaitOverdue(stop, &lock);
    is_watched_ = false;
    if (found.tasks == nullptr) continue;
    // Another spare thread watches meanwhile.
    CallSpare();
    RunOne(found.tasks, found.line, &lock);
  }
}

// Returns when it shall stop and no long task waits.
void FairQueue::RunLong(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  Lines& lines = long_tasks_.waiting;
  while (has_long_.wait(lock, stop, [&] { return !lines.empty(); })) {
    RunOne(&long_tasks_, lines.begin(), &lock);
  }
}

}  // namespace bvhmill::server
