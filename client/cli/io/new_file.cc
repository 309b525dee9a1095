#include "client/cli/io/new_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <system_error>
#include <utility>

#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "client/cli/manifest.h"

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

namespace {

absl::Status Failed(const std::string& why) {
  return MakeStatus(absl::StatusCode::kFailedPrecondition, why);
}

// True if bytes are written into what exists.
bool TakesBytes(const struct stat& info) {
  return !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

}  // namespace

absl::StatusOr<ChosenFile> ChosenFile::Create(const std::string& path,
                                              bool force) {
  ChosenFile out;
  out.force_ = force;
  struct stat info = {};
  const bool exists = stat(path.c_str(), &info) == 0;
  if (exists && TakesBytes(info)) {
    out.existing_ = UniqueFd(open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!out.existing_.valid()) return Failed(ErrnoText(errno));
    return out;
  }
  if (exists && !force) return Failed("exists; use -f or another name");
  std::filesystem::path target(path);
  if (exists) {
    std::error_code error;
    target = std::filesystem::canonical(path, error);
    if (error) return Failed(error.message());
  }
  const std::string folder = target.parent_path().string();
  out.folder_ = UniqueFd(open(folder.empty() ? "." : folder.c_str(),
                              O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!out.folder_.valid()) return Failed(ErrnoText(errno));
  auto file = NewFile::Create(out.folder_.get(), target.filename().string());
  BVHMILL_RETURN_IF_ERROR(file.status());
  out.file_.emplace(*std::move(file));
  return out;
}

absl::Status ChosenFile::Append(std::string_view bytes) {
  if (file_) return file_->Append(bytes);
  const int error = WriteAll(existing_.get(), bytes);
  return error == 0 ? absl::OkStatus() : Failed(ErrnoText(error));
}

absl::Status ChosenFile::Close() {
  if (file_) {
    BVHMILL_RETURN_IF_ERROR(file_->Close());
    return file_->Commit(force_);
  }
  const int error = existing_.Close();
  return error == 0 ? absl::OkStatus() : Failed(ErrnoText(error));
}

namespace {

absl::Status Refused(const SideFile& file, const std::string& why) {
  return MakeStatus(absl::StatusCode::kInvalidArgument,
                    file.option + ": " + Printable(file.path) + ": " + why);
}

bool NamesFile(const std::string& path) { return !path.empty() && path != "-"; }

// True if a file of this name is replaced. Devices and pipes only take bytes.
bool IsReplaced(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status found =
      std::filesystem::status(path, error);
  return !std::filesystem::exists(found) ||
         std::filesystem::is_regular_file(found);
}

// The same for all names of one file, also of one that does not exist.
std::string FileOf(const std::string& path) {
  std::error_code error;
  auto whole = std::filesystem::absolute(path, error);
  if (!error) whole = std::filesystem::weakly_canonical(whole, error);
  return error ? path : whole.native();
}

}  // namespace

absl::Status CheckSideFiles(std::span<const SideFile> files,
                            const std::set<FileId>& read,
                            const std::vector<Input>& inputs) {
  const std::set<FileId> clips = IdsOfFiles(inputs);
  std::map<std::string, std::string> options_of;
  for (const SideFile& file : files) {
    if (file.path == "-") {
      const auto [other, is_new] = options_of.emplace("-", file.option);
      if (is_new) continue;
      return MakeStatus(absl::StatusCode::kInvalidArgument,
                        file.option + " - is stdout, which takes that of " +
                            other->second + "; write one of them into a file");
    }
    if (!NamesFile(file.path) || !IsReplaced(file.path)) continue;
    const auto id = IdOfFile(file.path);
    const bool renews = id && id == IdOfFile(file.renews);
    if (id && clips.contains(*id)) {
      return Refused(
          file, "is an input, which is never overwritten; use another name");
    }
    if (id && !renews && read.contains(*id)) {
      return Refused(file, "is read by this command; use another name");
    }
    const auto [other, is_new] =
        options_of.emplace(FileOf(file.path), file.option);
    if (is_new) continue;
    return Refused(file,
                   "is the file of " + other->second + "; use another name");
  }
  return absl::OkStatus();
}

absl::Status CheckIsNoOutput(const SideFile& file, const std::string& folder,
                             const std::vector<std::string>& extensions,
                             const std::vector<Input>& inputs) {
  if (!NamesFile(file.path)) return absl::OkStatus();
  const std::filesystem::path name = std::filesystem::path(FileOf(file.path))
                                         .lexically_relative(FileOf(folder));
  if (name == kManifestName) {
    return Refused(file, "is the manifest of the outputs; use another name");
  }
  for (const Input& input : inputs) {
    const auto base = std::filesystem::path(input.base).lexically_normal();
    if (name.parent_path() != base.parent_path()) continue;
    const std::string stem = base.filename().native();
    const std::string whole = name.filename().native();
    if (!whole.starts_with(stem)) continue;
    const auto extension = std::find(extensions.begin(), extensions.end(),
                                     whole.substr(stem.size()));
    if (extension == extensions.end()) continue;
    return Refused(file, "is an output of " + Printable(input.path) +
                             "; use another name");
  }
  return absl::OkStatus();
}

}  // namespace bvhmill::client
