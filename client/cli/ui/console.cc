#include "client/cli/ui/console.h"

#include <locale.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "bvhmill/files/posix_files.h"

namespace bvhmill::client {
namespace {

// A locale of UTF-8, for this thread, while it lives. The locale of the program
// stays the same.
class Utf8Locale {
 public:
  Utf8Locale() : before_(uselocale(Made())) {}
  ~Utf8Locale() { uselocale(before_); }
  Utf8Locale(const Utf8Locale&) = delete;
  Utf8Locale& operator=(const Utf8Locale&) = delete;

  // False if the system has no such locale.
  static bool Exists() { return Made() != locale_t{}; }

 private:
  static locale_t Made() {
    static const locale_t kMade = newlocale(LC_CTYPE_MASK, "C.UTF-8", {});
    return kMade;
  }

  locale_t before_;
};

// Characters, counted by their first bytes.
size_t CountCharacters(std::string_view utf8) {
  return static_cast<size_t>(
      std::count_if(utf8.begin(), utf8.end(),
                    [](unsigned char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

size_t WidthOf(std::string_view utf8) {
  if (!Utf8Locale::Exists()) return CountCharacters(utf8);
  const Utf8Locale use;
  size_t width = 0;
  while (!utf8.empty()) {
    wchar_t character = 0;
    mbstate_t state = {};
    const size_t size = mbrtowc(&character, utf8.data(), utf8.size(), &state);
    // The results for bytes that are no character are larger than any size.
    const bool is_read = size > 0 && size <= utf8.size();
    const int columns = is_read ? wcwidth(character) : -1;
    width += columns < 0 ? 1 : static_cast<size_t>(columns);
    utf8.remove_prefix(is_read ? size : 1);
  }
  return width;
}

namespace {

// `text` of at most `width` columns: "takes/...walk.bvh". Requires that `width`
// is at least 3.
std::string Shortened(std::string_view text, size_t width) {
  constexpr std::string_view kCut = "...";
  if (WidthOf(text) <= width) return std::string(text);
  const auto is_within = [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
  };
  // A character has at most 4 bytes.
  const size_t head = (width - kCut.size()) / 2;
  size_t end = std::min(4 * head, text.size() - 1);
  while (end > 0 &&
         (is_within(text[end]) || WidthOf(text.substr(0, end)) > head)) {
    --end;
  }
  const size_t tail = width - kCut.size() - head;
  size_t begin = text.size() - std::min(4 * tail, text.size());
  while (begin < text.size() &&
         (is_within(text[begin]) || WidthOf(text.substr(begin)) > tail)) {
    ++begin;
  }
  return std::string(text.substr(0, end))
      .append(kCut)
      .append(text.substr(begin));
}

void AppendCell(const std::string& text, Align align, size_t width,
                std::string* line) {
  const std::string pad(width - WidthOf(text), ' ');
  *line += align == Align::kRight ? pad + text : text + pad;
}

}  // namespace

std::string RenderTable(const std::vector<Column>& columns,
                        std::vector<std::vector<std::string>> rows,
                        size_t width) {
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
  constexpr size_t kLeast = 20;
  size_t whole = 2 * (widths.size() - 1);
  for (const size_t one : widths) whole += one;
  if (width > 0 && whole > width && widths[0] > kLeast) {
    widths[0] =
        std::max(kLeast, widths[0] - std::min(widths[0], whole - width));
    for (auto& row : rows) row[0] = Shortened(row[0], widths[0]);
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

namespace {

bool IsTerminal(int fd) {
  const char* term = std::getenv("TERM");
  return isatty(fd) == 1 &&
         (term == nullptr || std::string_view(term) != "dumb");
}

// The width of the terminal `fd`; 0 if it is unknown.
size_t ColumnsOf(int fd) {
  winsize size = {};
  return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace

Console::Console()
    : stdout_is_terminal_(IsTerminal(STDOUT_FILENO)),
      stderr_is_terminal_(IsTerminal(STDERR_FILENO)) {}

size_t Console::stdout_width() const {
  return stdout_is_terminal_ ? ColumnsOf(STDOUT_FILENO) : 0;
}

bool Console::PrintData(std::string_view text) {
  const std::lock_guard lock(mutex_);
  if (data_gone_) return false;
  if (text.empty()) return true;
  if (stdout_is_terminal_) Erase();
  const int error = WriteAll(STDOUT_FILENO, text);
  if (error == 0) return true;
  data_gone_ = true;
  if (error != EPIPE) {
    data_lost_ = true;
    Erase();
    WriteAll(STDERR_FILENO,
             "bvhmill: cannot write to stdout: " + ErrnoText(error) + "\n");
  }
  return false;
}

void Console::PrintDiagnostics(std::string_view text) {
  if (text.empty()) return;
  const std::lock_guard lock(mutex_);
  Erase();
  WriteAll(STDERR_FILENO, text);
}

void Console::ShowProgress(std::string line) {
  const std::lock_guard lock(mutex_);
  if (line.empty()) return Erase();
  // A line that wraps could not be overwritten.
  const size_t columns = ColumnsOf(STDERR_FILENO);
  if (columns > 0 && line.size() >= columns) line.resize(columns - 1);
  progress_ = std::move(line);
  // Overwrites the line in place, then clears what was longer.
  WriteAll(STDERR_FILENO, "\r" + progress_ + "\x1b[K");
}

void Console::Erase() {
  if (progress_.empty()) return;
  progress_.clear();
  WriteAll(STDERR_FILENO, "\r\x1b[K");
}

}  // namespace bvhmill::client
