#pragma once

// The reason and the metadata of errors, as tests write and compare them.

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "bvhmill/base/status.h"

namespace bvhmill::testing {

struct ErrorParts {
  std::string reason;
  // See MetadataOf; sorted where it was read from a status.
  ErrorArgs metadata;

  bool operator==(const ErrorParts&) const = default;
};

inline std::string ReasonOf(const absl::Status& status) {
  return CallErrorOf(status).reason;
}

inline ErrorParts PartsOf(const absl::Status& status) {
  const CallError error = CallErrorOf(status);
  ErrorParts parts{error.reason, bvhmill::MetadataOf(error)};
  std::sort(parts.metadata.begin(), parts.metadata.end());
  return parts;
}

// The value of `name` in the metadata of `status`; empty if there is none.
inline std::string MetadataOf(const absl::Status& status,
                              std::string_view name) {
  for (const auto& [key, value] : PartsOf(status).metadata) {
    if (key == name) return value;
  }
  return "";
}

// `status` with these parts.
inline absl::Status WithParts(const absl::Status& status, ErrorParts parts) {
  CallError error = CallErrorOf(status);
  if (parts == ErrorParts()) return status;
  const std::string field = error.field;
  error.reason = std::move(parts.reason);
  SetMetadata(std::move(parts.metadata), &error);
  if (error.field.empty()) error.field = field;
  return MakeCallError(std::move(error));
}

}  // namespace bvhmill::testing
