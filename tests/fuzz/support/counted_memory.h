#pragma once

// The operator new of the programs that are linked with this: it counts bytes.

#include <cstdint>

namespace bvhmill::fuzz {

// Allocated bytes that are not freed yet, of all threads.
int64_t LiveBytes();
// The largest value of them since ResetPeak.
int64_t PeakBytes();
void ResetPeak();

}  // namespace bvhmill::fuzz
