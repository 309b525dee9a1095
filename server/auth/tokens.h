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
#include "server/app/file_watch.h"
#include "server/auth/caller.h"

namespace bvhmill::server {

using TokenDigest = std::array<uint8_t, 32>;

struct Token {
  TokenDigest digest;
  std::shared_ptr<const Caller> caller;
};

TokenDigest DigestOf(std::string_view bytes);

// Makes a line of a token file: it gives `token` the name `name` and the scopes
// read, convert and jobs. INVALID_ARGUMENT if the name or the token is
// malformed.
absl::Status HashToken(std::string_view name, std::string_view token,
                       std::string* line);

// Parses `text`, the content of the file `path`, and appends to `tokens`. A
// line is NAME:SHA256HEX[:SCOPES[:QUOTAS]], a plain token, a comment that
// begins with #, or empty. Without SCOPES a token has read, convert and jobs.
// The name of a plain token is token-HEX, with the first 12 digits of its
// SHA-256. INVALID_ARGUMENT "PATH:LINE: why" for a malformed line. A file
// without any token is INVALID_ARGUMENT, too: it would admit no caller. So is a
// plain token that no header can have, such as the zero bytes of a file whose
// content is lost.
absl::Status ParseTokens(std::string_view path, std::string_view text,
                         std::vector<Token>* tokens);

// The tokens of a file that may change. Thread-safe.
class TokenStore {
 public:
  // An empty path: calls need no token. INVALID_ARGUMENT if the file cannot be
  // used. Waits for a pipe: CANCELLED, see ReadWhole.
  static absl::Status Open(const std::string& path,
                           std::unique_ptr<TokenStore>* store);

  // The caller that owns `token`; null if no caller does. Takes the same time
  // for every token. REQUIRES: needs_token().
  std::shared_ptr<const Caller> Find(std::string_view token) const;
  // The caller with this name; null if there is none. If several tokens have
  // this name, the first one of the file.
  std::shared_ptr<const Caller> FindName(std::string_view name) const;
  bool needs_token() const { return !path_.empty(); }
  // Changes each time the file is read again.
  int64_t version() const { return version_.load(); }

  // Reads the file again; does nothing without a file. On an error, which is
  // one of Open, the tokens stay as they were. Waits for nothing.
  absl::Status Reload();

 private:
  explicit TokenStore(std::string path) : path_(std::move(path)) {}
  absl::Status Read(PipeWait wait);

  const std::string path_;
  mutable std::mutex mutex_;
  std::shared_ptr<const std::vector<Token>> tokens_;
  std::atomic<int64_t> version_ = 0;
};

}  // namespace bvhmill::server
