#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "bvhmill/base/call_error.h"
#include "bvhmill/encode/encoder.h"
#include "bvhmill/encode/encoders.h"
#include "bvhmill/encode/tensor_bytes.h"

namespace bvhmill {
namespace {

const std::array<Format, std::variant_size_v<FormatOptions>> kFormats = {{
    {"positions", kTensorMediaType, ".positions.npy", PositionsFormat{}},
    {"rotations", kTensorMediaType, ".rotations.npy", RotationsFormat{}},
    {"velocities", kTensorMediaType, ".velocities.npy", VelocitiesFormat{}},
    {"npz", "application/zip", ".npz", NpzFormat{}},
    {"csv", "text/csv", ".csv", CsvFormat{}},
    {"bvh", "text/x-bvh", ".bvh", BvhFormat{}},
    {"anim", kAnimMediaType, ".anim", AnimFormat{}},
}};

struct Maker {
  std::unique_ptr<Encoder> operator()(const PositionsFormat& format) const {
    return MakePositionsEncoder(format);
  }
  std::unique_ptr<Encoder> operator()(const RotationsFormat& format) const {
    return MakeRotationsEncoder(format);
  }
  std::unique_ptr<Encoder> operator()(const VelocitiesFormat& format) const {
    return MakeVelocitiesEncoder(format);
  }
  std::unique_ptr<Encoder> operator()(const NpzFormat& format) const {
    return MakeNpzEncoder(format);
  }
  std::unique_ptr<Encoder> operator()(const CsvFormat& format) const {
    return MakeCsvEncoder(format);
  }
  std::unique_ptr<Encoder> operator()(const BvhFormat& format) const {
    return MakeBvhEncoder(format);
  }
  std::unique_ptr<Encoder> operator()(const AnimFormat& format) const {
    return MakeAnimEncoder(format);
  }
};

struct Checker {
  absl::Status operator()(const BvhFormat& format) const {
    constexpr int32_t kMaxDecimals = 60;
    const bool is_good =
        format.decimals >= -1 && format.decimals <= kMaxDecimals;
    return is_good ? absl::OkStatus()
                   : InvalidField("bvh.decimals", "is not between 0 and 60");
  }
  absl::Status operator()(const NpzFormat& format) const {
    const bool has_arrays =
        format.positions || format.rotations || format.velocities;
    return has_arrays ? absl::OkStatus()
                      : InvalidField("npz.arrays", "selects no array");
  }
  absl::Status operator()(const AnimFormat& format) const {
    return CheckAnimFormat(format);
  }
  template <typename Other>
  absl::Status operator()(const Other& /*format*/) const {
    return absl::OkStatus();
  }
};

}  // namespace

std::span<const Format> Formats() { return kFormats; }

const Format* FindFormat(std::string_view name) {
  const auto it =
      std::find_if(kFormats.begin(), kFormats.end(),
                   [&](const Format& format) { return format.name == name; });
  return it == kFormats.end() ? nullptr : &*it;
}

const Format& FormatOf(const FormatOptions& options) {
  return kFormats[options.index()];
}

absl::Status CheckFormat(const FormatOptions& options) {
  return std::visit(Checker{}, options);
}

std::string_view OutputId(const OutputRequest& request) {
  return request.id.empty() ? FormatOf(request.format).name
                            : std::string_view(request.id);
}

int64_t WidthOf(const PoseArray& array) {
  const bool is_rotation = array.kind == PoseKind::kLocalRotations ||
                           array.kind == PoseKind::kWorldRotations;
  return is_rotation ? WidthOf(array.rotation_kind) : 3;
}

int64_t RowsOf(const PoseArray& array, const Skeleton& skeleton) {
  return array.with_end_sites ? static_cast<int64_t>(skeleton.nodes.size())
                              : JointCount(skeleton);
}

std::unique_ptr<Encoder> MakeEncoder(const OutputRequest& request) {
  return std::visit(Maker{}, request.format);
}

}  // namespace bvhmill
