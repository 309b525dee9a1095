// Prints the size of the positions of a clip.

#include <cstdio>
#include <fstream>
#include <sstream>

#include "bvhmill/pipeline/convert.h"

int main(int, char** argv) {
  std::ostringstream text;
  text << std::ifstream(argv[1], std::ios::binary).rdbuf();
  bvhmill::ConvertOptions options;
  options.outputs.push_back({"", bvhmill::PositionsFormat{}});
  bvhmill::StringReceiver outputs;
  const auto result =
      bvhmill::Convert(text.str(), options, &outputs, /*cancel=*/nullptr);
  if (!result.status.ok()) return 1;
  std::printf("%zu bytes\n", outputs.data()[0].size());
}
