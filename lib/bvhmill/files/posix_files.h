#pragma once

// Owns and closes POSIX file descriptors, writes to them, and returns the texts
// of errno values.

#include <string>
#include <string_view>
#include <utility>

namespace bvhmill {

// Owns a file descriptor; the destructor closes it.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept;
  ~UniqueFd() { Close(); }

  bool valid() const { return fd_ >= 0; }
  int get() const { return fd_; }
  // Closes the descriptor if there is one. Returns 0, or the errno of close(2),
  // such as ENOSPC if the disk is full.
  int Close();

 private:
  int fd_ = -1;
};

// The text of an errno, e.g. "No such file or directory".
std::string ErrnoText(int error);

// Writes all of `bytes`. Returns 0, or an errno; a part of the bytes may then
// be written.
int WriteAll(int fd, std::string_view bytes);

}  // namespace bvhmill
