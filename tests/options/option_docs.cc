// bvhmill_option_docs FOLDER: writes options.md and schema/options.schema.json
// below FOLDER, from the table of options.

#include <fstream>
#include <iostream>

#include "bvhmill/pipeline/options_json.h"
#include "tests/options/option_page.h"

int main(int count, char** words) {
  if (count != 2) {
    std::cerr << "usage: bvhmill_option_docs FOLDER\n";
    return 2;
  }
  const std::string folder = words[1];
  std::ofstream page(folder + "/options.md");
  page << bvhmill::testing::OptionPage();
  std::ofstream schema(folder + "/schema/options.schema.json");
  schema << bvhmill::OptionsSchema();
  return page.flush() && schema.flush() ? 0 : 1;
}
