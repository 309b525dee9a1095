#include "bvhmill/pipeline/source_format.h"

#include <algorithm>
#include <array>
#include <memory>

#include "bvhmill/bvh/stream_reader.h"
#include "bvhmill/pipeline/internal/source_reader.h"

namespace bvhmill {
namespace {

std::unique_ptr<PieceReader> MakeBvhReader(const ReadOptions& options,
                                           IssueLog* log, ParsedClip* clip) {
  return std::make_unique<StreamReader>(options, log, clip);
}

// In the order of the enum, without gaps.
constexpr std::array kReaders = {
    SourceReader{{SourceFormat::kBvh, "bvh", "text/x-bvh", ".bvh",
                  /*streams=*/true},
                 &ReadBvhInto,
                 &MakeBvhReader},
    SourceReader{
        {SourceFormat::kAnim, "anim", "application/vnd.ll.animation", ".anim",
         /*streams=*/false},
        &ReadAnimInto,
        &MakeAnimReader},
};

// The place of a format in tables.
constexpr size_t PlaceOf(SourceFormat format) {
  return static_cast<size_t>(format) - 1;
}

constexpr bool IsInOrder() {
  for (size_t i = 0; i < kReaders.size(); ++i) {
    if (PlaceOf(kReaders[i].info.format) != i) return false;
  }
  return true;
}
static_assert(IsInOrder());

constexpr auto kInfos = [] {
  std::array<SourceFormatInfo, kReaders.size()> infos = {};
  for (size_t i = 0; i < infos.size(); ++i) infos[i] = kReaders[i].info;
  return infos;
}();

}  // namespace

const SourceReader& ReaderOf(SourceFormat format) {
  return kReaders[PlaceOf(format)];
}

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
