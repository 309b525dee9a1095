#include "bvhmill/digest/sha256.h"

#include <openssl/sha.h>

#include <array>

namespace bvhmill {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";
constexpr size_t kDigestDigits = 64;
constexpr size_t kWordDigits = 8;

// The last `digits` digits of `value`.
std::string Hexadecimal(uint64_t value, size_t digits) {
  std::string out(digits, '0');
  for (size_t i = digits; i > 0; --i, value >>= 4) {
    out[i - 1] = kDigits[value & 15];
  }
  return out;
}

}  // namespace

struct Sha256::State {
  SHA256_CTX context = {};
};

// OpenSSL deprecates these functions in favour of ones that choose among
// engines. Only these give access to the state.
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
  for (const unsigned char byte : digest) out += Hexadecimal(byte, 2);
  return out;
}

#pragma GCC diagnostic pop

// The eight words between two blocks.
std::string Sha256::Save() const {
  if (state_->context.num != 0) return "";
  std::string out;
  for (const SHA_LONG word : state_->context.h) {
    out += Hexadecimal(word, kWordDigits);
  }
  return out;
}

bool Sha256::Restore(std::string_view saved, int64_t bytes) {
  if (!IsSha256(saved) || bytes < 0 || bytes % kBlockBytes != 0) return false;
  *this = Sha256();
  SHA256_CTX& context = state_->context;
  for (SHA_LONG& word : context.h) {
    word = static_cast<SHA_LONG>(
        std::stoul(std::string(saved.substr(0, kWordDigits)), nullptr, 16));
    saved.remove_prefix(kWordDigits);
  }
  const uint64_t bits = static_cast<uint64_t>(bytes) * 8;
  context.Nl = static_cast<SHA_LONG>(bits & 0xffffffff);
  context.Nh = static_cast<SHA_LONG>(bits >> 32);
  return true;
}

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
