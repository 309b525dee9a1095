#pragma once

// The operator new of the programs that are linked with this: it counts bytes.

#include <cstdint>

namespace bvhmill::fuzz {

// Bytes that are taken and not freed, of all threads.
int64_t LiveBytes();
// The most that there were since ResetPeak.
int64_t PeakBytes();
void ResetPeak();

}  // namespace bvhmill::fuzz
