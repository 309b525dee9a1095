#pragma once

// The conversion of one clip of a stream, and the frames that answer the clip.
//
// Step 4 of the path of a chunk (see stream_reactor.h), in a worker:
//
//   ClipWork work(clip, config, &cancel, sink, grant);
//   work.conversion.Add(chunk);                  // for each chunk of the clip
//   ConvertResult& result = work.conversion.Finish();
//   work.receiver.Flush();                       // the last chunks of outputs
//   ResponseFrame frame = ResultFrame(clip.key, result);
//
// The receiver cuts the outputs into chunks and passes them to the sink, which
// makes the other frames. One thread at a time uses a ClipWork.

#include <grpcpp/support/byte_buffer.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "bvhmill/base/cancel.h"
#include "bvhmill/pipeline/convert.h"
#include "server/app/config.h"
#include "server/convert/clip_queue.h"
#include "server/convert/receivers.h"
#include "server/convert/source.h"

namespace bvhmill::server {

// The bytes of a serialized ConvertClipsResponse.
struct FrameBody {
  grpc::ByteBuffer bytes;
};

// The conversion of a clip, and the receiver that cuts its outputs into chunks.
struct ClipWork {
  ClipWork(const StreamClip& clip, const ServerConfig& config,
           const CancelToken* cancel, ChunkReceiver::Sink sink,
           MeteredReceiver::Grant grant)
      : options(clip.options),
        receiver(config.service.recommended_chunk_bytes, std::move(sink),
                 std::move(grant)),
        conversion(*options, clip.encoding, config.limits.max_clip_bytes,
                   &receiver, cancel) {}

  // The conversion refers to them; the clip drops them if it is refused.
  const OptionsPtr options;
  ChunkReceiver receiver;
  SourceConversion conversion;
};

// The frames of the clip `key`: the begin of its outputs, a chunk of an output,
// issues that were found, and its result. The bytes of a ChunkFrame or an
// IssuesFrame must have been drawn from the ticket of the clip.
ResponseFrame BeginFrame(const std::string& key, const ClipInfo& info,
                         std::span<const OutputInfo> outputs);
ResponseFrame ChunkFrame(const std::string& key, size_t output, int64_t offset,
                         std::string data);
ResponseFrame IssuesFrame(const std::string& key,
                          std::span<const Issue> issues);
ResponseFrame ResultFrame(const std::string& key, const ConvertResult& result);
// The result of a refused clip, without a report.
ResponseFrame RefusalFrame(const StreamClip& clip);

}  // namespace bvhmill::server
