#pragma once

// Settings of programs: parses files of lines NAME = VALUE, a part of TOML, and
// names the variables BVHMILL_* of the environment.
//
//   # a comment
//   listen = 127.0.0.1:7450
//   output = "take #1"          # quotes keep blanks at the ends, and #
//   emit = [csv, "report"]      # a list may take several lines
//   [server.info]               # the names below are in this section
//   timeout = 3

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace bvhmill {

struct Setting {
  int line = 0;
  // "server.info"; empty above the first section. The name a.b = ... is b in
  // the section a within the section of the line.
  std::string section;
  // Empty if the line begins the section.
  std::string name;
  // One value, or the values of a list, which has at least one.
  std::vector<std::string> values;
};

// Parses `text`, the content of the file `path`. INVALID_ARGUMENT "PATH:LINE:
// why" for the first line that is none of the above, and for a name that an
// earlier line of its section sets: such a line would set nothing. The error
// states the most similar name of `known`. A text of blanks is an error too.
absl::StatusOr<std::vector<Setting>> ParseSettings(
    const std::string& path, std::string_view text,
    const std::vector<std::string_view>& known);

// INVALID_ARGUMENT for a name or a section that is not one of `known`:
// "PATH:LINE: there is no KIND 'WORD'", and the most similar name.
absl::Status NoSuchSetting(const std::string& path, const Setting& setting,
                           const std::string& kind,
                           const std::vector<std::string_view>& known);

// The environment.

// "BVHMILL_MAX_JOINTS" for "max-joints".
std::string VariableOf(std::string_view option);

// The options, without dashes, that the server or the command line reads from
// the environment, except for the options of conversions. One list for both,
// since programs of one environment, such as a container, see the same
// variables.
const std::vector<std::string_view>& OptionsOfVariables();

// A line for each variable BVHMILL_* that no program of the project reads:
// "BVHMILL_THREDS sets nothing; did you mean 'BVHMILL_THREADS'?", sorted.
// `more` are the options of conversions, without dashes. Ignores the variables
// that Kubernetes sets for a service named bvhmill.
std::vector<std::string> UnknownVariables(std::span<const std::string> more);

}  // namespace bvhmill
