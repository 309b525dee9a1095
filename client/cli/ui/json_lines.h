#pragma once

// A file of JSON objects, one a line.

#include <mutex>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "client/cli/ui/console.h"
#include "client/cpp/posix_files.h"

namespace bvhmill::client {

// Thread-safe once it is open.
class JsonLines {
 public:
  explicit JsonLines(Console* console) : console_(*console) {}

  // Begins the file `path`; "-" is stdout, "" is nowhere. A file that exists is
  // replaced if `replace`, gone on with if `append`, and otherwise
  // INVALID_ARGUMENT "PATH: why".
  absl::Status Open(const std::string& path, bool replace, bool append);

  bool is_open() const { return file_.valid() || to_stdout_; }

  // Writes `object` and a line end. The first failure is told on stderr.
  void Put(std::string_view object);
  // True if something could not be written.
  bool failed() const { return failed_; }

 private:
  Console& console_;
  std::string path_;
  UniqueFd file_;
  bool to_stdout_ = false;
  std::mutex mutex_;
  bool failed_ = false;
};

}  // namespace bvhmill::client
