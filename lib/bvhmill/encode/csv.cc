#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

#include "bvhmill/base/status.h"
#include "bvhmill/encode/encode.h"
#include "bvhmill/encode/poses.h"

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

// Collects lines and passes them on in pieces, which bounds the text in memory
// for every clip.
class TableWriter {
 public:
  TableWriter(const EncodeContext& context, Sink* sink)
      : context_(context),
        sink_(*sink),
        text_(context.poses->text),
        field_(context.poses->field) {}

  absl::Status WriteHead(bool with_end_sites);
  absl::Status WriteRows(int64_t first, int64_t frames,
                         std::span<const float> positions);

 private:
  absl::Status Flush() {
    const absl::Status status = sink_.Append(text_);
    text_.clear();
    return status;
  }
  absl::Status FlushFull() {
    constexpr size_t kFull = size_t{256} << 10;
    return text_.size() < kFull ? absl::OkStatus() : Flush();
  }

  const EncodeContext& context_;
  Sink& sink_;
  // Numbers of a row.
  size_t width_ = 0;
  std::string& text_;
  std::string& field_;
};

absl::Status TableWriter::WriteHead(bool with_end_sites) {
  const Skeleton& skeleton = context_.skeleton();
  text_ = "frame,time";
  for (size_t i = 0; i < skeleton.nodes.size(); ++i) {
    if (IsEndSite(skeleton.nodes[i]) && !with_end_sites) continue;
    for (const char* axis : {".x", ".y", ".z"}) {
      DisplayNameInto(skeleton, static_cast<int32_t>(i), &field_);
      text_ += ',';
      AppendField(field_ += axis, &text_);
      BVHMILL_RETURN_IF_ERROR(FlushFull());
    }
    width_ += 3;
  }
  text_ += '\n';
  return Flush();
}

absl::Status TableWriter::WriteRows(int64_t first, int64_t frames,
                                    std::span<const float> positions) {
  // Writing a number as text takes many times as long as copying it.
  constexpr int64_t kTextWork = 24;
  BVHMILL_RETURN_IF_ERROR(WorkFrom(
      context_.budget, kTextWork * static_cast<int64_t>(positions.size())));
  const double frame_time = context_.clip->motion.frame_time;
  for (int64_t frame = first; frame < first + frames; ++frame) {
    AppendNumber(frame, &text_);
    text_ += ',';
    AppendNumber(static_cast<double>(frame) * frame_time, &text_);
    for (const float value : positions.first(width_)) {
      text_ += ',';
      AppendNumber(value, &text_);
    }
    positions = positions.subspan(width_);
    text_ += '\n';
    BVHMILL_RETURN_IF_ERROR(FlushFull());
  }
  return Flush();
}

}  // namespace

absl::Status CheckCsvFormat(const CsvFormat& /*format*/) {
  return absl::OkStatus();
}

int64_t DescribeCsvFormat(const CsvFormat& /*format*/,
                          const Skeleton& /*skeleton*/, int64_t /*frames*/,
                          OutputInfo* info) {
  return DescribeUnknownSize(info);
}

absl::Status EncodeCsvFormat(const CsvFormat& format,
                             const EncodeContext& context, Sink* sink) {
  PoseArray positions;
  positions.with_end_sites = format.with_end_sites;
  TableWriter table(context, sink);
  BVHMILL_RETURN_IF_ERROR(table.WriteHead(format.with_end_sites));
  return WritePoses(
      positions, context,
      [&table](int64_t first, int64_t frames, std::span<const float> values) {
        return table.WriteRows(first, frames, values);
      });
}

}  // namespace bvhmill
