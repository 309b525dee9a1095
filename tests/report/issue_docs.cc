// bvhmill_issue_docs: prints docs/issues.md.

#include <iostream>

#include "tests/report/issue_page.h"

int main() {
  std::cout << bvhmill::testing::IssuePage();
  return std::cout.flush() ? 0 : 1;
}
