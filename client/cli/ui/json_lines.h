#pragma once

// Writes a file with one JSON object per line.

#include <mutex>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "client/cli/io/posix_files.h"
#include "client/cli/ui/console.h"

namespace bvhmill::client {

// Thread-safe once it is open.
class JsonLines {
 public:
  explicit JsonLines(Console* console) : console_(*console) {}

  // Opens the file `path`; "-" is stdout, "" writes nothing. A file that exists
  // is continued if `append`, or else replaced if `replace`. INVALID_ARGUMENT
  // "PATH: why" if neither is set, or if the file cannot be written.
  absl::Status Open(const std::string& path, bool replace, bool append);

  bool is_on_stdout() const { return to_stdout_; }
  bool is_open() const { return file_.valid() || to_stdout_; }

  // Writes `object` and a line end. Prints the first failure to stderr.
  void Put(std::string_view object);
  // True if a write to the file has failed; for stdout see
  // Console::data_lost. Not while another thread calls Put.
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
