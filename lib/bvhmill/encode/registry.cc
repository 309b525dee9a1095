#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "bvhmill/encode/encoder.h"
#include "bvhmill/encode/encoders.h"

namespace bvhmill {
namespace {

template <typename, typename... Rows>
constexpr bool kAreAlternatives =
    std::is_same_v<FormatOptions, std::variant<Rows...>>;

static_assert(kAreAlternatives<void
#define BVHMILL_FORMAT(Name, ...) , Name##Format
#include "bvhmill/encode/formats.inc"
                               >,
              "formats.inc has one row for each alternative of FormatOptions, "
              "in the same order");

const std::array<Format, std::variant_size_v<FormatOptions>> kFormats = {{
#define BVHMILL_FORMAT(Name, name, media_type, extension, cost) \
  {name, media_type, extension, FormatCost::cost, Name##Format{}},
#include "bvhmill/encode/formats.inc"
}};

struct Maker {
#define BVHMILL_FORMAT(Name, ...)                                         \
  std::unique_ptr<Encoder> operator()(const Name##Format& format) const { \
    return Make##Name##Encoder(format);                                   \
  }
#include "bvhmill/encode/formats.inc"
};

struct Checker {
#define BVHMILL_FORMAT(Name, ...)                             \
  absl::Status operator()(const Name##Format& format) const { \
    return Check##Name##Format(format);                       \
  }
#include "bvhmill/encode/formats.inc"
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
