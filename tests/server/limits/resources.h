#pragma once

// Memory and limits of this process, which tests of a memory limit change.

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cstddef>
#include <cstdint>

namespace bvhmill::testing {

// Address space, without memory until it is filled.
class Space {
 public:
  explicit Space(int64_t bytes)
      : bytes_(static_cast<size_t>(bytes)),
        data_(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
    EXPECT_NE(data_, MAP_FAILED);
  }
  ~Space() { munmap(data_, bytes_); }
  Space(const Space&) = delete;
  Space& operator=(const Space&) = delete;

  // Gives memory to the first `bytes` of it.
  void Fill(int64_t bytes) {
    constexpr int64_t kPage = 4096;
    for (int64_t i = 0; i < bytes; i += kPage) {
      static_cast<volatile char*>(data_)[i] = 1;
    }
  }

 private:
  const size_t bytes_;
  void* const data_;
};

// While it lives, a resource of this process has another soft limit.
class SoftLimit {
 public:
  SoftLimit(__rlimit_resource resource, rlim_t value) : resource_(resource) {
    EXPECT_EQ(getrlimit(resource_, &before_), 0);
    rlimit changed = before_;
    changed.rlim_cur = value;
    EXPECT_EQ(setrlimit(resource_, &changed), 0);
  }
  ~SoftLimit() { EXPECT_EQ(setrlimit(resource_, &before_), 0); }
  SoftLimit(const SoftLimit&) = delete;
  SoftLimit& operator=(const SoftLimit&) = delete;

 private:
  const __rlimit_resource resource_;
  rlimit before_ = {};
};

}  // namespace bvhmill::testing
