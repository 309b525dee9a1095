#pragma once

// Converts between std::string_view and the string type of absl::Status. These
// functions are the only place that does so. The absl package of Debian has its
// own absl::string_view, which does not convert from or to std::string_view
// implicitly. This code compiles with both kinds of absl.

#include <string_view>

#include "absl/status/status.h"

namespace bvhmill {

// A status of `code` with `message`; kOk gives OK and drops the message.
inline absl::Status MakeStatus(absl::StatusCode code,
                               std::string_view message) {
  return {code, {message.data(), message.size()}};
}

// The message of `status`; valid while `status` lives.
inline std::string_view MessageOf(const absl::Status& status) {
  return {status.message().data(), status.message().size()};
}

}  // namespace bvhmill

// Returns from the calling function if `expression` is not OK.
#define BVHMILL_RETURN_IF_ERROR(expression)                                 \
  do {                                                                      \
    if (absl::Status bvhmill_status = (expression); !bvhmill_status.ok()) { \
      return bvhmill_status;                                                \
    }                                                                       \
  } while (false)
