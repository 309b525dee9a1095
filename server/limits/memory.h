#pragma once

// The memory of the process: its use and its bounds.

#include <cstdint>
#include <string>

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
// are free. By default it keeps blocks of 64 MB and more. Call before threads
// start. Does nothing if the program uses another allocator.
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

// Reads them from the system. Cost: a few small files.
MemoryBounds ReadMemoryBounds();

// The lesser of both bounds; 0 = none is known.
int64_t LeastBound(const MemoryBounds& bounds);

// The share of a bound that the process uses: the larger one of the two shares.
// 1 = all of a bound. 0 if there are no bounds.
double FullnessOf(const MemoryUse& use, const MemoryBounds& bounds);

// The least memory limit of the cgroups of a process and of all their parents;
// 0 = no limit. `cgroups` is the text of /proc/self/cgroup, `root` the folder
// where cgroups are mounted. Reads cgroups of versions 1 and 2.
int64_t CgroupMemoryLimit(const std::string& cgroups, const std::string& root);

}  // namespace bvhmill::server
