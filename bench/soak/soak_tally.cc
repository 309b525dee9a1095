#include "bench/soak/soak_tally.h"

#include <iostream>

namespace bvhmill::bench {

void SoakTally::Note(const char* kind, const std::string& what,
                     std::atomic<int64_t>* count) {
  constexpr int kSaid = 10;
  const std::lock_guard lock(mutex_);
  if (++*count <= kSaid) std::cerr << kind << ": " << what << "\n";
}

}  // namespace bvhmill::bench
