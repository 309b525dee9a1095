#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/base/call_error.h"
#include "bvhmill/base/status.h"
#include "bvhmill/encode/encoders.h"
#include "bvhmill/encode/npy.h"
#include "bvhmill/encode/tensor_bytes.h"
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

class NpzEncoder final : public Encoder {
 public:
  explicit NpzEncoder(const NpzFormat& format)
      : with_end_sites_(format.with_end_sites) {
    if (format.positions) AddArray(PoseKind::kPositions, format);
    if (format.rotations) {
      AddArray(format.rotation_space == RotationSpace::kWorld
                   ? PoseKind::kWorldRotations
                   : PoseKind::kLocalRotations,
               format);
    }
    if (format.velocities) AddArray(PoseKind::kVelocities, format);
    // A ZIP entry states its checksum before its bytes.
    needs_.full_arrays = true;
    needs_.frame_count = true;
  }

  const EncoderNeeds& Needs() const override { return needs_; }

  void Describe(const EncodeContext& /*context*/,
                OutputInfo* info) const override {
    info->size_bytes = -1;
    info->tensor.reset();
  }

  absl::Status Begin(const EncodeContext& context, Sink* /*sink*/) override {
    context_ = context;
    rows_.clear();
    const std::vector<Node>& nodes = context.skeleton->nodes;
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (IsEndSite(nodes[i]) && !with_end_sites_) continue;
      rows_.push_back(static_cast<int32_t>(i));
    }
    return absl::OkStatus();
  }

  absl::Status Add(const PoseTile& /*tile*/, PoseSpans /*arrays*/,
                   Sink* /*sink*/) override {
    return absl::OkStatus();
  }

  absl::Status End(PoseSpans arrays, Sink* sink) override {
    ZipWriter zip(sink, context_.budget);
    TensorInfo tensor;
    for (size_t i = 0; i < arrays.size(); ++i) {
      const PoseArray& array = needs_.arrays[i];
      DescribeTensor(array, context_, &tensor);
      BVHMILL_RETURN_IF_ERROR(
          zip.Add(EntryName(array.kind),
                  {NpyHeader("<f4", tensor.shape), BytesOf(arrays[i])}));
    }
    BVHMILL_RETURN_IF_ERROR(AddSkeleton(&zip));
    return zip.Finish();
  }

 private:
  void AddArray(PoseKind kind, const NpzFormat& format) {
    PoseArray array;
    array.kind = kind;
    array.with_end_sites = with_end_sites_;
    const bool is_rotation =
        kind == PoseKind::kLocalRotations || kind == PoseKind::kWorldRotations;
    if (is_rotation) array.rotation_kind = format.rotation_kind;
    needs_.arrays.push_back(array);
  }

  static std::string_view EntryName(PoseKind kind) {
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

  absl::Status AddSkeleton(ZipWriter* zip) const {
    const Skeleton& skeleton = *context_.skeleton;
    std::vector<int32_t> row_of(skeleton.nodes.size(), -1);
    std::vector<int32_t> parents;
    std::vector<float> offsets;
    for (const int32_t index : rows_) {
      const Node& node = skeleton.nodes[static_cast<size_t>(index)];
      row_of[static_cast<size_t>(index)] = static_cast<int32_t>(parents.size());
      parents.push_back(
          node.parent < 0 ? -1 : row_of[static_cast<size_t>(node.parent)]);
      offsets.insert(offsets.end(), node.offset.begin(), node.offset.end());
    }
    const auto rows = static_cast<int64_t>(rows_.size());
    const std::array<int64_t, 1> one = {rows};
    const std::array<int64_t, 2> three = {rows, 3};
    const std::array<double, 1> time = {context_.frame_time};
    BVHMILL_RETURN_IF_ERROR(AddStrings("names.npy", Names(), zip));
    BVHMILL_RETURN_IF_ERROR(
        zip->Add("parents.npy", {ArrayNpy<int32_t>("<i4", one, parents)}));
    BVHMILL_RETURN_IF_ERROR(
        zip->Add("offsets.npy", {ArrayNpy<float>("<f4", three, offsets)}));
    BVHMILL_RETURN_IF_ERROR(AddStrings("channels.npy", Channels(), zip));
    return zip->Add("frame_time.npy", {ArrayNpy<double>("<f8", {}, time)});
  }

  StringsNpy Names() const {
    return {rows_.size(), [this](size_t i, std::string* out) {
              DisplayNameInto(*context_.skeleton, rows_[i], out);
            }};
  }

  StringsNpy Channels() const {
    return {rows_.size(), [this](size_t i, std::string* out) {
              const Skeleton& skeleton = *context_.skeleton;
              *out = ChannelLetters(
                  skeleton, skeleton.nodes[static_cast<size_t>(rows_[i])]);
            }};
  }

  bool with_end_sites_;
  EncoderNeeds needs_;
  EncodeContext context_;
  // The nodes that have a row.
  std::vector<int32_t> rows_;
};

}  // namespace

absl::Status CheckNpzFormat(const NpzFormat& format) {
  const bool has_arrays =
      format.positions || format.rotations || format.velocities;
  return has_arrays ? absl::OkStatus()
                    : InvalidField("npz.arrays", "selects no array");
}

std::unique_ptr<Encoder> MakeNpzEncoder(const NpzFormat& format) {
  return std::make_unique<NpzEncoder>(format);
}

}  // namespace bvhmill
