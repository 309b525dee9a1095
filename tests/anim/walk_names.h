#pragma once

// The joints of samples::WalkCycle() by other names.

#include <map>
#include <string>
#include <string_view>

namespace bvhmill::testing {

// The bones of the avatar that the joints are. These joints are those of no
// naming scheme in full.
const std::map<std::string, std::string>& WalkJoints();

// The names that the joint map `map` has for the joints, without prefixes;
// others get names that no map has.
std::map<std::string, std::string> WalkNames(std::string_view map);

}  // namespace bvhmill::testing
