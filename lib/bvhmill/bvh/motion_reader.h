#pragma once

// The state of reading rows. Private to bvh/.

#include <span>

#include "bvhmill/bvh/motion.h"
#include "bvhmill/bvh/motion_survey.h"
#include "bvhmill/text/lines.h"
#include "bvhmill/text/row.h"

namespace bvhmill {

// Keeps the rows read so far whole: motion->values always holds full frames
// between calls, and issues of values are logged once, when their row counts.
class MotionReader {
 public:
  MotionReader(std::string_view text, const MotionHeader& header,
               const Skeleton& skeleton, const Limits& limits,
               const CancelToken* cancel, IssueLog* log, Motion* motion);

  bool Read();

 private:
  bool ReadWithoutChannels();
  bool ReadRows();
  // Reads full rows until they are all there, the text ends (both true) or
  // `*odd` is a line that is none (false).
  bool ReadRegularRows(Line* odd);
  bool ReadIrregularRows(const Line& odd);
  // Reads lines from `start` on as one flow of values, at most `per_line` of
  // each, until the wanted frames are complete.
  bool ReadFlow(const Place& start, int64_t per_line);
  void ReportFaults(const Line& odd);
  void ReportFault(const Line& line, int64_t frame);
  void ReportBehind(const Place& start);
  void ReportCount(int64_t found, int64_t used);
  // Logs what is not finite among the first `values` words of `line`, which
  // became values from `first_value` on, counted over the whole matrix.
  void LogNonFinite(const Line& line, int64_t values, int64_t first_value);
  bool CheckLine(const Line& line);
  bool CheckFrameLimit(const Line& line);
  bool SkipLine(const Line& line);
  std::span<float> GrowTo(int64_t values);
  IssueArgs WidthArgs(int64_t values) const;

  bool Complete() const { return declared_ > 0 && motion_.frames == declared_; }

  std::string_view text_;
  const MotionHeader& header_;
  const Skeleton& skeleton_;
  const Limits& limits_;
  const CancelToken* cancel_;
  IssueLog& log_;
  Motion& motion_;
  // Values of a frame.
  int64_t width_;
  // What Frames says; 0 if it says nothing or 0.
  int64_t declared_;
  LineReader lines_;
};

}  // namespace bvhmill
