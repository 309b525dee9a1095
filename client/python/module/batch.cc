#include "client/python/module/batch.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <stdexcept>
#include <utility>

namespace bvhmill::python {
namespace {

constexpr std::chrono::milliseconds kInterval{50};

int64_t BytesOf(const Converted& converted) {
  int64_t bytes = 4096;
  for (const Bytes& data : converted.data) {
    bytes += static_cast<int64_t>(data.capacity());
  }
  return bytes;
}

// Starts up to `count` threads that do `work`. Throws if not even one starts.
void StartThreads(int64_t count, const std::function<void()>& work,
                  std::vector<std::thread>* threads) {
  threads->reserve(static_cast<size_t>(count));
  try {
    for (int64_t i = 0; i < count; ++i) threads->emplace_back(work);
  } catch (...) {
    if (threads->empty()) throw;
  }
}

}  // namespace

struct Batch::State {
  std::vector<std::string> paths;
  Choices choices;
  bool is_ordered = true;
  int64_t max_bytes = 0;

  // Cancels conversions.
  Interrupts interrupts;
  std::mutex mutex;
  // A result has come, or one was taken.
  std::condition_variable changed;
  // The next path to begin with, and the next result to give out.
  int64_t next_path = 0;
  int64_t next_result = 0;
  int64_t given = 0;
  int64_t bytes = 0;
  bool is_closed = false;
  std::exception_ptr failure;
  // By index if they are ordered, else by arrival.
  std::map<int64_t, BatchResult> ready;

  int64_t size() const { return static_cast<int64_t>(paths.size()); }
  // The result of `index` may join the queue. The one that is waited for always
  // may.
  bool HasSpace(int64_t index, int64_t more) const {
    const bool is_awaited = is_ordered ? index == next_result : ready.empty();
    return is_closed || is_awaited || bytes + more <= max_bytes;
  }
  bool HasNext() const {
    return !ready.empty() &&
           (!is_ordered || ready.begin()->first == next_result);
  }
  bool HasEnded() const {
    return is_closed || failure || next_result == size();
  }
};

Batch::Batch(std::vector<std::string> paths, const Choices& choices,
             int threads, bool is_ordered, int64_t max_bytes)
    : state_(new State), process_(getpid()) {
  state_->paths = std::move(paths);
  state_->choices = choices;
  state_->choices.threads = 1;
  state_->is_ordered = is_ordered;
  state_->max_bytes = max_bytes;
  const int64_t most = std::min<int64_t>(threads, state_->size());
  StartThreads(
      most, [state = state_.get()] { Work(state); }, &threads_);
}

bool Batch::is_forked() const { return getpid() != process_; }

Batch::~Batch() {
  Close();
  if (is_forked()) static_cast<void>(state_.release());
}

void Batch::Close() {
  if (is_forked()) {
    // The threads are those of the parent. Nothing may be done with them here,
    // and a detach() may throw.
    auto* const leaked = new std::vector<std::thread>(std::move(threads_));
    static_cast<void>(leaked);
    threads_.clear();
  } else {
    {
      const std::lock_guard lock(state_->mutex);
      state_->is_closed = true;
      state_->interrupts.token()->Cancel();
      state_->changed.notify_all();
    }
    for (std::thread& thread : threads_) thread.join();
  }
  threads_.clear();
}

void Batch::Work(State* state) {
  while (true) {
    std::unique_lock lock(state->mutex);
    if (state->is_closed || state->next_path == state->size()) return;
    const int64_t index = state->next_path++;
    lock.unlock();
    BatchResult result{index, {}};
    std::exception_ptr failure;
    try {
      result.converted = ConvertFile(state->paths[static_cast<size_t>(index)],
                                     state->choices, &state->interrupts);
    } catch (...) {
      failure = std::current_exception();
    }
    const int64_t bytes = BytesOf(result.converted);
    lock.lock();
    state->changed.wait(lock, [&] { return state->HasSpace(index, bytes); });
    if (failure) state->failure = failure;
    state->bytes += bytes;
    const int64_t key = state->is_ordered ? index : state->given++;
    state->ready.emplace(key, std::move(result));
    state->changed.notify_all();
  }
}

std::optional<BatchResult> Batch::Next(Interrupts* interrupts) {
  if (is_forked()) {
    throw std::runtime_error(
        "this batch belongs to the parent process; begin another one");
  }
  std::unique_lock lock(state_->mutex);
  while (!state_->changed.wait_for(lock, kInterval, [&] {
    return state_->HasNext() || state_->HasEnded();
  })) {
    lock.unlock();
    if (interrupts->Check()) return std::nullopt;
    lock.lock();
  }
  if (state_->failure) std::rethrow_exception(state_->failure);
  if (state_->HasEnded()) return std::nullopt;
  auto node = state_->ready.extract(state_->ready.begin());
  ++state_->next_result;
  state_->bytes -= BytesOf(node.mapped().converted);
  state_->changed.notify_all();
  return std::move(node.mapped());
}

void RunTasks(int64_t count, int threads, Interrupts* interrupts,
              const std::function<void(int64_t)>& task) {
  if (threads <= 1 || count <= 1) {
    for (int64_t i = 0; i < count && !interrupts->Check(); ++i) task(i);
    return;
  }
  std::atomic<int64_t> next = 0;
  std::atomic<bool> failed = false;
  std::exception_ptr failure;
  std::mutex mutex;
  std::condition_variable ended;
  const int64_t most = std::min<int64_t>(threads, count);
  int64_t running = most;
  const auto work = [&] {
    try {
      while (!failed && !interrupts->token()->IsCancelled()) {
        const int64_t i = next++;
        if (i >= count) break;
        task(i);
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
      failed = true;
    }
    const std::lock_guard lock(mutex);
    --running;
    ended.notify_one();
  };
  std::vector<std::thread> pool;
  StartThreads(most, work, &pool);
  std::unique_lock lock(mutex);
  running -= most - static_cast<int64_t>(pool.size());
  while (!ended.wait_for(lock, kInterval, [&] { return running == 0; })) {
    lock.unlock();
    interrupts->Check();
    lock.lock();
  }
  lock.unlock();
  for (std::thread& thread : pool) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace bvhmill::python
