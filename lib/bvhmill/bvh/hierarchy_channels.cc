// CHANNELS of a joint: the count, the list, and their disagreement.

#include <algorithm>
#include <array>

#include "bvhmill/bvh/channels.h"
#include "bvhmill/bvh/hierarchy_reader.h"
#include "bvhmill/bvh/location.h"
#include "bvhmill/text/number.h"

namespace bvhmill {
namespace {

bool CanFollowChannels(const Word& word) {
  constexpr std::array<std::string_view, 8> kWords = {
      "", "{", "}", "OFFSET", "JOINT", "CHANNELS", "ROOT", "MOTION"};
  return StartsWithIgnoreCase(word.text, "End") ||
         std::any_of(kWords.begin(), kWords.end(), [&](std::string_view w) {
           return EqualsIgnoreCase(word.text, w);
         });
}

}  // namespace

bool HierarchyReader::ReadChannels(const Word& keyword) {
  OpenNode& open = stack_.back();
  if (open.has_channels) {
    return Refuse(IssueCode::CHANNEL_LIST_REPEATED, keyword);
  }
  if (open.has_children) return Refuse(IssueCode::CHANNEL_LIST_LATE, keyword);
  open.has_channels = true;
  if (IsEndSite(Top())) {
    // CHANNELS of the parent behind these would be no clearer than behind
    // those of a joint.
    stack_[stack_.size() - 2].has_children = true;
    log_.Add(IssueCode::HIERARCHY_END_SITE_CHANNELS, Here(keyword),
             {{"joint", NameOf(Top().parent)}});
  }
  std::optional<int64_t> count;
  return ReadChannelCount(&count) && ReadChannelList(keyword, count);
}

bool HierarchyReader::ReadChannelCount(std::optional<int64_t>* count) {
  const Word word = cursor_.Peek();
  if (ParseChannel(word.text)) return true;
  cursor_.Next();
  const Number number = ParseNumber(word.text);
  const bool is_whole =
      number.kind == NumberKind::kFinite && number.value >= 0 &&
      word.text.find_first_of(".eE") == std::string_view::npos;
  if (!is_whole) return Refuse(IssueCode::CHANNEL_COUNT_INVALID, word);
  // No list is as long as what does not fit.
  *count = static_cast<int64_t>(std::min(number.value, 9e15));
  return true;
}

bool HierarchyReader::ReadChannelList(const Word& keyword,
                                      std::optional<int64_t> count) {
  std::vector<Channel>& channels = out_.skeleton.channels;
  Top().first_channel = static_cast<int32_t>(channels.size());
  int64_t listed = 0;
  Word word = cursor_.Peek();
  while (const auto channel = ParseChannel(word.text)) {
    const auto total = static_cast<int64_t>(channels.size()) + 1;
    if (Exceeds(total, limits_.max_channels)) {
      return Refuse(IssueCode::LIMIT_CHANNELS, word,
                    {{"limit", std::to_string(limits_.max_channels)}});
    }
    channels.push_back(*channel);
    ++listed;
    cursor_.Next();
    word = cursor_.Peek();
  }
  Top().channel_count = static_cast<int32_t>(listed);
  CheckChannelKinds(keyword);
  const IssueArgs args = {{"listed", std::to_string(listed)},
                          {"count", std::to_string(count.value_or(listed))},
                          {"joint", NameOf(stack_.back().node)}};
  if (!count) {
    log_.Add(IssueCode::CHANNEL_COUNT_MISSING, Here(keyword), args);
  } else if (*count != listed) {
    // A strange word in the place of a channel explains it best.
    if (!CanFollowChannels(word)) {
      return Refuse(IssueCode::CHANNEL_UNKNOWN, word, args);
    }
    out_.disputes.push_back({stack_.back().node, *count, keyword.place});
  }
  return true;
}

void HierarchyReader::CheckChannelKinds(const Word& keyword) {
  std::array<int, 9> seen = {};
  bool scaled = false;
  for (const Channel channel : ChannelsOf(out_.skeleton, Top())) {
    scaled |= !IsPosition(channel) && !IsRotation(channel);
    if (++seen[static_cast<size_t>(channel)] == 2) {
      log_.Add(IssueCode::CHANNEL_AXIS_REPEATED, Here(keyword),
               {{"joint", NameOf(stack_.back().node)},
                {"word", std::string(ChannelName(channel))}});
    }
  }
  if (scaled) {
    log_.Add(IssueCode::CHANNEL_SCALE_IGNORED, Here(keyword),
             {{"joint", NameOf(stack_.back().node)}});
  }
}

}  // namespace bvhmill
