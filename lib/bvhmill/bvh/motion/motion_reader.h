#pragma once

// The state of reading rows. Private to bvh/.

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "bvhmill/bvh/motion/layout_probe.h"
#include "bvhmill/bvh/motion/motion_header.h"
#include "bvhmill/bvh/motion/row_issues.h"
#include "bvhmill/bvh/read_options.h"
#include "bvhmill/bvh/rows/frame_sink.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/report/issue_log.h"
#include "bvhmill/text/lines.h"
#include "bvhmill/text/rows.h"

namespace bvhmill {

// Reads rows piece by piece: the same for a text that is there as a whole,
// which is one piece. A regular file, one frame a line, is read in one pass. At
// the first line that is not a full row, some of the rest is surveyed and
// judged: rows laid out otherwise, surplus columns, a last row that was cut, or
// faults. Where the probe could not see the end, the judgement is tried, and
// if it does not hold, what is wrong with each row is reported after all.
class MotionReader {
 public:
  // All must outlive it.
  MotionReader(const MotionHeader& header, const Skeleton& skeleton,
               const ReadOptions& options, IssueLog* log, FrameSink* sink);

  // Reads on in `text`, which goes on where the bytes taken so far end: whole
  // lines, but for the last of the file. Returns the bytes taken; the rest must
  // come again, with more behind it. All is taken if `ends_file`.
  size_t Push(std::string_view text, bool ends_file);

  // `frames` more went to the sink: `bytes` that held nothing else, in `lines`.
  void Skip(int64_t frames, size_t bytes, int64_t lines);

  // Nothing more is wanted: all is read or refused.
  bool done() const { return stage_ == Stage::kDone; }
  // Once done: the rows are good.
  bool good() const { return good_; }
  // Frames that are good. The sink may have got more, which are void, if the
  // rows are not good.
  int64_t frames() const { return frames_; }
  // What Frames says; 0 if it says nothing.
  int64_t declared() const { return declared_; }
  // Most frames that `bytes` of rows can still give.
  int64_t MaxFrames(size_t bytes) const;

 private:
  enum class Stage {
    kRegular,   // one frame a line
    kProbe,     // a line was odd
    kFlow,      // line ends mean nothing
    kSurplus,   // each row is equally too wide
    kBroken,    // only faults are looked for
    kTrailing,  // all frames are read
    kDone,
  };

  size_t Dispatch(std::string_view text, bool ends_file);
  size_t ReadRegular(std::string_view text);
  void ScanBlock(LineReader* lines);
  bool TakeRow(const Line& line);
  size_t Probe(std::string_view text, bool ends_file);
  void Begin(RowLayout layout, const LayoutProbe& probe, const Line& odd);
  size_t ReadLines(std::string_view text,
                   void (MotionReader::*take)(const Line&));
  void TakeFlowLine(const Line& line);
  void TakeSurplusLine(const Line& line);
  bool TakeValues(const Line& line, int64_t most);
  bool CommitPartial(const Line& line);
  bool BeginFlowLine(const Line& line);
  void EndFlowLine(bool fits);
  void TakeFaults(const Line& line);
  void TakeTrailing(const Line& line);
  void Finish();

  bool SkipLine(const Line& line);
  bool CheckLine(const Line& line);
  bool CheckFrameLimit(const Line& line);
  bool CommitFrames(int64_t frames);
  void Stop(bool good);
  void GiveUpGuess();
  bool Complete() const { return declared_ > 0 && frames_ == declared_; }

  RowContext context_;
  const ReadOptions& options_;
  const Limits& limits_;
  IssueLog& log_;
  FrameSink& sink_;
  // What Frames says; 0 if it says nothing or 0.
  int64_t declared_;
  Stage stage_ = Stage::kRegular;
  bool good_ = false;
  TextPosition next_;
  int64_t frames_ = 0;
  // Lines that are still to be read one by one, and how many they were when the
  // fast path last failed.
  int64_t slow_lines_ = 0;
  int64_t slow_stretch_ = 0;

  // Flows and surplus columns: frames before; values behind those, and wanted.
  int64_t good_frames_ = 0;
  // Frames are good only up to here while the layout is not proven.
  int64_t most_good_frames_ = std::numeric_limits<int64_t>::max();
  int64_t got_ = 0;
  int64_t wanted_ = 0;
  // Words of each row with surplus columns.
  int64_t row_words_ = 0;
  // A frame that is not full yet.
  std::vector<float> partial_;
  // While the layout is not proven: the log as it is if it does not hold.
  std::optional<IssueLog> if_broken_;
  int64_t broken_frame_ = 0;

  // Rows behind the last frame are counted, too.
  int64_t found_ = 0;
};

}  // namespace bvhmill
