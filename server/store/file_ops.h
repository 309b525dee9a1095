#pragma once

// Operations of the stores on files and folders, each with a status and, in
// tests, a point of fault_points.h:
//
//   OwnedFile file;
//   BVHMILL_RETURN_IF_ERROR(OpenFile(path, O_WRONLY | O_CREAT, &file));
//   BVHMILL_RETURN_IF_ERROR(WriteFile(file, path, bytes));
//   BVHMILL_RETURN_IF_ERROR(SyncFile(file, path));
//   BVHMILL_RETURN_IF_ERROR(SyncFolder(folder));
//
// EmptyFile and the functions of the reserve pass no fault point.
//
// Statuses: NOT_FOUND, STORE_FAULT if there is no such file or folder;
// RESOURCE_EXHAUSTED, DISK_FULL if there is no space; UNAVAILABLE, STORE_FAULT
// while too many files are open; INTERNAL, STORE_FAULT for every other error.
// The message contains the error of the system and no path, since peers may see
// it; the arg "path" is the path.

#include <cstddef>
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

// Opens the regular file `path` with `flags` of open(2), mode 0600. Follows no
// link. INTERNAL for a pipe or a device: opening it could block for ever.
absl::Status OpenFile(const std::string& path, int flags, OwnedFile* file);
// Opens a new file without a name in `folder`, for reading and writing. The
// system removes it when it is closed.
absl::Status OpenUnnamedFile(const std::string& folder, OwnedFile* file);
// Writes all of `bytes` after the bytes that were written before.
absl::Status WriteFile(const OwnedFile& file, const std::string& path,
                       std::string_view bytes);
// Removes all content; the next write is at the beginning.
absl::Status EmptyFile(const OwnedFile& file, const std::string& path);
// Reads up to `size` bytes at `offset`; `bytes` is shorter only at the end of
// the file.
absl::Status ReadFileAt(const OwnedFile& file, const std::string& path,
                        int64_t offset, size_t size, std::string* bytes);

// Returns when the content of the file is on the disk.
absl::Status SyncFile(const OwnedFile& file, const std::string& path);
// Returns when the names in the folder are on the disk.
absl::Status SyncFolder(const std::string& path);
// Returns when all contents and names in the file system of `file` are on the
// disk. If SyncsReportErrors(), it returns each error since `file` was opened,
// also that of another file.
absl::Status SyncFileSystem(const OwnedFile& file, const std::string& path);
// False before Linux 5.8: OK of SyncFileSystem then proves nothing.
bool SyncsReportErrors();

// Renames a file. Replaces a file `to` that exists.
absl::Status RenameFile(const std::string& from, const std::string& to);
// OK if there is no such file.
absl::Status RemoveFile(const std::string& path);
// Makes `path` and its parents, with mode 0700. OK if it exists.
absl::Status MakeFolder(const std::string& path);

// The status of an errno. `what` is a verb for the message, e.g. "write".
absl::Status FileFault(const char* what, const std::string& path, int error);
// True for DISK_FULL: the disk is full, or a limit keeps it from becoming full.
bool IsDiskFull(const absl::Status& status);

// A name that no other server uses: "server" and 128 random bits.
std::string RandomName();

// The reserve: a file `reserve` of 16 MiB in a data folder, for a full disk.
// Its removal frees space, so that a server can open the database and delete
// jobs.

// Makes the reserve in `folder` if it is missing or too small, and the disk has
// 64 MiB free. Makes none if the file system cannot allocate space in advance.
void KeepReserve(const std::string& folder);
// Removes the reserve. False if there was none.
bool GiveUpReserve(const std::string& folder);
// Removes the reserve if the disk has less than 16 MiB free.
void MakeRoom(const std::string& folder);

}  // namespace bvhmill::server
