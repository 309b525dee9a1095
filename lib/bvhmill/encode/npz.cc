#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/encode/encode.h"
#include "bvhmill/encode/npy.h"
#include "bvhmill/encode/poses.h"
#include "bvhmill/encode/zip.h"

namespace bvhmill {
namespace {

// The next code point of UTF-8 text, which must be well-formed. Moves `*at` to
// the one after it.
char32_t NextCodePoint(std::string_view text, size_t* at) {
  const auto lead = static_cast<uint8_t>(text[*at]);
  const int tails = lead < 0x80 ? 0 : lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
  char32_t c = tails == 0 ? lead : lead & (0x3F >> tails);
  for (int k = 1; k <= tails; ++k) {
    c = (c << 6) |
        (static_cast<uint8_t>(text[*at + static_cast<size_t>(k)]) & 0x3F);
  }
  *at += static_cast<size_t>(tails) + 1;
  return c;
}

size_t CodePoints(std::string_view text) {
  size_t count = 0;
  for (size_t at = 0; at < text.size(); ++count) NextCodePoint(text, &at);
  return count;
}

// Writes code points to a sink in pieces of at most kPiece.
class PieceWriter {
 public:
  explicit PieceWriter(Sink* sink) : sink_(*sink) {}

  absl::Status Put(char32_t c) {
    piece_.push_back(c);
    return piece_.size() < kPiece ? absl::OkStatus() : Flush();
  }
  absl::Status Flush() {
    const absl::Status status =
        sink_.Append(BytesOf(std::span<const char32_t>(piece_)));
    piece_.clear();
    return status;
  }

 private:
  static constexpr size_t kPiece = size_t{16} << 10;
  Sink& sink_;
  std::u32string piece_;
};

// Sets `out` to string `i` of a list. Only one string is in memory at a time.
using StringAt = std::function<void(size_t i, std::string* out)>;

// An array of fixed-width strings, dtype <UN, as a .npy file. Each string is
// padded to the length of the longest, which may be very long, so strings are
// made while they are written.
class StringsNpy {
 public:
  StringsNpy(size_t count, StringAt string_at)
      : count_(count), string_at_(std::move(string_at)) {
    std::string text;
    for (size_t i = 0; i < count_; ++i) {
      string_at_(i, &text);
      width_ = std::max(width_, CodePoints(text));
    }
  }

  absl::Status WriteTo(Sink* sink) const {
    const int64_t shape[] = {static_cast<int64_t>(count_)};
    BVHMILL_RETURN_IF_ERROR(
        sink->Append(NpyHeader("<U" + std::to_string(width_), shape)));
    PieceWriter out(sink);
    std::string text;
    for (size_t i = 0; i < count_; ++i) {
      string_at_(i, &text);
      size_t written = 0;
      for (size_t at = 0; at < text.size(); ++written) {
        BVHMILL_RETURN_IF_ERROR(out.Put(NextCodePoint(text, &at)));
      }
      for (; written < width_; ++written) {
        BVHMILL_RETURN_IF_ERROR(out.Put(U'\0'));
      }
    }
    return out.Flush();
  }

 private:
  size_t count_;
  StringAt string_at_;
  size_t width_ = 1;
};

absl::Status AddStrings(std::string_view name, const StringsNpy& strings,
                        ZipWriter* zip) {
  return zip->AddWritten(name,
                         [&](Sink* sink) { return strings.WriteTo(sink); });
}

template <typename T>
std::string ArrayNpy(std::string_view dtype, std::span<const int64_t> shape,
                     std::span<const T> values) {
  return NpyHeader(dtype, shape).append(BytesOf(values));
}

std::vector<PoseArray> ArraysOf(const NpzFormat& format) {
  std::vector<PoseArray> arrays;
  const auto add = [&](PoseKind kind) -> PoseArray& {
    PoseArray& array = arrays.emplace_back();
    array.kind = kind;
    array.with_end_sites = format.with_end_sites;
    return array;
  };
  if (format.positions) add(PoseKind::kPositions);
  if (format.rotations) {
    add(format.rotation_space == RotationSpace::kWorld
            ? PoseKind::kWorldRotations
            : PoseKind::kLocalRotations)
        .rotation_kind = format.rotation_kind;
  }
  if (format.velocities) add(PoseKind::kVelocities);
  return arrays;
}

std::string_view EntryName(PoseKind kind) {
  switch (kind) {
    case PoseKind::kPositions:
      return "positions.npy";
    case PoseKind::kVelocities:
      return "velocities.npy";
    case PoseKind::kLocalRotations:
    case PoseKind::kWorldRotations:
      break;
  }
  return "rotations.npy";
}

// An entry states its checksum before its bytes. So an array is solved whole if
// it is short, and else twice.
absl::Status AddArray(const PoseArray& array, const EncodeContext& context,
                      ZipWriter* zip) {
  constexpr int64_t kShort = int64_t{128} << 20;
  TensorInfo tensor;
  DescribeTensor(array, context.skeleton(), context.frames(), &tensor);
  const std::string head = NpyHeader("<f4", tensor.shape);
  const std::string_view name = EntryName(array.kind);
  if (TensorBytes(tensor) > kShort) {
    return zip->AddWritten(name, [&](Sink* sink) {
      BVHMILL_RETURN_IF_ERROR(sink->Append(head));
      return WritePoses(array, context,
                        [sink](int64_t /*first*/, int64_t /*frames*/,
                               std::span<const float> poses) {
                          return sink->Append(BytesOf(poses));
                        });
    });
  }
  return WriteWhole(array, context, [&](std::string_view poses) {
    return zip->Add(name, {head, poses});
  });
}

// The nodes that have a row.
std::vector<int32_t> RowsOf(const NpzFormat& format, const Skeleton& skeleton) {
  std::vector<int32_t> rows;
  for (size_t i = 0; i < skeleton.nodes.size(); ++i) {
    if (IsEndSite(skeleton.nodes[i]) && !format.with_end_sites) continue;
    rows.push_back(static_cast<int32_t>(i));
  }
  return rows;
}

absl::Status AddSkeleton(const NpzFormat& format, const EncodeContext& context,
                         ZipWriter* zip) {
  const Skeleton& skeleton = context.skeleton();
  const std::vector<int32_t> nodes = RowsOf(format, skeleton);
  std::vector<int32_t> row_of(skeleton.nodes.size(), -1);
  std::vector<int32_t> parents;
  std::vector<float> offsets;
  for (const int32_t index : nodes) {
    const Node& node = skeleton.nodes[static_cast<size_t>(index)];
    row_of[static_cast<size_t>(index)] = static_cast<int32_t>(parents.size());
    parents.push_back(
        node.parent < 0 ? -1 : row_of[static_cast<size_t>(node.parent)]);
    offsets.insert(offsets.end(), node.offset.begin(), node.offset.end());
  }
  const auto rows = static_cast<int64_t>(nodes.size());
  const std::array<int64_t, 1> one = {rows};
  const std::array<int64_t, 2> three = {rows, 3};
  const std::array<double, 1> time = {context.clip->motion.frame_time};
  const StringsNpy names(nodes.size(), [&](size_t i, std::string* out) {
    DisplayNameInto(skeleton, nodes[i], out);
  });
  const StringsNpy channels(nodes.size(), [&](size_t i, std::string* out) {
    *out =
        ChannelLetters(skeleton, skeleton.nodes[static_cast<size_t>(nodes[i])]);
  });
  BVHMILL_RETURN_IF_ERROR(AddStrings("names.npy", names, zip));
  BVHMILL_RETURN_IF_ERROR(
      zip->Add("parents.npy", {ArrayNpy<int32_t>("<i4", one, parents)}));
  BVHMILL_RETURN_IF_ERROR(
      zip->Add("offsets.npy", {ArrayNpy<float>("<f4", three, offsets)}));
  BVHMILL_RETURN_IF_ERROR(AddStrings("channels.npy", channels, zip));
  return zip->Add("frame_time.npy", {ArrayNpy<double>("<f8", {}, time)});
}

}  // namespace

absl::Status CheckNpzFormat(const NpzFormat& format) {
  const bool has_arrays =
      format.positions || format.rotations || format.velocities;
  return has_arrays ? absl::OkStatus()
                    : InvalidField("npz.arrays", "selects no array");
}

int64_t DescribeNpzFormat(const NpzFormat& format, const Skeleton& skeleton,
                          int64_t frames, OutputInfo* info) {
  DescribeUnknownSize(info);
  int64_t bytes = 0;
  for (const PoseArray& array : ArraysOf(format)) {
    bytes += BytesOf(array, skeleton, frames);
  }
  return bytes;
}

absl::Status EncodeNpzFormat(const NpzFormat& format,
                             const EncodeContext& context, Sink* sink) {
  const std::vector<PoseArray> arrays = ArraysOf(format);
  for (const PoseArray& array : arrays) {
    BVHMILL_RETURN_IF_ERROR(CheckRate(array, context));
  }
  ZipWriter zip(sink, context.budget);
  for (const PoseArray& array : arrays) {
    BVHMILL_RETURN_IF_ERROR(AddArray(array, context, &zip));
  }
  BVHMILL_RETURN_IF_ERROR(AddSkeleton(format, context, &zip));
  return zip.Finish();
}

}  // namespace bvhmill
