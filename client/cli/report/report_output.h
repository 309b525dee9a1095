#pragma once

// Writes the bytes of a rendering to stdout or into a file.

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "client/cli/io/chosen_file.h"
#include "client/cli/ui/console.h"

namespace bvhmill::client {

// Not thread-safe. ChosenFile says how a file is written.
class ReportOutput {
 public:
  explicit ReportOutput(Console* console) : console_(*console) {}

  // `path` is a file, or "-" for stdout. A file that exists is replaced if
  // `force`; otherwise this is FAILED_PRECONDITION "PATH: why".
  absl::Status Open(const std::string& path, bool force);

  bool is_stdout() const { return !file_; }

  // Appends `text`. False if no more can be written.
  bool Put(std::string_view text);

  // Gives the file its name. Returns the first failure of Put or Close; always
  // OK for stdout, whose failures Console reports.
  absl::Status Close();

 private:
  Console& console_;
  std::string path_;
  std::optional<ChosenFile> file_;
  absl::Status status_;
};

}  // namespace bvhmill::client
