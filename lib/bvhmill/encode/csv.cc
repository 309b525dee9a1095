#include <charconv>
#include <string>

#include "bvhmill/base/status.h"
#include "bvhmill/encode/encoders.h"

namespace bvhmill {
namespace {

// RFC 4180: quoted if it holds a comma, a quote or a line end.
std::string CsvField(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

template <typename T>
void AppendNumber(T value, std::string* out) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value);
  out->append(buffer, end.ptr);
}

class CsvEncoder final : public Encoder {
 public:
  explicit CsvEncoder(const CsvFormat& format) : format_(format) {}

  EncoderNeeds Needs() const override {
    return {.joint_positions = !format_.with_end_sites,
            .node_positions = format_.with_end_sites};
  }

  OutputInfo Describe(const EncodeContext& /*context*/) const override {
    OutputInfo info;
    info.media_type = "text/csv";
    return info;
  }

  absl::Status Begin(const EncodeContext& context, Sink* sink) override {
    frame_time_ = context.frame_time;
    const Skeleton& skeleton = *context.skeleton;
    std::string header = "frame,time";
    for (size_t i = 0; i < skeleton.nodes.size(); ++i) {
      if (IsEndSite(skeleton.nodes[i]) && !format_.with_end_sites) continue;
      const std::string name = DisplayName(skeleton, static_cast<int32_t>(i));
      for (const char* axis : {".x", ".y", ".z"}) {
        header += "," + CsvField(name + axis);
      }
      ++rows_;
    }
    return sink->Append(header + "\n");
  }

  absl::Status Add(const PoseTile& tile, Sink* sink) override {
    const auto positions =
        format_.with_end_sites ? tile.node_positions : tile.joint_positions;
    const size_t width = rows_ * 3;
    std::string out;
    for (int64_t i = 0; i < tile.frames; ++i) {
      const int64_t frame = tile.first_frame + i;
      AppendNumber(frame, &out);
      out += ',';
      AppendNumber(static_cast<double>(frame) * frame_time_, &out);
      for (const float value :
           positions.subspan(static_cast<size_t>(i) * width, width)) {
        out += ',';
        AppendNumber(value, &out);
      }
      out += '\n';
    }
    return sink->Append(out);
  }

  absl::Status End(Sink* /*sink*/) override { return absl::OkStatus(); }

 private:
  CsvFormat format_;
  double frame_time_ = 0;
  size_t rows_ = 0;
};

}  // namespace

std::unique_ptr<Encoder> MakeCsvEncoder(const CsvFormat& format) {
  return std::make_unique<CsvEncoder>(format);
}

}  // namespace bvhmill
