#include "server/limits/memory.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string_view>

#include "bvhmill/base/status.h"

namespace bvhmill::server {
namespace {

// The lesser of two limits; 0 = no limit.
int64_t LesserLimit(int64_t a, int64_t b) {
  if (a <= 0) return std::max<int64_t>(b, 0);
  return b <= 0 ? a : std::min(a, b);
}

// The number in the file; 0 for the word "max", for a number too large to be a
// limit, and where there is no file.
int64_t ReadLimit(const std::string& path) {
  // Version 1 of cgroups states no limit as 0x7FFFFFFFFFFFF000.
  constexpr int64_t kNoLimit = int64_t{1} << 60;
  std::ifstream file(path);
  int64_t value = 0;
  return file >> value && value < kNoLimit ? value : 0;
}

// The least limit of the group at `path` below `root` and of its parents.
int64_t LeastOfGroup(const std::string& root, std::string path,
                     const char* file) {
  int64_t least = 0;
  while (true) {
    least = LesserLimit(least, ReadLimit(root + path + "/" + file));
    if (path.empty()) return least;
    const size_t slash = path.rfind('/');
    path.resize(slash == std::string::npos ? 0 : slash);
  }
}

bool HasWord(std::string_view list, std::string_view word) {
  std::istringstream words{std::string(list)};
  for (std::string one; std::getline(words, one, ',');) {
    if (one == word) return true;
  }
  return false;
}

int64_t PhysicalBytes() {
  const int64_t pages = sysconf(_SC_PHYS_PAGES);
  return pages <= 0 ? 0 : pages * sysconf(_SC_PAGESIZE);
}

std::string ReadText(const char* path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

MemoryUse ReadMemoryUse() {
  char text[64] = "";
  const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  const ssize_t got = read(file, text, sizeof text - 1);
  close(file);
  long long size = 0;
  long long resident = 0;
  if (got <= 0 || std::sscanf(text, "%lld %lld", &size, &resident) != 2) {
    return {};
  }
  const int64_t page = sysconf(_SC_PAGESIZE);
  return {resident * page, size * page};
}

int64_t ResidentBytes() { return ReadMemoryUse().resident; }

void ReturnLargeBlocks() {
  using Mode = int (*)(int, intptr_t);
  // TBBMALLOC_SET_HUGE_SIZE_THRESHOLD. A program may run without this
  // allocator.
  constexpr int kHugeSizeThreshold = 2;
  // No block is that large.
  constexpr intptr_t kHugeBlockBytes = intptr_t{1} << 40;
  const auto mode =
      reinterpret_cast<Mode>(dlsym(RTLD_DEFAULT, "scalable_allocation_mode"));
  if (mode != nullptr) mode(kHugeSizeThreshold, kHugeBlockBytes);
}

void ReleaseFreeMemory() {
  // The program runs with TBB's allocator; tests may run without it.
  using Command = int (*)(int, void*);
  constexpr int kCleanAllBuffers = 0;
  static const auto command = reinterpret_cast<Command>(
      dlsym(RTLD_DEFAULT, "scalable_allocation_command"));
  if (command != nullptr) command(kCleanAllBuffers, nullptr);
  malloc_trim(0);
}

// A line is NUMBER:CONTROLLERS:PATH; version 2 has no controllers there.
int64_t CgroupMemoryLimit(const std::string& cgroups, const std::string& root) {
  int64_t least = 0;
  std::istringstream lines(cgroups);
  for (std::string line; std::getline(lines, line);) {
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    std::string path = line.substr(second + 1);
    // A path outside the namespace of the process cannot be read.
    if (path == "/" || path.starts_with("/..")) path.clear();
    if (controllers.empty()) {
      least = LesserLimit(least, LeastOfGroup(root, path, "memory.max"));
    } else if (HasWord(controllers, "memory")) {
      least = LesserLimit(
          least, LeastOfGroup(root + "/memory", path, "memory.limit_in_bytes"));
    }
  }
  return least;
}

MemoryBounds ReadMemoryBounds() {
  MemoryBounds bounds;
  bounds.resident = LesserLimit(
      PhysicalBytes(),
      CgroupMemoryLimit(ReadText("/proc/self/cgroup"), "/sys/fs/cgroup"));
  rlimit space = {};
  if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) {
    bounds.address_space = static_cast<int64_t>(space.rlim_cur);
  }
  return bounds;
}

int64_t LeastBound(const MemoryBounds& bounds) {
  return LesserLimit(bounds.resident, bounds.address_space);
}

double FullnessOf(const MemoryUse& use, const MemoryBounds& bounds) {
  const auto part = [](int64_t used, int64_t bound) {
    return bound == 0 ? 0.0
                      : static_cast<double>(used) / static_cast<double>(bound);
  };
  return std::max(part(use.resident, bounds.resident),
                  part(use.address_space, bounds.address_space));
}

// MemoryFile.

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
