#pragma once

// The structured error of a call, inside an absl::Status. It is made where the
// cause is known, and the status carries it through every layer. The edge of
// the program turns it into a message of the API, a line of text or an exit
// code. No layer parses the text of a message.
//
//   return MakeCallError({.code = absl::StatusCode::kFailedPrecondition,
//                         .reason = std::string(kFrameRateUnknown),
//                         .field = "options.edits.fps",
//                         .message = "the clip states no frame time"});
//   ...
//   if (CallErrorOf(status).reason == kFrameRateUnknown) ...
//
// A fault of a file is an Issue of a report. If it refuses the clip, the call
// error of the result repeats the first such issue.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"

namespace bvhmill {

// Names and values of the variable parts of a message.
using ErrorArgs = std::vector<std::pair<std::string, std::string>>;

struct CallError {
  absl::StatusCode code = absl::StatusCode::kOk;
  // Stable UPPER_SNAKE_CASE; an issue code if a file is at fault. Empty for a
  // status that MakeCallError did not make.
  std::string reason = {};
  // The path of the refused field of the request; empty if there is none.
  std::string field = {};
  // The limit that was exceeded and its value; empty and 0 if none was.
  std::string limit_name = {};
  int64_t limit = 0;
  // The other variable parts of the message, the most important first: an edge
  // may keep only the first ones.
  ErrorArgs args = {};
  // One sentence without the field.
  std::string message = {};

  bool operator==(const CallError&) const = default;
};

// The status that carries `error`. Its message is "field: message", or the
// message alone if there is no field. OK if the code is OK.
absl::Status MakeCallError(CallError error);

// The error that `status` carries. Only the code and the message are set if
// MakeCallError did not make the status.
CallError CallErrorOf(const absl::Status& status);

// The reason of every INVALID_ARGUMENT for a value that a field cannot have.
inline constexpr std::string_view kFieldInvalid = "FIELD_INVALID";
// The reason of every FAILED_PRECONDITION for a clip without a frame time.
inline constexpr std::string_view kFrameRateUnknown = "FRAME_RATE_UNKNOWN";
// The reason of every RESOURCE_EXHAUSTED for a limit on a request or clip.
inline constexpr std::string_view kLimitExceeded = "LIMIT_EXCEEDED";

// INVALID_ARGUMENT, FIELD_INVALID: `field` cannot have its value, for the
// reason in `message`.
absl::Status InvalidField(std::string_view field, std::string_view message);

// RESOURCE_EXHAUSTED, LIMIT_EXCEEDED. `message` must state the limit, too.
// `field` may be empty.
absl::Status LimitError(std::string_view limit_name, int64_t limit,
                        std::string_view message, std::string_view field = {});

// `status` with `path` before its field: "path.field", or `path` alone if
// `status` has no field. For a caller that knows the path of the message that a
// callee checked. `status` must not be OK.
absl::Status InsideField(std::string_view path, const absl::Status& status);

// The value of the arg `name` of `error`; empty if there is none.
std::string_view FindArg(const CallError& error, std::string_view name);

// All variable parts of `error` as one list: "field", "limit_name" and "limit",
// if they are set, then the args.
ErrorArgs MetadataOf(const CallError& error);
// Sets the field, the limit and the args of `error` from such a list.
void SetMetadata(ErrorArgs metadata, CallError* error);

// --- absl::Status and std::string_view. Only these functions convert between
// them: the absl package of Debian has its own absl::string_view, which does
// not convert from or to std::string_view implicitly. They compile with both
// kinds of absl.

// A status of `code` with `message`. kOk makes OK and drops the message.
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
