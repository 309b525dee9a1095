#include "bvhmill/bvh/channels.h"

#include "bvhmill/text/cursor.h"

namespace bvhmill {

std::optional<Channel> ParseChannel(std::string_view word) {
  if (word.empty()) return std::nullopt;
  // The axis, then what it is of: looked at once, for most words of a hierarchy
  // are channels.
  const int axis = (word[0] | 0x20) - 'x';
  if (axis < 0 || axis > 2) return std::nullopt;
  for (int kind = 0; kind < 9; kind += 3) {
    const auto channel = static_cast<Channel>(kind + axis);
    if (EqualsIgnoreCase(word, ChannelName(channel))) return channel;
  }
  return std::nullopt;
}

}  // namespace bvhmill
