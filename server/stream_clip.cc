#include "server/stream_clip.h"

#include <algorithm>
#include <utility>

#include "bvhmill/wire/result.h"

namespace bvhmill::server {
namespace {

// Outputs of a slice of text have about as much at most.
constexpr int64_t kSliceOutputBytes = int64_t{2} << 20;
constexpr int64_t kLeastSlice = 64;
constexpr int64_t kMostSlice = int64_t{256} << 10;
// A number in a table, at most; rows of tensors are smaller.
constexpr int64_t kBytesOfNumber = 16;
// Of a joint: a 3x3 matrix.
constexpr int64_t kNumbersOfJoint = 9;

// A value takes two bytes of text at least, so a row two for each channel.
size_t SliceBytes(const ClipInfo& info, size_t outputs) {
  int64_t channels = 0;
  for (const JointInfo& joint : info.joints) {
    channels += static_cast<int64_t>(joint.channels.size());
  }
  const auto frame_bytes =
      static_cast<int64_t>(info.joints.size() * std::max<size_t>(outputs, 1)) *
      kNumbersOfJoint * kBytesOfNumber;
  const int64_t frames = std::max<int64_t>(
      kSliceOutputBytes / std::max<int64_t>(frame_bytes, 1), 1);
  return static_cast<size_t>(
      std::clamp(frames * channels * 2, kLeastSlice, kMostSlice));
}

}  // namespace

absl::Status FrameReceiver::Begin(const ClipInfo& info,
                                  std::span<const OutputInfo> outputs) {
  v1::ConvertClipsResponse response;
  v1::ClipStarted* begin = response.mutable_begin();
  begin->set_key(key_);
  *begin->mutable_info() = wire::ToProto(info);
  for (const OutputInfo& output : outputs) {
    *begin->add_outputs() = wire::ToProto(output);
  }
  pending_.resize(outputs.size());
  sent_.resize(outputs.size());
  slice_bytes_ = SliceBytes(info, outputs.size());
  emit_(std::move(response));
  return absl::OkStatus();
}

absl::Status FrameReceiver::Data(size_t output, std::string_view bytes) {
  std::string& pending = pending_[output];
  while (!bytes.empty()) {
    const size_t take = std::min(bytes.size(), chunk_bytes_ - pending.size());
    pending.append(bytes.substr(0, take));
    bytes.remove_prefix(take);
    if (pending.size() == chunk_bytes_) FlushOutput(output);
  }
  return absl::OkStatus();
}

bool FrameReceiver::has_pending() const {
  return std::any_of(pending_.begin(), pending_.end(),
                     [](const std::string& bytes) { return !bytes.empty(); });
}

void FrameReceiver::Flush() {
  for (size_t i = 0; i < pending_.size(); ++i) {
    if (!pending_[i].empty()) FlushOutput(i);
  }
}

void FrameReceiver::FlushOutput(size_t output) {
  v1::ConvertClipsResponse response;
  v1::OutputChunk* chunk = response.mutable_output_chunk();
  chunk->set_key(key_);
  chunk->set_output(static_cast<int32_t>(output));
  chunk->set_offset(sent_[output]);
  sent_[output] += static_cast<int64_t>(pending_[output].size());
  chunk->set_data(std::exchange(pending_[output], {}));
  emit_(std::move(response));
}

void StreamConversion::Give(std::string bytes) {
  bytes_ = std::move(bytes);
  at_ = 0;
}

size_t StreamConversion::Step() {
  const std::string_view slice =
      std::string_view(bytes_).substr(at_, receiver_.slice_bytes());
  at_ += slice.size();
  converter_.Push(slice);
  if (!has_bytes()) bytes_ = {};
  return slice.size();
}

ConvertResult& StreamConversion::Finish() {
  converter_.Finish();
  if (result_.status.ok()) receiver_.Flush();
  return result_;
}

}  // namespace bvhmill::server
