#include "client/cli/report/artifact_uri.h"

#include <array>
#include <cstdio>
#include <filesystem>
#include <system_error>

namespace bvhmill::client {
namespace {

namespace fs = std::filesystem;

bool IsPlain(char c) {
  constexpr std::string_view kMarks = "-._~/";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || kMarks.find(c) != kMarks.npos;
}

std::string Escaped(std::string_view path) {
  std::string out;
  for (const char c : path) {
    if (IsPlain(c)) {
      out += c;
      continue;
    }
    std::array<char, 4> code = {};
    std::snprintf(code.data(), code.size(), "%%%02X",
                  static_cast<unsigned>(static_cast<unsigned char>(c)));
    out += code.data();
  }
  return out;
}

}  // namespace

std::string ArtifactUri(std::string_view path) {
  fs::path normal = fs::path(path).lexically_normal();
  if (normal.is_relative()) return Escaped(normal.native());
  std::error_code error;
  const fs::path folder = fs::current_path(error);
  const fs::path below = error ? fs::path() : normal.lexically_relative(folder);
  const bool is_below = !below.empty() && *below.begin() != "..";
  return is_below ? Escaped(below.native())
                  : "file://" + Escaped(normal.native());
}

}  // namespace bvhmill::client
