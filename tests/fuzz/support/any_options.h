#pragma once

// Options of conversions, for fuzz targets.

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/pipeline/options.h"

namespace bvhmill::fuzz {

// A source of choices with few states, so that two bytes of an input can stand
// for all of them.
class Choices {
 public:
  explicit Choices(uint32_t seed) : random_(seed) {}

  // 0 to `end` - 1; `end` is at least 1.
  size_t Below(size_t end) { return random_() % end; }
  bool OneIn(size_t n) { return Below(n) == 0; }

 private:
  std::minstd_rand random_;
};

// The words after ROOT and JOINT: the names of most joints of a text.
std::vector<std::string> NamesIn(std::string_view text);

// Options with up to four outputs, often with an edit or two, sometimes with
// invalid values. A few limits are small. Frames are always limited; work and
// memory never are.
ConvertOptions AnyOptions(const std::vector<std::string>& names,
                          Choices* choices);

}  // namespace bvhmill::fuzz
