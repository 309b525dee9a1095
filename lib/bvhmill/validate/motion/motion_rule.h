#pragma once

// Rules about the steps of joints from frame to frame. A rule is a file that
// implements MotionRule and a row of rules.inc.
//
// Threads search ranges of frames, block by block. Each range has rule objects
// of its own, which record the events of the range. The records of later ranges
// are appended to those of the first one, whose Decide logs issues by the sums
// of the whole clip.

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bvhmill/report/issue_log.h"
#include "bvhmill/validate/motion/motion_block.h"
#include "bvhmill/validate/motion/motion_clip.h"

namespace bvhmill {

// One thread at a time. No function may fail; each may throw std::bad_alloc.
class MotionRule {
 public:
  // `clip` outlives the rule. Its sums are known in Decide only.
  explicit MotionRule(const MotionClip& clip) : clip_(clip) {}
  virtual ~MotionRule() = default;
  MotionRule(const MotionRule&) = delete;
  MotionRule& operator=(const MotionRule&) = delete;

  // Searches a track in the next block of the range. Called for each track of a
  // block, in order. All values are finite.
  virtual void Look(const MotionBlock& /*block*/) {}
  // Called for the blocks before the range, of kReachBackSeconds and of a burst
  // of swings (DATA_JITTER.swing_seconds) or more: for rules whose state
  // depends on earlier frames.
  virtual void LookBefore(const MotionBlock& /*block*/) {}
  // Appends the records of the same rule for the range that follows.
  virtual void Append(const MotionRule& /*later*/) {}
  // The memory of the records.
  virtual int64_t Bytes() const { return 0; }
  // Logs issues. Called once, after the last block.
  virtual void Decide(IssueLog* log) = 0;

 protected:
  const MotionClip& clip_;
};
inline constexpr double kReachBackSeconds = 0.3;
// The memory of all rules of a range for each track, without their records.
inline constexpr int64_t kRuleTrackBytes = 256;

// For Append and Bytes of a rule whose records are a vector.
template <typename Found>
void AppendFound(const std::vector<Found>& later, std::vector<Found>* found) {
  found->insert(found->end(), later.begin(), later.end());
}
template <typename Found>
int64_t BytesOf(const std::vector<Found>& found) {
  return static_cast<int64_t>(found.capacity() * sizeof(Found));
}
// Sorts records by track, in linear time. Frames stay in order.
template <typename Found>
void SortByTrack(std::vector<Found>* found) {
  const auto is_before = [](const Found& a, const Found& b) {
    return a.track < b.track;
  };
  // As in a clip of one block.
  if (std::is_sorted(found->begin(), found->end(), is_before)) return;
  // For each track, where its next one goes.
  std::vector<size_t> next;
  for (const Found& each : *found) {
    const auto track = static_cast<size_t>(each.track);
    if (track >= next.size()) next.resize(track + 1);
    ++next[track];
  }
  size_t begin = 0;
  for (size_t& count : next) begin += std::exchange(count, begin);
  std::vector<Found> sorted(found->size());
  for (const Found& each : *found) {
    sorted[next[static_cast<size_t>(each.track)]++] = each;
  }
  found->swap(sorted);
}

// Sorts records by track, then calls body(track, records) for each track that
// has any, in order.
template <typename Found, typename Body>
void ForEachTrack(std::vector<Found>* found, const Body& body) {
  SortByTrack(found);
  for (auto at = found->begin(); at != found->end();) {
    const auto end = std::find_if(at, found->end(), [&](const Found& other) {
      return other.track != at->track;
    });
    body(static_cast<size_t>(at->track), std::span<const Found>(at, end));
    at = end;
  }
}

}  // namespace bvhmill
