#pragma once

// When an item that waits may be claimed, in the SQL of all engines.

#include "server/store/job_store.h"

// `now` is a time in milliseconds. No item is told to wait for longer than
// kLongestBackoffMs: one that should wait for more was told so before the clock
// was set back, and does not wait until the clock has caught up.
#define BVHMILL_MAY_BEGIN(now) \
  "(not_before_ms <= " now " OR not_before_ms > " now " + 300000)"

namespace bvhmill::server {

static_assert(kLongestBackoffMs == 300'000, "as in BVHMILL_MAY_BEGIN");

}  // namespace bvhmill::server
