#pragma once

// Hand-written pairs of a text proto of ConvertOptions and the plain options
// that it stands for. Every field and enum value of the API is in one of them.

#include <vector>

#include "bvhmill/pipeline/options.h"

namespace bvhmill::testing {

enum class Direction {
  kBoth,
  // A way to say the default, which the client does not use.
  kOnlyRead,
};
inline constexpr Direction kOnlyRead = Direction::kOnlyRead;

struct OptionCase {
  const char* text;
  // Makes default options those that `text` stands for.
  void (*change)(ConvertOptions*);
  Direction direction = Direction::kBoth;
};

// All of them, and those about outputs.
std::vector<OptionCase> OptionCases();
std::vector<OptionCase> OutputCases();

struct RefusedOption {
  const char* text;
  // Path of the field that the error names.
  const char* field;
};

// Values that no option has: the unknown value of each enum, and bounds.
std::vector<RefusedOption> RefusedOptions();

}  // namespace bvhmill::testing
