#pragma once

// Calls at a rate of their own, whatever becomes of those before.

#include <cstdint>
#include <string>

#include "bvhmill/v1/clip_service.pb.h"

namespace bvhmill::bench {

struct Load {
  // Calls that were answered, a second.
  double good_per_s = 0;
  // Calls that were begun, a second: less than was asked for if the machine
  // cannot begin so many.
  double begun_per_s = 0;
  // Of answered calls, from their begin to their end.
  double p50_ms = 0;
  double p99_ms = 0;
  // Of answered calls, the time that the server says it took, with its queue.
  double p99_server_ms = 0;
  int64_t refused = 0;
  int64_t lost = 0;
};

// Sends `request` `rate` times a second from one thread over four connections;
// two threads of gRPC take the answers. Blocks until all have come.
Load CallAtRate(const std::string& address,
                const v1::ConvertClipRequest& request, double rate,
                double seconds);

// The same with `calls` in flight all the time: a new one whenever one ends.
Load CallInTurn(const std::string& address,
                const v1::ConvertClipRequest& request, int calls,
                double seconds);

}  // namespace bvhmill::bench
