#pragma once

// A file of this process that has no name in any folder.

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace bvhmill::server {

// Who opens its path reads what was put last, whole: never some of the one and
// some of the other.
class MemoryFile {
 public:
  MemoryFile() = default;
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  // RESOURCE_EXHAUSTED if the system has no room; it is as it was then.
  absl::Status Put(std::string_view bytes);

  // Valid from the first Put on, the same as long as it lives.
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  int fd_ = -1;
};

}  // namespace bvhmill::server
