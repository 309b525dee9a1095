#include "bvhmill/bvh/channels.h"

#include "bvhmill/text/cursor.h"

namespace bvhmill {

std::optional<Channel> ParseChannel(std::string_view word) {
  for (int i = 0; i < 9; ++i) {
    const auto channel = static_cast<Channel>(i);
    if (EqualsIgnoreCase(word, ChannelName(channel))) return channel;
  }
  return std::nullopt;
}

}  // namespace bvhmill
