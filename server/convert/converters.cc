#include "server/convert/converters.h"

namespace bvhmill::server {

// Never destroyed: threads may end after static objects do.
ConverterPool* Converters() {
  static ConverterPool& pool = *new ConverterPool(Parallelism::CallersPool());
  return &pool;
}

}  // namespace bvhmill::server
