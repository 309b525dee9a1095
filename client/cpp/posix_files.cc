#include "client/cpp/posix_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "bvhmill/base/status.h"

namespace bvhmill::client {
namespace {

absl::Status CannotRead(const std::string& path, const std::string& why) {
  return MakeStatus(absl::StatusCode::kInvalidArgument,
                    "cannot read " + path + ": " + why);
}

}  // namespace

UniqueFd& UniqueFd::operator=(UniqueFd&& other) noexcept {
  if (this != &other) {
    Close();
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

int UniqueFd::Close() {
  if (fd_ < 0) return 0;
  // Not tried again when interrupted: on Linux the descriptor is gone by then.
  const int result = close(std::exchange(fd_, -1));
  return result < 0 && errno != EINTR ? errno : 0;
}

std::string ErrnoText(int error) {
  return std::generic_category().message(error);
}

int WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<size_t>(written));
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

absl::StatusOr<std::string> ReadSmallFile(const std::string& path,
                                          size_t max_bytes) {
  const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return CannotRead(path, ErrnoText(errno));
  std::string content(max_bytes + 1, '\0');
  size_t size = 0;
  while (size < content.size()) {
    const ssize_t got =
        read(fd.get(), content.data() + size, content.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return CannotRead(path, ErrnoText(errno));
    if (got == 0) break;
    size += static_cast<size_t>(got);
  }
  if (size > max_bytes) {
    return CannotRead(
        path, "it has more than " + std::to_string(max_bytes) + " bytes");
  }
  content.resize(size);
  return content;
}

}  // namespace bvhmill::client
