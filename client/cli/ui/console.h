#pragma once

// Prints data to stdout, diagnostics to stderr, and a progress line that is
// erased before either.

#include <atomic>
#include <mutex>
#include <string>
#include <string_view>

namespace bvhmill::client {

// Thread-safe. Texts are whole lines with their line ends.
class Console {
 public:
  Console();

  // Writes to stdout. False if writing has failed. Prints the first failure to
  // stderr, unless the reader of stdout has closed it.
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

 private:
  void Erase();

  const bool stdout_is_terminal_;
  const bool stderr_is_terminal_;
  std::mutex mutex_;
  std::string progress_;
  bool data_gone_ = false;
  std::atomic<bool> data_lost_ = false;
};

}  // namespace bvhmill::client
