#pragma once

// The memory of the process.

#include <cstdint>

namespace bvhmill::server {

// What is resident, in bytes; 0 if the system does not say. Any thread.
int64_t ResidentBytes();

// Gives back what the allocator keeps for later. Any thread; takes some
// milliseconds.
void ReleaseFreeMemory();

}  // namespace bvhmill::server
