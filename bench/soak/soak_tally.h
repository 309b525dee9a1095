#pragma once

// The counts of a soak run.

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

namespace bvhmill::bench {

// Thread-safe.
class SoakTally {
 public:
  std::atomic<int64_t> calls = 0;
  // Results that came and were compared.
  std::atomic<int64_t> clips = 0;
  std::atomic<int64_t> sent_bytes = 0;
  std::atomic<int64_t> received_bytes = 0;
  // Refused with a reason and a time to try again.
  std::atomic<int64_t> refused = 0;
  // Cancelled by the client, which then gets no more answers.
  std::atomic<int64_t> given_up = 0;

  // Counts a clip or call without an answer, or with an error without a reason.
  void Lose(const std::string& what) { Note("lost", what, &lost_); }
  // Counts an answer that differs from the library's.
  void Miss(const std::string& what) { Note("wrong", what, &wrong_); }

  int64_t lost() const { return lost_; }
  int64_t wrong() const { return wrong_; }

 private:
  // Prints the first few of each kind on stderr.
  void Note(const char* kind, const std::string& what,
            std::atomic<int64_t>* count);

  std::atomic<int64_t> lost_ = 0;
  std::atomic<int64_t> wrong_ = 0;
  std::mutex mutex_;
};

}  // namespace bvhmill::bench
