#pragma once

// The text of a file of settings: lines NAME = VALUE, a part of TOML.
//
//   # a comment
//   listen = 127.0.0.1:7450
//   output = "take #1"          # quotes keep blanks at the ends, and #
//   emit = [csv, "report"]      # a list may take several lines
//   [server.info]               # the names below are in this section
//   timeout = 3

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace bvhmill {

struct Setting {
  int line = 0;
  // "server.info"; empty above the first section. That of the name a.b = ... is
  // a, within the section of the line.
  std::string section;
  // Empty: the line begins the section.
  std::string name;
  // One, or those of a list, which has at least one.
  std::vector<std::string> values;
};

// Reads `text`, the content of the file `path`. INVALID_ARGUMENT "PATH:LINE:
// why" for the first line that is none of the above, and for a name that an
// earlier line of its section has set: such a line would set nothing. The error
// names the most similar name of `known`. A text of blanks is an error, too.
absl::StatusOr<std::vector<Setting>> ParseSettings(
    const std::string& path, std::string_view text,
    const std::vector<std::string_view>& known);

// INVALID_ARGUMENT "PATH:LINE: why".
absl::Status WrongSetting(const std::string& path, int line,
                          const std::string& why);

// The error for a name or a section that is not one of `known`: "PATH:LINE:
// there is no KIND 'WORD'", and the most similar name.
absl::Status NoSuchSetting(const std::string& path, const Setting& setting,
                           const std::string& kind,
                           const std::vector<std::string_view>& known);

}  // namespace bvhmill
