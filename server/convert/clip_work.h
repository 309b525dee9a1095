#pragma once

// The conversion of a clip of a stream, and the messages that answer the clip.

#include <grpcpp/support/byte_buffer.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "bvhmill/base/cancel.h"
#include "bvhmill/pipeline/convert.h"
#include "server/app/config.h"
#include "server/convert/chunk_receiver.h"
#include "server/convert/source_conversion.h"
#include "server/convert/stream_clip.h"

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

  // The conversion refers to them. A refused clip has dropped them.
  const OptionsPtr options;
  ChunkReceiver receiver;
  SourceConversion conversion;
};

// The frames of the clip `key`: its begin, a chunk of an output, the issues
// that were found, and its result.
ResponseFrame BeginFrame(const std::string& key, const ClipInfo& info,
                         std::span<const OutputInfo> outputs);
ResponseFrame ChunkFrame(const std::string& key, size_t output, int64_t offset,
                         std::string data);
ResponseFrame IssuesFrame(const std::string& key,
                          std::span<const Issue> issues);
ResponseFrame ResultFrame(const std::string& key, const ConvertResult& result);
// The result of a refused clip. Nothing was read of it, so there is no report.
ResponseFrame RefusalFrame(const StreamClip& clip);

}  // namespace bvhmill::server
