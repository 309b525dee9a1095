#pragma once

// The converters of the server process.

#include "bvhmill/pipeline/converter_pool.h"

namespace bvhmill::server {

// The pool that all calls and streams take their converters from. A long clip
// is helped by the idle threads of the server's workers. Thread-safe.
ConverterPool* Converters();

}  // namespace bvhmill::server
