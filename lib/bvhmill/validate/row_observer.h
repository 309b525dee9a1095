#pragma once

// Observers of rows: rules that need every frame of a clip.
//
// An observer gets the rows of a clip as the file has them, before any edit, in
// order and without gaps:
//
//   Begin(clip), Add(rows) any number of times, then Finish(log), or
//   Truncate(frames) if rows turn out to be void
//
// and then Begin for the next clip. A new rule is one new file that implements
// RowObserver and one row of the table in row_observers.cc. A rule about the
// steps of joints needs no observer of its own: see motion/motion_rule.h.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bvhmill/base/text_position.h"
#include "bvhmill/clip/skeleton.h"
#include "bvhmill/report/issue_log.h"
#include "bvhmill/report/thresholds.h"
#include "bvhmill/validate/motion/motion_facts.h"
#include "bvhmill/validate/skeleton_facts.h"

namespace bvhmill {

// All references stay valid until Finish returns, or the next Begin.
struct ObservedClip {
  const Skeleton& skeleton;
  const SkeletonFacts& facts;
  // The text position of each node; empty if the source is no text.
  std::span<const TextPosition> node_positions;
  // Units and axes, as far as the caller states them.
  const SourceSpace& source;
  // Seconds; 0 if the file does not state it.
  double frame_time = 0;
  // The thresholds in force.
  const Thresholds& thresholds;
  // Facts that observers share. MotionFacts says which observer writes them.
  MotionFacts& motion;
  // How position channels are read, as far as the caller states it.
  Conventions conventions = {};
};

// Consecutive frames. The spans are valid during Add only.
struct ObservedRows {
  int64_t first_frame = 0;
  int64_t frames = 0;
  // frames x channels, in the units of the file.
  std::span<const float> values;
  // frames x nodes x 3: world positions of joints and end sites, in the units
  // of the file. Empty unless an observer needs positions.
  std::span<const float> positions;
  // facts.landmarks.nodes.size() x judged frames x 3: world positions of the
  // landmarks, in the units of the file. A frame is judged if its number is a
  // multiple of LandmarkStep (floor/landmarks.h).
  std::span<const float> landmarks = {};
};

// Used by one thread at a time. No function may fail; each may throw
// std::bad_alloc.
class RowObserver {
 public:
  virtual ~RowObserver() = default;
  // True if the rows of Add must have positions. Always the same. The rows have
  // none, nor landmarks, if no issue about data is wanted.
  virtual bool NeedsPositions() const { return false; }
  // True if all issues of the observer are about data: DATA_*. If no such issue
  // is wanted, it may be left out: see ListsData. Always the same.
  virtual bool IsAboutDataOnly() const { return true; }
  // Bytes of memory that the observer takes for a clip with this skeleton from
  // Begin on. The caller draws them from the budget of the clip before Begin.
  // O(nodes).
  virtual int64_t MemoryBytes(const Skeleton& /*skeleton*/,
                              const SkeletonFacts& /*facts*/) const {
    return 0;
  }
  // Starts a clip and forgets the previous one, which may not have finished.
  virtual void Begin(const ObservedClip& clip) = 0;
  // Takes the next rows.
  virtual void Add(const ObservedRows& rows) = 0;
  // The rows from number `frames` on are void, since the text has a fault.
  // The clip is refused, so neither Add nor Finish follows.
  virtual void Truncate(int64_t frames) = 0;
  // All rows came and are good. Logs what was found.
  virtual void Finish(IssueLog* log) = 0;
};

// One observer for each row of the table.
std::vector<std::unique_ptr<RowObserver>> MakeRowObservers();

}  // namespace bvhmill
