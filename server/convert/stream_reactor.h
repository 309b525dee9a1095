#pragma once

// The stream ConvertClips over gRPC: any number of clips of any size, on one
// call. The reactor connects the callbacks of gRPC, the state machine of the
// stream, and the workers.
//
// One chunk of a clip takes this path until its answer:
//   1. stream_reactor.h  gRPC has read a message. The reactor parses it, in a
//                        worker if parsing is expensive, and reports it to the
//                        session.
//   2. stream_session.h  The session takes the message, or lets it wait while a
//                        worker still reads the chunk before it. After each
//                        event it says what to do: read, write, run a clip,
//                        finish.
//   3. clip_queue.h      The queue stores the chunk in its clip, counts the
//                        memory, and picks the clips that a worker can run.
//   4. clip_work.h       A worker passes the chunk to the conversion of its
//                        clip. After the last chunk it makes the outputs.
//                        Outputs, issues and the result become frames.
//   5. back again        The worker reports each frame to the session. The
//                        queue stores it until the session picks it as the
//                        next write. The reactor writes it to gRPC.

#include <grpcpp/server_context.h>

#include "server/limits/memory.h"
#include "server/rpc/call_parts.h"
#include "server/rpc/raw_service.h"

namespace bvhmill::server {

// Starts a stream of ConvertClipsRequest and ConvertClipsResponse. gRPC and the
// workers share its ownership; the last of them deletes it. `memory` and the
// parts must outlive it.
RawReactor* StartConvertStream(const CallParts& parts, StreamMemory* memory,
                               grpc::CallbackServerContext* call);

}  // namespace bvhmill::server
