#pragma once

// The facts about a clip that `bvhmill info` prints, for people and as JSON.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/clip/clip_info.h"
#include "client/cli/ui/console.h"

namespace bvhmill::client {

// Lines of text: counts, the naming scheme, rate, duration, size and motion,
// and channels, then the tree of joints, a line each, with the letters of their
// channels and the ranges of their motion. Without `measures`, size and motion
// are unknown. Lengths are in the unit of the file. If `meters_per_unit` is not
// 0, the height and the reach are in meters, too.
std::string ClipFacts(std::string_view path, const ClipInfo& info,
                      const std::optional<ClipMeasures>& measures,
                      double meters_per_unit);

// The columns of a table of clips, and the cells of one clip: path, joints,
// frames, frames per second, seconds, height and naming scheme. Numbers that
// are not known are "-".
std::span<const Column> ClipColumns();
std::vector<std::string> ClipCells(std::string_view path, const ClipInfo& info,
                                   const std::optional<ClipMeasures>& measures);

// The naming scheme as JSON, such as
// {"scheme":"mixamo","prefix":"mixamorig:","matched":22}, with the scheme null
// if it is unknown or mixed.
std::string NamingJson(const ClipInfo& info);

// The name of the body root; none if it is not known.
std::optional<std::string> BodyRootName(const ClipInfo& info,
                                        const ClipMeasures& measures);

}  // namespace bvhmill::client
