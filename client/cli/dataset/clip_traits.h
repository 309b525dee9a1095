#pragma once

// The facts about one clip that a data set compares.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "bvhmill/pipeline/convert.h"

namespace bvhmill::client {

// The unit that a clip seems to have.
struct UnitGuess {
  // "centimeters".
  std::string name;
  // Meters in one unit, as text: "0.01".
  std::string meters;
};

// Hashes of a clip that is not compressed.
struct ContentHashes {
  // XXH64 of the bytes.
  uint64_t file = 0;
  // See HashRows.
  std::optional<uint64_t> rows;
};

struct ClipTraits {
  // "60 fps"; empty if it is unknown.
  std::string rate;
  std::optional<UnitGuess> unit;
  // "Y", "Z" or another direction, such as "-Y"; empty if nothing shows it.
  std::string up;
  // See SkeletonKey; none without a skeleton.
  std::optional<uint64_t> skeleton;
  std::optional<ContentHashes> content;
};

// The name of a rate, such as "60 fps". A rate within 0.05 % of a whole number
// has that number, so frame times of 0.0083333 and 0.008333 are both 120 fps.
// Others have two decimals. Empty if the rate is not positive and finite.
std::string RateName(double frames_per_second);

// The hashes of `text`, with those of the rows if it `is_bvh`. O(bytes).
ContentHashes HashContent(std::string_view text, bool is_bvh);

// The traits of a clip, without its content; empty if the clip is unreadable.
// `facts` are the hints DATA_UNIT_GUESS and DATA_UP_AXIS_GUESS of the clip if
// its space is not stated. The unit is that of the first. The up axis is the
// one that `source` states, or else that of the second hint, or else Y if there
// is a unit.
ClipTraits TraitsOf(const ConvertResult& result, std::span<const Issue> facts,
                    const SourceSpace& source);

}  // namespace bvhmill::client
