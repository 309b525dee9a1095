#pragma once

// Open load: calls begin at a fixed rate, also while earlier calls still run,
// as long as these are fewer than 1000.

#include <cstdint>
#include <string>

#include "bvhmill/v1/clip_service.pb.h"

namespace bvhmill::bench {

struct Load {
  // Answered calls, divided by the seconds in which calls began. Calls that are
  // answered after that time count, too.
  double good_per_s = 0;
  // Calls begun per second: lower than the requested rate if the machine is too
  // slow, or while 1000 calls are in flight.
  double begun_per_s = 0;
  // Times of answered calls, from begin to end.
  double p50_ms = 0;
  double p99_ms = 0;
  // Times of answered calls as the server states them, queue included.
  double p99_server_ms = 0;
  // Calls that ended with RESOURCE_EXHAUSTED.
  int64_t refused = 0;
  // Calls that ended with any other error.
  int64_t lost = 0;
};

// Sends `request` `rate` times a second from one thread over four connections;
// two threads of gRPC take the answers. Blocks until all have come. Returns an
// empty Load unless rate > 0.
Load CallAtRate(const std::string& address,
                const v1::ConvertClipRequest& request, double rate,
                double seconds);

// As CallAtRate, but keeps `calls` calls in flight: one that ends is replaced.
// Requires calls >= 1.
Load CallWithInFlight(const std::string& address,
                      const v1::ConvertClipRequest& request, int calls,
                      double seconds);

}  // namespace bvhmill::bench
