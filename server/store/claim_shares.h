#pragma once

// Divides the items of a claim among the callers.

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/base/status.h"

namespace bvhmill::server {

// Puts the callers, which are sorted, into the order of this claim. `*last` is
// the caller that was first at the last claim. The next one is first now, and
// becomes `*last`.
inline void TakeTurns(std::string* last, std::vector<std::string>* callers) {
  if (callers->empty()) return;
  const auto first = std::upper_bound(callers->begin(), callers->end(), *last);
  std::rotate(callers->begin(), first, callers->end());
  *last = callers->front();
}

// Removes the callers that are in `without`.
inline void Leave(const std::set<std::string>& without,
                  std::vector<std::string>* callers) {
  std::erase_if(*callers, [&](const std::string& caller) {
    return without.contains(caller);
  });
}

// Claims up to `limit` items, so that callers with waiting items get equal
// shares. Calls `claim(caller, share)`, which must add up to `share` items to
// `*items`; returns its first error.
template <typename Items, typename Claim>
absl::Status ClaimShares(std::vector<std::string> callers, int64_t limit,
                         Items* items, const Claim& claim) {
  while (!callers.empty()) {
    // Callers that got all of their share, and may want more.
    std::vector<std::string> still;
    const int64_t open = limit - static_cast<int64_t>(items->size());
    const int64_t share =
        std::max<int64_t>(open / static_cast<int64_t>(callers.size()), 1);
    for (const std::string& caller : callers) {
      const auto size = static_cast<int64_t>(items->size());
      if (size >= limit) return absl::OkStatus();
      BVHMILL_RETURN_IF_ERROR(claim(caller, share));
      const auto got = static_cast<int64_t>(items->size()) - size;
      if (got == share) still.push_back(caller);
    }
    callers = std::move(still);
  }
  return absl::OkStatus();
}

}  // namespace bvhmill::server
