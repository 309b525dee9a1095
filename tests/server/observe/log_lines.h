#pragma once

// Lines of the log for tests.

#include <chrono>
#include <sstream>
#include <string>
#include <vector>

#include "server/observe/log.h"

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

}  // namespace bvhmill::testing
