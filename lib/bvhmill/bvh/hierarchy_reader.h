#pragma once

// The state of reading a HIERARCHY. Private to bvh/.

#include <optional>
#include <string>
#include <vector>

#include "bvhmill/bvh/hierarchy.h"

namespace bvhmill {

// Keeps the stack of open nodes. Each Read* function takes what stands behind
// its keyword and returns false if the file must be refused.
class HierarchyReader {
 public:
  HierarchyReader(Cursor* cursor, const Limits& limits, IssueLog* log,
                  Hierarchy* out)
      : cursor_(*cursor), limits_(limits), log_(*log), out_(*out) {}

  bool Read();

 private:
  struct OpenNode {
    int32_t node = 0;
    Word keyword;
    bool has_offset = false;
    bool has_channels = false;
    bool has_children = false;
  };

  bool ReadOpening();
  void PlaceEmptyNodes();
  bool ReadOuterWord(const Word& word, bool* done);
  bool ReadInnerWord(const Word& word);
  bool ReadStray(const Word& word);
  bool Open(const Word& keyword, NodeKind kind);
  bool Close(const Word& brace);
  bool CheckLimits(const Word& keyword, const Node& node);
  bool ReadOffset(const Word& keyword);
  bool ReadChannels(const Word& keyword);
  bool ReadChannelCount(std::optional<int64_t>* count);
  bool ReadChannelList(const Word& keyword, std::optional<int64_t> count);
  void CheckChannelKinds(const Word& keyword);
  void NoteIndent(const Word& word, const OpenNode& against, bool is_child);
  bool Unclosed(const Word& word);

  std::string ReadName();
  // `odd_spelling` is set if it is not "End Site [label]".
  std::string ReadEndSiteLabel(const Word& keyword, std::string* odd_spelling);
  std::string NameOf(int32_t node) const;
  Node& Top() { return out_.skeleton.nodes[stack_.back().node]; }
  Location Here(const Word& word) const;
  bool Refuse(IssueCode code, const Word& word, IssueArgs args = {});

  Cursor& cursor_;
  const Limits& limits_;
  IssueLog& log_;
  Hierarchy& out_;
  std::vector<OpenNode> stack_;
  bool leading_brace_ = false;
  // First line whose indentation disagrees with the braces; 0 if none does.
  int64_t suspect_line_ = 0;
};

}  // namespace bvhmill
