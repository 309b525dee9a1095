// A clip in pieces is converted as the whole text is, with any options: status,
// report, facts and outputs are equal, or both are refused.

#include <string>

#include "tests/fuzz/support/any_options.h"
#include "tests/fuzz/support/pieces.h"

// The last two bytes choose options and pieces, so that any file is a seed.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const std::string text(reinterpret_cast<const char*>(data), size - 2);
  bvhmill::fuzz::Choices choices(1 + data[size - 2] + 256U * data[size - 1]);
  const bvhmill::ConvertOptions options =
      bvhmill::fuzz::AnyOptions(bvhmill::fuzz::NamesIn(text), &choices);
  bvhmill::fuzz::RequireSameInPieces(text, options, &choices);
  return 0;
}
