#pragma once

// Calls of the soak: each sends clips, and compares what comes back.

#include <grpcpp/client_context.h>

#include <chrono>
#include <functional>
#include <vector>

#include "bench/server/load_client.h"
#include "bench/soak/soak_clips.h"
#include "bench/soak/soak_tally.h"

namespace bvhmill::bench {

using SoakClipList = std::vector<const SoakClip*>;

// Calls ValidateClip if `checks_only`, else ConvertClip; compares the answer
// and counts it in `tally`. Blocks until the call has ended.
void SoakUnary(Stub* stub, const SoakClip& clip, bool checks_only,
               SoakTally* tally);

// As SoakUnary, with all clips at once over one connection.
void SoakBurst(Stub* stub, const SoakClipList& clips, SoakTally* tally);

struct SoakStreamPlan {
  SoakClipList clips;
  bool ordered = false;
  // Size of one chunk message.
  size_t chunk_bytes = size_t{256} << 10;
  // The pause before each of the first 100 reads.
  std::chrono::milliseconds read_pause{0};
  // True if another thread may cancel the call: missing results are then not
  // counted as lost. Results that arrived must be right.
  bool may_end_early = false;
};

// Sends the clips of `plan` over one ConvertClips, compares the results, and
// counts them in `tally`. Blocks until the stream has ended. Another thread may
// cancel `context`.
void SoakStream(Stub* stub, grpc::ClientContext* context,
                const SoakStreamPlan& plan, SoakTally* tally);

}  // namespace bvhmill::bench
