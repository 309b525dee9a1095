#pragma once

// A caller: the owner of a token, with its rights and quotas.
//
//   const std::shared_ptr<const Caller> caller = tokens.Find(token);
//   if (caller != nullptr && caller->May(Scope::kConvert)) ...

#include <cstdint>
#include <memory>
#include <string>

namespace bvhmill::server {

// Rights of a token; see docs/operations.md.
enum class Scope : uint8_t {
  // Calls that only read and check clips: ValidateClip.
  kRead = 1,
  // Calls that convert clips.
  kConvert = 2,
  // Calls about jobs and blobs.
  kJobs = 4,
  // Beside kJobs: the jobs and the usage of all callers.
  kAdmin = 8,
};
inline constexpr uint8_t kAllScopes = 15;

struct Caller {
  // The name of the token; empty if calls need no token.
  std::string name;
  // The bits of Scope.
  uint8_t scopes = kAllScopes;
  // Quotas on clips and bytes in flight; 0 = the limits of the server.
  int64_t max_clips = 0;
  int64_t max_bytes = 0;
  // Quotas on unfinished items of jobs and on bytes of blobs; 0 = the limits of
  // the server.
  int64_t max_items = 0;
  int64_t max_data_bytes = 0;

  bool May(Scope scope) const {
    return (scopes & static_cast<uint8_t>(scope)) != 0;
  }
};

// The caller if calls need no token. It is never freed, so the pointer counts
// no owners.
inline std::shared_ptr<const Caller> AnonymousCaller() {
  static const Caller& caller = *new Caller;
  return {std::shared_ptr<const Caller>(), &caller};
}

}  // namespace bvhmill::server
