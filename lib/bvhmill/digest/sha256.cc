#include "bvhmill/digest/sha256.h"

#include <openssl/sha.h>

#include <array>

namespace bvhmill {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";
constexpr size_t kDigestDigits = 64;

}  // namespace

struct Sha256::State {
  SHA256_CTX context = {};
};

// OpenSSL deprecates these functions in favour of ones that allocate memory and
// may fail.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

Sha256::Sha256() : state_(std::make_unique<State>()) {
  SHA256_Init(&state_->context);
}

Sha256::Sha256(Sha256&& other) noexcept = default;
Sha256& Sha256::operator=(Sha256&& other) noexcept = default;
Sha256::~Sha256() = default;

void Sha256::Add(std::string_view bytes) {
  SHA256_Update(&state_->context, bytes.data(), bytes.size());
}

std::string Sha256::Finish() {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest = {};
  SHA256_Final(digest.data(), &state_->context);
  std::string out;
  for (const unsigned char byte : digest) {
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

#pragma GCC diagnostic pop

std::string Sha256Of(std::string_view bytes) {
  Sha256 sha;
  sha.Add(bytes);
  return sha.Finish();
}

bool IsSha256(std::string_view word) {
  return word.size() == kDigestDigits &&
         word.find_first_not_of(kDigits) == std::string_view::npos;
}

}  // namespace bvhmill
