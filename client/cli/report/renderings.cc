#include "client/cli/report/renderings.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace bvhmill::client {
namespace {

constexpr std::array kRenderings = {
    Rendering{.name = "text",
              .extension = ".txt",
              .has_source_lines = true,
              .make = MakeTextWriter},
    Rendering{.name = "jsonl",
              .extension = ".jsonl",
              .make = MakeJsonLinesWriter,
              .has_measures = true},
    Rendering{.name = "html",
              .extension = ".html",
              .make = MakeHtmlWriter,
              .has_pictures = true,
              .has_measures = true},
    Rendering{.name = "sarif",
              .extension = ".sarif",
              .make = MakeSarifWriter,
              .has_utf16_columns = true},
    Rendering{.name = "junit", .extension = ".xml", .make = MakeJunitWriter},
};

}  // namespace

std::span<const Rendering> Renderings() { return kRenderings; }

const Rendering* FindRendering(std::string_view name) {
  const auto* found = std::find_if(
      kRenderings.begin(), kRenderings.end(),
      [&](const Rendering& rendering) { return rendering.name == name; });
  return found == kRenderings.end() ? nullptr : found;
}

const Rendering* RenderingOfFile(std::string_view path) {
  const auto is_same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == b;
  };
  const auto* found = std::find_if(
      kRenderings.begin(), kRenderings.end(), [&](const Rendering& rendering) {
        const std::string_view end = rendering.extension;
        return path.size() >= end.size() &&
               std::equal(path.end() - end.size(), path.end(), end.begin(),
                          is_same);
      });
  return found == kRenderings.end() ? nullptr : found;
}

}  // namespace bvhmill::client
