#pragma once

// A pool of converters, for programs that start and end threads.
//
//   ConverterPool pool(Parallelism::None());
//   ConverterPool::Lease converter(&pool);
//   ConvertResult result =
//       converter->Convert(text, options, &receiver, nullptr);

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "bvhmill/pipeline/convert.h"

namespace bvhmill {

// Keeps converters that are not in use, with their memory, so that a batch of
// clips allocates memory once. Thread-safe.
class ConverterPool {
 public:
  // The pool keeps at most kMaxKept converters with kMaxKeptBytes of memory. It
  // destroys others when their lease ends.
  static constexpr size_t kMaxKept = 8;
  static constexpr size_t kMaxKeptBytes = size_t{128} << 20;

  explicit ConverterPool(Parallelism parallelism);
  // Requires that all leases have ended.
  ~ConverterPool();
  ConverterPool(const ConverterPool&) = delete;
  ConverterPool& operator=(const ConverterPool&) = delete;

  // Exclusive use of one converter, in any thread, until the lease is
  // destroyed.
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
  // In the order of use. The last one is used next: its memory is likely to be
  // in the caches.
  std::vector<std::unique_ptr<Converter>> free_;
  // KeptBytes of all free converters.
  size_t bytes_ = 0;
};

}  // namespace bvhmill
