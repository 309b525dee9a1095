// Names of joints and labels of end sites.

#include <algorithm>
#include <utility>

#include "bvhmill/base/utf8.h"
#include "bvhmill/bvh/hierarchy/hierarchy_reader.h"
#include "bvhmill/bvh/motion/location.h"
#include "bvhmill/text/lines.h"
#include "bvhmill/text/sniff.h"

namespace bvhmill {
namespace {

// True for the first byte of a two-byte character in Shift-JIS. Its second byte
// may have the value of a brace.
bool IsShiftJisLead(char c) {
  const auto byte = static_cast<uint8_t>(c);
  return (byte >= 0x81 && byte <= 0x9F) || (byte >= 0xE0 && byte <= 0xFC);
}

// `text` without its last character, if that may have been cut.
std::string_view WithoutCutCharacter(std::string_view text) {
  const auto is_part = [](char c) {
    return (static_cast<uint8_t>(c) & 0xC0U) == 0x80U;
  };
  size_t size = text.size();
  while (size > 0 && text.size() - size < 3 && is_part(text[size - 1])) --size;
  const bool has_lead =
      size > 0 && static_cast<uint8_t>(text[size - 1]) >= 0xC0U;
  return text.substr(0, has_lead ? size - 1 : size);
}

// Index where `name` ends: at the first opening brace after a blank, or else at
// the first opening brace. The second byte of a Shift-JIS character is not a
// brace.
size_t FindBrace(std::string_view name, bool is_cut) {
  const bool is_utf8 = IsUtf8(is_cut ? WithoutCutCharacter(name) : name);
  size_t glued = std::string_view::npos;
  for (size_t i = 0; i < name.size(); ++i) {
    if (!is_utf8 && IsShiftJisLead(name[i])) {
      ++i;
    } else if (name[i] == '{') {
      if (i == 0 || IsBlank(name[i - 1])) return i;
      glued = std::min(glued, i);
    }
  }
  return glued;
}

// The lines before MOTION, which have all names.
std::string_view TextOfNames(std::string_view text) {
  text.remove_prefix(ByteOrderMarkSize(text));
  LineReader lines(text, {});
  Line line;
  while (lines.Next(&line)) {
    size_t index = 0;
    if (!EqualsIgnoreCase(NextWord(line.text, &index), "MOTION")) continue;
    return text.substr(0, static_cast<size_t>(line.start.offset));
  }
  return text;
}

}  // namespace

// Decides in which encoding all names are, and decodes those that were read
// before. `place` is that of the first name that shows a need to decide.
void HierarchyReader::ChooseEncoding(const TextPosition& place) {
  const bool is_stated = stated_encoding_ != TextEncoding::kUnknown;
  const TextEncoding expected =
      is_stated ? stated_encoding_ : TextEncoding::kUtf8;
  const std::string_view text = TextOfNames(cursor_.text());
  encoding_ =
      is_stated && IsTextIn(expected, text) ? expected : GuessEncoding(text);
  for (Node& node : out_.skeleton.nodes) DecodeName(&node.name);
  if (encoding_ == expected) return;
  log_.Add(IssueCode::HIERARCHY_NAME_ENCODING, LocationAt(place),
           {{"expected", std::string(EncodingName(expected))},
            {"encoding", std::string(EncodingName(encoding_))}});
}

void HierarchyReader::DecodeName(std::string* name) const {
  std::string text;
  if (!DecodeText(encoding_, *name, &text)) {
    DecodeText(TextEncoding::kLatin1, *name, &text);
  }
  *name = text;
}

// `name` as UTF-8, in the memory of an earlier name, if there is one.
std::string HierarchyReader::NewName(const Word& keyword,
                                     std::string_view name) {
  if (encoding_ == TextEncoding::kUnknown && !IsUtf8(name)) {
    ChooseEncoding(keyword.place);
  }
  std::vector<std::string>& names = out_.room.names;
  std::string out;
  if (!names.empty()) {
    out = std::move(names.back());
    names.pop_back();
  }
  out.assign(name);
  if (encoding_ != TextEncoding::kUnknown) DecodeName(&out);
  return out;
}

std::string HierarchyReader::NameOf(int32_t node) const {
  const Node& n = out_.skeleton.nodes[static_cast<size_t>(node)];
  if (IsEndSite(n) && n.name.empty()) return Quote("End Site");
  return Quote(ToUtf8(n.name));
}

std::string_view HierarchyReader::ReadName() {
  cursor_.SkipBlanks();
  // Looks no further than a name may reach: a whole hierarchy may be on one
  // line.
  constexpr size_t kBlanksAndBrace = 64;
  const int64_t limit = limits_.max_name_bytes;
  const size_t most = limit > 0 ? static_cast<size_t>(limit) + kBlanksAndBrace
                                : std::string_view::npos;
  const std::string_view line = cursor_.PeekLine(most);
  size_t end = FindBrace(line, line.size() == most);
  if (end > 0 && end < line.size() && !IsBlank(line[end - 1])) {
    // A brace directly after the name is part of it if the next line begins
    // with a brace.
    Cursor after = cursor_;
    after.Skip(line.size());
    if (line.size() < most && after.Peek().text == "{") end = line.size();
  }
  end = std::min(end, line.size());
  cursor_.Skip(end);
  return TrimBlanks(line.substr(0, end));
}

std::string_view HierarchyReader::ReadEndSiteLabel(const Word& keyword,
                                                   std::string* odd_spelling) {
  const std::string_view rest = ReadName();
  const bool has_site = EqualsIgnoreCase(keyword.text, "End") &&
                        StartsWithIgnoreCase(rest, "Site");
  if (!has_site || (rest.size() > 4 && !IsBlank(rest[4]))) {
    const std::string_view separator = rest.empty() ? "" : " ";
    *odd_spelling =
        Quote(std::string(keyword.text).append(separator).append(rest));
  }
  if (!has_site) return rest;
  const std::string_view label = TrimBlanks(rest.substr(4));
  // A label that begins with a brace could not be read back after writing.
  return label.starts_with('{') ? std::string_view() : label;
}

}  // namespace bvhmill
