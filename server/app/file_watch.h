#pragma once

// Reads the files that an operator names, and watches them for changes.

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"

namespace bvhmill::server {

// How long ReadWhole waits for the bytes of a pipe.
enum class PipeWait : uint8_t {
  // Until they come. A signal that stops the program ends it (StopSignals).
  kUntilStop,
  // It takes the bytes that are there.
  kNone,
};

// The bytes of `path`, at most 16 MiB. INVALID_ARGUMENT if it cannot be read to
// its end or is larger; CANCELLED if a pipe has no bytes.
absl::Status ReadWhole(const std::string& path, PipeWait wait,
                       std::string* out);

// A string that changes when the file is replaced or written.
std::string StateOfFile(const std::string& path);

// Reports changes of files from its own thread. It compares their times, sizes
// and inodes once a second, so it sees renames, too.
class FileWatch {
 public:
  // `on_change` is called with the path that changed; empty paths are skipped.
  // `on_exception` is called with what was thrown, as current exception: then
  // the file is looked at again a second later. It must not throw. Throws
  // std::system_error if the system has no thread. `seen` has what StateOfFile
  // gave before each file was read; without it, changes count from now on.
  FileWatch(
      std::vector<std::string> paths,
      std::function<void(const std::string&)> on_change,
      std::function<void()> on_exception = [] {},
      std::vector<std::string> seen = {});
  ~FileWatch();

 private:
  void Run();
  void LookAt(size_t i);

  const std::vector<std::string> paths_;
  const std::function<void(const std::string&)> on_change_;
  const std::function<void()> on_exception_;
  std::vector<std::string> seen_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace bvhmill::server
