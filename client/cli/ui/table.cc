#include "client/cli/ui/table.h"

#include <algorithm>
#include <string_view>

namespace bvhmill::client {
namespace {

size_t Width(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](unsigned char c) {
        // All but the bytes that go on with a code point.
        return (c & 0xC0) != 0x80;
      }));
}

void AppendCell(const std::string& text, Align align, size_t width,
                std::string* line) {
  const std::string pad(width - Width(text), ' ');
  *line += align == Align::kRight ? pad + text : text + pad;
}

}  // namespace

std::string RenderTable(const std::vector<Column>& columns,
                        const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::string> titles;
  std::vector<size_t> widths;
  for (const Column& column : columns) {
    titles.push_back(column.title);
    widths.push_back(Width(column.title));
  }
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], Width(row[i]));
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
