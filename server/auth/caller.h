#pragma once

// Who calls, and what they may.

#include <cstdint>
#include <memory>
#include <string>

namespace bvhmill::server {

// What a token allows; see docs/operations.md.
enum class Scope : uint8_t {
  // To ask: ValidateClip.
  kRead = 1,
  // To have clips converted.
  kConvert = 2,
  kJobs = 4,
  kAdmin = 8,
};
inline constexpr uint8_t kAllScopes = 15;

struct Caller {
  // Of the token; empty where calls need none.
  std::string name;
  // Scope values, or-ed.
  uint8_t scopes = kAllScopes;
  // What of theirs may be in flight; 0 = what the server grants everyone.
  int64_t max_clips = 0;
  int64_t max_bytes = 0;

  bool May(Scope scope) const {
    return (scopes & static_cast<uint8_t>(scope)) != 0;
  }
};

// Whoever calls where calls need no token. Never freed, so nobody counts who
// holds it.
inline std::shared_ptr<const Caller> Nobody() {
  static const Caller& nobody = *new Caller;
  return {std::shared_ptr<const Caller>(), &nobody};
}

}  // namespace bvhmill::server
