#pragma once

// Bounds the rate of log lines.

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace bvhmill::server {

// A token bucket for each kind of line: `burst` lines at once, and then one
// more each second. Counts the lines that it holds back. Thread-safe.
class LineRate {
 public:
  using Clock = std::chrono::steady_clock;

  explicit LineRate(int burst) : burst_(burst) {}

  // True if a line of `kind` may be written now. All kinds after the first
  // kMaxKinds count as one.
  bool Allow(std::string_view kind, Clock::time_point now);

  // The kinds of lines that were held back, and how many lines, since they were
  // last taken.
  struct HeldBack {
    std::string kind;
    int64_t lines = 0;
  };
  std::vector<HeldBack> Take();

  static constexpr size_t kMaxKinds = 256;

 private:
  struct Bucket {
    // Lines that may be written, as of `at`.
    double lines = 0;
    Clock::time_point at;
    int64_t held_back = 0;
  };

  Bucket& BucketOf(std::string_view kind, Clock::time_point now);

  const double burst_;
  std::mutex mutex_;
  std::map<std::string, Bucket, std::less<>> buckets_;
};

}  // namespace bvhmill::server
