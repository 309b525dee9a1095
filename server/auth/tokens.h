#pragma once

// The tokens that calls may show. Only their digests are kept.

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "server/auth/caller.h"

namespace bvhmill::server {

using Sha256 = std::array<uint8_t, 32>;

struct Token {
  Sha256 digest;
  std::shared_ptr<const Caller> caller;
};

Sha256 DigestOf(std::string_view bytes);

// A line of a token file that lets `token` in, as `name`, to read and convert.
// INVALID_ARGUMENT if either cannot be.
absl::Status HashToken(std::string_view name, std::string_view token,
                       std::string* line);

// Reads lines NAME:SHA256HEX[:SCOPES[:QUOTAS]], or plain tokens, of the file
// `path` that holds `text`. INVALID_ARGUMENT names the line that cannot be, or
// says that there is no token at all: no list would be an open door.
absl::Status ParseTokens(std::string_view path, std::string_view text,
                         std::vector<Token>* tokens);

// The tokens of a file, which may change. Thread-safe.
class TokenStore {
 public:
  // No path: calls need no token. NOT_FOUND or INVALID_ARGUMENT if the file
  // cannot be used.
  static absl::Status Open(const std::string& path,
                           std::unique_ptr<TokenStore>* store);

  // Who shows `token`; null if nobody known does. Takes the same time for each.
  std::shared_ptr<const Caller> Find(std::string_view token) const;
  bool needs_token() const { return !path_.empty(); }
  // Another one whenever the file was read again.
  int64_t version() const { return version_.load(); }

  // Reads the file again; what cannot be used changes nothing.
  absl::Status Reload();

 private:
  explicit TokenStore(std::string path) : path_(std::move(path)) {}

  const std::string path_;
  mutable std::mutex mutex_;
  std::shared_ptr<const std::vector<Token>> tokens_;
  std::atomic<int64_t> version_ = 0;
};

}  // namespace bvhmill::server
