#include "client/cli/dataset/path_pattern.h"

#include <cstddef>
#include <vector>

namespace bvhmill::client {
namespace {

// reached[i]: the pattern until here matches the first i bytes of the path.
using Reached = std::vector<bool>;

// After a star: it also takes each byte that it may take.
void Extend(std::string_view path, bool with_slashes, Reached* reached) {
  for (size_t i = 0; i < path.size(); ++i) {
    const bool takes = with_slashes || path[i] != '/';
    if ((*reached)[i] && takes) (*reached)[i + 1] = true;
  }
}

// After "**/" at the start of a name: it takes any number of whole names with
// their slashes, also none.
void ExtendByFolders(std::string_view path, Reached* reached) {
  bool has_begun = false;
  for (size_t i = 0; i < path.size(); ++i) {
    has_begun = has_begun || (*reached)[i];
    if (has_begun && path[i] == '/') (*reached)[i + 1] = true;
  }
}

// After a byte or a question mark.
void Step(std::string_view path, char wanted, Reached* reached) {
  for (size_t i = path.size(); i > 0; --i) {
    const char c = path[i - 1];
    const bool fits = wanted == '?' ? c != '/' : c == wanted;
    (*reached)[i] = (*reached)[i - 1] && fits;
  }
  (*reached)[0] = false;
}

}  // namespace

bool MatchesPath(std::string_view pattern, std::string_view path) {
  const size_t slash = path.rfind('/');
  if (pattern.find('/') == pattern.npos && slash != path.npos) {
    path.remove_prefix(slash + 1);
  }
  while (pattern.starts_with("./")) pattern.remove_prefix(2);
  Reached reached(path.size() + 1);
  reached[0] = true;
  char before = '/';
  while (!pattern.empty()) {
    const bool is_double = pattern.starts_with("**");
    size_t used = is_double ? 2 : 1;
    if (before == '/' && pattern.starts_with("**/")) {
      ExtendByFolders(path, &reached);
      used = 3;
    } else if (pattern.front() == '*') {
      Extend(path, is_double, &reached);
    } else {
      Step(path, pattern.front(), &reached);
    }
    before = pattern[used - 1];
    pattern.remove_prefix(used);
  }
  return reached[path.size()];
}

std::string WhyNoPattern(std::string_view pattern) {
  if (pattern.empty()) return "names no file";
  if (pattern.starts_with('/')) {
    return "begins with a slash; patterns are relative to this file";
  }
  if (pattern.ends_with('/')) return "names a folder; add ** for its files";
  const bool leaves = pattern == ".." || pattern.starts_with("../") ||
                      pattern.ends_with("/..") ||
                      pattern.find("/../") != std::string_view::npos;
  return leaves ? "has .. in it; only files below this file are meant" : "";
}

}  // namespace bvhmill::client
