#pragma once

// The memory of the process: how much it uses, how much it may use, and how to
// return free memory to the system. MemoryFile and StreamMemory are two kinds
// of memory that the server itself counts.
//
//   const double fullness = FullnessOf(ReadMemoryUse(), ReadMemoryBounds());
//   if (fullness > 0.85) ReleaseFreeMemory();

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "bvhmill/base/limits.h"

namespace bvhmill::server {

struct MemoryUse {
  // Bytes in physical memory, and bytes of address space; 0 if unknown.
  int64_t resident = 0;
  int64_t address_space = 0;
};

// Any thread. Allocates no memory. Cost: three system calls.
MemoryUse ReadMemoryUse();

// The resident bytes of ReadMemoryUse.
int64_t ResidentBytes();

// Makes TBB's allocator return large blocks to the system some time after they
// are free. By default it keeps free blocks of 64 MB and more. Call it before
// threads start. Does nothing if the program uses another allocator.
void ReturnLargeBlocks();

// Returns the free memory of the allocator to the system. Any thread; takes
// some milliseconds.
void ReleaseFreeMemory();

// The bounds on memory; 0 = not limited or not known.
struct MemoryBounds {
  // The lesser of the machine's physical memory and the limits of the cgroups
  // that the process is in.
  int64_t resident = 0;
  // RLIMIT_AS.
  int64_t address_space = 0;
};

// Reads the bounds from the system. Cost: a few small files.
MemoryBounds ReadMemoryBounds();

// The lesser of both bounds; 0 = none is known.
int64_t LeastBound(const MemoryBounds& bounds);

// The larger of the shares of both bounds that the process uses. 1 = all of a
// bound; 0 if there are no bounds.
double FullnessOf(const MemoryUse& use, const MemoryBounds& bounds);

// The least memory limit of the cgroups of a process and of all their parents;
// 0 = no limit. `cgroups` is the text of /proc/self/cgroup, `root` the folder
// where cgroups are mounted. Reads cgroups of versions 1 and 2.
int64_t CgroupMemoryLimit(const std::string& cgroups, const std::string& root);

// A file in memory, without a name in any folder. A reader that opens the path
// reads the bytes of one Put, never a mix of two. Thread-safe after the first
// Put.
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

// The bytes that all streams hold together: input that is not converted yet and
// output that is not written yet. Thread-safe. Takes no lock.
class StreamMemory {
 public:
  // 0 = no limit.
  explicit StreamMemory(int64_t max_bytes) : max_bytes_(max_bytes) {}

  // Counts `bytes` more, or fewer if the number is negative.
  void Add(int64_t bytes) { bytes_ += bytes; }
  int64_t bytes() const { return bytes_; }
  // True if the streams hold more than `max_bytes`. Each stream then makes
  // outputs only as fast as its peer takes them.
  bool IsCrowded() const { return Exceeds(bytes_, max_bytes_); }

 private:
  const int64_t max_bytes_;
  std::atomic<int64_t> bytes_{0};
};

}  // namespace bvhmill::server
