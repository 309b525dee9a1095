#pragma once

// bvhmill.v1.ClipService over gRPC: one clip in one message (ValidateClip,
// ConvertClip), or any number of clips on a stream (ConvertClips, see
// stream_reactor.h).
//
// The threads of gRPC move bytes and do short work; the workers do all other
// work. Short work is a few milliseconds at most. A unary call does it in the
// thread where the call came in, since a hand-over to a worker would take as
// long: IsShort predicts that, BoundWork enforces it, and IsGivenUp tells that
// a worker must do the work again.

#include <cstdint>
#include <functional>
#include <string>

#include "bvhmill/base/limits.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/v1/clip_service.pb.h"
#include "bvhmill/v1/options.pb.h"
#include "server/limits/memory.h"
#include "server/rpc/call_parts.h"
#include "server/rpc/raw_service.h"
#include "server/rpc/unary_call.h"

namespace bvhmill::server {

// Requests and responses are raw bytes, not messages. So chunks of outputs are
// not copied, and a request that cannot be parsed gets a status that says so.
// Chunks of clips are copied once, from the pieces of 16 KiB of the transport
// into one string: parsing across the ends of pieces takes longer.
//
// `parts` and `stream_memory` must outlive the service.
class ClipService final : public RawService {
 public:
  // Reads the source `blob` of a call, a name of the API, and draws its memory
  // from the ticket of the call: see Source.blob.
  using ReadBlob = std::function<absl::Status(
      const UnaryWork& call, const std::string& blob, std::string* bytes)>;

  ClipService(const CallParts& parts, StreamMemory* stream_memory,
              ReadBlob read_blob);

 private:
  const CallParts parts_;
  const ReadBlob read_blob_;
};

// True if the work is usually short: a small source that is not compressed, no
// edits, few outputs of the least cost, and a report that would list a limit on
// frames.
bool IsShort(const v1::Source& source, const v1::ConvertOptions& options,
             int64_t request_bytes);

// Lowers the limits on the work and the frames of one clip to what is short. A
// small text may claim many frames.
void BoundWork(Limits* limits);

// True if the work ended at a limit of BoundWork. The reason may also be a
// lower limit of the server.
bool IsGivenUp(const ConvertResult& result);

}  // namespace bvhmill::server
