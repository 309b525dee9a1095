#pragma once

// The memory of the process: its use and its bounds.

#include <cstdint>
#include <string>

namespace bvhmill::server {

struct MemoryUse {
  // Bytes in physical memory, and bytes of address space; 0 if the system does
  // not say.
  int64_t resident = 0;
  int64_t address_space = 0;
};

// Any thread; takes no memory.
MemoryUse ReadMemoryUse();

// The same, resident bytes only.
int64_t ResidentBytes();

// Makes the allocator return large blocks to the system some time after they
// are free. By default it keeps blocks of 64 MB and more. Call before threads
// start.
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

// The least of all bounds; 0 = none is known.
int64_t LeastBound(const MemoryBounds& bounds);

// How much of its bounds the process uses: 1 = all of the tightest one; 0 if
// there are none.
double FullnessOf(const MemoryUse& use, const MemoryBounds& bounds);

// The least memory limit of the cgroups that /proc/self/cgroup, whose text is
// `cgroups`, names below the mount point `root`, and of those above them.
// Versions 1 and 2; 0 = no limit.
int64_t CgroupMemoryLimit(const std::string& cgroups, const std::string& root);

}  // namespace bvhmill::server
