#include "server/store/file_ops.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <system_error>

#include "bvhmill/base/status.h"
#include "server/store/fault_points.h"

namespace bvhmill::server {
namespace {

// The errno of an armed fault; 0 if the effect may happen.
int ErrorOf(Fault fault) {
  switch (fault) {
    case Fault::kNoSpace:
      return ENOSPC;
    case Fault::kIoError:
    case Fault::kShortWrite:
    case Fault::kLostAnswer:
      return EIO;
    default:
      return 0;
  }
}

absl::Status FaultAt(Effect effect, const char* what, const std::string& path) {
  const int error = ErrorOf(FaultPoints::Reach(effect));
  return error == 0 ? absl::OkStatus() : FileFault(what, path, error);
}

absl::Status WriteBytes(int fd, const std::string& path,
                        std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return FileFault("write", path, errno);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return absl::OkStatus();
}

// Holds the log of a database for the removal of some thousand items.
constexpr int64_t kReserveBytes = int64_t{16} << 20;
constexpr char kReserveName[] = "/reserve";

int64_t FreeBytes(const std::string& folder) {
  struct statvfs disk = {};
  return statvfs(folder.c_str(), &disk) == 0
             ? static_cast<int64_t>(disk.f_bavail) *
                   static_cast<int64_t>(disk.f_frsize)
             : 0;
}

}  // namespace

void OwnedFile::Close() {
  if (fd_ >= 0) close(std::exchange(fd_, -1));
}

absl::Status FileFault(const char* what, const std::string& path, int error) {
  const bool is_full = error == ENOSPC || error == EDQUOT;
  const bool is_short = error == EMFILE || error == ENFILE;
  CallError fault = {
      .code = error == ENOENT ? absl::StatusCode::kNotFound
              : is_full       ? absl::StatusCode::kResourceExhausted
              : is_short      ? absl::StatusCode::kUnavailable
                              : absl::StatusCode::kInternal,
      .reason = is_full ? "DISK_FULL" : "STORE_FAULT",
      .args = {{"path", path}},
      .message = std::string("the server cannot ") + what + " its data: " +
                 std::error_code(error, std::generic_category()).message()};
  if (is_short) fault.args.push_back({"retry_after_ms", "1000"});
  return MakeCallError(std::move(fault));
}

bool IsDiskFull(const absl::Status& status) {
  return absl::IsResourceExhausted(status) &&
         CallErrorOf(status).reason == "DISK_FULL";
}

absl::Status OpenFile(const std::string& path, int flags, OwnedFile* file) {
  const Effect effect = (flags & O_CREAT) != 0 ? Effect::kOpen : Effect::kRead;
  BVHMILL_RETURN_IF_ERROR(FaultAt(effect, "open", path));
  // Without O_NONBLOCK, open() of a pipe would wait for a writer.
  const int fd =
      open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
  if (fd < 0) return FileFault("open", path, errno);
  OwnedFile opened(fd);
  struct stat found = {};
  if (fstat(fd, &found) != 0) return FileFault("open", path, errno);
  if (!S_ISREG(found.st_mode)) {
    return MakeCallError({.code = absl::StatusCode::kInternal,
                          .reason = "STORE_FAULT",
                          .args = {{"path", path}},
                          .message = "the server cannot open its data: it is "
                                     "no regular file"});
  }
  *file = std::move(opened);
  return absl::OkStatus();
}

// Not all file systems support O_TMPFILE.
absl::Status OpenUnnamedFile(const std::string& folder, OwnedFile* file) {
  BVHMILL_RETURN_IF_ERROR(FaultAt(Effect::kOpen, "open", folder));
  int fd = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0) {
    std::string path = folder + "/unnamed-XXXXXX";
    fd = mkostemp(path.data(), O_CLOEXEC);
    if (fd < 0) return FileFault("open", folder, errno);
    unlink(path.c_str());
  }
  *file = OwnedFile(fd);
  return absl::OkStatus();
}

absl::Status EmptyFile(const OwnedFile& file, const std::string& path) {
  const bool is_good =
      ftruncate(file.get(), 0) == 0 && lseek(file.get(), 0, SEEK_SET) == 0;
  return is_good ? absl::OkStatus() : FileFault("write", path, errno);
}

absl::Status WriteFile(const OwnedFile& file, const std::string& path,
                       std::string_view bytes) {
  const Fault fault = FaultPoints::Reach(Effect::kWrite);
  if (fault == Fault::kNone) return WriteBytes(file.get(), path, bytes);
  const bool is_half =
      fault == Fault::kShortWrite || fault == Fault::kKillWithinWrite;
  if (is_half) {
    BVHMILL_RETURN_IF_ERROR(
        WriteBytes(file.get(), path, bytes.substr(0, bytes.size() / 2)));
  }
  if (fault == Fault::kKillWithinWrite) kill(getpid(), SIGKILL);
  return FileFault("write", path, ErrorOf(fault));
}

absl::Status SyncFile(const OwnedFile& file, const std::string& path) {
  BVHMILL_RETURN_IF_ERROR(FaultAt(Effect::kSync, "store", path));
  return fsync(file.get()) == 0 ? absl::OkStatus()
                                : FileFault("store", path, errno);
}

absl::Status SyncFolder(const std::string& path) {
  BVHMILL_RETURN_IF_ERROR(FaultAt(Effect::kSync, "store", path));
  const OwnedFile folder(
      open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const bool is_good = folder.valid() && fsync(folder.get()) == 0;
  return is_good ? absl::OkStatus() : FileFault("store", path, errno);
}

absl::Status SyncFileSystem(const OwnedFile& file, const std::string& path) {
  BVHMILL_RETURN_IF_ERROR(FaultAt(Effect::kSync, "store", path));
  return syncfs(file.get()) == 0 ? absl::OkStatus()
                                 : FileFault("store", path, errno);
}

bool SyncsReportErrors() {
  static const bool do_report = [] {
    utsname system = {};
    int major = 0;
    int minor = 0;
    return uname(&system) == 0 &&
           std::sscanf(system.release, "%d.%d", &major, &minor) == 2 &&
           (major > 5 || (major == 5 && minor >= 8));
  }();
  return do_report;
}

absl::Status RenameFile(const std::string& from, const std::string& to) {
  BVHMILL_RETURN_IF_ERROR(FaultAt(Effect::kRename, "name", to));
  return rename(from.c_str(), to.c_str()) == 0 ? absl::OkStatus()
                                               : FileFault("name", to, errno);
}

absl::Status RemoveFile(const std::string& path) {
  BVHMILL_RETURN_IF_ERROR(FaultAt(Effect::kRemove, "remove", path));
  const bool is_gone = unlink(path.c_str()) == 0 || errno == ENOENT;
  return is_gone ? absl::OkStatus() : FileFault("remove", path, errno);
}

absl::Status MakeFolder(const std::string& path) {
  struct stat found = {};
  if (stat(path.c_str(), &found) == 0) {
    return S_ISDIR(found.st_mode)
               ? absl::OkStatus()
               : FileFault("make a folder for", path, ENOTDIR);
  }
  const size_t slash = path.rfind('/');
  if (slash != std::string::npos && slash > 0) {
    BVHMILL_RETURN_IF_ERROR(MakeFolder(path.substr(0, slash)));
  }
  BVHMILL_RETURN_IF_ERROR(
      FaultAt(Effect::kMakeFolder, "make a folder for", path));
  const bool exists = mkdir(path.c_str(), 0700) == 0 || errno == EEXIST;
  return exists ? absl::OkStatus()
                : FileFault("make a folder for", path, errno);
}

absl::Status ReadFileAt(const OwnedFile& file, const std::string& path,
                        int64_t offset, size_t size, std::string* bytes) {
  BVHMILL_RETURN_IF_ERROR(FaultAt(Effect::kRead, "read", path));
  bytes->resize(size);
  size_t done = 0;
  while (done < size) {
    const ssize_t got = pread(file.get(), bytes->data() + done, size - done,
                              offset + static_cast<int64_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return FileFault("read", path, errno);
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  bytes->resize(done);
  return absl::OkStatus();
}

std::string RandomName() {
  std::random_device random;
  std::string name = "server";
  for (int i = 0; i < 4; ++i) name += "-" + std::to_string(random());
  return name;
}

void KeepReserve(const std::string& folder) {
  const std::string path = folder + kReserveName;
  struct stat found = {};
  if (stat(path.c_str(), &found) == 0 && found.st_size >= kReserveBytes) return;
  if (FreeBytes(folder) < 4 * kReserveBytes) return;
  const OwnedFile file(
      open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (file.valid() && fallocate(file.get(), 0, 0, kReserveBytes) != 0) {
    unlink(path.c_str());
  }
}

bool GiveUpReserve(const std::string& folder) {
  return unlink((folder + kReserveName).c_str()) == 0;
}

void MakeRoom(const std::string& folder) {
  if (FreeBytes(folder) < kReserveBytes) GiveUpReserve(folder);
}

}  // namespace bvhmill::server
