#pragma once

// The one file that a user names for an output.

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/cli/io/new_file.h"
#include "client/cli/io/posix_files.h"

namespace bvhmill::client {

// A file exists complete or not at all. A device, a pipe or a socket, as
// /dev/null or /dev/stdout may be, is never replaced: it takes the bytes as
// they come. Not thread-safe. Every status is FAILED_PRECONDITION "why".
class ChosenFile {
 public:
  // Makes the file `path`. A file that exists is replaced only if `force`; if
  // `path` is a symbolic link, the file that it leads to is replaced.
  static absl::StatusOr<ChosenFile> Create(const std::string& path, bool force);

  absl::Status Append(std::string_view bytes);
  // Ends the writing and gives the file its name.
  absl::Status Close();

 private:
  ChosenFile() = default;

  bool force_ = false;
  // Set if the bytes go into what exists.
  UniqueFd existing_;
  // Both are set if the file is new. The folder stays open until it is named.
  UniqueFd folder_;
  std::optional<NewFile> file_;
};

}  // namespace bvhmill::client
