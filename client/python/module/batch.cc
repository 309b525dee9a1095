#include "client/python/module/batch.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "bvhmill/base/cancel.h"
#include "client/python/module/conversion.h"

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
  // A result was added or removed.
  std::condition_variable changed;
  // The next path to convert, and the next result to return.
  int64_t next_path = 0;
  int64_t next_result = 0;
  int64_t given = 0;
  int64_t bytes = 0;
  bool is_closed = false;
  std::exception_ptr failure;
  // By index if they are ordered, else by arrival.
  std::map<int64_t, BatchResult> ready;

  int64_t size() const { return static_cast<int64_t>(paths.size()); }
  // True if the queue has space for the result of `index`. The next result that
  // Next returns always has space.
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

namespace {

// Calls `task(i)` for each i in [0, count) in `threads` threads of its own, or
// in fewer if not all can be started; throws std::system_error if none can. If
// a task throws, the others end and the exception is thrown again. The calling
// thread checks `interrupts`; it runs tasks only if `threads` or `count` is 1.
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

void AddNumber(uint32_t number, std::string* out) {
  out->append(reinterpret_cast<const char*>(&number), sizeof(number));
}

// Equal for clips whose arrays have the same rows: names and parents, with or
// without end sites.
std::string LayoutKey(const ClipInfo& info, bool with_end_sites) {
  std::string key;
  std::vector<uint32_t> row_of;
  uint32_t rows = 0;
  for (const JointInfo& joint : info.joints) {
    row_of.push_back(rows);
    if (joint.end_site && !with_end_sites) continue;
    ++rows;
    key.append(joint.end_site ? "" : joint.name).push_back('\n');
    AddNumber(joint.parent < 0 ? UINT32_MAX
                               : row_of[static_cast<size_t>(joint.parent)],
              &key);
  }
  return key;
}

// Equal for clips of one rig within a layout.
std::string RigKey(const ClipInfo& info) {
  std::string key;
  for (const JointInfo& joint : info.joints) {
    key.push_back(joint.end_site ? 'e' : 'j');
    if (joint.end_site) key.append(joint.name).push_back('\n');
    key.append(joint.channels).push_back('\n');
    for (const float value : joint.offset) {
      AddNumber(std::bit_cast<uint32_t>(value), &key);
    }
  }
  return key;
}

// The result of one file, kept until all files are read.
struct Piece {
  Converted converted;
};

// Joins the pieces of all files into the groups of a FlatBatch.
class Assembler {
 public:
  Assembler(std::vector<Piece> pieces, FlatBatch* batch)
      : pieces_(std::move(pieces)), batch_(*batch) {}

  void Sort();
  void Assemble(int threads, Interrupts* interrupts);

 private:
  void AddTake(int64_t path);
  void MakeArrays(FlatGroup* group, int threads, Interrupts* interrupts);

  std::vector<Piece> pieces_;
  FlatBatch& batch_;
  std::unordered_map<std::string, size_t> groups_;
  // By group.
  std::vector<std::unordered_map<std::string, int32_t>> rigs_;
  // Clips of one skeleton share their list of joints: no key is made.
  JointList last_joints_;
  size_t last_group_ = 0;
  int32_t last_rig_ = 0;
};

void Assembler::AddTake(int64_t path) {
  const ConvertResult& result =
      pieces_[static_cast<size_t>(path)].converted.result;
  if (last_joints_.empty() || !result.info.joints.IsSharedWith(last_joints_)) {
    const auto rows = static_cast<size_t>(result.outputs[0].tensor->shape[1]);
    const bool with_end_sites = rows == result.info.joints.size();
    const auto [at, is_new] = groups_.try_emplace(
        LayoutKey(result.info, with_end_sites), groups_.size());
    if (is_new) {
      batch_.groups.emplace_back().offsets.push_back(0);
      rigs_.emplace_back();
    }
    FlatGroup& group = batch_.groups[at->second];
    const auto [rig, is_new_rig] = rigs_[at->second].try_emplace(
        RigKey(result.info), static_cast<int32_t>(group.rigs.size()));
    if (is_new_rig) group.rigs.push_back(result.info);
    last_joints_ = result.info.joints;
    last_group_ = at->second;
    last_rig_ = rig->second;
  }
  FlatGroup& group = batch_.groups[last_group_];
  group.paths.push_back(path);
  group.offsets.push_back(group.offsets.back() + result.info.frames);
  group.rigs_of_takes.push_back(last_rig_);
  group.frame_times.push_back(result.info.frame_time);
}

void Assembler::Sort() {
  for (size_t i = 0; i < pieces_.size(); ++i) {
    const Converted& converted = pieces_[i].converted;
    const auto path = static_cast<int64_t>(i);
    batch_.verdicts.push_back(converted.result.report.verdict);
    if (converted.os_error == 0 && FirstFailure(converted.result).ok()) {
      AddTake(path);
    } else {
      batch_.failures.push_back({path, converted.os_error,
                                 FirstFailure(converted.result),
                                 converted.result.report});
    }
  }
}

void Assembler::MakeArrays(FlatGroup* group, int threads,
                           Interrupts* interrupts) {
  const ConvertResult& first =
      pieces_[static_cast<size_t>(group->paths[0])].converted.result;
  std::vector<Bytes> arrays(first.outputs.size());
  std::vector<std::vector<int64_t>> shapes;
  std::vector<size_t> frame_bytes;
  for (size_t i = 0; i < arrays.size(); ++i) {
    shapes.push_back(first.outputs[i].tensor->shape);
    shapes[i][0] = 1;
    size_t bytes = sizeof(float);
    for (const int64_t size : shapes[i]) bytes *= static_cast<size_t>(size);
    shapes[i][0] = group->offsets.back();
    frame_bytes.push_back(bytes);
    arrays[i].resize(bytes * static_cast<size_t>(group->offsets.back()));
  }
  const auto takes = static_cast<int64_t>(group->paths.size());
  RunTasks(takes, threads, interrupts, [&](int64_t take) {
    const auto at = static_cast<size_t>(take);
    Converted& converted =
        pieces_[static_cast<size_t>(group->paths[at])].converted;
    for (size_t i = 0; i < arrays.size(); ++i) {
      const Bytes data = std::move(converted.data[i]);
      if (data.empty()) continue;
      const auto begin = static_cast<size_t>(group->offsets[at]);
      std::memcpy(arrays[i].data() + begin * frame_bytes[i], data.data(),
                  data.size());
    }
  });
  for (size_t i = 0; i < arrays.size(); ++i) {
    group->arrays.push_back(std::make_shared<Block>(
        std::move(arrays[i]), ElementType::kFloat32, shapes[i]));
  }
}

void Assembler::Assemble(int threads, Interrupts* interrupts) {
  std::stable_sort(batch_.groups.begin(), batch_.groups.end(),
                   [](const FlatGroup& a, const FlatGroup& b) {
                     return a.paths.size() > b.paths.size();
                   });
  for (FlatGroup& group : batch_.groups) {
    MakeArrays(&group, threads, interrupts);
  }
}

}  // namespace

FlatBatch ReadFlat(const std::vector<std::string>& paths,
                   const Choices& choices, int threads,
                   Interrupts* interrupts) {
  std::vector<Piece> pieces(paths.size());
  Choices alone = choices;
  alone.threads = 1;
  RunTasks(static_cast<int64_t>(paths.size()), threads, interrupts,
           [&](int64_t i) {
             const auto at = static_cast<size_t>(i);
             pieces[at].converted = ConvertFile(paths[at], alone, interrupts);
           });
  FlatBatch batch;
  if (interrupts->token()->IsCancelled()) return batch;
  Assembler assembler(std::move(pieces), &batch);
  assembler.Sort();
  assembler.Assemble(threads, interrupts);
  return batch;
}

}  // namespace bvhmill::python
