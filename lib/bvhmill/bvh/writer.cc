#include "bvhmill/bvh/writer.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include "bvhmill/base/float_text.h"
#include "bvhmill/base/status.h"

namespace bvhmill {
namespace {

// Text is passed to the sink when it reaches this size.
constexpr size_t kFlushBytes = size_t{256} << 10;

// Writes a number to `out`, with room for kMaxFixedText characters.
char* PutNumber(float value, int decimals, DecimalsGuess* guess, char* out) {
  if (std::isnan(value)) return std::copy_n("nan", 3, out);
  return decimals < 0
             ? WriteShortest(value, guess, out)
             : WriteFixed(value, std::min(decimals, kMaxFloatDecimals), out);
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
      char text[kMaxFixedText];
      const char* const end = PutNumber(value, decimals_, &guess_, text);
      out_ += ' ';
      out_.append(text, static_cast<size_t>(end - text));
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
  DecimalsGuess guess_;
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
  if (std::isnan(frame_time)) {
    out += "nan";
  } else {
    char text[32];
    out.append(text, std::to_chars(text, text + sizeof(text), frame_time).ptr);
  }
  out += '\n';
  return sink->Append(out);
}

absl::Status WriteBvhRows(const Skeleton& skeleton,
                          std::span<const float> values,
                          const BvhWriteOptions& options, Sink* sink) {
  const size_t width = skeleton.channels.size();
  DecimalsGuess guess;
  std::string out(std::min(kFlushBytes, values.size() * (kMaxFixedText + 1)) +
                      kMaxFixedText + 1,
                  '\0');
  char* const begin = out.data();
  char* at = begin;
  const auto flush = [&] {
    const absl::Status status =
        sink->Append({begin, static_cast<size_t>(at - begin)});
    at = begin;
    return status;
  };
  for (size_t i = 0; i < values.size(); ++i) {
    at = PutNumber(values[i], options.decimals, &guess, at);
    *at++ = (i + 1) % width == 0 ? '\n' : ' ';
    if (at - begin >= static_cast<std::ptrdiff_t>(kFlushBytes)) {
      BVHMILL_RETURN_IF_ERROR(flush());
    }
  }
  return flush();
}

absl::Status WriteBvh(const Clip& clip, const BvhWriteOptions& options,
                      Sink* sink) {
  BVHMILL_RETURN_IF_ERROR(WriteBvhHead(clip.skeleton, clip.motion.frames,
                                       clip.motion.frame_time, options, sink));
  return WriteBvhRows(clip.skeleton, clip.motion.values, options, sink);
}

}  // namespace bvhmill
