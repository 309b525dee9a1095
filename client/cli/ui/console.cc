#include "client/cli/ui/console.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

#include "client/cli/io/posix_files.h"

namespace bvhmill::client {
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
