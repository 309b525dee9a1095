#include "bvhmill/bvh/hierarchy/channels.h"

#include <cstdint>
#include <cstring>

#include "bvhmill/text/cursor.h"

namespace bvhmill {
namespace {

// Eight letters, in lower case, as one number.
uint64_t EightLetters(const char* text) {
  constexpr uint64_t kLower = 0x2020202020202020;
  uint64_t letters = 0;
  std::memcpy(&letters, text, sizeof(letters));
  // Bytes that become an expected letter by this are that letter in upper or
  // lower case.
  return letters | kLower;
}

// Parses the part of the name after the axis. Returns the X channel of its
// kind.
std::optional<Channel> ParseKind(std::string_view word) {
  if (word.size() == 8) {
    const uint64_t letters = EightLetters(word.data());
    if (letters == EightLetters("rotation")) return Channel::kXRotation;
    if (letters == EightLetters("position")) return Channel::kXPosition;
  }
  if (EqualsIgnoreCase(word, "scale")) return Channel::kXScale;
  return std::nullopt;
}

}  // namespace

// Checks each letter once: most words of a hierarchy are channels.
std::optional<Channel> ParseChannel(std::string_view word) {
  if (word.empty()) return std::nullopt;
  const int axis = (word[0] | 0x20) - 'x';
  if (axis < 0 || axis > 2) return std::nullopt;
  const auto first = ParseKind(word.substr(1));
  if (!first) return std::nullopt;
  return static_cast<Channel>(static_cast<int>(*first) + axis);
}

}  // namespace bvhmill
