#include "bvhmill/pipeline/source_format.h"

#include <algorithm>
#include <array>

namespace bvhmill {
namespace {

// In the order of the enum, without gaps.
constexpr std::array kInfos = {
    SourceFormatInfo{SourceFormat::kBvh, "bvh", "text/x-bvh", ".bvh",
                     /*streams=*/true},
    SourceFormatInfo{SourceFormat::kAnim, "anim",
                     "application/vnd.ll.animation", ".anim",
                     /*streams=*/false},
};

// The place of a format in tables.
constexpr size_t PlaceOf(SourceFormat format) {
  return static_cast<size_t>(format) - 1;
}

constexpr bool IsInOrder() {
  for (size_t i = 0; i < kInfos.size(); ++i) {
    if (PlaceOf(kInfos[i].format) != i) return false;
  }
  return true;
}
static_assert(IsInOrder());

}  // namespace

std::span<const SourceFormatInfo> SourceFormats() { return kInfos; }

const SourceFormatInfo& InfoOf(SourceFormat format) {
  return kInfos[PlaceOf(format)];
}

std::optional<SourceFormat> SourceFormatOfNumber(int number) {
  const auto it = std::find_if(kInfos.begin(), kInfos.end(),
                               [&](const SourceFormatInfo& info) {
                                 return static_cast<int>(info.format) == number;
                               });
  if (it == kInfos.end()) return std::nullopt;
  return it->format;
}

std::optional<SourceFormat> SourceFormatOfName(std::string_view name) {
  const auto it = std::find_if(
      kInfos.begin(), kInfos.end(),
      [&](const SourceFormatInfo& info) { return info.name == name; });
  if (it == kInfos.end()) return std::nullopt;
  return it->format;
}

}  // namespace bvhmill
