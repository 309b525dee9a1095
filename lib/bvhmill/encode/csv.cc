#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

#include "bvhmill/base/status.h"
#include "bvhmill/encode/encoders.h"

namespace bvhmill {
namespace {

// RFC 4180: a field is quoted if it contains a comma, a quote or a line end.
void AppendField(std::string_view text, std::string* out) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    out->append(text);
    return;
  }
  *out += '"';
  for (const char c : text) {
    if (c == '"') *out += '"';
    *out += c;
  }
  *out += '"';
}

// The sign of a NaN means nothing: "nan", as in BVH.
template <typename T>
void AppendNumber(T value, std::string* out) {
  if (std::isnan(value)) {
    out->append("nan");
    return;
  }
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value);
  out->append(buffer, end.ptr);
}

class CsvEncoder final : public Encoder {
 public:
  explicit CsvEncoder(const CsvFormat& format) {
    needs_.arrays.resize(1);
    needs_.arrays[0].with_end_sites = format.with_end_sites;
  }

  const EncoderNeeds& Needs() const override { return needs_; }

  void Describe(const EncodeContext& /*context*/,
                OutputInfo* info) const override {
    info->size_bytes = -1;
    info->tensor.reset();
  }

  absl::Status Begin(const EncodeContext& context, Sink* sink) override {
    frame_time_ = context.frame_time;
    const Skeleton& skeleton = *context.skeleton;
    const bool with_end_sites = needs_.arrays[0].with_end_sites;
    rows_ = 0;
    text_ = "frame,time";
    for (size_t i = 0; i < skeleton.nodes.size(); ++i) {
      if (IsEndSite(skeleton.nodes[i]) && !with_end_sites) continue;
      for (const char* axis : {".x", ".y", ".z"}) {
        DisplayNameInto(skeleton, static_cast<int32_t>(i), &field_);
        text_ += ',';
        AppendField(field_ += axis, &text_);
        BVHMILL_RETURN_IF_ERROR(FlushFull(sink));
      }
      ++rows_;
    }
    text_ += '\n';
    return Flush(sink);
  }

  absl::Status Add(const PoseTile& tile, PoseSpans arrays,
                   Sink* sink) override {
    const std::span<const float> positions = arrays[0];
    const size_t width = rows_ * 3;
    for (int64_t i = 0; i < tile.frames; ++i) {
      const int64_t frame = tile.first_frame + i;
      AppendNumber(frame, &text_);
      text_ += ',';
      AppendNumber(static_cast<double>(frame) * frame_time_, &text_);
      for (const float value :
           positions.subspan(static_cast<size_t>(i) * width, width)) {
        text_ += ',';
        AppendNumber(value, &text_);
      }
      text_ += '\n';
      BVHMILL_RETURN_IF_ERROR(FlushFull(sink));
    }
    return Flush(sink);
  }

  absl::Status End(PoseSpans /*arrays*/, Sink* /*sink*/) override {
    return absl::OkStatus();
  }

 private:
  absl::Status Flush(Sink* sink) {
    const absl::Status status = sink->Append(text_);
    text_.clear();
    return status;
  }
  // Bounds the text in memory, for every clip.
  absl::Status FlushFull(Sink* sink) {
    constexpr size_t kFull = size_t{256} << 10;
    return text_.size() < kFull ? absl::OkStatus() : Flush(sink);
  }

  EncoderNeeds needs_;
  double frame_time_ = 0;
  size_t rows_ = 0;
  std::string field_;
  std::string text_;
};

}  // namespace

absl::Status CheckCsvFormat(const CsvFormat& /*format*/) {
  return absl::OkStatus();
}

std::unique_ptr<Encoder> MakeCsvEncoder(const CsvFormat& format) {
  return std::make_unique<CsvEncoder>(format);
}

}  // namespace bvhmill
