// Step 1 of reading BVH text: HIERARCHY becomes a skeleton. Next: header.cc,
// the lines before the rows; then motion.cc and parallel_rows.cc, the rows;
// then reader.cc, which calls the other steps for text that arrives piece by
// piece.
//
// HierarchyReader reads word by word and keeps a stack of open nodes. The
// sections of this file: names of channels, nodes, CHANNELS, names of nodes,
// recovery after faults, disputed channel counts, the cache.

#include "bvhmill/bvh/hierarchy.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bvhmill/base/text.h"
#include "bvhmill/bvh/parsed_clip.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/text/lines.h"
#include "bvhmill/text/number.h"
#include "bvhmill/text/sniff.h"

namespace bvhmill {
namespace {

// Names of channels.

// Eight letters, in lower case, as one number.
uint64_t EightLetters(const char* text) {
  constexpr uint64_t kLower = 0x2020202020202020;
  uint64_t letters = 0;
  std::memcpy(&letters, text, sizeof(letters));
  // A byte that this maps to an expected letter is that letter in either case.
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

// Parses a name such as "Xposition" or "zROTATION", in any case. Returns
// nullopt if `word` is no channel. Checks each letter once: most words of a
// hierarchy are channels.
std::optional<Channel> ParseChannel(std::string_view word) {
  if (word.empty()) return std::nullopt;
  const int axis = (word[0] | 0x20) - 'x';
  if (axis < 0 || axis > 2) return std::nullopt;
  const auto first = ParseKind(word.substr(1));
  if (!first) return std::nullopt;
  return static_cast<Channel>(static_cast<int>(*first) + axis);
}

// Nodes.

// Each Read* function reads what follows its keyword. It returns false if
// reading cannot continue, because the text ends or a limit is reached. A fault
// alone does not stop the reading: it is logged, and reading continues by the
// rules of recovery below.
class HierarchyReader {
 public:
  HierarchyReader(Cursor* cursor, const Limits& limits, TextEncoding names,
                  IssueLog* log, Hierarchy* out)
      : cursor_(*cursor),
        limits_(limits),
        stated_encoding_(names),
        log_(*log),
        out_(*out),
        stack_(out->room.stack) {}

  bool Read();

 private:
  struct ChannelCount {
    bool is_stated = false;
    bool is_valid = false;
    int64_t value = 0;
  };

  bool ReadOpening();
  bool ReadNodes();
  void PlaceEmptyNodes();
  bool ReadOuterWord(const Word& word);
  bool ReadInnerWord(const Word& word);
  bool Open(const Word& keyword, NodeKind kind);
  bool Push(const Word& keyword, Node node);
  std::string NewName(const Word& keyword, std::string_view name);
  void DecodeName(std::string* name) const;
  void ChooseEncoding(const TextPosition& place);
  bool ReadOpeningBrace();
  bool Close(const Word& brace);
  void CheckComplete(const OpenNode& open);
  bool CheckLimits(const Word& keyword, const Node& node);
  bool ReadOffset(const Word& keyword);
  void SkipSurplusNumbers();
  bool ReadChannels(const Word& keyword);
  bool ReadChannelCount(ChannelCount* count);
  bool ReadChannelList(const Word& keyword, const ChannelCount& count);
  bool ReadChannelNames();
  bool IsUnknownChannel(const ChannelCount& count) const;
  bool ReadUnknownChannels(const ChannelCount& count);
  void CheckChannelKinds(const Word& keyword);
  void NoteIndent(const Word& word, const OpenNode& against, bool is_child);

  // Rules of recovery, one per kind of fault.
  bool NoHierarchy(const Word& word);
  bool NoRoot(const Word& word, bool is_end);
  bool Stray(const Word& word);
  bool UnknownWord(const Word& word, std::string_view expected);
  bool NoOpeningBrace(const Word& word);
  bool Unclosed(const Word& word);
  // Logs a fault at `word`. False at the end of the text.
  bool Fault(IssueCode code, const Word& word, IssueArgs args = {});
  // Logs a fault that stops the reading. Always returns false.
  bool Refuse(IssueCode code, const Word& word, IssueArgs args = {});
  // True if the word has a meaning in some part of a hierarchy.
  static bool IsKnown(const Word& word);
  // Skips the words that belong to a fault. Returns those on this line.
  std::string_view SkipWords();
  static bool EndsSkip(const Word& word);
  // Moves to the next ROOT or JOINT that is followed by a name and a brace.
  // False, without moving, if there is none.
  bool SeekNode();
  bool IsNode(const Word& word);
  // True if a name and a brace follow.
  bool HasBlock();

  // Both results point into the text.
  std::string_view ReadName();
  // Sets `odd_spelling` if the text is not "End Site [label]".
  std::string_view ReadEndSiteLabel(const Word& keyword,
                                    std::string* odd_spelling);
  std::string NameOf(int32_t node) const;
  Node& Top() const { return out_.skeleton.nodes[stack_.back().node]; }
  Location Here(const Word& word) const;
  // The line near which a brace is probably missing or extra. It is `last` if
  // no line before it has odd indentation.
  std::string SuspectLine(int64_t last) const;

  Cursor& cursor_;
  const Limits& limits_;
  const TextEncoding stated_encoding_;
  // The encoding of all names. While it is unknown, all names so far are UTF-8.
  TextEncoding encoding_ = TextEncoding::kUnknown;
  IssueLog& log_;
  Hierarchy& out_;
  std::vector<OpenNode>& stack_;
  bool is_done_ = false;
  bool leading_brace_ = false;
  // The first line whose indentation disagrees with the braces; 0 if there is
  // none.
  int64_t suspect_line_ = 0;

  // Recovery.
  bool is_faulty_ = false;
  // Nodes below this index were opened before the last fault.
  int32_t sure_from_ = 0;
  // The root that was closed last, and the line of its closing brace.
  OpenNode last_root_;
  int64_t last_close_line_ = 0;
  // Sum of extra_braces over the stack.
  int64_t open_extra_ = 0;
  // Numbers of closing braces that may be missing, and that may be extra,
  // because of faults that are already logged.
  int64_t may_lack_ = 0;
  int64_t may_exceed_ = 0;
};

bool IsWord(const Word& word, std::string_view keyword) {
  return EqualsIgnoreCase(word.text, keyword);
}

Location HierarchyReader::Here(const Word& word) const {
  if (stack_.empty()) return LocationAt(word.place);
  return LocationAt(word.place, out_.skeleton, stack_.back().node);
}

bool HierarchyReader::Read() {
  if (stated_encoding_ != TextEncoding::kUnknown) ChooseEncoding({});
  if (!ReadOpening() || !ReadNodes()) return false;
  out_.ended = true;
  if (!is_faulty_) PlaceEmptyNodes();
  return !is_faulty_;
}

bool HierarchyReader::ReadNodes() {
  while (true) {
    const Cursor before = cursor_;
    const Word word = cursor_.Next();
    if (!(stack_.empty() ? ReadOuterWord(word) : ReadInnerWord(word))) {
      return false;
    }
    if (is_done_) {
      cursor_ = before;
      return true;
    }
  }
}

// Sets first_channel of the nodes without channels, so that it never decreases
// from one node to the next.
void HierarchyReader::PlaceEmptyNodes() {
  int32_t next = 0;
  for (Node& node : out_.skeleton.nodes) {
    if (node.channel_count == 0) node.first_channel = next;
    next = node.first_channel + node.channel_count;
  }
}

bool HierarchyReader::ReadOpening() {
  const Word brace = cursor_.Peek();
  if (brace.text == "{") {
    leading_brace_ = true;
    log_.Add(IssueCode::HIERARCHY_LEADING_BRACE, LocationAt(brace.place));
    cursor_.Next();
  }
  const Word word = cursor_.Peek();
  if (IsWord(word, "HIERARCHY")) {
    cursor_.Next();
    return true;
  }
  if (!IsWord(word, "ROOT")) return NoHierarchy(word);
  log_.Add(IssueCode::HIERARCHY_KEYWORD_MISSING, LocationAt(word.place),
           {{"word", Describe(word)}});
  return true;
}

bool HierarchyReader::ReadOuterWord(const Word& word) {
  if (IsWord(word, "ROOT")) return Open(word, NodeKind::kRoot);
  const bool is_end = word.text.empty() || IsWord(word, "MOTION") ||
                      StartsWithIgnoreCase(word.text, "frame");
  if (out_.skeleton.nodes.empty()) return NoRoot(word, is_end);
  if (is_end) {
    is_done_ = true;
    return true;
  }
  if (word.text == "}" && leading_brace_) {
    leading_brace_ = false;
    return true;
  }
  constexpr std::array<std::string_view, 5> kInner = {"}", "JOINT", "End",
                                                      "OFFSET", "CHANNELS"};
  const bool is_inner =
      std::any_of(kInner.begin(), kInner.end(),
                  [&](std::string_view k) { return IsWord(word, k); });
  return is_inner ? Stray(word) : UnknownWord(word, "ROOT or MOTION");
}

bool HierarchyReader::ReadInnerWord(const Word& word) {
  const bool in_end_site = IsEndSite(Top());
  if (word.text == "}") return Close(word);
  if (IsWord(word, "OFFSET")) return ReadOffset(word);
  if (IsWord(word, "CHANNELS")) return ReadChannels(word);
  const bool is_joint = IsWord(word, "JOINT");
  const bool is_end = StartsWithIgnoreCase(word.text, "End");
  if (is_joint || is_end) {
    if (in_end_site) {
      Fault(IssueCode::HIERARCHY_END_SITE_CHILD, word,
            {{"joint", NameOf(Top().parent)}});
    }
    return Open(word, is_joint ? NodeKind::kJoint : NodeKind::kEndSite);
  }
  if (word.text.empty() || IsWord(word, "ROOT") || IsWord(word, "MOTION") ||
      StartsWithIgnoreCase(word.text, "Frame")) {
    return Unclosed(word);
  }
  return UnknownWord(word, in_end_site ? "OFFSET or }"
                                       : "OFFSET, CHANNELS, JOINT, "
                                         "End Site or }");
}

void HierarchyReader::NoteIndent(const Word& word, const OpenNode& against,
                                 bool is_child) {
  if (suspect_line_ > 0 || !word.first_on_line) return;
  if (!against.keyword.first_on_line) return;
  const int32_t indent = word.place.column;
  const int32_t other = against.keyword.place.column;
  // Files without indentation are no evidence.
  const bool flat = indent == 1 && other == 1;
  const bool odd = is_child ? indent <= other : indent != other;
  if (odd && !flat) suspect_line_ = word.place.line;
}

bool HierarchyReader::Open(const Word& keyword, NodeKind kind) {
  Node node;
  node.kind = kind;
  const bool is_end_site = kind == NodeKind::kEndSite;
  std::string odd_spelling;
  node.name =
      NewName(keyword, is_end_site ? ReadEndSiteLabel(keyword, &odd_spelling)
                                   : ReadName());
  const size_t index = out_.skeleton.nodes.size();
  const bool nameless = node.name.empty() && !is_end_site;
  if (nameless) node.name = "joint_" + std::to_string(index);
  if (!Push(keyword, std::move(node))) return false;
  if (nameless) {
    log_.Add(IssueCode::HIERARCHY_NAME_EMPTY, Here(keyword),
             {{"joint", NameOf(stack_.back().node)}});
  }
  if (!odd_spelling.empty()) {
    log_.Add(IssueCode::HIERARCHY_END_SITE_SPELLING, Here(keyword),
             {{"word", odd_spelling}});
  }
  return ReadOpeningBrace();
}

// Adds `node` as a child of the open node, and opens it.
bool HierarchyReader::Push(const Word& keyword, Node node) {
  if (!stack_.empty()) {
    NoteIndent(keyword, stack_.back(), /*is_child=*/true);
    stack_.back().has_children |= node.kind == NodeKind::kJoint;
    node.parent = stack_.back().node;
  }
  if (!CheckLimits(keyword, node)) return false;
  const auto index = static_cast<int32_t>(out_.skeleton.nodes.size());
  node.first_channel = static_cast<int32_t>(out_.skeleton.channels.size());
  out_.skeleton.nodes.push_back(std::move(node));
  out_.places.push_back(keyword.place);
  stack_.push_back({.node = index, .keyword = keyword});
  return true;
}

bool HierarchyReader::ReadOpeningBrace() {
  const Cursor before = cursor_;
  const Word brace = cursor_.Next();
  if (brace.text == "{") return true;
  cursor_ = before;
  return NoOpeningBrace(brace);
}

bool HierarchyReader::CheckLimits(const Word& keyword, const Node& node) {
  const auto nodes = static_cast<int64_t>(out_.skeleton.nodes.size()) + 1;
  const auto depth = static_cast<int64_t>(stack_.size()) + 1;
  const auto refuse = [&](IssueCode code, int64_t limit) {
    return Refuse(code, keyword, {{"limit", std::to_string(limit)}});
  };
  if (Exceeds(nodes, limits_.max_joints)) {
    return refuse(IssueCode::LIMIT_JOINTS, limits_.max_joints);
  }
  if (!IsEndSite(node) && Exceeds(depth, limits_.max_depth)) {
    return refuse(IssueCode::LIMIT_DEPTH, limits_.max_depth);
  }
  if (Exceeds(static_cast<int64_t>(node.name.size()), limits_.max_name_bytes)) {
    return refuse(IssueCode::LIMIT_NAME_BYTES, limits_.max_name_bytes);
  }
  return true;
}

bool HierarchyReader::Close(const Word& brace) {
  OpenNode& open = stack_.back();
  if (open.extra_braces > 0) {
    --open.extra_braces;
    --open_extra_;
    return true;
  }
  NoteIndent(brace, open, /*is_child=*/false);
  CheckComplete(open);
  if (stack_.size() == 1) {
    last_root_ = open;
    last_close_line_ = brace.place.line;
  }
  stack_.pop_back();
  return true;
}

// Nodes around a fault are not checked: the fault may hide the missing part.
void HierarchyReader::CheckComplete(const OpenNode& open) {
  if (open.node < sure_from_ || open.is_reopened) return;
  if (!open.has_offset) {
    log_.Add(IssueCode::HIERARCHY_OFFSET_MISSING, Here(open.keyword),
             {{"joint", NameOf(open.node)}});
  }
  if (!open.has_channels && !IsEndSite(Top())) {
    log_.Add(IssueCode::CHANNEL_LIST_MISSING, Here(open.keyword),
             {{"joint", NameOf(open.node)}});
  }
}

bool HierarchyReader::ReadOffset(const Word& keyword) {
  OpenNode& open = stack_.back();
  if (open.has_offset) {
    if (!open.is_reopened) {
      Fault(IssueCode::HIERARCHY_OFFSET_REPEATED, keyword);
    }
    SkipWords();
    return true;
  }
  open.has_offset = true;
  for (float& value : Top().offset) {
    const Cursor before = cursor_;
    const Word word = cursor_.Next();
    const Number number = ParseNumber(word.text);
    if (number.kind != NumberKind::kFinite) {
      cursor_ = before;
      Top().offset = {};
      const bool more = Fault(IssueCode::HIERARCHY_OFFSET_INVALID, word);
      SkipWords();
      return more;
    }
    value = static_cast<float>(number.value);
  }
  SkipSurplusNumbers();
  return true;
}

// Some programs write angles after the three numbers of an OFFSET. The issue
// has no joint, so that a report has one for all joints.
void HierarchyReader::SkipSurplusNumbers() {
  const Word first = cursor_.Peek();
  int64_t numbers = 3;
  for (Word word = first; !word.first_on_line; word = cursor_.Peek()) {
    if (ParseNumber(word.text).kind == NumberKind::kInvalid) break;
    cursor_.Next();
    ++numbers;
  }
  if (numbers == 3) return;
  log_.Add(IssueCode::HIERARCHY_OFFSET_SURPLUS, LocationAt(first.place),
           {{"numbers", std::to_string(numbers)}});
}

// CHANNELS of a joint: the count, the list, and the case that they differ.

bool IsWhole(std::string_view word, const Number& number) {
  return number.kind == NumberKind::kFinite && number.value >= 0 &&
         word.find_first_of(".eE") == std::string_view::npos;
}

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
    // CHANNELS of the parent are late after this, as after a child joint: the
    // order of the columns would be unclear.
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

// Names of joints and labels of end sites.

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

// Decides the encoding of all names, and decodes the names that were read
// before. `place` is the position of the first name that is not UTF-8.
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

// `name` as UTF-8. Reuses the memory of a name of the earlier hierarchy.
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

// Recovery: rules by which reading continues after a fault of the hierarchy, so
// that one report names all faults. docs/formats/bvh.md states each rule in
// words. The principles are:
//
// * Find the smallest change of the text that explains the fault, and continue
//   as if the text had been written so.
// * Skip the words that belong to a fault without checking them (SkipWords).
// * An assumed or skipped brace unbalances the braces. This is counted
//   (may_lack_, may_exceed_), so it is not reported as another fault.
// * Do not check whether nodes around a fault are complete (sure_from_).
//
// Every rule moves forward or stops the reading, and looks ahead at most once,
// so the time is linear.

bool IsAnyOf(const Word& word, std::span<const std::string_view> keywords) {
  return std::any_of(keywords.begin(), keywords.end(), [&](std::string_view k) {
    return EqualsIgnoreCase(word.text, k);
  });
}

bool HierarchyReader::IsKnown(const Word& word) {
  constexpr std::array<std::string_view, 8> kWords = {
      "", "{", "}", "OFFSET", "JOINT", "CHANNELS", "ROOT", "MOTION"};
  return IsAnyOf(word, kWords) || StartsWithIgnoreCase(word.text, "End") ||
         StartsWithIgnoreCase(word.text, "Frame");
}

bool HierarchyReader::Fault(IssueCode code, const Word& word, IssueArgs args) {
  is_faulty_ = true;
  sure_from_ = static_cast<int32_t>(out_.skeleton.nodes.size());
  const bool more = !word.text.empty();
  // Many faults of one kind must not each cost the building of a message.
  if (log_.Repeat(code, stack_.empty() ? -1 : stack_.back().node)) return more;
  args.emplace_back("word", Describe(word));
  const bool is_named =
      std::any_of(args.begin(), args.end(),
                  [](const auto& a) { return a.first == "joint"; });
  if (!stack_.empty() && !is_named) {
    args.emplace_back("joint", NameOf(stack_.back().node));
  }
  log_.Add(code, Here(word), std::move(args));
  return more;
}

bool HierarchyReader::Refuse(IssueCode code, const Word& word, IssueArgs args) {
  Fault(code, word, std::move(args));
  return false;
}

// A word at the beginning of a line is known or deserves its own fault; but
// numbers and channels there are the rest of a list that wraps. Within the
// line, only words that are never names of joints end the skip.
bool HierarchyReader::EndsSkip(const Word& word) {
  constexpr std::array<std::string_view, 7> kWithin = {
      "", "{", "}", "OFFSET", "CHANNELS", "JOINT", "MOTION"};
  if (IsAnyOf(word, kWithin)) return true;
  return word.first_on_line && !ParseChannel(word.text) &&
         ParseNumber(word.text).kind == NumberKind::kInvalid;
}

std::string_view HierarchyReader::SkipWords() {
  const TextPosition start = cursor_.place();
  int64_t end = start.offset;
  while (true) {
    const Cursor before = cursor_;
    const Word word = cursor_.Next();
    if (EndsSkip(word)) {
      cursor_ = before;
      break;
    }
    if (word.place.line == start.line) end = cursor_.place().offset;
  }
  return TrimBlanks(
      cursor_.text().substr(static_cast<size_t>(start.offset),
                            static_cast<size_t>(end - start.offset)));
}

// Checks only the first word and words at the beginning of a line: otherwise a
// long line of ROOTs would be searched once per ROOT.
bool HierarchyReader::SeekNode() {
  const Cursor start = cursor_;
  bool may_begin = true;
  while (true) {
    const Cursor before = cursor_;
    const Word word = cursor_.Next();
    if (word.text.empty()) {
      cursor_ = start;
      return false;
    }
    if ((may_begin || word.first_on_line) && IsNode(word)) {
      cursor_ = before;
      return true;
    }
    // A brace before the hierarchy may or may not be closed after it.
    if (word.text == "{") ++may_exceed_;
    may_begin = false;
  }
}

// Requires that `word` was just read.
bool HierarchyReader::IsNode(const Word& word) {
  constexpr std::array<std::string_view, 2> kNodes = {"ROOT", "JOINT"};
  return IsAnyOf(word, kNodes) && HasBlock();
}

bool HierarchyReader::HasBlock() {
  const Cursor before = cursor_;
  ReadName();
  const bool is_opened = cursor_.Peek().text == "{";
  cursor_ = before;
  return is_opened;
}

// The first word does not belong to a hierarchy. The hierarchy begins at the
// first ROOT; if there is none, reading stops.
bool HierarchyReader::NoHierarchy(const Word& word) {
  return Fault(IssueCode::HIERARCHY_WORD_UNKNOWN, word,
               {{"expected", "HIERARCHY"}}) &&
         SeekNode() && Open(cursor_.Next(), NodeKind::kRoot);
}

// There is no ROOT at `word`, which was just read. A JOINT is read as the
// ROOT. MOTION ends the hierarchy unless a ROOT follows it. Any other word is
// handled as in NoHierarchy.
bool HierarchyReader::NoRoot(const Word& word, bool is_end) {
  if (!Fault(IssueCode::HIERARCHY_NO_ROOT, word)) return false;
  if (EqualsIgnoreCase(word.text, "JOINT")) return Open(word, NodeKind::kRoot);
  if (is_end) {
    is_done_ = !EqualsIgnoreCase(cursor_.Peek().text, "ROOT");
    return true;
  }
  if (word.text == "{") ++may_exceed_;
  return SeekNode() && Open(cursor_.Next(), NodeKind::kRoot);
}

// A word of a joint outside of all joints, so there is an extra closing brace
// before it. A single brace is skipped. Other words are read as if the last
// root were still open. But that root may have been closed correctly.
bool HierarchyReader::Stray(const Word& word) {
  const bool is_brace = word.text == "}";
  const int64_t last = is_brace ? word.place.line : last_close_line_;
  if (may_exceed_ > 0) {
    --may_exceed_;
  } else {
    Fault(IssueCode::HIERARCHY_BRACE_EXTRA, word,
          {{"suspect_line", SuspectLine(last)}});
  }
  if (is_brace) return true;
  constexpr std::array<std::string_view, 2> kBody = {"OFFSET", "CHANNELS"};
  if (!IsAnyOf(word, kBody) && !HasBlock()) {
    // The name is skipped too: its words must not be searched once each.
    ReadName();
    SkipWords();
    return true;
  }
  stack_.push_back(last_root_);
  stack_.back().is_reopened = true;
  ++may_lack_;
  return ReadInnerWord(word);
}

// A word followed by a block is read as a misspelt JOINT, so that its braces
// are not matched with those of other nodes.
bool HierarchyReader::UnknownWord(const Word& word, std::string_view expected) {
  Fault(IssueCode::HIERARCHY_WORD_UNKNOWN, word,
        {{"expected", std::string(expected)}});
  if (word.text == "{") {
    if (stack_.empty()) {
      ++may_exceed_;
      return true;
    }
    ++stack_.back().extra_braces;
    ++open_extra_;
    ++may_lack_;
    return true;
  }
  const std::string_view name = SkipWords();
  if (cursor_.Peek().text != "{") return true;
  cursor_.Next();
  Node node;
  node.kind = stack_.empty() ? NodeKind::kRoot : NodeKind::kJoint;
  node.name = NewName(word, name.empty() ? word.text : name);
  // It is not checked for completeness either: it may be an end site.
  ++sure_from_;
  return Push(word, std::move(node));
}

// `word`, which was not read, stands where an opening brace must be. It is read
// as if the brace were there; if it has no meaning, it is skipped. An end site
// has no body if the word cannot be part of one.
bool HierarchyReader::NoOpeningBrace(const Word& word) {
  if (!Fault(IssueCode::HIERARCHY_BRACE_MISSING, word)) return false;
  ++may_lack_;
  if (IsKnown(word)) {
    constexpr std::array<std::string_view, 2> kBody = {"OFFSET", "CHANNELS"};
    if (IsEndSite(Top()) && !IsAnyOf(word, kBody)) {
      stack_.pop_back();
      --may_lack_;
      ++may_exceed_;
    }
    return true;
  }
  cursor_.Next();
  SkipWords();
  if (cursor_.Peek().text != "{") return true;
  cursor_.Next();
  --may_lack_;
  return true;
}

// The hierarchy, or its root, ends at `word` although nodes are still open.
bool HierarchyReader::Unclosed(const Word& word) {
  const int64_t missing = static_cast<int64_t>(stack_.size()) + open_extra_;
  if (missing > may_lack_) {
    const int64_t opened = stack_.back().keyword.place.line;
    Fault(IssueCode::HIERARCHY_BRACE_UNCLOSED, word,
          {{"opened_line", std::to_string(opened)},
           {"suspect_line", SuspectLine(word.place.line)}});
  }
  stack_.clear();
  open_extra_ = 0;
  may_lack_ = 0;
  if (word.text.empty()) return false;
  if (EqualsIgnoreCase(word.text, "ROOT")) {
    // They may be closed later: the file has a ROOT inside a joint.
    may_exceed_ += missing;
    return Open(word, NodeKind::kRoot);
  }
  is_done_ = true;
  return true;
}

std::string HierarchyReader::SuspectLine(int64_t last) const {
  return std::to_string(suspect_line_ > 0 ? suspect_line_ : last);
}

// Disputed channel counts.

int64_t ListedCount(const Hierarchy& hierarchy, const ChannelDispute& dispute) {
  return hierarchy.skeleton.nodes[static_cast<size_t>(dispute.node)]
      .channel_count;
}

IssueArgs ArgsOf(const Hierarchy& hierarchy, const ChannelDispute& dispute) {
  return {{"joint", Quote(DisplayName(hierarchy.skeleton, dispute.node))},
          {"count", std::to_string(dispute.count)},
          {"listed", std::to_string(ListedCount(hierarchy, dispute))}};
}

// Cuts the channel list of each disputed node to the stated count.
void TakeCounts(Hierarchy* hierarchy) {
  Skeleton& skeleton = hierarchy->skeleton;
  std::vector<int64_t> counts;
  for (const Node& node : skeleton.nodes) counts.push_back(node.channel_count);
  for (const ChannelDispute& dispute : hierarchy->disputes) {
    counts[static_cast<size_t>(dispute.node)] = dispute.count;
  }
  std::vector<Channel> channels;
  for (size_t i = 0; i < counts.size(); ++i) {
    Node& node = skeleton.nodes[i];
    const auto listed = ChannelsOf(skeleton, node).first(counts[i]);
    node.first_channel = static_cast<int32_t>(channels.size());
    node.channel_count = static_cast<int32_t>(counts[i]);
    channels.insert(channels.end(), listed.begin(), listed.end());
  }
  skeleton.channels = std::move(channels);
}

// Reuses the memory of the skeleton that was shared last, if no clip refers to
// it.
void TakeBackMemory(Hierarchy* hierarchy) {
  hierarchy->source.reset();
  SourceSkeleton* shared = hierarchy->room.shared.get();
  if (shared == nullptr || hierarchy->room.shared.use_count() > 1) return;
  if (shared->skeleton.nodes.empty()) return;
  hierarchy->skeleton = std::move(shared->skeleton);
  hierarchy->places = std::move(shared->node_positions);
}

// The cache.

// The bytes that determine the hierarchy, the word after it included. Empty if
// that word is not a complete MOTION, or if the text is too long.
std::string_view DecidingText(const Cursor& end) {
  Cursor cursor = end;
  const Word word = cursor.Next();
  const size_t size = static_cast<size_t>(cursor.place().offset) + 1;
  if (!EqualsIgnoreCase(word.text, "MOTION") || size > cursor.text().size() ||
      size > static_cast<size_t>(kMaxCachedBytes)) {
    return {};
  }
  return cursor.text().substr(0, size);
}

// Requires `cursor` at the beginning of its text. If the cache matches the
// text, `limits` and `names`: makes `hierarchy` share the cached skeleton,
// moves `cursor` to the end of the hierarchy and returns true. Cost: one
// comparison of bytes.
bool FindCached(const HierarchyCache& cache, const Limits& limits,
                TextEncoding names, Cursor* cursor, Hierarchy* hierarchy) {
  if (cache.source == nullptr || !cursor->text().starts_with(cache.text) ||
      limits != cache.limits || names != cache.names) {
    return false;
  }
  Clear(hierarchy);
  hierarchy->source = cache.source;
  hierarchy->ended = true;
  cursor->MoveLike(cache.end);
  return true;
}

// Stores a hierarchy that logged nothing and was read from the beginning of the
// text up to `end`. If its skeleton is stored, `hierarchy` shares it. Stores
// nothing if the hierarchy has disputes, is longer than kMaxCachedBytes, or is
// not followed by a complete MOTION.
void StoreCached(const Limits& limits, TextEncoding names, const Cursor& end,
                 Hierarchy* hierarchy, HierarchyCache* cache) {
  const std::string_view text = DecidingText(end);
  const bool seen_before = !text.empty() && text == cache->text;
  if (text.empty() || !hierarchy->disputes.empty()) return;
  cache->limits = limits;
  cache->names = names;
  cache->source.reset();
  if (!seen_before) {
    cache->text = text;
    return;
  }
  cache->end.MoveLike(end);
  ShareSkeleton(hierarchy);
  cache->source = hierarchy->source;
}

}  // namespace

void Clear(Hierarchy* hierarchy) {
  TakeBackMemory(hierarchy);
  std::vector<Node>& nodes = hierarchy->skeleton.nodes;
  std::vector<std::string>& names = hierarchy->room.names;
  if (!nodes.empty()) names.clear();
  while (!nodes.empty()) {
    names.push_back(std::move(nodes.back().name));
    nodes.pop_back();
  }
  hierarchy->skeleton.channels.clear();
  hierarchy->disputes.clear();
  hierarchy->ended = false;
  hierarchy->places.clear();
  hierarchy->room.stack.clear();
}

void ShareSkeleton(Hierarchy* hierarchy) {
  if (hierarchy->source != nullptr) return;
  std::shared_ptr<SourceSkeleton>& shared = hierarchy->room.shared;
  if (shared == nullptr || shared.use_count() > 1) {
    shared = std::make_shared<SourceSkeleton>();
  }
  shared->skeleton = std::move(hierarchy->skeleton);
  shared->node_positions = std::move(hierarchy->places);
  hierarchy->skeleton = {};
  hierarchy->places = {};
  hierarchy->source = shared;
}

bool ReadHierarchy(Cursor* cursor, const Limits& limits, TextEncoding names,
                   HierarchyCache* cache, IssueLog* log, Hierarchy* hierarchy) {
  if (cache != nullptr && FindCached(*cache, limits, names, cursor, hierarchy))
    return true;
  Clear(hierarchy);
  const int64_t logged = log->added();
  if (!HierarchyReader(cursor, limits, names, log, hierarchy).Read())
    return false;
  if (cache != nullptr && log->added() == logged && cursor->comments() == 0) {
    StoreCached(limits, names, *cursor, hierarchy, cache);
  }
  return true;
}

bool SettleDisputes(int64_t row_width, IssueLog* log, Hierarchy* hierarchy) {
  if (hierarchy->disputes.empty()) return true;
  const auto listed = static_cast<int64_t>(hierarchy->skeleton.channels.size());
  int64_t counted = listed;
  bool counts_fit = true;
  for (const ChannelDispute& dispute : hierarchy->disputes) {
    const int64_t names = ListedCount(*hierarchy, dispute);
    // If the count were above the list, columns would have no channel.
    counts_fit &= dispute.count <= names;
    counted += dispute.count <= names ? dispute.count - names : 0;
  }
  const bool take_list = row_width == listed;
  const bool take_counts = !take_list && counts_fit && row_width == counted;
  for (const ChannelDispute& dispute : hierarchy->disputes) {
    IssueArgs args = ArgsOf(*hierarchy, dispute);
    const Location at =
        LocationAt(dispute.place, hierarchy->skeleton, dispute.node);
    if (take_list || take_counts) {
      args.emplace_back("used", take_list ? "the list" : "the count");
      log->Add(IssueCode::CHANNEL_COUNT_MISMATCH, at, std::move(args));
    } else {
      args.emplace_back("width", std::to_string(row_width));
      log->Add(IssueCode::CHANNEL_COUNT_UNDECIDED, at, std::move(args));
    }
  }
  if (take_counts) TakeCounts(hierarchy);
  return take_list || take_counts;
}

}  // namespace bvhmill
