#pragma once

// Files of POSIX: a descriptor with an owner, writing, and texts of errors.

#include <string>
#include <string_view>
#include <utility>

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

// The text of an errno, e.g. "No such file or directory".
std::string ErrnoText(int error);

// Writes all of `bytes`; returns 0 or an errno.
int WriteAll(int fd, std::string_view bytes);

}  // namespace bvhmill::client
