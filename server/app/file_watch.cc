#include "server/app/file_watch.h"

#include <sys/stat.h>

#include <exception>
#include <sstream>
#include <utility>

#include "bvhmill/base/status.h"
#include "bvhmill/settings/small_file.h"

namespace bvhmill::server {

std::string StateOfFile(const std::string& path) {
  struct stat info {};
  if (path.empty() || stat(path.c_str(), &info) != 0) return "";
  std::ostringstream state;
  state << info.st_ino << ' ' << info.st_size << ' ' << info.st_mtim.tv_sec
        << ' ' << info.st_mtim.tv_nsec;
  return state.str();
}

absl::Status ReadWhole(const std::string& path, PipeWait wait,
                       std::string* out) {
  constexpr size_t kMaxBytes = size_t{16} << 20;
  CancelToken no_wait;
  no_wait.Cancel();
  absl::StatusOr<std::string> bytes = ReadSmallFile(
      path, kMaxBytes, wait == PipeWait::kUntilStop ? nullptr : &no_wait);
  if (!bytes.ok()) return bytes.status();
  *out = *std::move(bytes);
  return absl::OkStatus();
}

FileWatch::FileWatch(std::vector<std::string> paths,
                     std::function<void(const std::string&)> on_change,
                     std::function<void()> on_exception,
                     std::vector<std::string> seen)
    : paths_(std::move(paths)),
      on_change_(std::move(on_change)),
      on_exception_(std::move(on_exception)),
      seen_(std::move(seen)) {
  for (size_t i = seen_.size(); i < paths_.size(); ++i) {
    seen_.push_back(StateOfFile(paths_[i]));
  }
  thread_ = std::thread([this] { Run(); });
}

FileWatch::~FileWatch() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void FileWatch::Run() {
  std::unique_lock lock(mutex_);
  const auto stopping = [this] { return stopping_; };
  while (!wake_.wait_for(lock, std::chrono::seconds(1), stopping)) {
    for (size_t i = 0; i < paths_.size(); ++i) LookAt(i);
  }
}

void FileWatch::LookAt(size_t i) {
  try {
    std::string state = StateOfFile(paths_[i]);
    // A missing file may be about to be replaced.
    if (state.empty() || state == seen_[i]) return;
    on_change_(paths_[i]);
    seen_[i] = std::move(state);
  } catch (...) {
    // The state stays the old one: the change is reported again in a second.
    on_exception_();
  }
}

}  // namespace bvhmill::server
