#include "bvhmill/settings/small_file.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "bvhmill/base/status.h"

namespace bvhmill {
namespace {

constexpr int kPollMilliseconds = 50;

absl::Status CannotRead(
    const std::string& name, const std::string& why,
    absl::StatusCode code = absl::StatusCode::kInvalidArgument) {
  return MakeStatus(code, "cannot read " + name + ": " + why);
}

std::string LastError() { return std::generic_category().message(errno); }

// Waits until `fd` can be read; false if `cancel` is cancelled and there are no
// bytes.
bool WaitForBytes(int fd, const CancelToken* cancel) {
  pollfd waiting = {fd, POLLIN, 0};
  while (true) {
    const bool is_last = IsCancelled(cancel);
    if (poll(&waiting, 1, is_last ? 0 : kPollMilliseconds) > 0) return true;
    if (is_last) return false;
  }
}

}  // namespace

absl::StatusOr<std::string> ReadSmallFile(int fd, const std::string& name,
                                          size_t max_bytes,
                                          const CancelToken* cancel) {
  std::string content;
  std::array<char, 64 << 10> piece;
  while (true) {
    if (!WaitForBytes(fd, cancel)) {
      return CannotRead(name, "no bytes came", absl::StatusCode::kCancelled);
    }
    const ssize_t got = read(fd, piece.data(), piece.size());
    if (got == 0) return content;
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) return CannotRead(name, LastError());
    content.append(piece.data(), static_cast<size_t>(got));
    if (content.size() > max_bytes) {
      return CannotRead(
          name, "it has more than " + std::to_string(max_bytes) + " bytes");
    }
  }
}

absl::StatusOr<std::string> ReadSmallFile(const std::string& path,
                                          size_t max_bytes,
                                          const CancelToken* cancel) {
  // O_NONBLOCK opens a pipe without a writer at once: only the wait for its
  // bytes can be cancelled.
  const int fd =
      open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return CannotRead(path, LastError());
  absl::StatusOr<std::string> content =
      ReadSmallFile(fd, path, max_bytes, cancel);
  close(fd);
  return content;
}

}  // namespace bvhmill
