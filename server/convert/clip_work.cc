#include "server/convert/clip_work.h"

#include <memory>
#include <utility>

#include "bvhmill/wire/result.h"
#include "server/codec/response_bytes.h"

namespace bvhmill::server {
namespace {

// The frame with the message that ToBytes makes of `parts`.
template <typename... Parts>
ResponseFrame FrameOf(Parts&&... parts) {
  auto body = std::make_shared<FrameBody>();
  ToBytes(std::forward<Parts>(parts)..., &body->bytes);
  ResponseFrame frame;
  frame.bytes = static_cast<int64_t>(body->bytes.Length());
  frame.body = std::move(body);
  return frame;
}

}  // namespace

ResponseFrame BeginFrame(const std::string& key, const ClipInfo& info,
                         std::span<const OutputInfo> outputs) {
  return FrameOf(key, info, outputs);
}

ResponseFrame ChunkFrame(const std::string& key, size_t output, int64_t offset,
                         std::string data) {
  const auto size = static_cast<int64_t>(data.size());
  v1::OutputChunk chunk;
  chunk.set_key(key);
  chunk.set_output_index(static_cast<int32_t>(output));
  chunk.set_offset(offset);
  ResponseFrame frame = FrameOf(chunk, std::move(data));
  frame.data_bytes = size;
  frame.drawn_bytes = size;
  return frame;
}

ResponseFrame IssuesFrame(const std::string& key,
                          std::span<const Issue> issues) {
  ResponseFrame frame = FrameOf(key, issues);
  frame.drawn_bytes = frame.bytes;
  return frame;
}

ResponseFrame ResultFrame(const std::string& key, const ConvertResult& result) {
  return FrameOf(key, result);
}

ResponseFrame RefusalFrame(const StreamClip& clip) {
  v1::ConvertClipsResponse response;
  wire::ToProto(*clip.refused, response.mutable_result());
  response.mutable_result()->set_key(clip.key);
  response.mutable_result()->clear_report();
  response.mutable_result()->clear_info();
  return FrameOf(response);
}

}  // namespace bvhmill::server
