#pragma once

// SIGINT and SIGTERM as a CancelToken.

#include "bvhmill/base/cancel.h"

namespace bvhmill::client {

// From now on the first of these signals cancels the token that is returned.
// One that comes more than a second later quits at once with status 130;
// earlier ones change nothing, so that a run has the time to clean up. A signal
// that was ignored when the program started stays ignored; SIGPIPE and SIGXFSZ
// are ignored, too, so that a write to a closed pipe, or beyond a limit, is an
// error like others. Call once, in main.
CancelToken* CatchSignals();

}  // namespace bvhmill::client
