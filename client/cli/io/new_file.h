#pragma once

// Writes a file so that it appears complete or not at all, also if the program
// is killed. It is not synced: after a crash of the machine it may be
// incomplete. NewFile is a file in an open directory, ChosenFile is a path that
// the user names, and CheckSideFiles compares such paths before a run.
//
//   auto file = NewFile::Create(directory, "walk.npz");
//   status = file->Append(bytes);
//   if (status.ok()) status = file->Close();
//   if (status.ok()) status = file->Commit(/*replace=*/false);

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "bvhmill/files/inputs.h"
#include "bvhmill/files/posix_files.h"

namespace bvhmill::client {

// A file that has no name until Commit, so that nothing remains of it if the
// program is killed. If the file system does not support files without a name,
// it has a temporary name, which the destructor removes. Not thread-safe. Every
// error is FAILED_PRECONDITION "why", unless a function says otherwise.
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
  // Renames the closed file to its name. Replaces a file of that name if
  // `replace`; else the error is ALREADY_EXISTS.
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
  // Links a file without a name to `name`; returns 0 or an errno.
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

// The one file that a user names for an output. A regular file appears complete
// or not at all. A device, a pipe or a socket, such as /dev/null or
// /dev/stdout, is never replaced: the bytes are written into it as they come.
// Not thread-safe. Every status is FAILED_PRECONDITION "why".
class ChosenFile {
 public:
  // Makes the file `path`. A file that exists is replaced only if `force`; if
  // `path` is a symbolic link, the file that it leads to is replaced.
  static absl::StatusOr<ChosenFile> Create(const std::string& path, bool force);

  absl::Status Append(std::string_view bytes);
  // Ends the writing and renames the file to its name.
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

// An option that names a file for an output beside those of the clips, and its
// value; "" names no file, "-" is stdout.
struct SideFile {
  std::string option;
  std::string path;
  // A file that the command reads and that this one may replace; "" is none.
  std::string renews = {};
};

// Checks that no file replaces an input, another file that the command reads
// (`read`), or another file of `files`, also if outputs may be overwritten; and
// that at most one is stdout. INVALID_ARGUMENT "OPTION: PATH: why". Call before
// anything is written.
absl::Status CheckSideFiles(std::span<const SideFile> files,
                            const std::set<FileId>& read,
                            const std::vector<Input>& inputs);

// Checks that `file` has the name neither of an output of `inputs` with one of
// these extensions below `folder`, nor of the manifest of the folder.
// INVALID_ARGUMENT as above. O(inputs); reads no folder.
absl::Status CheckIsNoOutput(const SideFile& file, const std::string& folder,
                             const std::vector<std::string>& extensions,
                             const std::vector<Input>& inputs);

}  // namespace bvhmill::client
