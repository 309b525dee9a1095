#pragma once

// Every flag of bvhmill that goes into ConvertOptions, with the text proto of
// what it says there; and where the others are tested.

#include <string>
#include <vector>

namespace bvhmill::testing {

struct OptionFlag {
  // Without dashes.
  std::string flag;
  // Empty: the flag has none.
  std::string value;
  // The difference to the options without the flag. Outputs, if set here, are
  // the whole list of outputs.
  std::string options;
  // Other words, without which the flag is refused.
  std::vector<std::string> with = {};
  // The difference that those words make.
  std::string needs = {};
};

// From the table of options, and those of --emit.
std::vector<OptionFlag> OptionFlags();

struct OtherFlag {
  const char* flag;
  // The folder of tests/cli whose `cmd` has `word`.
  const char* test;
  const char* word;
};

// Flags about files, servers and what is printed.
std::vector<OtherFlag> OtherFlags();

struct LocalLimit {
  const char* flag;
  // A value that a small clip breaks, and what is said of it then.
  const char* value;
  const char* code;
  // Values with which the same clip is converted.
  std::vector<std::string> good = {"0", "10000"};
  // Another limit, without which this one does not count.
  std::vector<std::string> with = {};
};

std::vector<LocalLimit> LocalLimits();

}  // namespace bvhmill::testing
