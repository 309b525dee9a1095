#pragma once

// The operator new of the programs that are linked with this. Thread-safe.

#include <cstdint>

namespace bvhmill::testing {

// The number of allocations so far.
int64_t Allocations();
// The number of allocated bytes so far.
int64_t AllocatedBytes();

// While it lives, the next `count` allocations of any thread succeed, and all
// later ones fail. Only one may exist at a time.
class MemoryFor {
 public:
  explicit MemoryFor(int64_t count);
  ~MemoryFor();
  MemoryFor(const MemoryFor&) = delete;
  MemoryFor& operator=(const MemoryFor&) = delete;
};

}  // namespace bvhmill::testing
