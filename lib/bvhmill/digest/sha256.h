#pragma once

// SHA-256, by OpenSSL. A library of its own: only programs that name bytes by
// their digest need OpenSSL.

#include <memory>
#include <string>
#include <string_view>

namespace bvhmill {

// Not thread-safe. Without memory the digest is empty, which equals that of no
// bytes.
class Sha256 {
 public:
  Sha256();
  Sha256(Sha256&& other) noexcept;
  Sha256& operator=(Sha256&& other) noexcept;
  ~Sha256();

  void Add(std::string_view bytes);
  // The digest of all that was added, as 64 hexadecimal digits. Call once.
  std::string Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The digest of `bytes`.
std::string Sha256Of(std::string_view bytes);

// True if `word` is a digest as Finish writes it.
bool IsSha256(std::string_view word);

}  // namespace bvhmill
