#pragma once

// Clips that move like people do, faults that are put into them, and what the
// motion rules say.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bvhmill/clip/clip.h"
#include "bvhmill/report/report.h"

namespace bvhmill::testing {

struct MotionShape {
  int64_t frames = 600;
  double frames_per_second = 120;
  // Joints below the root.
  int joints = 10;
  uint64_t seed = 1;
  // How fast the motion plays.
  double tempo = 1;
};

// A root with positions and a few chains of joints. Each angle is a sum of
// sines of 0.2 to 1.6 Hz and a little noise, so no two rows are equal. The
// reach is 10 units.
Clip MovingClip(const MotionShape& shape);

// The value of channel `channel` of `node` in a frame.
float& ValueAt(Clip* clip, int64_t frame, int32_t node, int32_t channel);
// Replaces row t by row source(t) of the clip as it was.
void TakeRows(const std::function<int64_t(int64_t)>& source, Clip* clip);
// All angles of a joint are 0.
void StandStill(int32_t node, Clip* clip);
// Exchanges rows `first` and `second`.
void ExchangeRows(int64_t first, int64_t second, Clip* clip);
// Adds `degrees` to a channel in the frames from `first` to `last`.
void AddTo(int32_t node, int32_t channel, float amount, int64_t first,
           int64_t last, Clip* clip);

// Replaces the rows between `first` and `last` by lines.
void FillGap(int64_t first, int64_t last, Clip* clip);
// Holds the pose of row `first` up to row `last`, while the root moves. The
// other joints go on after that from where they stood.
void CarryPose(int64_t first, int64_t last, Clip* clip);

// A clip of 120 frames a second with a cut every 25 frames: all joints turn by
// `first` degrees, then by `growth` more at each cut.
Clip ClipOfCuts(int cuts, float first, float growth);

// The report of the motion rules. Ranges of `range_blocks` blocks are looked at
// one by one; 0: as many as usual.
Report MotionReport(const Clip& clip, const ReportOptions& options = {},
                    int64_t range_blocks = 0);

// Options of a report that lists one code.
ReportOptions OnlyCode(const std::string& code);

// "severity CODE joint J frame A to B xN" of each issue, with the parts that
// apply.
std::vector<std::string> MotionIssues(const Report& report);

// The arg `name` of the first issue with this code; empty if there is none.
std::string ArgOf(const Report& report, const std::string& code,
                  const std::string& name);

}  // namespace bvhmill::testing
