#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/encode/encoders.h"
#include "bvhmill/encode/npy.h"
#include "bvhmill/encode/tensor_bytes.h"
#include "bvhmill/encode/zip.h"

namespace bvhmill {
namespace {

// The code points of UTF-8 text, which must be well-formed.
std::u32string ToUtf32(std::string_view text) {
  std::u32string out;
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<uint8_t>(text[i]);
    const int tails = lead < 0x80 ? 0 : lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
    char32_t c = tails == 0 ? lead : lead & (0x3F >> tails);
    for (int k = 1; k <= tails; ++k) {
      c = (c << 6) | (static_cast<uint8_t>(text[i + k]) & 0x3F);
    }
    out.push_back(c);
    i += static_cast<size_t>(tails) + 1;
  }
  return out;
}

// An array of fixed-width strings, dtype <UN, as one .npy file.
std::string StringsNpy(const std::vector<std::string>& strings) {
  std::vector<std::u32string> wide;
  size_t width = 1;
  for (const std::string& s : strings) {
    wide.push_back(ToUtf32(s));
    width = std::max(width, wide.back().size());
  }
  const int64_t shape[] = {static_cast<int64_t>(strings.size())};
  std::string out = NpyHeader("<U" + std::to_string(width), shape);
  for (std::u32string& s : wide) {
    s.resize(width);
    out.append(BytesOf(std::span<const char32_t>(s)));
  }
  return out;
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
    PoseArray positions;
    positions.with_end_sites = with_end_sites_;
    PoseArray rotations = positions;
    rotations.kind = PoseKind::kLocalRotations;
    // A ZIP entry states its checksum before its bytes.
    needs_ = {{positions, rotations}, true, true};
  }

  const EncoderNeeds& Needs() const override { return needs_; }

  void Describe(const EncodeContext& /*context*/,
                OutputInfo* info) const override {
    info->media_type = "application/zip";
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
    ZipWriter zip(sink);
    const auto rows = static_cast<int64_t>(rows_.size());
    const std::array<int64_t, 3> shape3 = {context_.frames, rows, 3};
    const std::array<int64_t, 3> shape4 = {context_.frames, rows, 4};
    BVHMILL_RETURN_IF_ERROR(zip.Add(
        "positions.npy", {NpyHeader("<f4", shape3), BytesOf(arrays[0])}));
    BVHMILL_RETURN_IF_ERROR(zip.Add(
        "rotations.npy", {NpyHeader("<f4", shape4), BytesOf(arrays[1])}));
    BVHMILL_RETURN_IF_ERROR(AddSkeleton(&zip));
    return zip.Finish();
  }

 private:
  absl::Status AddSkeleton(ZipWriter* zip) const {
    const Skeleton& skeleton = *context_.skeleton;
    std::vector<int32_t> row_of(skeleton.nodes.size(), -1);
    std::vector<std::string> names;
    std::vector<std::string> channels;
    std::vector<int32_t> parents;
    std::vector<float> offsets;
    for (const int32_t index : rows_) {
      const Node& node = skeleton.nodes[static_cast<size_t>(index)];
      row_of[static_cast<size_t>(index)] = static_cast<int32_t>(names.size());
      names.push_back(DisplayName(skeleton, index));
      channels.push_back(ChannelLetters(skeleton, node));
      parents.push_back(
          node.parent < 0 ? -1 : row_of[static_cast<size_t>(node.parent)]);
      offsets.insert(offsets.end(), node.offset.begin(), node.offset.end());
    }
    const auto rows = static_cast<int64_t>(rows_.size());
    const std::array<int64_t, 1> one = {rows};
    const std::array<int64_t, 2> three = {rows, 3};
    const std::array<double, 1> time = {context_.frame_time};
    BVHMILL_RETURN_IF_ERROR(zip->Add("names.npy", {StringsNpy(names)}));
    BVHMILL_RETURN_IF_ERROR(
        zip->Add("parents.npy", {ArrayNpy<int32_t>("<i4", one, parents)}));
    BVHMILL_RETURN_IF_ERROR(
        zip->Add("offsets.npy", {ArrayNpy<float>("<f4", three, offsets)}));
    BVHMILL_RETURN_IF_ERROR(zip->Add("channels.npy", {StringsNpy(channels)}));
    return zip->Add("frame_time.npy", {ArrayNpy<double>("<f8", {}, time)});
  }

  bool with_end_sites_;
  EncoderNeeds needs_;
  EncodeContext context_;
  // Nodes that have a row.
  std::vector<int32_t> rows_;
};

}  // namespace

std::unique_ptr<Encoder> MakeNpzEncoder(const NpzFormat& format) {
  return std::make_unique<NpzEncoder>(format);
}

}  // namespace bvhmill
