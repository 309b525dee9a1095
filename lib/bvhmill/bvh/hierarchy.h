#pragma once

// Reads the HIERARCHY part of BVH text into a skeleton: joints, offsets,
// channels and end sites. Reading continues after a fault, so that one report
// has every fault. docs/formats/bvh.md states the rules.
//
//   Cursor cursor(text, 0);
//   Hierarchy hierarchy;
//   if (ReadHierarchy(&cursor, limits, TextEncoding::kUnknown,
//                     /*cache=*/nullptr, &log, &hierarchy)) {
//     ...  // `cursor` is before MOTION
//   }

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bvhmill/base/limits.h"
#include "bvhmill/base/text.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/report/issue_log.h"
#include "bvhmill/text/lines.h"

namespace bvhmill {

// A joint whose CHANNELS line states a count that differs from the number of
// channel names after it. The number of values in the first row of MOTION
// decides which of the two is used: see SettleDisputes.
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
  // Strings whose memory the names of the next nodes reuse, in reverse order:
  // the last string becomes the name of the first node.
  std::vector<std::string> names;
  // The skeleton that was shared last. Its memory is reused when no clip
  // refers to it.
  std::shared_ptr<SourceSkeleton> shared;
};

struct Hierarchy {
  // Its channels are those that the CHANNELS lists name. SettleDisputes may cut
  // the lists to the stated counts.
  Skeleton skeleton;
  std::vector<ChannelDispute> disputes;
  // True if reading came to MOTION, to the word found in its place, or to the
  // end of the text with no node open.
  bool ended = false;
  // The position of the keyword of each node, by node index.
  std::vector<TextPosition> places;
  // Set by ShareSkeleton and by the cache; `skeleton` and `places` are then
  // empty.
  SharedSkeleton source;
  HierarchyRoom room;
};

// A hierarchy with more text than this is not cached.
inline constexpr int64_t kMaxCachedBytes = int64_t{64} << 10;

// The hierarchy of the previous clip. Clips of one skeleton usually begin with
// the same bytes. From the third such clip on, the hierarchy is not read again:
// the clips share the skeleton of the second one.
//
// Results are the same with and without a cache. Only a hierarchy without
// issues, disputes and comments is cached. A hit requires the same bytes,
// limits and encoding of names. The first clip stores only the bytes; the
// second clip of the same bytes stores the skeleton too, so clips of many
// different skeletons cost little more. Memory: a few times kMaxCachedBytes.
// Not thread-safe: one clip at a time.
struct HierarchyCache {
  // The bytes from the beginning of the file up to MOTION and one byte after
  // it.
  std::string text;
  Limits limits;
  // The encoding of names that the caller stated.
  TextEncoding names = TextEncoding::kUnknown;
  // The result of `text`; null while only `text` is stored.
  SharedSkeleton source;
  // Position after the hierarchy.
  Cursor end{"", 0};
};

// Reads from `cursor` up to the word that ends the hierarchy and leaves the
// cursor before that word.
//
// Returns false if the file must be refused. The log then has every fault that
// does not follow from another fault. Reading stops early only at a limit, at
// the end of the text, or if no ROOT is found. After false, use `hierarchy` for
// messages only; `hierarchy->ended` says whether MOTION can be checked too.
//
// Converts all names from one encoding to UTF-8. The encoding is `names` if the
// text fits it. It is the one that GuessEncoding finds if the text does not fit
// `names`, or if `names` is kUnknown and a name is not UTF-8.
//
// `hierarchy` may contain an earlier result, whose memory is reused. `cache`
// may be null; it changes the speed only.
//
// Uses no recursion. Memory grows with the nodes that are read, within
// `limits`. Cost: O(bytes), for any number of faults.
bool ReadHierarchy(Cursor* cursor, const Limits& limits, TextEncoding names,
                   HierarchyCache* cache, IssueLog* log, Hierarchy* hierarchy);

// Decides all `hierarchy->disputes` at once, by the number of values in the
// first row of MOTION: the lists are used if they fit it, else the counts, to
// which the channel lists are then cut. Logs one issue for each dispute.
// Returns false, and the issues are errors, if neither fits. Call it before
// ShareSkeleton.
bool SettleDisputes(int64_t row_width, IssueLog* log, Hierarchy* hierarchy);

// Moves `skeleton` and `places` into `source`, unless `source` is set already.
// Call it when both are final.
void ShareSkeleton(Hierarchy* hierarchy);

// Empties `hierarchy` and keeps its memory for reuse.
void Clear(Hierarchy* hierarchy);

}  // namespace bvhmill
