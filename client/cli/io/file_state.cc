#include "client/cli/io/file_state.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/digest/sha256.h"
#include "client/cli/io/posix_files.h"

namespace bvhmill::client {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
// How long a file system may give changes the same time: one that counts whole
// seconds, and others, whose clock ticks at least a hundred times a second.
constexpr int64_t kCoarseTick = 2 * kSecond;
constexpr int64_t kTick = kSecond / 50;
constexpr size_t kReadBytes = size_t{256} << 10;

int64_t Now() {
  timespec now = {};
  clock_gettime(CLOCK_REALTIME, &now);
  return NanosecondsOf(now);
}

absl::Status Changed() {
  return MakeStatus(absl::StatusCode::kFailedPrecondition,
                    "changed while it was read");
}

bool HasSameTimes(const struct stat& info, const FileState& state) {
  const int64_t changed = NanosecondsOf(info.st_ctim);
  return info.st_size == state.size &&
         NanosecondsOf(info.st_mtim) == state.modified &&
         (state.changed == 0 || changed == state.changed);
}

absl::Status AddBytes(int fd, const CancelToken* cancel, Sha256* digest) {
  std::vector<char> buffer(kReadBytes);
  while (true) {
    if (IsCancelled(cancel)) {
      return MakeStatus(absl::StatusCode::kCancelled, "cancelled");
    }
    const ssize_t got = read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      return MakeStatus(absl::StatusCode::kFailedPrecondition,
                        "cannot be read: " + ErrnoText(errno));
    }
    if (got == 0) return absl::OkStatus();
    digest->Add({buffer.data(), static_cast<size_t>(got)});
  }
}

}  // namespace

int64_t NanosecondsOf(const timespec& time) {
  return time.tv_sec * kSecond + time.tv_nsec;
}

std::optional<FileState> StateOfFile(const std::string& path) {
  const int64_t now = Now();
  struct stat info = {};
  if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return std::nullopt;
  }
  std::error_code error;
  FileState state;
  state.path = std::filesystem::canonical(path, error).native();
  if (error) return std::nullopt;
  state.size = info.st_size;
  state.modified = NanosecondsOf(info.st_mtim);
  state.changed = NanosecondsOf(info.st_ctim);
  const bool is_coarse = info.st_mtim.tv_nsec == 0 && info.st_ctim.tv_nsec == 0;
  const int64_t tick = is_coarse ? kCoarseTick : kTick;
  if (state.changed > now - tick) state.changed = 0;
  return state;
}

absl::Status AddDigest(const CancelToken* cancel, FileState* state) {
  const UniqueFd fd(open(state->path.c_str(), O_RDONLY | O_CLOEXEC));
  Sha256 digest;
  if (!fd.valid()) return Changed();
  BVHMILL_RETURN_IF_ERROR(AddBytes(fd.get(), cancel, &digest));
  struct stat info = {};
  if (fstat(fd.get(), &info) != 0 || !HasSameTimes(info, *state)) {
    return Changed();
  }
  state->sha256 = digest.Finish();
  return absl::OkStatus();
}

absl::Status CheckUnchanged(const FileState& state) {
  struct stat info = {};
  const bool is_there = stat(state.path.c_str(), &info) == 0;
  return is_there && HasSameTimes(info, state) ? absl::OkStatus() : Changed();
}

absl::Status HasSameBytes(const FileState& then, const CancelToken* cancel,
                          FileState* now, bool* is_same) {
  *is_same = false;
  if (then.size != now->size) return absl::OkStatus();
  if (then.path == now->path && then.modified == now->modified &&
      then.changed == now->changed && then.changed != 0) {
    *is_same = true;
    return absl::OkStatus();
  }
  if (then.sha256.empty()) return absl::OkStatus();
  if (now->sha256.empty()) {
    const absl::Status status = AddDigest(cancel, now);
    if (absl::IsCancelled(status)) return status;
  }
  *is_same = !now->sha256.empty() && now->sha256 == then.sha256;
  return absl::OkStatus();
}

}  // namespace bvhmill::client
