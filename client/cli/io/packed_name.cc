#include "client/cli/io/packed_name.h"

#include <algorithm>
#include <cctype>

namespace bvhmill::client {
namespace {

struct Ending {
  std::string_view text;
  Encoding encoding;
};

constexpr Ending kEndings[] = {{".gz", Encoding::kGzip},
                               {".zst", Encoding::kZstd}};

bool EndsWith(std::string_view name, std::string_view ending) {
  if (name.size() < ending.size()) return false;
  const std::string_view tail = name.substr(name.size() - ending.size());
  return std::equal(
      tail.begin(), tail.end(), ending.begin(),
      [](unsigned char a, unsigned char b) { return std::tolower(a) == b; });
}

// The format by the extension of a file that is not compressed.
std::optional<SourceFormat> FormatByEnding(std::string_view path) {
  for (const SourceFormatInfo& info : SourceFormats()) {
    if (EndsWith(path, info.extension)) return info.format;
  }
  return std::nullopt;
}

// The ending of a packed clip; null if it is none.
const Ending* FindEnding(std::string_view path) {
  for (const Ending& ending : kEndings) {
    if (EndsWith(path, ending.text) &&
        FormatByEnding(path.substr(0, path.size() - ending.text.size()))) {
      return &ending;
    }
  }
  return nullptr;
}

}  // namespace

std::optional<SourceFormat> FormatOfName(std::string_view path) {
  return FormatByEnding(WithoutPacking(path));
}

Encoding EncodingOfName(std::string_view path) {
  const Ending* ending = FindEnding(path);
  return ending == nullptr ? Encoding::kIdentity : ending->encoding;
}

std::string_view WithoutPacking(std::string_view path) {
  const Ending* ending = FindEnding(path);
  if (ending != nullptr) path.remove_suffix(ending->text.size());
  return path;
}

}  // namespace bvhmill::client
