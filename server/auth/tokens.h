#pragma once

// The tokens that calls must show: a file of the operator, read again when it
// changes. The server keeps only digests of the tokens.
//
//   std::unique_ptr<TokenStore> tokens;
//   BVHMILL_RETURN_IF_ERROR(TokenStore::Open("tokens.txt", &tokens));
//   const std::shared_ptr<const Caller> caller = tokens->Find(token);

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "server/app/file_watch.h"
#include "server/auth/caller.h"

namespace bvhmill::server {

// The SHA-256 of a token.
using TokenDigest = std::array<uint8_t, 32>;

struct Token {
  TokenDigest digest;
  std::shared_ptr<const Caller> caller;
};

// See the top of the file. Thread-safe.
class TokenStore {
 public:
  // Reads the file `path`; if that is empty, calls need no token.
  // INVALID_ARGUMENT if the file cannot be read, or as for ParseTokens. Waits
  // for the bytes of a pipe, see ReadWhole.
  static absl::Status Open(const std::string& path,
                           std::unique_ptr<TokenStore>* store);

  // The caller that owns `token`; null if there is none. Constant time for
  // every token. Requires that needs_token() is true.
  std::shared_ptr<const Caller> Find(std::string_view token) const;
  // The caller with this name, from the first such line of the file; null if
  // there is none.
  std::shared_ptr<const Caller> FindName(std::string_view name) const;
  // The names of all callers; one empty name if calls need no token.
  std::set<std::string> Names() const;
  bool needs_token() const { return !path_.empty(); }
  // Grows each time the file is read.
  int64_t version() const { return version_.load(); }

  // Reads the file again; does nothing without a file. After an error, which is
  // one of Open, the tokens stay as they were. Does not wait for a pipe:
  // CANCELLED.
  absl::Status Reload();

 private:
  explicit TokenStore(std::string path) : path_(std::move(path)) {}
  absl::Status Read(PipeWait wait);

  const std::string path_;
  mutable std::mutex mutex_;
  std::shared_ptr<const std::vector<Token>> tokens_;
  std::atomic<int64_t> version_ = 0;
};

// The SHA-256 of `bytes`.
TokenDigest DigestOf(std::string_view bytes);

// Makes a line of a token file for `token`, with the name `name` and the scopes
// read, convert and jobs. INVALID_ARGUMENT if the name or the token is
// malformed.
absl::Status HashToken(std::string_view name, std::string_view token,
                       std::string* line);

// Parses `text`, the content of the file `path`, and appends to `tokens`. A
// line is NAME:SHA256HEX[:SCOPES[:QUOTAS]], a plain token, empty, or a comment
// that begins with #. A token without SCOPES has the scopes read, convert and
// jobs. QUOTAS are clips=N,bytes=N,items=N,data=N, of which some may be
// missing; numbers of bytes may have units: see bvhmill/settings/amounts.h. The
// name of a plain token is token-HEX, with the first 12 digits of its SHA-256.
//
// INVALID_ARGUMENT:
//   - "PATH:LINE: why" for a malformed line, which includes a plain token that
//     no header can contain, such as the zero bytes of a file whose content is
//     lost;
//   - a file without any token, which would admit no caller.
absl::Status ParseTokens(std::string_view path, std::string_view text,
                         std::vector<Token>* tokens);

}  // namespace bvhmill::server
