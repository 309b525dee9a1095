#pragma once

// stdout for data, stderr for talk, and a progress line that gives way to both.

#include <atomic>
#include <mutex>
#include <string>
#include <string_view>

namespace bvhmill::client {

// Thread-safe. Texts are whole lines with their line ends.
class Console {
 public:
  Console();

  // Writes to stdout. False if nothing more can be written; if the reader went
  // away that is all, otherwise the first failure is told on stderr.
  bool Data(std::string_view text);
  // Writes to stderr.
  void PrintDiagnostics(std::string_view text);
  // Shows `line` at the bottom of stderr, in place of the one before; empty
  // takes it away.
  void ShowProgress(std::string line);

  // True if data was lost because stdout is full or broken, not closed.
  bool data_lost() const { return data_lost_; }
  bool talks_to_terminal() const { return stderr_is_terminal_; }
  bool data_to_terminal() const { return stdout_is_terminal_; }

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
