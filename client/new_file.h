#pragma once

// A file that is there as a whole or not at all.

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/files.h"

namespace bvhmill::client {

// Written under a temporary name, which is removed again unless the file is
// committed. Not thread-safe. Every status is FAILED_PRECONDITION "why".
class NewFile {
 public:
  // Makes `.NAME.XXXXXX.part` in the open directory `directory`, which is
  // borrowed and must outlive the file.
  static absl::StatusOr<NewFile> Create(int directory, std::string name);

  NewFile(NewFile&& other) noexcept;
  NewFile& operator=(NewFile&&) = delete;
  ~NewFile();

  absl::Status Append(std::string_view bytes);
  // Writes over the first bytes, which must have been appended.
  absl::Status ReplaceHead(std::string_view bytes);
  // Nothing can be appended any more; says if all of it was stored.
  absl::Status Close();
  // Gives the closed file its name. If there is one by that name, it is
  // replaced if `replace`; otherwise this fails.
  absl::Status Commit(bool replace);

 private:
  NewFile(int directory, std::string name, std::string temporary, UniqueFd fd)
      : directory_(directory),
        name_(std::move(name)),
        temporary_(std::move(temporary)),
        fd_(std::move(fd)) {}

  absl::Status Flush();

  int directory_;
  std::string name_;
  // Empty once there is nothing to remove.
  std::string temporary_;
  UniqueFd fd_;
  std::string buffer_;
};

}  // namespace bvhmill::client
