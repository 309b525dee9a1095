#pragma once

// Converters for programs whose threads come and go.

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "bvhmill/pipeline/convert.h"

namespace bvhmill {

// Keeps converters that are not in use, with their memory, so that a batch of
// clips takes its memory once. Thread-safe.
class ConverterPool {
 public:
  // A converter goes to the pool only if no more than kMaxKept converters with
  // kMaxKeptBytes of memory are there then.
  static constexpr size_t kMaxKept = 8;
  static constexpr size_t kMaxKeptBytes = size_t{128} << 20;

  explicit ConverterPool(Parallelism parallelism);
  // All leases must have ended.
  ~ConverterPool();
  ConverterPool(const ConverterPool&) = delete;
  ConverterPool& operator=(const ConverterPool&) = delete;

  // A converter that is the caller's alone until the lease ends, in any thread.
  class Lease {
   public:
    explicit Lease(ConverterPool* pool);
    ~Lease();
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    Converter* operator->() const { return converter_.get(); }
    Converter& operator*() const { return *converter_; }

   private:
    ConverterPool& pool_;
    std::unique_ptr<Converter> converter_;
  };

 private:
  std::unique_ptr<Converter> Take();
  void Keep(std::unique_ptr<Converter> converter);

  const Parallelism parallelism_;
  std::mutex mutex_;
  // The last one was used last: its memory is nearest.
  std::vector<std::unique_ptr<Converter>> free_;
  // Bytes that the free converters keep.
  size_t bytes_ = 0;
};

}  // namespace bvhmill
