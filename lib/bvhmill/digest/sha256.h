#pragma once

// SHA-256, by OpenSSL. A library of its own: only programs that name bytes by
// their digest need OpenSSL.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace bvhmill {

// Not thread-safe.
class Sha256 {
 public:
  Sha256();
  Sha256(Sha256&& other) noexcept;
  Sha256& operator=(Sha256&& other) noexcept;
  ~Sha256();

  void Add(std::string_view bytes);
  // The digest of all that was added, as 64 hexadecimal digits. Call once.
  std::string Finish();

  // The state is saved after a multiple of this number of bytes.
  static constexpr int64_t kBlockBytes = 64;
  // The state after all that was added, for Restore; empty if that is no
  // multiple of kBlockBytes.
  std::string Save() const;
  // Goes on where Save was called, after `bytes` bytes. False, and no change,
  // if `saved` is no such state.
  bool Restore(std::string_view saved, int64_t bytes);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The digest of `bytes`.
std::string Sha256Of(std::string_view bytes);

// True if `word` is a digest as Finish writes it.
bool IsSha256(std::string_view word);

}  // namespace bvhmill
