#pragma once

// SHA-256, by OpenSSL. The state of an unfinished digest can be saved and
// restored, so that an upload can resume.
//
//   Sha256 sha;
//   while (NextBytes(&bytes)) sha.Add(bytes);
//   const std::string digest = sha.Finish();
//
// A separate library: only programs that name bytes by their digest need
// OpenSSL.

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
  // The digest of all added bytes, as 64 hexadecimal digits in lower case. Call
  // once.
  std::string Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The digest of `bytes`.
std::string Sha256Of(std::string_view bytes);

// True if `word` has the form of a result of Finish.
bool IsSha256(std::string_view word);

}  // namespace bvhmill
