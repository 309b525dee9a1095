// CHANNELS of a joint: the count, the list, and the case that they differ.

#include <algorithm>
#include <array>

#include "bvhmill/bvh/hierarchy/channels.h"
#include "bvhmill/bvh/hierarchy/hierarchy_reader.h"
#include "bvhmill/bvh/motion/location.h"
#include "bvhmill/text/number.h"

namespace bvhmill {
namespace {

bool IsWhole(std::string_view word, const Number& number) {
  return number.kind == NumberKind::kFinite && number.value >= 0 &&
         word.find_first_of(".eE") == std::string_view::npos;
}

}  // namespace

bool HierarchyReader::ReadChannels(const Word& keyword) {
  OpenNode& open = stack_.back();
  if (open.has_channels || open.has_children) {
    if (!open.is_reopened) {
      Fault(open.has_channels ? IssueCode::CHANNEL_LIST_REPEATED
                              : IssueCode::CHANNEL_LIST_LATE,
            keyword);
    }
    open.has_channels = true;
    SkipWords();
    return true;
  }
  open.has_channels = true;
  if (IsEndSite(Top())) {
    // CHANNELS of the parent after these would be as unclear as after those of
    // a joint.
    stack_[stack_.size() - 2].has_children = true;
    log_.Add(IssueCode::HIERARCHY_END_SITE_CHANNELS, Here(keyword),
             {{"joint", NameOf(Top().parent)}});
  }
  ChannelCount count;
  return ReadChannelCount(&count) && ReadChannelList(keyword, count);
}

bool HierarchyReader::ReadChannelCount(ChannelCount* count) {
  const Cursor before = cursor_;
  const Word word = cursor_.Next();
  if (ParseChannel(word.text)) {
    cursor_ = before;
    return true;
  }
  const Number number = ParseNumber(word.text);
  count->is_stated = true;
  count->is_valid = IsWhole(word.text, number);
  if (count->is_valid) {
    // No list can have a length above this.
    count->value = static_cast<int64_t>(std::min(number.value, 9e15));
    return true;
  }
  if (IsKnown(word)) cursor_ = before;
  return Fault(IssueCode::CHANNEL_COUNT_INVALID, word);
}

bool HierarchyReader::ReadChannelList(const Word& keyword,
                                      const ChannelCount& count) {
  Top().first_channel = static_cast<int32_t>(out_.skeleton.channels.size());
  bool more = ReadChannelNames();
  const bool is_broken = more && IsUnknownChannel(count);
  if (is_broken) more = ReadUnknownChannels(count);
  CheckChannelKinds(keyword);
  if (!more || is_broken) return more;
  const int64_t listed = Top().channel_count;
  if (!count.is_stated) {
    log_.Add(IssueCode::CHANNEL_COUNT_MISSING, Here(keyword),
             {{"listed", std::to_string(listed)},
              {"count", std::to_string(listed)},
              {"joint", NameOf(stack_.back().node)}});
  } else if (count.is_valid && count.value != listed) {
    out_.disputes.push_back({stack_.back().node, count.value, keyword.place});
  }
  return true;
}

bool HierarchyReader::ReadChannelNames() {
  std::vector<Channel>& channels = out_.skeleton.channels;
  Cursor before = cursor_;
  Word word = cursor_.Next();
  while (const auto channel = ParseChannel(word.text)) {
    const auto total = static_cast<int64_t>(channels.size()) + 1;
    if (Exceeds(total, limits_.max_channels)) {
      cursor_ = before;
      return Refuse(IssueCode::LIMIT_CHANNELS, word,
                    {{"limit", std::to_string(limits_.max_channels)}});
    }
    channels.push_back(*channel);
    ++Top().channel_count;
    before = cursor_;
    word = cursor_.Next();
  }
  cursor_ = before;
  return true;
}

// If the count does not fit and a strange word follows the list, the word is
// probably a misspelt channel.
bool HierarchyReader::IsUnknownChannel(const ChannelCount& count) const {
  constexpr std::string_view kHeader = "Frame";
  if (!count.is_valid || count.value == Top().channel_count) return false;
  const Word word = cursor_.Peek();
  return !IsKnown(word) || StartsWithIgnoreCase(word.text, kHeader);
}

// Counts each strange word as one channel, so that one spelling mistake does
// not also cause a fault of the count.
bool HierarchyReader::ReadUnknownChannels(const ChannelCount& count) {
  int64_t unknown = 0;
  Word word = cursor_.Peek();
  do {
    Fault(IssueCode::CHANNEL_UNKNOWN, word,
          {{"listed", std::to_string(Top().channel_count)},
           {"count", std::to_string(count.value)}});
    if (IsKnown(word)) return true;
    cursor_.Next();
    ++unknown;
    if (!ReadChannelNames()) return false;
    word = cursor_.Peek();
  } while (Top().channel_count + unknown < count.value && !IsKnown(word) &&
           !word.first_on_line &&
           ParseNumber(word.text).kind == NumberKind::kInvalid);
  SkipWords();
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
