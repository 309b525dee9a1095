#pragma once

// A file in memory, without a name in any folder.

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace bvhmill::server {

// A reader that opens the path sees the bytes of one Put, never a mix of two.
// Thread-safe after the first Put.
class MemoryFile {
 public:
  MemoryFile() = default;
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  // Replaces the content. RESOURCE_EXHAUSTED if the system has no memory; the
  // content then stays as it was.
  absl::Status Put(std::string_view bytes);

  // Valid after the first Put, in this process; does not change.
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  int fd_ = -1;
};

}  // namespace bvhmill::server
