#pragma once

// SIGINT and SIGTERM as a CancelToken.

#include "bvhmill/base/cancel.h"

namespace bvhmill::client {

// Installs the handlers and returns a token. The first signal cancels the
// token. A signal more than one second later ends the program at once, with
// status 130; a signal before that is ignored, so that the run can clean up.
//
// A signal that was ignored when the program started stays ignored. SIGPIPE and
// SIGXFSZ are ignored, so that a write to a closed pipe or beyond a file size
// limit returns an error. Call once, in main.
CancelToken* CatchSignals();

}  // namespace bvhmill::client
