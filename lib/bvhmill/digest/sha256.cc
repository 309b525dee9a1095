#include "bvhmill/digest/sha256.h"

#include <openssl/evp.h>

#include <array>

namespace bvhmill {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";
constexpr size_t kDigestDigits = 64;

struct Free {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

}  // namespace

struct Sha256::State {
  std::unique_ptr<EVP_MD_CTX, Free> context{EVP_MD_CTX_new()};
  bool is_good = false;
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  EVP_MD_CTX* const context = state_->context.get();
  state_->is_good = context != nullptr &&
                    EVP_DigestInit_ex(context, EVP_sha256(), nullptr) == 1;
}

Sha256::Sha256(Sha256&& other) noexcept = default;
Sha256& Sha256::operator=(Sha256&& other) noexcept = default;
Sha256::~Sha256() = default;

void Sha256::Add(std::string_view bytes) {
  if (!state_->is_good) return;
  EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size());
}

std::string Sha256::Finish() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest = {};
  unsigned int size = 0;
  if (!state_->is_good) return "";
  EVP_DigestFinal_ex(state_->context.get(), digest.data(), &size);
  std::string out;
  for (unsigned int i = 0; i < size; ++i) {
    out += kDigits[digest[i] >> 4];
    out += kDigits[digest[i] & 15];
  }
  return out;
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
