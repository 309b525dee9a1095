#include "bvhmill/bvh/hierarchy_reader.h"

#include <algorithm>
#include <array>

#include "bvhmill/base/utf8.h"
#include "bvhmill/bvh/location.h"
#include "bvhmill/text/number.h"

namespace bvhmill {
namespace {

bool IsWord(const Word& word, std::string_view keyword) {
  return EqualsIgnoreCase(word.text, keyword);
}

// The bytes of a Shift-JIS double byte that may be the code of a brace.
bool IsShiftJisLead(char c) {
  const auto byte = static_cast<uint8_t>(c);
  return (byte >= 0x81 && byte <= 0x9F) || (byte >= 0xE0 && byte <= 0xFC);
}

// Where `name` ends: at the first opening brace behind a blank, else at the
// first one. The second byte of a Shift-JIS character is none.
size_t FindBrace(std::string_view name) {
  const bool is_utf8 = IsUtf8(name);
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

}  // namespace

Location HierarchyReader::Here(const Word& word) const {
  if (stack_.empty()) return LocationAt(word.place);
  return LocationAt(word.place, out_.skeleton, stack_.back().node);
}

std::string HierarchyReader::NameOf(int32_t node) const {
  const Node& n = out_.skeleton.nodes[static_cast<size_t>(node)];
  if (IsEndSite(n) && n.name.empty()) return Quote("End Site");
  return Quote(ToUtf8(n.name));
}

bool HierarchyReader::Refuse(IssueCode code, const Word& word, IssueArgs args) {
  args.emplace_back("word", Describe(word));
  const bool is_named =
      std::any_of(args.begin(), args.end(),
                  [](const auto& a) { return a.first == "joint"; });
  if (!stack_.empty() && !is_named) {
    args.emplace_back("joint", NameOf(stack_.back().node));
  }
  log_.Add(code, Here(word), std::move(args));
  return false;
}

bool HierarchyReader::Read() {
  if (!ReadOpening()) return false;
  bool done = false;
  while (!done) {
    const Cursor before = cursor_;
    const Word word = cursor_.Next();
    if (!stack_.empty()) {
      if (!ReadInnerWord(word)) return false;
    } else {
      if (!ReadOuterWord(word, &done)) return false;
      if (done) cursor_ = before;
    }
  }
  PlaceEmptyNodes();
  return true;
}

// Nodes without channels stand between those that have some: first_channel
// never falls from one node to the next.
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
  if (!IsWord(word, "ROOT")) {
    return Refuse(IssueCode::HIERARCHY_WORD_UNKNOWN, word,
                  {{"expected", "HIERARCHY"}});
  }
  log_.Add(IssueCode::HIERARCHY_KEYWORD_MISSING, LocationAt(word.place),
           {{"word", Describe(word)}});
  return true;
}

bool HierarchyReader::ReadOuterWord(const Word& word, bool* done) {
  if (IsWord(word, "ROOT")) return Open(word, NodeKind::kRoot);
  const bool has_root = !out_.skeleton.nodes.empty();
  const bool ends = word.text.empty() || IsWord(word, "MOTION") ||
                    StartsWithIgnoreCase(word.text, "frame");
  if (ends && has_root) {
    out_.end = word;
    *done = true;
    return true;
  }
  if (ends) return Refuse(IssueCode::HIERARCHY_NO_ROOT, word);
  if (word.text == "}" && leading_brace_ && has_root) {
    leading_brace_ = false;
    return true;
  }
  return ReadStray(word);
}

bool HierarchyReader::ReadStray(const Word& word) {
  if (out_.skeleton.nodes.empty()) {
    return Refuse(IssueCode::HIERARCHY_NO_ROOT, word);
  }
  constexpr std::array<std::string_view, 5> kInner = {"}", "JOINT", "End",
                                                      "OFFSET", "CHANNELS"};
  const bool inner =
      std::any_of(kInner.begin(), kInner.end(),
                  [&](std::string_view k) { return IsWord(word, k); });
  if (!inner) {
    return Refuse(IssueCode::HIERARCHY_WORD_UNKNOWN, word,
                  {{"expected", "ROOT or MOTION"}});
  }
  const int64_t suspect = suspect_line_ > 0 ? suspect_line_ : word.place.line;
  return Refuse(IssueCode::HIERARCHY_BRACE_EXTRA, word,
                {{"suspect_line", std::to_string(suspect)}});
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
      return Refuse(IssueCode::HIERARCHY_END_SITE_CHILD, word,
                    {{"joint", NameOf(Top().parent)}});
    }
    return Open(word, is_joint ? NodeKind::kJoint : NodeKind::kEndSite);
  }
  if (word.text.empty() || IsWord(word, "ROOT") || IsWord(word, "MOTION") ||
      StartsWithIgnoreCase(word.text, "Frame")) {
    return Unclosed(word);
  }
  return Refuse(IssueCode::HIERARCHY_WORD_UNKNOWN, word,
                {{"expected", in_end_site ? "OFFSET or }"
                                          : "OFFSET, CHANNELS, JOINT, "
                                            "End Site or }"}});
}

bool HierarchyReader::Unclosed(const Word& word) {
  const int64_t opened = stack_.back().keyword.place.line;
  const int64_t suspect = suspect_line_ > 0 ? suspect_line_ : word.place.line;
  return Refuse(IssueCode::HIERARCHY_BRACE_UNCLOSED, word,
                {{"opened_line", std::to_string(opened)},
                 {"suspect_line", std::to_string(suspect)}});
}

void HierarchyReader::NoteIndent(const Word& word, const OpenNode& against,
                                 bool is_child) {
  if (suspect_line_ > 0 || !word.first_on_line) return;
  if (!against.keyword.first_on_line) return;
  const int32_t indent = word.place.column;
  const int32_t other = against.keyword.place.column;
  // Files without any indentation say nothing.
  const bool flat = indent == 1 && other == 1;
  const bool odd = is_child ? indent <= other : indent != other;
  if (odd && !flat) suspect_line_ = word.place.line;
}

bool HierarchyReader::Open(const Word& keyword, NodeKind kind) {
  if (!stack_.empty()) {
    NoteIndent(keyword, stack_.back(), /*is_child=*/true);
    stack_.back().has_children |= kind == NodeKind::kJoint;
  }
  const auto index = static_cast<int32_t>(out_.skeleton.nodes.size());
  Node node;
  node.kind = kind;
  node.parent = stack_.empty() ? -1 : stack_.back().node;
  node.first_channel = static_cast<int32_t>(out_.skeleton.channels.size());
  const bool is_end_site = kind == NodeKind::kEndSite;
  std::string odd_spelling;
  node.name =
      is_end_site ? ReadEndSiteLabel(keyword, &odd_spelling) : ReadName();
  const bool nameless = node.name.empty() && !is_end_site;
  if (nameless) node.name = "joint_" + std::to_string(index);
  if (!CheckLimits(keyword, node)) return false;
  out_.skeleton.nodes.push_back(std::move(node));
  out_.places.push_back(keyword.place);
  stack_.push_back({index, keyword});
  if (nameless) {
    log_.Add(IssueCode::HIERARCHY_NAME_EMPTY, Here(keyword),
             {{"joint", NameOf(index)}});
  }
  if (!odd_spelling.empty()) {
    log_.Add(IssueCode::HIERARCHY_END_SITE_SPELLING, Here(keyword),
             {{"word", odd_spelling}});
  }
  const Word brace = cursor_.Next();
  if (brace.text == "{") return true;
  return Refuse(IssueCode::HIERARCHY_BRACE_MISSING, brace);
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

std::string HierarchyReader::ReadName() {
  cursor_.SkipBlanks();
  // Not further than a name may reach: a whole hierarchy may stand on one line.
  constexpr size_t kBlanksAndBrace = 64;
  const int64_t limit = limits_.max_name_bytes;
  const size_t most = limit > 0 ? static_cast<size_t>(limit) + kBlanksAndBrace
                                : std::string_view::npos;
  const std::string_view line = cursor_.PeekLine(most);
  size_t end = FindBrace(line);
  if (end > 0 && end < line.size() && !IsBlank(line[end - 1])) {
    // A brace glued to the name is part of it if the next line opens one.
    Cursor behind = cursor_;
    behind.Skip(line.size());
    if (line.size() < most && behind.Peek().text == "{") end = line.size();
  }
  end = std::min(end, line.size());
  cursor_.Skip(end);
  return std::string(TrimBlanks(line.substr(0, end)));
}

std::string HierarchyReader::ReadEndSiteLabel(const Word& keyword,
                                              std::string* odd_spelling) {
  const std::string rest = ReadName();
  const bool has_site =
      IsWord(keyword, "End") && StartsWithIgnoreCase(rest, "Site");
  if (!has_site || (rest.size() > 4 && !IsBlank(rest[4]))) {
    const std::string_view separator = rest.empty() ? "" : " ";
    *odd_spelling = Quote(std::string(keyword.text).append(separator) + rest);
  }
  if (!has_site) return rest;
  const std::string_view label = TrimBlanks(std::string_view(rest).substr(4));
  // A label that opens with a brace could not be written again.
  return label.starts_with('{') ? "" : std::string(label);
}

bool HierarchyReader::Close(const Word& brace) {
  const OpenNode open = stack_.back();
  NoteIndent(brace, open, /*is_child=*/false);
  if (!open.has_offset) {
    log_.Add(IssueCode::HIERARCHY_OFFSET_MISSING, Here(open.keyword),
             {{"joint", NameOf(open.node)}});
  }
  if (!open.has_channels && !IsEndSite(Top())) {
    log_.Add(IssueCode::CHANNEL_LIST_MISSING, Here(open.keyword),
             {{"joint", NameOf(open.node)}});
  }
  stack_.pop_back();
  return true;
}

bool HierarchyReader::ReadOffset(const Word& keyword) {
  if (stack_.back().has_offset) {
    return Refuse(IssueCode::HIERARCHY_OFFSET_REPEATED, keyword);
  }
  stack_.back().has_offset = true;
  for (float& value : Top().offset) {
    const Word word = cursor_.Next();
    const Number number = ParseNumber(word.text);
    if (number.kind != NumberKind::kFinite) {
      return Refuse(IssueCode::HIERARCHY_OFFSET_INVALID, word);
    }
    value = static_cast<float>(number.value);
  }
  return true;
}

}  // namespace bvhmill
