#include "client/cli/dataset/checksums.h"

namespace bvhmill::client {
namespace {

std::string Escaped(const std::string& path) {
  std::string out;
  for (const char c : path) {
    switch (c) {
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace

std::string ChecksumLines(const std::map<std::string, std::string>& digests) {
  std::string out;
  for (const auto& [path, digest] : digests) {
    const std::string name = Escaped(path);
    out += (name == path ? "" : "\\") + digest + "  " + name + "\n";
  }
  return out;
}

}  // namespace bvhmill::client
