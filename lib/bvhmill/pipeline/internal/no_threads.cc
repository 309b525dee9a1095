// In place of threads.cc and the pools, without threads.

#include <memory>

#include "bvhmill/base/parallel.h"
#include "bvhmill/pipeline/internal/converter_state.h"

namespace bvhmill {

std::unique_ptr<Parallel> MakeParallel(const Parallelism& /*parallelism*/) {
  return std::make_unique<OneThread>();
}

}  // namespace bvhmill
