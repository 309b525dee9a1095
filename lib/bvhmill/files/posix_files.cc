#include "bvhmill/files/posix_files.h"

#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace bvhmill {

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

}  // namespace bvhmill
