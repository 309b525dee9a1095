#pragma once

// The structured error of a call. It is made where the cause is known, travels
// inside an absl::Status through every layer, and is read at the edge of the
// program, which turns it into a message of the API, a line of text or an exit
// code. No layer reads the text of a message to learn what went wrong.
//
//   return MakeCallError({.code = absl::StatusCode::kFailedPrecondition,
//                         .reason = "FRAME_RATE_UNKNOWN",
//                         .field = "options.edits.fps",
//                         .message = "the clip states no frame time"});
//
// A fault of a file is an Issue of a report; if it refuses the clip, the call
// error of the result repeats the first such issue.
//
// An error without a reason was not made here: it has a code and a message.

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
  // Stable UPPER_SNAKE_CASE; an issue code where a file is at fault. Empty for
  // statuses that were not made here.
  std::string reason = {};
  // The path of the field of the request that is refused; empty if none is.
  std::string field = {};
  // The limit that was exceeded and its value; empty and 0 if none was.
  std::string limit_name = {};
  int64_t limit = 0;
  // The other variable parts of the message, the most important first: an edge
  // may keep the first of many.
  ErrorArgs args = {};
  // One sentence without the field.
  std::string message = {};

  bool operator==(const CallError&) const = default;
};

// The status that carries `error`. Its message is "field: message", or the
// message alone if there is no field. OK if the code is OK.
absl::Status MakeCallError(CallError error);

// The error that `status` carries. A status that was made otherwise gives its
// code and message alone.
CallError CallErrorOf(const absl::Status& status);

// The reason of every INVALID_ARGUMENT for a value that a field cannot have.
inline constexpr std::string_view kFieldInvalid = "FIELD_INVALID";
// The reason of every FAILED_PRECONDITION for a clip without a frame time.
inline constexpr std::string_view kFrameRateUnknown = "FRAME_RATE_UNKNOWN";
// The reason of every RESOURCE_EXHAUSTED for a limit on a request or clip.
inline constexpr std::string_view kLimitExceeded = "LIMIT_EXCEEDED";

// INVALID_ARGUMENT, FIELD_INVALID: the value of `field` cannot be, as `message`
// says.
absl::Status InvalidField(std::string_view field, std::string_view message);

// RESOURCE_EXHAUSTED, LIMIT_EXCEEDED. `message` states the limit, too. `field`
// may be empty.
absl::Status LimitError(std::string_view limit_name, int64_t limit,
                        std::string_view message, std::string_view field = {});

// `status` with its field inside the message at `path`, for a caller that knows
// the path of what a callee has checked: the field is `path` alone if `status`
// has none. `status` must not be OK.
absl::Status InsideField(std::string_view path, const absl::Status& status);

// The value of the arg `name` of `error`; empty if there is none.
std::string_view FindArg(const CallError& error, std::string_view name);

// All variable parts of `error` for an edge that has one list for them:
// "field", "limit_name" and "limit", if they are set, then the args.
ErrorArgs MetadataOf(const CallError& error);
// Sets the field, the limit and the args of `error` from such a list.
void SetMetadata(ErrorArgs metadata, CallError* error);

}  // namespace bvhmill
