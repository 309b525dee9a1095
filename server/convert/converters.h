#pragma once

// The converters of the server process.

#include "bvhmill/pipeline/converter_pool.h"

namespace bvhmill::server {

// The pool that all calls and streams take their converters from. Idle threads
// of the workers help with a long clip. Thread-safe. The pool lives until the
// process ends.
ConverterPool* Converters();

}  // namespace bvhmill::server
