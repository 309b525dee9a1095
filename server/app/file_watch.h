#pragma once

// The files that an operator names: certificates and tokens. ReadWhole reads
// one; a FileWatch reports when one changes, so that the server reads it again.
//
//   std::string seen = StateOfFile(path);
//   absl::Status status = ReadWhole(path, PipeWait::kUntilStop, &bytes);
//   FileWatch watch({path}, on_change, on_exception, {seen});

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
  // Until the pipe ends. A signal that stops the program ends the program
  // meanwhile (see StopSignals).
  kUntilStop,
  // Reads the bytes that are in the pipe.
  kNone,
};

// Reads the bytes of `path`, at most 16 MiB. INVALID_ARGUMENT if the file
// cannot be read to its end or is larger; CANCELLED if a pipe has no bytes.
absl::Status ReadWhole(const std::string& path, PipeWait wait,
                       std::string* out);

// A string that changes when the file is replaced or written: inode, size and
// time of the last change. Empty if there is no file.
std::string StateOfFile(const std::string& path);

// Calls a function when a file changes. A thread of its own compares the states
// of the files once a second, so it notices renames, too.
class FileWatch {
 public:
  // `on_change` gets the path that changed; empty paths are skipped. If it
  // throws, the watch calls `on_exception`, where the exception is the current
  // one, and reports the file again a second later. `on_exception` must not
  // throw. `seen` are the StateOfFile of each path before it was read; without
  // it, changes count from now on. Throws std::system_error if the system has
  // no thread.
  FileWatch(
      std::vector<std::string> paths,
      std::function<void(const std::string&)> on_change,
      std::function<void()> on_exception = [] {},
      std::vector<std::string> seen = {});
  // Waits until a running `on_change` has returned.
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
