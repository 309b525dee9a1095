#include "server/convert/receivers.h"

#include <algorithm>

#include "bvhmill/base/status.h"

namespace bvhmill::server {
namespace {

// Memory for chunks is drawn in steps of this size at least.
constexpr int64_t kDrawStep = int64_t{64} << 10;

}  // namespace

absl::Status ChunkReceiver::Begin(const ClipInfo& info,
                                  std::span<const OutputInfo> outputs) {
  pending_.resize(outputs.size());
  sent_.resize(outputs.size());
  sink_.begin(info, outputs);
  return absl::OkStatus();
}

absl::Status ChunkReceiver::HoldData(int64_t bytes) {
  if (bytes > drawn_) {
    const int64_t more = std::max(bytes - drawn_, kDrawStep);
    BVHMILL_RETURN_IF_ERROR(Hold(more));
    drawn_ += more;
  }
  drawn_ -= bytes;
  return absl::OkStatus();
}

absl::Status ChunkReceiver::Data(size_t output, std::string_view bytes) {
  BVHMILL_RETURN_IF_ERROR(HoldData(static_cast<int64_t>(bytes.size())));
  std::string& pending = pending_[output];
  while (!bytes.empty()) {
    // After one full chunk, the next chunk is likely to be full as well.
    if (pending.empty() && sent_[output] > 0) pending.reserve(chunk_bytes_);
    const size_t take = std::min(bytes.size(), chunk_bytes_ - pending.size());
    pending.append(bytes.substr(0, take));
    bytes.remove_prefix(take);
    if (pending.size() == chunk_bytes_) FlushOutput(output);
  }
  return absl::OkStatus();
}

void ChunkReceiver::Flush() {
  for (size_t i = 0; i < pending_.size(); ++i) {
    if (!pending_[i].empty()) FlushOutput(i);
  }
}

void ChunkReceiver::FlushOutput(size_t output) {
  std::string data = std::exchange(pending_[output], {});
  // Only the size is counted, so the capacity must not be much larger.
  if (data.capacity() > 2 * data.size()) data.shrink_to_fit();
  const int64_t offset = sent_[output];
  sent_[output] += static_cast<int64_t>(data.size());
  sink_.chunk(output, offset, std::move(data));
}

}  // namespace bvhmill::server
