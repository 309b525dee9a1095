#include "bvhmill/bvh/writer.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include "bvhmill/base/status.h"

namespace bvhmill {
namespace {

// Text is passed to the sink when it reaches this size.
constexpr size_t kFlushBytes = size_t{256} << 10;

template <typename T>
void AppendNumber(T value, int decimals, std::string* out) {
  if (std::isnan(value)) {
    out->append("nan");
    return;
  }
  // The longest fixed float has a sign, 39 digits, a point and the decimals.
  constexpr int kMaxDecimals = 60;
  char buffer[128];
  const std::to_chars_result end =
      decimals < 0 ? std::to_chars(buffer, buffer + sizeof(buffer), value)
                   : std::to_chars(buffer, buffer + sizeof(buffer), value,
                                   std::chars_format::fixed,
                                   std::min(decimals, kMaxDecimals));
  out->append(buffer, end.ptr);
}

// Visits the nodes in file order and closes braces where the depth falls.
class HierarchyWriter {
 public:
  HierarchyWriter(const Skeleton& skeleton, int decimals, Sink* sink)
      : skeleton_(skeleton), decimals_(decimals), sink_(*sink) {}

  // Keeps only a small part of the text in memory.
  absl::Status Write() {
    out_ += "HIERARCHY\n";
    for (size_t i = 0; i < skeleton_.nodes.size(); ++i) {
      CloseUntil(skeleton_.nodes[i].parent);
      Open(skeleton_.nodes[i]);
      open_.push_back(static_cast<int32_t>(i));
      WriteBody(skeleton_.nodes[i]);
      if (out_.size() >= kFlushBytes) BVHMILL_RETURN_IF_ERROR(Flush());
    }
    CloseUntil(-1);
    return Flush();
  }

 private:
  absl::Status Flush() {
    const absl::Status status = sink_.Append(out_);
    out_.clear();
    return status;
  }

  // Indentation is limited. Otherwise the text of a chain of joints would grow
  // with the square of its length.
  void Indent() {
    constexpr size_t kMaxIndent = 64;
    out_.append(std::min(open_.size(), kMaxIndent), '\t');
  }

  void CloseUntil(int32_t parent) {
    while (!open_.empty() && open_.back() != parent) {
      open_.pop_back();
      Indent();
      out_ += "}\n";
    }
  }

  void Open(const Node& node) {
    Indent();
    switch (node.kind) {
      case NodeKind::kRoot:
        out_ += "ROOT " + node.name;
        break;
      case NodeKind::kJoint:
        out_ += "JOINT " + node.name;
        break;
      case NodeKind::kEndSite:
        out_ += node.name.empty() ? "End Site" : "End Site " + node.name;
        break;
    }
    out_ += "\n";
    Indent();
    out_ += "{\n";
  }

  void WriteBody(const Node& node) {
    Indent();
    out_ += "OFFSET";
    for (const float value : node.offset) {
      out_ += ' ';
      AppendNumber(value, decimals_, &out_);
    }
    out_ += '\n';
    if (IsEndSite(node) && node.channel_count == 0) return;
    Indent();
    out_ += "CHANNELS " + std::to_string(node.channel_count);
    for (const Channel channel : ChannelsOf(skeleton_, node)) {
      out_ += ' ';
      out_ += ChannelName(channel);
    }
    out_ += '\n';
  }

  const Skeleton& skeleton_;
  int decimals_;
  Sink& sink_;
  std::string out_;
  std::vector<int32_t> open_;
};

}  // namespace

absl::Status WriteBvhHead(const Skeleton& skeleton, int64_t frames,
                          double frame_time, const BvhWriteOptions& options,
                          Sink* sink) {
  BVHMILL_RETURN_IF_ERROR(
      HierarchyWriter(skeleton, options.decimals, sink).Write());
  std::string out = "MOTION\nFrames: " + std::to_string(frames);
  out += "\nFrame Time: ";
  // The frame time is never rounded: rounding would shift every later frame.
  AppendNumber(frame_time, -1, &out);
  out += '\n';
  return sink->Append(out);
}

absl::Status WriteBvhRows(const Skeleton& skeleton,
                          std::span<const float> values,
                          const BvhWriteOptions& options, Sink* sink) {
  const size_t width = skeleton.channels.size();
  std::string out;
  for (size_t i = 0; i < values.size(); ++i) {
    AppendNumber(values[i], options.decimals, &out);
    out += (i + 1) % width == 0 ? '\n' : ' ';
    if (out.size() >= kFlushBytes) {
      BVHMILL_RETURN_IF_ERROR(sink->Append(out));
      out.clear();
    }
  }
  return sink->Append(out);
}

absl::Status WriteBvh(const Clip& clip, const BvhWriteOptions& options,
                      Sink* sink) {
  BVHMILL_RETURN_IF_ERROR(WriteBvhHead(clip.skeleton, clip.motion.frames,
                                       clip.motion.frame_time, options, sink));
  return WriteBvhRows(clip.skeleton, clip.motion.values, options, sink);
}

}  // namespace bvhmill
