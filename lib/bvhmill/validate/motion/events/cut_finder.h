#pragma once

// Finds steps at which many joints move at once: cuts, and first and last
// frames that stand apart. Private to validate/motion/.

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "bvhmill/validate/motion/events/event_tests.h"
#include "bvhmill/validate/motion/events/fade_in.h"
#include "bvhmill/validate/motion/motion_rule.h"

namespace bvhmill {

// The step from frame - 1 to `frame`.
struct CutCandidate {
  int64_t frame = 0;
  // Joints whose step is above 1 degree and above three times those before and
  // after it.
  double joints = 0;
  // The sum over joints of the part of their step above both neighbours.
  double degrees = 0;
};

// How an end of the clip stands apart from the frame next to it.
struct Apart {
  int64_t frame = 0;
  // More than one if a pose fades into the motion.
  int64_t frames = 1;
  // The number of joints that step, at least 1, and their largest step.
  double joints = 1;
  // The only one of them; -1 if there are several.
  int32_t node = -1;
  double degrees = 0;
  // True if rotations stand apart.
  bool by_rotation = false;
  // The largest step of a position, as a share of the reach; 0 if no position
  // stands apart.
  double reach = 0;

  bool is_apart() const { return by_rotation || reach > 0; }
};

// The verdict needs the number of joints that ever move, which is known at the
// end. Until then the largest candidates are kept. The others have one verdict,
// that of the largest of them.
class CutFinder {
 public:
  static constexpr size_t kSlots = 16;
  // The slot of all candidates that were not kept.
  static constexpr int kOthers = kSlots;
  static constexpr int64_t kLag = 8;

  // Starts a clip, which stays until Finish.
  void Begin(const MotionClip& clip);
  // Handles all steps but that of the last frame of the block.
  void Add(const MotionBlock& block);

  // The slot of the candidate at the step to `frame`; -1 if there is none. The
  // frame is in the newest block, or at most kLag frames before it.
  int SlotOf(int64_t frame) const;
  // Slots whose candidate was replaced in the last Add, as bits.
  uint32_t replaced() const { return replaced_; }
  // True if the candidate of the slot is a cut; for kOthers, if the largest of
  // them is one. Call after Finish.
  bool IsCut(int slot) const { return accepted_[static_cast<size_t>(slot)]; }

  // Writes first_apart, last_apart and cuts of the facts, and logs them. Call
  // it for clips of kFewestMotionFrames or more.
  void Finish(IssueLog* log);

 private:
  double Moving() const;
  bool IsCandidate(const CutCandidate& step, double moving) const;
  // True if the joints step no more than in the mean of the clip. Known at the
  // end.
  bool IsUsual(const CutCandidate& step) const;
  bool IsCutAtEnd(const CutCandidate& step, double moving) const;
  void Keep(const CutCandidate& step);
  void LeaveOut(const CutCandidate& step);
  void LogCuts(IssueLog* log);
  Apart ApartAt(const CutCandidate& step, bool is_first) const;
  Apart FirstApart() const;
  bool Leaps(size_t track, bool is_first) const;
  void LogApart(IssueCode code, const Apart& apart, IssueLog* log) const;

  const MotionClip* clip_ = nullptr;
  std::array<std::optional<CutCandidate>, kSlots> slots_;
  std::array<bool, kSlots + 1> accepted_ = {};
  // Candidates that were not kept: their number, the largest one, and the
  // frames of the newest ones.
  int64_t others_ = 0;
  CutCandidate largest_other_;
  std::vector<int64_t> other_frames_;
  uint32_t replaced_ = 0;
  CutCandidate first_;
  CutCandidate last_;
  FadeIn fade_;
  // The limits of jumps.
  EventLimits rotations_;
  EventLimits positions_;
};

}  // namespace bvhmill
