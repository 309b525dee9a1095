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
  // Turned away, and told why and when to come again.
  std::atomic<int64_t> refused = 0;
  // Given up by the client, which then hears no more of its clips.
  std::atomic<int64_t> given_up = 0;

  // A clip or call that got no answer, or one that does not say why.
  void Lose(const std::string& what) { Note("lost", what, &lost_); }
  // An answer that is not that of the library.
  void Miss(const std::string& what) { Note("wrong", what, &wrong_); }

  int64_t lost() const { return lost_; }
  int64_t wrong() const { return wrong_; }

 private:
  // Says the first few of a kind on stderr.
  void Note(const char* kind, const std::string& what,
            std::atomic<int64_t>* count);

  std::atomic<int64_t> lost_ = 0;
  std::atomic<int64_t> wrong_ = 0;
  std::mutex mutex_;
};

}  // namespace bvhmill::bench
