#pragma once

// SHA-256, by OpenSSL.

#include <openssl/evp.h>

#include <memory>
#include <string>
#include <string_view>

namespace bvhmill::client {

// Not thread-safe. Throws std::bad_alloc without memory.
class Sha256 {
 public:
  Sha256();

  void Add(std::string_view bytes);
  // The digest of all that was added, as 64 hexadecimal digits. Call once.
  std::string Finish();

 private:
  struct Free {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  std::unique_ptr<EVP_MD_CTX, Free> context_;
};

}  // namespace bvhmill::client
