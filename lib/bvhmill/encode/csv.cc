#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/base/float_text.h"
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
  char text[32];
  out->append(text, std::to_chars(text, text + sizeof(text), value).ptr);
}

// Appends a comma and a number for each value.
void AppendValues(std::span<const float> values, DecimalsGuess* guess,
                  std::string* out) {
  const size_t begin = out->size();
  out->resize(begin + values.size() * (kMaxShortestText + 1));
  char* at = out->data() + begin;
  for (const float value : values) {
    *at++ = ',';
    at = std::isnan(value) ? std::copy_n("nan", 3, at)
                           : WriteShortest(value, guess, at);
  }
  out->resize(static_cast<size_t>(at - out->data()));
}

// The arrays of the table, in the order of its columns.
std::vector<PoseArray> ArraysOf(const CsvFormat& format) {
  std::vector<PoseArray> arrays;
  const auto add = [&](bool is_chosen, PoseKind kind) {
    if (!is_chosen) return;
    arrays.push_back({kind, format.with_end_sites, TensorLayout::kFrameMajor,
                      format.rotation_kind});
  };
  add(format.with_positions, PoseKind::kPositions);
  add(format.with_rotations, format.rotation_space == RotationSpace::kWorld
                                 ? PoseKind::kWorldRotations
                                 : PoseKind::kLocalRotations);
  add(format.with_velocities, PoseKind::kVelocities);
  return arrays;
}

// The ends of the names of the columns of a joint: ".x".
std::vector<std::string> ColumnsOf(RotationKind kind) {
  switch (kind) {
    case RotationKind::kQuaternion:
      return {".qx", ".qy", ".qz", ".qw"};
    case RotationKind::kQuaternionWxyz:
      return {".qw", ".qx", ".qy", ".qz"};
    // Row and column of an entry of the matrix.
    case RotationKind::kMatrix:
      return {".m11", ".m12", ".m13", ".m21", ".m22",
              ".m23", ".m31", ".m32", ".m33"};
    case RotationKind::kSixD:
      return {".m11", ".m21", ".m31", ".m12", ".m22", ".m32"};
    case RotationKind::kRotationVector:
      return {".rx", ".ry", ".rz"};
    case RotationKind::kEulerXyz:
      return {".ex", ".ey", ".ez"};
    case RotationKind::kEulerXzy:
      return {".ex", ".ez", ".ey"};
    case RotationKind::kEulerYxz:
      return {".ey", ".ex", ".ez"};
    case RotationKind::kEulerYzx:
      return {".ey", ".ez", ".ex"};
    case RotationKind::kEulerZxy:
      return {".ez", ".ex", ".ey"};
    case RotationKind::kEulerZyx:
      return {".ez", ".ey", ".ex"};
  }
  return {};
}

std::vector<std::string> ColumnsOf(const PoseArray& array) {
  if (IsRotations(array)) return ColumnsOf(array.rotation_kind);
  if (array.kind == PoseKind::kVelocities) return {".vx", ".vy", ".vz"};
  return {".x", ".y", ".z"};
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

  absl::Status WriteHead(std::span<const PoseArray> arrays);
  absl::Status WriteRows(int64_t first, int64_t frames,
                         std::span<const float> poses);

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
  // Numbers of a row, of each array.
  std::vector<size_t> widths_;
  DecimalsGuess guess_;
  std::string& text_;
  std::string& field_;
};

absl::Status TableWriter::WriteHead(std::span<const PoseArray> arrays) {
  const Skeleton& skeleton = context_.skeleton();
  text_ = "frame,time";
  for (const PoseArray& array : arrays) {
    const std::vector<std::string> columns = ColumnsOf(array);
    size_t& width = widths_.emplace_back();
    for (size_t i = 0; i < skeleton.nodes.size(); ++i) {
      if (IsEndSite(skeleton.nodes[i]) && !array.with_end_sites) continue;
      for (const std::string& column : columns) {
        DisplayNameInto(skeleton, static_cast<int32_t>(i), &field_);
        text_ += ',';
        AppendField(field_ += column, &text_);
        BVHMILL_RETURN_IF_ERROR(FlushFull());
      }
      width += columns.size();
    }
  }
  text_ += '\n';
  return Flush();
}

absl::Status TableWriter::WriteRows(int64_t first, int64_t frames,
                                    std::span<const float> poses) {
  // Writing a number as text takes many times as long as copying it.
  constexpr int64_t kTextWork = 24;
  BVHMILL_RETURN_IF_ERROR(WorkFrom(
      context_.budget, kTextWork * static_cast<int64_t>(poses.size())));
  const double frame_time = context_.clip->motion.frame_time;
  for (int64_t i = 0; i < frames; ++i) {
    AppendNumber(first + i, &text_);
    text_ += ',';
    AppendNumber(static_cast<double>(first + i) * frame_time, &text_);
    // The rows of one array are after those of the array before.
    size_t rows = 0;
    for (const size_t width : widths_) {
      const size_t at = rows + static_cast<size_t>(i) * width;
      AppendValues(poses.subspan(at, width), &guess_, &text_);
      rows += static_cast<size_t>(frames) * width;
    }
    text_ += '\n';
    BVHMILL_RETURN_IF_ERROR(FlushFull());
  }
  return Flush();
}

}  // namespace

absl::Status CheckCsvFormat(const CsvFormat& format) {
  const bool has_arrays =
      format.with_positions || format.with_rotations || format.with_velocities;
  return has_arrays ? absl::OkStatus()
                    : InvalidField("csv.arrays", "selects no array");
}

int64_t DescribeCsvFormat(const CsvFormat& /*format*/,
                          const Skeleton& /*skeleton*/, int64_t /*frames*/,
                          OutputInfo* info) {
  return DescribeUnknownSize(info);
}

absl::Status EncodeCsvFormat(const CsvFormat& format,
                             const EncodeContext& context, Sink* sink) {
  const std::vector<PoseArray> arrays = ArraysOf(format);
  for (const PoseArray& array : arrays) {
    BVHMILL_RETURN_IF_ERROR(CheckRate(array, context));
  }
  TableWriter table(context, sink);
  BVHMILL_RETURN_IF_ERROR(table.WriteHead(arrays));
  return WritePoses(
      arrays, context,
      [&table](int64_t first, int64_t frames, std::span<const float> poses) {
        return table.WriteRows(first, frames, poses);
      });
}

}  // namespace bvhmill
