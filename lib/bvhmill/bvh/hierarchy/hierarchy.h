#pragma once

// Reads the HIERARCHY part of a BVH file into a skeleton.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bvhmill/base/limits.h"
#include "bvhmill/base/text_encoding.h"
#include "bvhmill/clip/skeleton.h"
#include "bvhmill/report/issue_log.h"
#include "bvhmill/text/cursor.h"

namespace bvhmill {

// A joint whose CHANNELS states a count that differs from the number of names
// after it. The number of values in a row decides which of the two is used.
struct ChannelDispute {
  int32_t node = 0;
  int64_t count = 0;
  TextPosition place;
};

// A node whose opening brace is not closed yet.
struct OpenNode {
  int32_t node = 0;
  Word keyword;
  bool has_offset = false;
  bool has_channels = false;
  bool has_children = false;
  // It was closed too early and is open again.
  bool is_reopened = false;
  // Opening braces inside it that belong to no node. Their closing braces come
  // before its own.
  int64_t extra_braces = 0;
};

// Memory that is reused for the next hierarchy.
struct HierarchyRoom {
  std::vector<OpenNode> stack;
  // In reverse order: the last string is for the first node.
  std::vector<std::string> names;
  // The skeleton that was shared last. Its memory is used again when no clip
  // holds it any more.
  std::shared_ptr<SourceSkeleton> shared;
};

struct Hierarchy {
  // The channels are those that the lists name; the counts are not applied.
  Skeleton skeleton;
  std::vector<ChannelDispute> disputes;
  // True if the hierarchy was read to its end: MOTION follows, or the word
  // found in its place, or the end of the text. False if reading stopped
  // before.
  bool ended = false;
  // Position where each node begins, by index of the node.
  std::vector<TextPosition> places;
  // Set by ShareSkeleton and by the cache; `skeleton` and `places` are then
  // empty.
  SharedSkeleton source;
  HierarchyRoom room;
};

// Makes `hierarchy` empty, but keeps its memory for reuse.
void Clear(Hierarchy* hierarchy);

// Moves skeleton and places into `hierarchy->source`, unless that is set
// already. Call when neither changes any more.
void ShareSkeleton(Hierarchy* hierarchy);

struct HierarchyCache;

// Reads from `cursor` up to the word that ends the hierarchy and leaves the
// cursor before that word.
//
// Returns false if the file must be refused; the log then has the reasons.
// Reading continues after a fault, so the log has every fault that is not just
// a consequence of another. It stops only at a limit. After false, `hierarchy`
// may be used for messages only; `hierarchy->ended` says whether MOTION can be
// checked too. `hierarchy` may hold an earlier result, whose memory is reused.
// All names are in one encoding and become UTF-8: `names`, or the one that
// GuessEncoding finds if `names` is kUnknown or does not fit.
//
// `hierarchy` may hold an earlier result. Its memory is reused, or all of it if
// `cache` knows the text to be the same. `cache` may be null; it changes the
// speed only.
//
// Uses no recursion. Memory grows with the nodes that are read, within
// `limits`. Cost: O(bytes), with any faults.
bool ReadHierarchy(Cursor* cursor, const Limits& limits, TextEncoding names,
                   HierarchyCache* cache, IssueLog* log, Hierarchy* hierarchy);

// Decides `hierarchy->disputes` by the number of values in the first row of
// MOTION. False, with an error in the log, if neither the counts nor the lists
// fit the row.
bool SettleDisputes(int64_t row_width, IssueLog* log, Hierarchy* hierarchy);

}  // namespace bvhmill
