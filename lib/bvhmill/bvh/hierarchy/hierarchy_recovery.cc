// Rules by which reading continues after a fault of the hierarchy, so that one
// report names all faults. docs/formats/bvh.md states each rule in words. The
// principles are:
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

#include <algorithm>
#include <array>
#include <span>

#include "bvhmill/bvh/hierarchy/channels.h"
#include "bvhmill/bvh/hierarchy/hierarchy_reader.h"
#include "bvhmill/bvh/motion/location.h"
#include "bvhmill/text/number.h"

namespace bvhmill {
namespace {

bool IsAnyOf(const Word& word, std::span<const std::string_view> keywords) {
  return std::any_of(keywords.begin(), keywords.end(), [&](std::string_view k) {
    return EqualsIgnoreCase(word.text, k);
  });
}

}  // namespace

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
// first ROOT; if there is none, the text is given up.
bool HierarchyReader::NoHierarchy(const Word& word) {
  return Fault(IssueCode::HIERARCHY_WORD_UNKNOWN, word,
               {{"expected", "HIERARCHY"}}) &&
         SeekNode() && Open(cursor_.Next(), NodeKind::kRoot);
}

// There is no ROOT at `word`, which was just read. A JOINT is taken as the
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

// A word followed by a block is taken as a misspelt JOINT, so that its braces
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

}  // namespace bvhmill
