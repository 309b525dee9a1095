#pragma once

// The interface of motion rules: rules about the steps of joints from frame to
// frame. To add one, write its class and factory into NAME_rule.cc of this
// folder and add a row to rules.inc. Its issue and its thresholds are rows of
// report/issue_table.inc and report/threshold_table.inc.
//
// Example: a complete rule. It reports each joint that turns by
// DATA_LEAP.degrees or more from one frame to the next.
//
//   struct Leap { int32_t track; int64_t frame; };
//   class LeapRule final : public MotionRule {
//    public:
//     using MotionRule::MotionRule;
//     void Look(const MotionBlock& block) override {
//       const double least = clip_[Threshold::DATA_LEAP_degrees];
//       if (block.track >= clip_.rotations) return;
//       for (int64_t t = block.first; t < block.end(); ++t) {
//         if (StepDegrees(block.steps[block.IndexOf(t)]) < least) continue;
//         leaps_.push_back({static_cast<int32_t>(block.track), t});
//       }
//     }
//     void Append(const MotionRule& later) override {
//       AppendFound(static_cast<const LeapRule&>(later).leaps_, &leaps_);
//     }
//     int64_t Bytes() const override { return BytesOf(leaps_); }
//     void Decide(IssueLog* log) override {
//       ForEachTrack(&leaps_, [&](size_t track, std::span<const Leap> found) {
//         const int32_t node = clip_.tracks[track].node;
//         log->Add(IssueCode::DATA_LEAP,
//                  MotionLocation(clip_, node, found[0].frame),
//                  {{"joint", QuotedNode(clip_, node)}}, std::ssize(found));
//       });
//     }
//    private:
//     std::vector<Leap> leaps_;
//   };
//   std::unique_ptr<MotionRule> MakeLeapRule(const MotionClip& clip) {
//     return std::make_unique<LeapRule>(clip);
//   }
//
// Several threads search ranges of frames, block by block. Each range has rule
// objects of its own, which record the events of the range. The records of
// later ranges are then appended to those of the first one, whose Decide logs
// issues by the sums of the whole clip (MotionClip). A rule that needs nothing
// but these sums overrides Decide only.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "bvhmill/report/issue_log.h"
#include "bvhmill/validate/motion/motion_block.h"
#include "bvhmill/validate/motion/motion_clip.h"

namespace bvhmill {

// A rule with the records of one range of frames. One thread at a time uses it.
// A function may throw std::bad_alloc; it reports no other failure.
class MotionRule {
 public:
  // `clip` outlives the rule. Its sums are complete in Decide only.
  explicit MotionRule(const MotionClip& clip) : clip_(clip) {}
  virtual ~MotionRule() = default;
  MotionRule(const MotionRule&) = delete;
  MotionRule& operator=(const MotionRule&) = delete;

  // Searches one track (block.track) in the next block of the range. Called for
  // each track of the block in order, then for the next block. All values are
  // finite.
  virtual void Look(const MotionBlock& /*block*/) {}
  // The same for the blocks just before the range: kReachBackSeconds and a
  // burst of swings (DATA_JITTER.swing_seconds) at least. For rules whose state
  // depends on earlier frames; records nothing.
  virtual void LookBefore(const MotionBlock& /*block*/) {}
  // Appends the records of the same rule for the range that follows this one.
  virtual void Append(const MotionRule& /*later*/) {}
  // The memory of the records, which is drawn from the budget of the clip.
  virtual int64_t Bytes() const { return 0; }
  // Logs the issues. Called once, on the rule of the first range, after all
  // records were appended.
  virtual void Decide(IssueLog* log) = 0;

 protected:
  const MotionClip& clip_;
};
inline constexpr double kReachBackSeconds = 0.3;
// The budget allows all rules of a range together this much state for each
// track, in addition to their records.
inline constexpr int64_t kRuleTrackBytes = 256;

// The factories of the rules of rules.inc.
#define BVHMILL_MOTION_RULE(factory) \
  std::unique_ptr<MotionRule> factory(const MotionClip& clip);
#include "bvhmill/validate/motion/rules.inc"
#undef BVHMILL_MOTION_RULE

// Help for rules that keep their records in a vector. `Found` is a struct with
// an int32_t `track`.

// For Append and Bytes.
template <typename Found>
void AppendFound(const std::vector<Found>& later, std::vector<Found>* found) {
  found->insert(found->end(), later.begin(), later.end());
}
template <typename Found>
int64_t BytesOf(const std::vector<Found>& found) {
  return static_cast<int64_t>(found.capacity() * sizeof(Found));
}

// Sorts records by track; those of one track keep their order. O(records +
// tracks).
template <typename Found>
void SortByTrack(std::vector<Found>* found) {
  const auto is_before = [](const Found& a, const Found& b) {
    return a.track < b.track;
  };
  // So it is in a clip of one block.
  if (std::is_sorted(found->begin(), found->end(), is_before)) return;
  // For each track: the number of its records, then the place of the next one.
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

// Sorts records by track, then calls body(track, records) for each track with
// records, in order. `body` gets the track as size_t and its records as
// std::span<const Found>.
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
