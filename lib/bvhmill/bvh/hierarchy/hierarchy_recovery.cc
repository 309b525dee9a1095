// How reading goes on behind a fault of the hierarchy, so that one report names
// all of them. docs/formats/bvh.md has the rules in words; the idea is:
//
// * A fault is answered by the smallest change of the text that explains it,
//   and reading goes on as if the text had been so.
// * Words that belong to a fault are skipped, not judged (SkipWords).
// * A brace that was assumed or skipped leaves the braces out of balance. That
//   is known beforehand (may_lack_, may_exceed_) and not a fault of its own.
// * Nodes around a fault are not asked for what they lack (sure_from_).
//
// Every rule moves forward or ends the reading, and looks ahead once at most,
// so the time stays linear.

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
  // Floods of faults must not cost the making of a message each.
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

// What begins a line is known or worth a fault of its own; but numbers and
// channels are still the list that wraps. Within the line only the words that
// no one calls a joint end the skip.
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

// Only in front, or at the start of a line: a long line of ROOTs must not be
// looked through once for each.
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
    // A brace before the hierarchy closes behind it, or not.
    if (word.text == "{") ++may_exceed_;
    may_begin = false;
  }
}

// `word` was just read.
bool HierarchyReader::IsNode(const Word& word) {
  constexpr std::array<std::string_view, 2> kNodes = {"ROOT", "JOINT"};
  return IsAnyOf(word, kNodes) && HasBlock();
}

bool HierarchyReader::HasBlock() {
  const Cursor behind = cursor_;
  ReadName();
  const bool is_opened = cursor_.Peek().text == "{";
  cursor_ = behind;
  return is_opened;
}

// The first word is none of a hierarchy. Text that holds none is given up;
// else the first ROOT begins it.
bool HierarchyReader::NoHierarchy(const Word& word) {
  return Fault(IssueCode::HIERARCHY_WORD_UNKNOWN, word,
               {{"expected", "HIERARCHY"}}) &&
         SeekNode() && Open(cursor_.Next(), NodeKind::kRoot);
}

// No ROOT at `word`, which was read. A JOINT there is one; MOTION there ends
// the hierarchy, unless ROOT follows; else as above.
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

// A word of a joint outside of any. Some brace before it was too many; a single
// one is skipped, and what stands behind one that closed the root too early is
// read as still inside. That root may have been closed for good all the same.
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
    // With the name: the words in it must not be looked through once for each.
    ReadName();
    SkipWords();
    return true;
  }
  stack_.push_back(last_root_);
  stack_.back().is_reopened = true;
  ++may_lack_;
  return ReadInnerWord(word);
}

// A word with a block behind it is a joint that was misspelt: its braces must
// not be taken for those of others.
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
  node.name = name.empty() ? word.text : name;
  // Nor is it asked for what a joint needs: perhaps it is an end site.
  ++sure_from_;
  return Push(word, std::move(node));
}

// `word` stands where the brace must be, and was not read. It is read as if the
// brace stood before it; if it means nothing, as if it were not there. An end
// site before a word that none can hold has no body.
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

// The hierarchy, or its root, ends at `word` although nodes are open.
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
    // Perhaps they are only closed later: a ROOT inside a joint.
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
