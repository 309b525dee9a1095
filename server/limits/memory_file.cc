#include "server/limits/memory_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bvhmill/base/status.h"

namespace bvhmill::server {
namespace {

bool WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

}  // namespace

MemoryFile::~MemoryFile() {
  if (fd_ >= 0) close(fd_);
}

absl::Status MemoryFile::Put(std::string_view bytes) {
  const int fresh = memfd_create("bvhmilld", MFD_CLOEXEC);
  const bool is_written = fresh >= 0 && WriteAll(fresh, bytes);
  if (is_written && fd_ < 0) {
    fd_ = fresh;
    return absl::OkStatus();
  }
  // The file number stays the same; its file is replaced at once.
  const bool is_put = is_written && dup3(fresh, fd_, O_CLOEXEC) >= 0;
  if (fresh >= 0) close(fresh);
  if (is_put) return absl::OkStatus();
  return MakeStatus(absl::StatusCode::kResourceExhausted,
                    "the system has no room for a file in memory");
}

}  // namespace bvhmill::server
