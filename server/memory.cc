#include "server/memory.h"

#include <dlfcn.h>
#include <malloc.h>
#include <unistd.h>

#include <fstream>

namespace bvhmill::server {

int64_t ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  int64_t size = 0;
  int64_t resident = 0;
  statm >> size >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

void ReleaseFreeMemory() {
  // The program runs with TBB's allocator, tests may run without.
  using Command = int (*)(int, void*);
  constexpr int kCleanAllBuffers = 0;
  static const auto command = reinterpret_cast<Command>(
      dlsym(RTLD_DEFAULT, "scalable_allocation_command"));
  if (command != nullptr) command(kCleanAllBuffers, nullptr);
  malloc_trim(0);
}

}  // namespace bvhmill::server
