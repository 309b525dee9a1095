#pragma once

// Reads a HIERARCHY: the state of the reader. Private to bvh/.

#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/bvh/hierarchy/hierarchy.h"

namespace bvhmill {

// Keeps a stack of open nodes. Each Read* function reads what follows its
// keyword. It returns false if reading cannot continue, because the text ends
// or a limit is reached. A fault alone does not stop the reading: it is logged,
// and reading continues by the rules in hierarchy_recovery.cc.
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
  // That of all names. While it is unknown, all names so far are UTF-8.
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

}  // namespace bvhmill
