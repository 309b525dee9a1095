// bvhmill_limit_docs PAGE: writes the tables of limits into a page of docs/.

#include <fstream>
#include <iostream>
#include <iterator>

#include "tests/server/limit_page.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: bvhmill_limit_docs PAGE\n";
    return 2;
  }
  std::ifstream in(argv[1]);
  const std::string page((std::istreambuf_iterator<char>(in)), {});
  if (!in || page.empty()) {
    std::cerr << "cannot read " << argv[1] << "\n";
    return 1;
  }
  std::ofstream out(argv[1]);
  out << bvhmill::testing::WithLimitTables(page);
  return out.flush() ? 0 : 1;
}
