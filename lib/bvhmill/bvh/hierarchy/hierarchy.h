#pragma once

// Reads the HIERARCHY part of a BVH file.

#include <cstdint>
#include <string>
#include <vector>

#include "bvhmill/base/limits.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/report/issue_log.h"
#include "bvhmill/text/cursor.h"

namespace bvhmill {

// A joint whose CHANNELS count disagrees with the list behind it. The width of
// the rows decides which of the two holds.
struct ChannelDispute {
  int32_t node = 0;
  int64_t count = 0;
  TextPosition place;
};

// A node whose brace is open.
struct OpenNode {
  int32_t node = 0;
  Word keyword;
  bool has_offset = false;
  bool has_channels = false;
  bool has_children = false;
  // Closed too early, and open again.
  bool is_reopened = false;
  // Opening braces too many in it, to be closed before it.
  int64_t extra_braces = 0;
};

// Memory that is used again for the next hierarchy.
struct HierarchyRoom {
  std::vector<OpenNode> stack;
  // The last one is for the first node.
  std::vector<std::string> names;
};

struct Hierarchy {
  // With the channels as listed, whatever the counts say.
  Skeleton skeleton;
  std::vector<ChannelDispute> disputes;
  // It was read to its end: what follows is MOTION, or the word found instead,
  // or the end of the text. False if it had to be given up before.
  bool ended = false;
  // Where each node begins, by node.
  std::vector<TextPosition> places;
  // Of skeleton and places; see HierarchyCache.
  RigId rig = 0;
  HierarchyRoom room;
};

// Makes it empty, but keeps its memory.
void Clear(Hierarchy* hierarchy);

struct HierarchyCache;

// Reads from `cursor` up to the word that ends the hierarchy and leaves the
// cursor before it. False if the file must be refused; the log then says why,
// with every fault that can be told from the consequences of others: reading
// goes on behind a fault, but for a limit that is reached. Then `hierarchy` is
// good for messages only; `hierarchy->ended` says whether to look at MOTION.
//
// `hierarchy` may hold another, whose memory is used again, or all of it if
// `cache` knows it to be the same; `cache` may be null, and is a matter of
// speed alone.
//
// Works without recursion; memory grows with the nodes read, within `limits`.
// Cost: O(bytes), whatever the faults.
bool ReadHierarchy(Cursor* cursor, const Limits& limits, HierarchyCache* cache,
                   IssueLog* log, Hierarchy* hierarchy);

// Settles `hierarchy->disputes` by the number of values in the first row of
// MOTION. False, with an error in the log, if the row fits neither reading.
bool SettleDisputes(int64_t row_width, IssueLog* log, Hierarchy* hierarchy);

}  // namespace bvhmill
