#pragma once

// The variables BVHMILL_* of the environment.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bvhmill {

// "BVHMILL_MAX_JOINTS" for "max-joints".
std::string VariableOf(std::string_view option);

// The options, without dashes, that the server or the command line reads from
// the environment, but for those of conversions. One list for both, since
// programs of one environment, such as that of a container, see the variables
// of each other.
const std::vector<std::string_view>& OptionsOfVariables();

// A line for each variable BVHMILL_* that no program of the project reads:
// "BVHMILL_THREDS sets nothing; did you mean 'BVHMILL_THREADS'?", sorted.
// `more` are the options of conversions, without dashes. Kubernetes makes
// variables for a service of the name bvhmill; they do not count.
std::vector<std::string> UnknownVariables(std::span<const std::string> more);

}  // namespace bvhmill
