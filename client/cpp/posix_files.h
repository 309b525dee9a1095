#pragma once

// What the client needs of POSIX files.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace bvhmill::client {

// Owns a file descriptor; closes it at the end.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept;
  ~UniqueFd() { Close(); }

  bool valid() const { return fd_ >= 0; }
  int get() const { return fd_; }
  // Returns 0 or the errno of close(2), which may say that the disk is full.
  int Close();

 private:
  int fd_ = -1;
};

// "No such file or directory" and so on.
std::string ErrnoText(int error);

// Writes all of `bytes`; returns 0 or an errno.
int WriteAll(int fd, std::string_view bytes);

// The whole of a file that is expected to be small. INVALID_ARGUMENT "cannot
// read PATH: why" also if it has more than `max_bytes`.
absl::StatusOr<std::string> ReadSmallFile(const std::string& path,
                                          size_t max_bytes);

}  // namespace bvhmill::client
