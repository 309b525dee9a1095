#pragma once

// The condition under which a waiting item may be claimed, in the SQL of all
// engines.

#include "server/store/job_store.h"

// `now` is a time in milliseconds. No item is told to wait for longer than
// kLongestBackoffMs. If the rest of its time is longer, the clock was set back
// since then; the item may begin at once.
#define BVHMILL_MAY_BEGIN(now) \
  "(not_before_ms <= " now " OR not_before_ms > " now " + 300000)"

namespace bvhmill::server {

static_assert(kLongestBackoffMs == 300'000, "as in BVHMILL_MAY_BEGIN");

}  // namespace bvhmill::server
