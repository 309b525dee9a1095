#include "bvhmill/pipeline/converter_pool.h"

#include <utility>

#include "bvhmill/pipeline/internal/converter_state.h"

namespace bvhmill {
namespace {

// The pool keeps no converter with a larger skeleton: joints and their names
// are many small blocks of memory.
constexpr int64_t kMaxSkeletonBytes = int64_t{1} << 20;

// Frees the memory of the last clip. False if the pool must not keep the
// converter.
bool Trim(Converter* converter) {
  Converter::State& state = *converter->state();
  if (!state.is_whole || state.workspace == nullptr) return false;
  state.workspace->ReleaseClip();
  return state.workspace->SkeletonBytesKept() <= kMaxSkeletonBytes;
}

}  // namespace

ConverterPool::ConverterPool(Parallelism parallelism)
    : parallelism_(parallelism) {
  free_.reserve(kMaxKept);
}
ConverterPool::~ConverterPool() = default;

std::unique_ptr<Converter> ConverterPool::Take() {
  {
    const std::scoped_lock lock(mutex_);
    if (!free_.empty()) {
      std::unique_ptr<Converter> converter = std::move(free_.back());
      free_.pop_back();
      bytes_ -= converter->KeptBytes();
      return converter;
    }
  }
  return std::make_unique<Converter>(parallelism_);
}

void ConverterPool::Keep(std::unique_ptr<Converter> converter) {
  if (!Trim(converter.get())) return;
  const size_t bytes = converter->KeptBytes();
  const std::scoped_lock lock(mutex_);
  if (free_.size() == kMaxKept || bytes_ + bytes > kMaxKeptBytes) return;
  bytes_ += bytes;
  free_.push_back(std::move(converter));
}

ConverterPool::Lease::Lease(ConverterPool* pool)
    : pool_(*pool), converter_(pool->Take()) {}
ConverterPool::Lease::~Lease() { pool_.Keep(std::move(converter_)); }

}  // namespace bvhmill
