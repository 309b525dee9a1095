#include "server/auth/tokens.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "bvhmill/base/limit_rows.h"
#include "bvhmill/base/status.h"
#include "bvhmill/settings/amounts.h"

namespace bvhmill::server {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";
// Scopes of a hashed line that states none.
constexpr uint8_t kUsualScopes = static_cast<uint8_t>(Scope::kRead) |
                                 static_cast<uint8_t>(Scope::kConvert) |
                                 static_cast<uint8_t>(Scope::kJobs);

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

bool IsName(std::string_view name) {
  constexpr size_t kMax = 64;
  return !name.empty() && name.size() <= kMax &&
         name.find_first_not_of(
             "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
             "abcdefghijklmnopqrstuvwxyz0123456789._-") ==
             std::string_view::npos;
}

// True if a header may contain all bytes of `token`.
bool IsBearer(std::string_view token) {
  return std::all_of(token.begin(), token.end(),
                     [](char c) { return c > ' ' && c <= '~'; });
}

bool ParseDigest(std::string_view hex, TokenDigest* digest) {
  if (hex.size() != 2 * digest->size()) return false;
  for (size_t i = 0; i < digest->size(); ++i) {
    const size_t high = kHex.find(hex[2 * i]);
    const size_t low = kHex.find(hex[2 * i + 1]);
    if (high == kHex.npos || low == kHex.npos) return false;
    (*digest)[i] = static_cast<uint8_t>(high * 16 + low);
  }
  return true;
}

bool ParseScopes(std::string_view text, uint8_t* scopes) {
  constexpr std::pair<std::string_view, Scope> kNames[] = {
      {"read", Scope::kRead},
      {"convert", Scope::kConvert},
      {"jobs", Scope::kJobs},
      {"admin", Scope::kAdmin}};
  *scopes = 0;
  for (const std::string_view word : Split(text, ',')) {
    const auto* const named =
        std::find_if(std::begin(kNames), std::end(kNames),
                     [&](const auto& pair) { return pair.first == word; });
    if (named == std::end(kNames)) return false;
    *scopes |= static_cast<uint8_t>(named->second);
  }
  return true;
}

struct Quota {
  std::string_view name;
  LimitUnit unit;
  // 0 = no quota.
  int64_t Caller::*value;
};

constexpr Quota kQuotas[] = {
    {"clips", LimitUnit::kCount, &Caller::max_clips},
    {"bytes", LimitUnit::kBytes, &Caller::max_bytes},
    {"items", LimitUnit::kCount, &Caller::max_items},
    {"data", LimitUnit::kBytes, &Caller::max_data_bytes}};

// Parses clips=N,bytes=N,items=N,data=N, of which some may be missing. Returns
// the error; empty = none.
std::string ParseQuotas(std::string_view text, Caller* caller) {
  constexpr LimitRange kRange = {1, kAnyLimit.most};
  for (const std::string_view word : Split(text, ',')) {
    const size_t equals = std::min(word.find('='), word.size());
    const std::string_view name = word.substr(0, equals);
    const Quota* const quota =
        std::find_if(std::begin(kQuotas), std::end(kQuotas),
                     [&](const Quota& row) { return row.name == name; });
    if (quota == std::end(kQuotas) || equals == word.size()) {
      return "has quotas other than clips=N,bytes=N,items=N,data=N";
    }
    int64_t* const value = &(caller->*quota->value);
    if (*value != 0) return "has the quota " + std::string(name) + " twice";
    const std::string why =
        ParseAmount(word.substr(equals + 1), quota->unit, kRange, value);
    if (!why.empty()) return "quota " + std::string(name) + ": " + why;
  }
  return "";
}

// Parses NAME:SHA256HEX[:SCOPES[:QUOTAS]]. Returns the error; empty = none.
std::string ParseHashed(std::string_view line, Token* token) {
  const std::vector<std::string_view> parts = Split(line, ':');
  Caller caller;
  caller.name = parts[0];
  caller.scopes = kUsualScopes;
  if (parts.size() > 4) return "has more than four parts";
  if (!IsName(parts[0])) return "has a name of other than letters, digits, ._-";
  if (!ParseDigest(parts[1], &token->digest)) {
    return "has no SHA-256 of 64 lower-case hexadecimal digits";
  }
  if (parts.size() > 2 && !ParseScopes(parts[2], &caller.scopes)) {
    return "has a scope other than read, convert, jobs, admin";
  }
  if (parts.size() > 3) {
    const std::string why = ParseQuotas(parts[3], &caller);
    if (!why.empty()) return why;
  }
  token->caller = std::make_shared<const Caller>(std::move(caller));
  return "";
}

std::string HexOf(const TokenDigest& digest) {
  std::string hex;
  for (const uint8_t byte : digest) {
    hex += kHex[byte / 16];
    hex += kHex[byte % 16];
  }
  return hex;
}

// The name comes from the digest, not from the line number: otherwise the jobs
// of a token that is removed would belong to the next token.
Token PlainToken(std::string_view line) {
  constexpr size_t kDigits = 12;
  const TokenDigest digest = DigestOf(line);
  Caller caller;
  caller.name = "token-" + HexOf(digest).substr(0, kDigits);
  caller.scopes = kUsualScopes;
  return {digest, std::make_shared<const Caller>(std::move(caller))};
}

}  // namespace

TokenDigest DigestOf(std::string_view bytes) {
  TokenDigest digest{};
  EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, EVP_sha256(),
             nullptr);
  return digest;
}

absl::Status HashToken(std::string_view name, std::string_view token,
                       std::string* line) {
  token = Trim(token);
  if (!IsName(name)) {
    return InvalidField("name", "is letters, digits, '.', '_' and '-'");
  }
  if (token.empty() || token.find_first_of(" \t\r\n") != token.npos) {
    return InvalidField("token", "is one word on stdin");
  }
  *line =
      std::string(name) + ":" + HexOf(DigestOf(token)) + ":read,convert,jobs";
  return absl::OkStatus();
}

absl::Status ParseTokens(std::string_view path, std::string_view text,
                         std::vector<Token>* tokens) {
  const auto fault = [&](const std::string& why) {
    return MakeStatus(absl::StatusCode::kInvalidArgument,
                      std::string(path) + why);
  };
  size_t number = 0;
  for (std::string_view line : Split(text, '\n')) {
    ++number;
    line = Trim(line);
    if (line.empty() || line.front() == '#') continue;
    // Bearer tokens contain no colons.
    if (line.find(':') == line.npos) {
      // The digest would reveal the token.
      if (TokenDigest digest; ParseDigest(line, &digest)) {
        return fault(":" + std::to_string(number) +
                     ": a digest without a name: NAME:SHA256");
      }
      if (!IsBearer(line)) {
        return fault(":" + std::to_string(number) +
                     ": is neither NAME:SHA256 nor one word of ASCII");
      }
      tokens->push_back(PlainToken(line));
      continue;
    }
    Token token;
    const std::string why = ParseHashed(line, &token);
    if (!why.empty()) return fault(":" + std::to_string(number) + ": " + why);
    tokens->push_back(std::move(token));
  }
  return tokens->empty() ? fault(" holds no token") : absl::OkStatus();
}

absl::Status TokenStore::Open(const std::string& path,
                              std::unique_ptr<TokenStore>* store) {
  std::unique_ptr<TokenStore> out(new TokenStore(path));
  BVHMILL_RETURN_IF_ERROR(out->Read(PipeWait::kUntilStop));
  *store = std::move(out);
  return absl::OkStatus();
}

std::shared_ptr<const Caller> TokenStore::FindName(
    std::string_view name) const {
  std::shared_ptr<const std::vector<Token>> tokens;
  {
    const std::lock_guard lock(mutex_);
    tokens = tokens_;
  }
  if (tokens == nullptr) return nullptr;
  for (const Token& known : *tokens) {
    if (known.caller->name == name) return known.caller;
  }
  return nullptr;
}

std::set<std::string> TokenStore::Names() const {
  if (!needs_token()) return {""};
  std::shared_ptr<const std::vector<Token>> tokens;
  {
    const std::lock_guard lock(mutex_);
    tokens = tokens_;
  }
  std::set<std::string> names;
  for (const Token& known : *tokens) names.insert(known.caller->name);
  return names;
}

std::shared_ptr<const Caller> TokenStore::Find(std::string_view token) const {
  std::shared_ptr<const std::vector<Token>> tokens;
  {
    const std::lock_guard lock(mutex_);
    tokens = tokens_;
  }
  const TokenDigest digest = DigestOf(token);
  std::shared_ptr<const Caller> found;
  for (const Token& known : *tokens) {
    if (CRYPTO_memcmp(known.digest.data(), digest.data(), digest.size()) == 0) {
      found = known.caller;
    }
  }
  return found;
}

absl::Status TokenStore::Reload() { return Read(PipeWait::kNone); }

absl::Status TokenStore::Read(PipeWait wait) {
  if (path_.empty()) return absl::OkStatus();
  std::string text;
  BVHMILL_RETURN_IF_ERROR(ReadWhole(path_, wait, &text));
  auto tokens = std::make_shared<std::vector<Token>>();
  BVHMILL_RETURN_IF_ERROR(ParseTokens(path_, text, tokens.get()));
  const std::lock_guard lock(mutex_);
  tokens_ = std::move(tokens);
  ++version_;
  return absl::OkStatus();
}

}  // namespace bvhmill::server
