#pragma once

// Reads the HIERARCHY part of a BVH file.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bvhmill/base/limits.h"
#include "bvhmill/bvh/source_skeleton.h"
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
  // The skeleton that was shared last. Its memory is used again when no clip
  // holds it any more.
  std::shared_ptr<SourceSkeleton> shared;
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
  // Set by ShareSkeleton and by the cache; `skeleton` and `places` are then
  // empty.
  SharedSkeleton source;
  HierarchyRoom room;
};

// Makes it empty, but keeps its memory.
void Clear(Hierarchy* hierarchy);

// Moves skeleton and places into `hierarchy->source`, unless that is set
// already. Call when neither changes any more.
void ShareSkeleton(Hierarchy* hierarchy);

struct HierarchyCache;

// Reads from `cursor` up to the word that ends the hierarchy and leaves the
// cursor before it. False if the file must be refused; the log then says why,
// with every fault that can be told from the consequences of others: reading
// goes on behind a fault, but for a limit that is reached. Then `hierarchy` is
// good for messages only; `hierarchy->ended` says whether to look at MOTION.
//
// `hierarchy` may hold another, whose memory is used again. `cache` may be
// null. It changes no result: a hierarchy that it holds is not read again, but
// shared.
//
// Works without recursion; memory grows with the nodes read, within `limits`.
// Cost: O(bytes), whatever the faults.
bool ReadHierarchy(Cursor* cursor, const Limits& limits, HierarchyCache* cache,
                   IssueLog* log, Hierarchy* hierarchy);

// Settles `hierarchy->disputes` by the number of values in the first row of
// MOTION. False, with an error in the log, if the row fits neither reading.
bool SettleDisputes(int64_t row_width, IssueLog* log, Hierarchy* hierarchy);

}  // namespace bvhmill
