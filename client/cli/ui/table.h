#pragma once

// A table of text, aligned.

#include <string>
#include <vector>

namespace bvhmill::client {

enum class Align { kLeft, kRight };

struct Column {
  std::string title;
  Align align = Align::kLeft;
};

// A line of titles, then one for each row; two blanks between columns, no blank
// at line ends. Every row has as many cells as there are columns. Widths count
// code points of UTF-8.
std::string RenderTable(const std::vector<Column>& columns,
                        const std::vector<std::vector<std::string>>& rows);

}  // namespace bvhmill::client
