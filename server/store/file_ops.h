#pragma once

// Effects of the stores on files. Each function passes a fault point, except
// EmptyFile.
//
// Statuses: NOT_FOUND, STORE_FAULT if there is no such file or folder;
// RESOURCE_EXHAUSTED, DISK_FULL if there is no space; UNAVAILABLE, STORE_FAULT
// while too many files are open; INTERNAL, STORE_FAULT for every other error.
// The message has the error of the system and no path, since peers may see it;
// the arg "path" has the path.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"

namespace bvhmill::server {

// Owns a file descriptor.
class OwnedFile {
 public:
  OwnedFile() = default;
  explicit OwnedFile(int fd) : fd_(fd) {}
  OwnedFile(OwnedFile&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  OwnedFile& operator=(OwnedFile&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~OwnedFile() { Close(); }

  bool valid() const { return fd_ >= 0; }
  int get() const { return fd_; }
  void Close();

 private:
  int fd_ = -1;
};

// A name that no other server has: 128 random bits.
std::string RandomName();

// The status of an errno. `what` is a verb for the message, e.g. "write".
absl::Status FileFault(const char* what, const std::string& path, int error);

// True if `status` is DISK_FULL: the disk is full, or a limit keeps it from
// becoming full.
bool IsDiskFull(const absl::Status& status);

// Opens the regular file `path` with `flags` of open(2), mode 0600. Follows no
// link. INTERNAL for a pipe or a device: opening it could wait for ever.
absl::Status OpenFile(const std::string& path, int flags, OwnedFile* file);
// Opens a new file without a name in `folder`: it ends with the process.
absl::Status OpenUnnamedFile(const std::string& folder, OwnedFile* file);
// Writes all of `bytes` after the bytes that were written before.
absl::Status WriteFile(const OwnedFile& file, const std::string& path,
                       std::string_view bytes);
// Removes all content; the next write is at the beginning.
absl::Status EmptyFile(const OwnedFile& file, const std::string& path);
// Returns when the content is on the disk.
absl::Status SyncFile(const OwnedFile& file, const std::string& path);
// The same for the names in a folder.
absl::Status SyncFolder(const std::string& path);
// The same for all contents and names in the file system of `file`. An error
// since `file` was opened is reported, if SyncsReportErrors(). It may be one of
// another file.
absl::Status SyncFileSystem(const OwnedFile& file, const std::string& path);
// False before Linux 5.8: SyncFileSystem is then no proof.
bool SyncsReportErrors();
// Replaces a file `to` that exists.
absl::Status RenameFile(const std::string& from, const std::string& to);
// OK if there is no such file.
absl::Status RemoveFile(const std::string& path);
// Makes `path` and its parents, with mode 0700. OK if it exists.
absl::Status MakeFolder(const std::string& path);

// Reads up to `size` bytes at `offset`; `bytes` has fewer at the end of the
// file.
absl::Status ReadFileAt(const OwnedFile& file, const std::string& path,
                        int64_t offset, size_t size, std::string* bytes);

// Space that a data folder keeps for the time when the disk is full: a file
// `reserve`. When it is given up, a database can be opened, and jobs can be
// deleted, which makes room.

// Makes the file in `folder` if it is missing and the disk has room for it. A
// file system may not be able to keep space: then there is none.
void KeepReserve(const std::string& folder);
// Removes the file. False if there was none.
bool GiveUpReserve(const std::string& folder);
// Removes the file if the disk has less free space than it.
void MakeRoom(const std::string& folder);

}  // namespace bvhmill::server
