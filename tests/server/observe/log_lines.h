#pragma once

// Lines of the log for tests.

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <sstream>
#include <string>
#include <vector>

#include "server/observe/log.h"
#include "tests/support/files.h"

namespace bvhmill::testing {

inline constexpr char kTrace[] =
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

inline server::CallLine SomeLine() {
  server::CallLine line;
  line.method = "ConvertClip";
  line.id = "id-1";
  line.peer = "ipv4:127.0.0.1:9";
  line.code = absl::StatusCode::kInvalidArgument;
  line.reason = "HIERARCHY_X";
  line.message = "a \"quote\", a \\, a line\nend, " + std::string(200, 'x');
  line.clips = 2;
  line.frames = 30;
  line.received_bytes = 400;
  line.total = std::chrono::milliseconds(12);
  return line;
}

// Lines of the log, without times and ids.
inline std::vector<std::string> LinesIn(const std::string& log) {
  std::vector<std::string> lines;
  std::istringstream in(log);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// Has stderr written to a file while it lives, so that a test can wait for a
// line. One at a time.
class StderrFile {
 public:
  StderrFile() : saved_(dup(STDERR_FILENO)) {
    WriteFile(path(), "");
    const int file = open(path().c_str(), O_WRONLY | O_APPEND);
    dup2(file, STDERR_FILENO);
    close(file);
  }
  ~StderrFile() {
    dup2(saved_, STDERR_FILENO);
    close(saved_);
  }
  StderrFile(const StderrFile&) = delete;
  StderrFile& operator=(const StderrFile&) = delete;

  // The lines that were written so far.
  std::vector<std::string> Lines() const { return LinesIn(ReadFile(path())); }

 private:
  std::string path() const { return dir_.File("stderr"); }

  TempDir dir_;
  int saved_;
};

}  // namespace bvhmill::testing
