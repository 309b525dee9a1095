#include "client/cli/io/item_key.h"

#include <charconv>

#include "bvhmill/base/utf8.h"

namespace bvhmill::client {
namespace {

constexpr std::string_view kBytes = "bytes:";
constexpr std::string_view kEscape = "\\x";
constexpr size_t kEscapeSize = 4;

bool IsPlain(char c) { return c >= ' ' && c <= '~' && c != '\\'; }

}  // namespace

std::string KeyOfName(std::string_view name) {
  if (IsUtf8(name) && !name.starts_with(kBytes)) return std::string(name);
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string key(kBytes);
  for (const char c : name) {
    if (IsPlain(c)) {
      key += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    key.append(kEscape);
    key += kDigits[byte / 16];
    key += kDigits[byte % 16];
  }
  return key;
}

std::string NameOfKey(std::string_view key) {
  if (!key.starts_with(kBytes)) return std::string(key);
  std::string name;
  for (std::string_view rest = key.substr(kBytes.size()); !rest.empty();) {
    if (IsPlain(rest[0])) {
      name += rest[0];
      rest.remove_prefix(1);
      continue;
    }
    unsigned byte = 0;
    const bool is_escape =
        rest.starts_with(kEscape) && rest.size() >= kEscapeSize;
    const char* const digits = rest.data() + kEscape.size();
    if (!is_escape ||
        std::from_chars(digits, digits + 2, byte, 16).ptr != digits + 2) {
      return std::string(key);
    }
    name += static_cast<char>(byte);
    rest.remove_prefix(kEscapeSize);
  }
  return name;
}

}  // namespace bvhmill::client
