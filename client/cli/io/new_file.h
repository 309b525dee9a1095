#pragma once

// Writes a file so that it appears complete or not at all, also if the program
// is killed. It is not synced: after a crash of the machine it may be
// incomplete.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/cli/io/posix_files.h"

namespace bvhmill::client {

// The file has no name until Commit, so that nothing is left of it if the
// program is killed. If the file system does not support files without a name,
// it has a temporary name, which is removed. Not thread-safe. Every error is
// FAILED_PRECONDITION "why", unless a function says otherwise.
class NewFile {
 public:
  // Makes the file in the open directory `directory`, which is borrowed and
  // must outlive it. A temporary name is `.NAME.XXXXXX.part`.
  static absl::StatusOr<NewFile> Create(int directory, std::string name);

  NewFile(NewFile&& other) noexcept;
  NewFile& operator=(NewFile&&) = delete;
  ~NewFile();

  absl::Status Append(std::string_view bytes);
  // Ends the writing; an error if not all bytes were stored.
  absl::Status Close();
  // Gives the closed file its name. If a file of that name exists, `replace`
  // replaces it; without `replace` the error is ALREADY_EXISTS.
  absl::Status Commit(bool replace);
  // Calls `take` with all bytes, in pieces, until it returns false. Requires
  // that the file is not closed.
  absl::Status Read(const std::function<bool(std::string_view)>& take);

  // Bytes that were appended.
  int64_t size() const { return size_; }

 private:
  NewFile(int directory, std::string name, std::string temporary, UniqueFd fd)
      : directory_(directory),
        name_(std::move(name)),
        temporary_(std::move(temporary)),
        fd_(std::move(fd)) {}

  static absl::StatusOr<NewFile> CreateNamed(int directory, std::string name);
  // Gives a file without a name this one; returns 0 or an errno.
  int Link(const std::string& name) const;
  int LinkInPlace() const;
  int Rename(bool replace) const;
  absl::Status Flush();

  int directory_;
  std::string name_;
  // Empty if there is nothing to remove.
  std::string temporary_;
  UniqueFd fd_;
  std::string buffer_;
  int64_t size_ = 0;
};

}  // namespace bvhmill::client
