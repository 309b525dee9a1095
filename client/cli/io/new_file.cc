#include "client/cli/io/new_file.h"

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
// Where the system shows the open files of this process.
constexpr char kOwnFiles[] = "/proc/self/fd";
constexpr size_t kCompareBytes = size_t{256} << 10;

absl::Status ReadFault(int error) {
  return MakeStatus(absl::StatusCode::kFailedPrecondition,
                    "cannot be read: " + ErrnoText(error));
}

absl::Status CannotWrite(int error) {
  return MakeStatus(absl::StatusCode::kFailedPrecondition,
                    "cannot be written: " + ErrnoText(error));
}

// `.NAME.XXXXXX.part`, with random letters.
std::string TemporaryName(const std::string& name) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz";
  // Opening the device of the system costs as much as a small clip.
  thread_local std::mt19937_64 random{std::random_device()()};
  std::string out = "." + name.substr(0, kMaxNameInTemporary) + ".";
  for (int i = 0; i < 6; ++i) out += kLetters[random() % kLetters.size()];
  return out + ".part";
}

// A file without a name in `directory`, if the system can make one that gets a
// name later.
UniqueFd UnnamedFile(int directory) {
  static const bool can_link = access(kOwnFiles, X_OK) == 0;
  if (!can_link) return {};
  return UniqueFd(openat(directory, ".", O_RDWR | O_TMPFILE | O_CLOEXEC, 0666));
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
  UniqueFd fd = UnnamedFile(directory);
  if (!fd.valid()) return CreateNamed(directory, std::move(name));
  return NewFile(directory, std::move(name), "", std::move(fd));
}

absl::StatusOr<NewFile> NewFile::CreateNamed(int directory, std::string name) {
  int error = EEXIST;
  for (int i = 0; i < kAttempts && error == EEXIST; ++i) {
    std::string temporary = TemporaryName(name);
    UniqueFd fd(openat(directory, temporary.c_str(),
                       O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
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
      buffer_(std::move(other.buffer_)),
      size_(other.size_) {}

NewFile::~NewFile() {
  fd_.Close();
  if (!temporary_.empty()) unlinkat(directory_, temporary_.c_str(), 0);
}

absl::Status NewFile::Append(std::string_view bytes) {
  size_ += static_cast<int64_t>(bytes.size());
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

absl::Status NewFile::Flush() {
  const int error = WriteAll(fd_.get(), buffer_);
  buffer_.clear();
  return error == 0 ? absl::OkStatus() : CannotWrite(error);
}

// A file without a name must stay open until it gets one. To close a copy of it
// finds the errors that a file system reports at the end only.
absl::Status NewFile::Close() {
  BVHMILL_RETURN_IF_ERROR(Flush());
  UniqueFd copy;
  if (temporary_.empty()) {
    copy = UniqueFd(fcntl(fd_.get(), F_DUPFD_CLOEXEC, 0));
    if (!copy.valid()) return CannotWrite(errno);
  }
  const int error = temporary_.empty() ? copy.Close() : fd_.Close();
  return error == 0 ? absl::OkStatus() : CannotWrite(error);
}

int NewFile::Link(const std::string& name) const {
  const std::string path =
      std::string(kOwnFiles) + "/" + std::to_string(fd_.get());
  const int result = linkat(AT_FDCWD, path.c_str(), directory_, name.c_str(),
                            AT_SYMLINK_FOLLOW);
  return result == 0 ? 0 : errno;
}

// link() replaces no file, but rename() does. So the file first gets a
// temporary name.
int NewFile::LinkInPlace() const {
  int error = EEXIST;
  std::string temporary;
  for (int i = 0; i < kAttempts && error == EEXIST; ++i) {
    temporary = TemporaryName(name_);
    error = Link(temporary);
  }
  if (error != 0) return error;
  if (renameat(directory_, temporary.c_str(), directory_, name_.c_str()) == 0) {
    return 0;
  }
  error = errno;
  unlinkat(directory_, temporary.c_str(), 0);
  return error;
}

int NewFile::Rename(bool replace) const {
  if (!replace) return RenameNew(directory_, temporary_.c_str(), name_.c_str());
  const int result =
      renameat(directory_, temporary_.c_str(), directory_, name_.c_str());
  return result == 0 ? 0 : errno;
}

absl::Status NewFile::Commit(bool replace) {
  int error = 0;
  if (temporary_.empty()) {
    error = Link(name_);
    if (error == EEXIST && replace) error = LinkInPlace();
  } else {
    error = Rename(replace);
  }
  if (error == EEXIST) {
    return MakeStatus(absl::StatusCode::kAlreadyExists,
                      "cannot be written: another program has made this file "
                      "meanwhile; two runs must not share a folder");
  }
  if (error != 0) return CannotWrite(error);
  temporary_.clear();
  return absl::OkStatus();
}

absl::Status NewFile::Read(const std::function<bool(std::string_view)>& take) {
  BVHMILL_RETURN_IF_ERROR(Flush());
  std::string buffer(kCompareBytes, '\0');
  off_t at = 0;
  while (true) {
    const ssize_t got = pread(fd_.get(), buffer.data(), buffer.size(), at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return ReadFault(errno);
    const auto size = static_cast<size_t>(got);
    if (size == 0 || !take(std::string_view(buffer).substr(0, size))) break;
    at += got;
  }
  return absl::OkStatus();
}

}  // namespace bvhmill::client
