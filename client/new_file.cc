#include "client/new_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>
#include <random>
#include <utility>

#include "bvhmill/base/status.h"

namespace bvhmill::client {
namespace {

// Smaller pieces are collected to this size before they are written.
constexpr size_t kBufferBytes = size_t{128} << 10;
// So that a temporary name is no longer than file systems allow.
constexpr size_t kMaxNameInTemporary = 200;
constexpr int kAttempts = 100;

absl::Status CannotWrite(int error) {
  return MakeStatus(absl::StatusCode::kFailedPrecondition,
                    "cannot be written: " + ErrnoText(error));
}

std::string RandomLetters() {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz";
  std::random_device random;
  std::string out;
  for (int i = 0; i < 6; ++i) out += kLetters[random() % kLetters.size()];
  return out;
}

// Renames unless `to` exists; returns 0 or an errno.
int RenameNew(int directory, const char* from, const char* to) {
  if (renameat2(directory, from, directory, to, RENAME_NOREPLACE) == 0) {
    return 0;
  }
  // Not every file system can do it in one step.
  if (errno != EINVAL && errno != ENOSYS) return errno;
  if (faccessat(directory, to, F_OK, AT_SYMLINK_NOFOLLOW) == 0) return EEXIST;
  return renameat(directory, from, directory, to) == 0 ? 0 : errno;
}

}  // namespace

absl::StatusOr<NewFile> NewFile::Create(int directory, std::string name) {
  int error = EEXIST;
  for (int i = 0; i < kAttempts && error == EEXIST; ++i) {
    std::string temporary = "." + name.substr(0, kMaxNameInTemporary) + "." +
                            RandomLetters() + ".part";
    UniqueFd fd(openat(directory, temporary.c_str(),
                       O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (fd.valid()) {
      return NewFile(directory, std::move(name), std::move(temporary),
                     std::move(fd));
    }
    error = errno;
  }
  return CannotWrite(error);
}

NewFile::NewFile(NewFile&& other) noexcept
    : directory_(other.directory_),
      name_(std::move(other.name_)),
      temporary_(std::exchange(other.temporary_, {})),
      fd_(std::move(other.fd_)),
      buffer_(std::move(other.buffer_)) {}

NewFile::~NewFile() {
  fd_.Close();
  if (!temporary_.empty()) unlinkat(directory_, temporary_.c_str(), 0);
}

absl::Status NewFile::Append(std::string_view bytes) {
  if (buffer_.size() + bytes.size() <= kBufferBytes) {
    buffer_.append(bytes);
    return absl::OkStatus();
  }
  BVHMILL_RETURN_IF_ERROR(Flush());
  if (bytes.size() <= kBufferBytes) {
    buffer_.append(bytes);
    return absl::OkStatus();
  }
  const int error = WriteAll(fd_.get(), bytes);
  return error == 0 ? absl::OkStatus() : CannotWrite(error);
}

absl::Status NewFile::ReplaceHead(std::string_view bytes) {
  BVHMILL_RETURN_IF_ERROR(Flush());
  off_t at = 0;
  while (!bytes.empty()) {
    const ssize_t written = pwrite(fd_.get(), bytes.data(), bytes.size(), at);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return CannotWrite(errno);
    bytes.remove_prefix(static_cast<size_t>(written));
    at += written;
  }
  return absl::OkStatus();
}

absl::Status NewFile::Flush() {
  const int error = WriteAll(fd_.get(), buffer_);
  buffer_.clear();
  return error == 0 ? absl::OkStatus() : CannotWrite(error);
}

absl::Status NewFile::Close() {
  BVHMILL_RETURN_IF_ERROR(Flush());
  const int error = fd_.Close();
  return error == 0 ? absl::OkStatus() : CannotWrite(error);
}

absl::Status NewFile::Commit(bool replace) {
  int error = 0;
  if (!replace) {
    error = RenameNew(directory_, temporary_.c_str(), name_.c_str());
  } else if (renameat(directory_, temporary_.c_str(), directory_,
                      name_.c_str()) != 0) {
    error = errno;
  }
  if (error != 0) return CannotWrite(error);
  temporary_.clear();
  return absl::OkStatus();
}

}  // namespace bvhmill::client
