#include "client/cli/ui/table.h"

#include <algorithm>

#include "client/cli/ui/text_width.h"

namespace bvhmill::client {
namespace {

void AppendCell(const std::string& text, Align align, size_t width,
                std::string* line) {
  const std::string pad(width - WidthOf(text), ' ');
  *line += align == Align::kRight ? pad + text : text + pad;
}

}  // namespace

std::string RenderTable(const std::vector<Column>& columns,
                        const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::string> titles;
  std::vector<size_t> widths;
  for (const Column& column : columns) {
    titles.push_back(column.title);
    widths.push_back(WidthOf(column.title));
  }
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], WidthOf(row[i]));
    }
  }
  std::string out;
  const auto append = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) line += "  ";
      AppendCell(cells[i], columns[i].align, widths[i], &line);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  };
  append(titles);
  for (const auto& row : rows) append(row);
  return out;
}

}  // namespace bvhmill::client
