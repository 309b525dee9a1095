#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

namespace bvhmill::testing {

// A folder whose files are in memory, with a slash; the folder for temporary
// files if there is none. Synchronizing it waits for no disk.
inline std::string MemoryFolder() {
  const std::string memory = "/dev/shm/";
  return access(memory.c_str(), W_OK) == 0 ? memory : ::testing::TempDir();
}

}  // namespace bvhmill::testing
