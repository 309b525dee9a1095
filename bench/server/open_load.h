#pragma once

// Open load: calls begin at a fixed rate, also while earlier calls still run.

#include <cstdint>
#include <string>

#include "bvhmill/v1/clip_service.pb.h"

namespace bvhmill::bench {

struct Load {
  // Calls that were answered, a second.
  double good_per_s = 0;
  // Calls begun per second: below the requested rate if the machine is too
  // slow.
  double begun_per_s = 0;
  // Times of answered calls, from begin to end.
  double p50_ms = 0;
  double p99_ms = 0;
  // Times of answered calls as the server states them, queue included.
  double p99_server_ms = 0;
  int64_t refused = 0;
  int64_t lost = 0;
};

// Sends `request` `rate` times a second from one thread over four connections;
// two threads of gRPC take the answers. Blocks until all have come.
Load CallAtRate(const std::string& address,
                const v1::ConvertClipRequest& request, double rate,
                double seconds);

// As CallAtRate, but keeps `calls` calls in flight: one that ends is replaced.
Load CallInTurn(const std::string& address,
                const v1::ConvertClipRequest& request, int calls,
                double seconds);

}  // namespace bvhmill::bench
