#include "client/cli/dataset/clip_traits.h"

#include <algorithm>
#include <cmath>

#include "client/cli/dataset/content_hash.h"
#include "client/cli/dataset/skeletons.h"
#include "client/cli/ui/issue_lines.h"
#include "client/cli/ui/text.h"

namespace bvhmill::client {
namespace {

// The precision of frame times that have at least six digits.
constexpr double kRateTolerance = 0.0005;

const Issue* FindIssue(std::span<const Issue> issues, std::string_view code) {
  const auto found =
      std::find_if(issues.begin(), issues.end(),
                   [code](const Issue& issue) { return issue.code == code; });
  return found == issues.end() ? nullptr : &*found;
}

}  // namespace

std::string RateName(double frames_per_second) {
  if (!(frames_per_second > 0) || !std::isfinite(frames_per_second)) return {};
  const double whole = std::round(frames_per_second);
  const bool is_whole =
      std::abs(frames_per_second - whole) <= kRateTolerance * whole;
  return Fixed(frames_per_second, is_whole ? 0 : 2) + " fps";
}

ContentHashes HashContent(std::string_view text, bool is_bvh) {
  ContentHashes hashes;
  hashes.file = Xxh64(text);
  if (is_bvh) hashes.rows = HashRows(text);
  return hashes;
}

ClipTraits TraitsOf(const ConvertResult& result, std::span<const Issue> facts,
                    const SourceSpace& source) {
  ClipTraits traits;
  const Report& report = result.report;
  if (report.verdict == Verdict::kUnreadable) return traits;
  traits.rate = RateName(StatedRate(result.info));
  if (!result.info.joints.empty()) {
    traits.skeleton = SkeletonKey(result.info.joints);
  }
  if (const Issue* unit = FindIssue(facts, "DATA_UNIT_GUESS")) {
    traits.unit = {ArgOf(*unit, "unit"), ArgOf(*unit, "meters")};
    traits.up = "Y";
  }
  if (source.up_axis != UpAxis::kUnknown) {
    traits.up = source.up_axis == UpAxis::kY ? "Y" : "Z";
  } else if (const Issue* axis = FindIssue(facts, "DATA_UP_AXIS_GUESS")) {
    traits.up = ArgOf(*axis, "axis");
  }
  return traits;
}

}  // namespace bvhmill::client
