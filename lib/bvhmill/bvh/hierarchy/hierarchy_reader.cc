#include "bvhmill/bvh/hierarchy/hierarchy_reader.h"

#include <algorithm>
#include <array>

#include "bvhmill/bvh/motion/location.h"
#include "bvhmill/text/number.h"

namespace bvhmill {
namespace {

bool IsWord(const Word& word, std::string_view keyword) {
  return EqualsIgnoreCase(word.text, keyword);
}

}  // namespace

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
  // Files without any indentation give no information.
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

}  // namespace bvhmill
