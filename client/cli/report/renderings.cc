#include "client/cli/report/renderings.h"

#include <algorithm>
#include <array>

namespace bvhmill::client {
namespace {

constexpr std::array kRenderings = {
    Rendering{"text", true, MakeTextWriter},
    Rendering{"jsonl", false, MakeJsonLinesWriter, /*has_pictures=*/false,
              /*has_measures=*/true},
    Rendering{"html", false, MakeHtmlWriter, /*has_pictures=*/true,
              /*has_measures=*/true},
    Rendering{"sarif", false, MakeSarifWriter},
    Rendering{"junit", false, MakeJunitWriter},
};

}  // namespace

std::span<const Rendering> Renderings() { return kRenderings; }

const Rendering* FindRendering(std::string_view name) {
  const auto* found = std::find_if(
      kRenderings.begin(), kRenderings.end(),
      [&](const Rendering& rendering) { return rendering.name == name; });
  return found == kRenderings.end() ? nullptr : found;
}

}  // namespace bvhmill::client
