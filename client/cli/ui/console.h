#pragma once

// The output of the program: data on stdout, diagnostics on stderr, and a
// progress line on stderr that is erased before either is printed. Also tables
// and the width of text on a terminal.
//
//   const std::vector<Column> columns = {{"CLIP"}, {"FRAMES", Align::kRight}};
//   console.PrintData(RenderTable(columns, rows));
//   console.PrintDiagnostics("bvhmill: interrupted\n");

#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace bvhmill::client {

// Thread-safe. Texts are whole lines with their line ends.
class Console {
 public:
  Console();

  // Writes to stdout. False if this or an earlier write has failed. Prints the
  // first failure to stderr, unless the reader of stdout has closed it.
  bool PrintData(std::string_view text);
  // Writes to stderr.
  void PrintDiagnostics(std::string_view text);
  // Shows `line`, which is ASCII, as the last line of stderr, in place of the
  // previous one; an empty line removes it. A line that is wider than the
  // terminal is cut.
  void ShowProgress(std::string line);

  // True if data was lost because stdout is full or broken, not closed.
  bool data_lost() const { return data_lost_; }
  bool stderr_is_terminal() const { return stderr_is_terminal_; }
  bool stdout_is_terminal() const { return stdout_is_terminal_; }
  // The columns of the terminal that is stdout; 0 if it is none.
  size_t stdout_width() const;

 private:
  void Erase();

  const bool stdout_is_terminal_;
  const bool stderr_is_terminal_;
  std::mutex mutex_;
  std::string progress_;
  bool data_gone_ = false;
  std::atomic<bool> data_lost_ = false;
};

// Tables, and the width of text.

enum class Align { kLeft, kRight };

struct Column {
  std::string title;
  Align align = Align::kLeft;
};

// A table with aligned columns: a line of titles, then one for each row, with
// two blanks between columns and none at line ends. Requires that every row has
// as many cells as there are columns. Widths are those of WidthOf. To fit lines
// of `width` columns, if that is not 0, shortens long cells of the first column
// in the middle, down to 20 columns.
std::string RenderTable(const std::vector<Column>& columns,
                        std::vector<std::vector<std::string>> rows,
                        size_t width = 0);

// The columns of `utf8` on a terminal: two for each wide character of East
// Asia, none for a combining one, by wcwidth of the C library with a UTF-8
// locale. A tab, and a character that cannot be printed, count as one.
// Thread-safe.
size_t WidthOf(std::string_view utf8);

}  // namespace bvhmill::client
