#pragma once

// Reads the rows of MOTION into the matrix of a clip. MotionReader parses rows
// and logs their issues; MatrixSink provides the space for values.
//
//   MatrixSink sink(&clip.motion, width, budget);
//   MotionReader rows(header, skeleton, options, &log, &sink);
//   while (NextLines(&lines) && !rows.done()) {
//     const size_t taken = rows.Push(lines, /*ends_file=*/false);
//     ...  // pass the rest again, followed by more lines
//   }

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "bvhmill/base/budget.h"
#include "bvhmill/bvh/header.h"
#include "bvhmill/bvh/parsed_clip.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/report/issue_log.h"
#include "bvhmill/text/lines.h"
#include "bvhmill/text/rows.h"

namespace bvhmill {

// Grows the matrix of a clip. motion->values has the committed frames, followed
// by the space that NextRows returned last.
class MatrixSink {
 public:
  // `width` is the number of values of a frame. `budget` may be null and must
  // outlive the sink.
  MatrixSink(Motion* motion, int64_t width, Budget* budget)
      : motion_(*motion), width_(width), budget_(budget) {}

  int64_t width() const { return width_; }
  // States that the whole text has at most `frames` frames.
  void GrowUpTo(int64_t frames) { most_frames_ = frames; }
  // Allocates memory for `frames` frames in total. While rows move to a larger
  // block, up to 8 MB exist twice and count once. False if the budget refuses;
  // then no frames are kept, not even earlier ones.
  bool Reserve(int64_t frames) {
    if (frames <= held_frames_ || is_refused_) return !is_refused_;
    const int64_t more = (frames - held_frames_) * width_;
    is_refused_ =
        !HoldFrom(budget_, more * static_cast<int64_t>(sizeof(float))).ok();
    if (is_refused_) {
      frames_ = 0;
      return false;
    }
    held_frames_ = frames;
    motion_.values.reserve(static_cast<size_t>(frames * width_));
    return true;
  }
  bool is_refused() const { return is_refused_; }

  // Space for the next `frames` >= 1 frames, one after the other, or for more.
  // Valid until the next call. Empty if the budget refuses.
  std::span<float> NextRows(int64_t frames) {
    if (is_refused_) return {};
    const int64_t end = frames_ + frames;
    if (end > held_frames_ &&
        !Reserve(std::max(end, std::min(2 * end, most_frames_)))) {
      return {};
    }
    motion_.values.resize(static_cast<size_t>(end * width_));
    return std::span(motion_.values)
        .subspan(static_cast<size_t>(frames_ * width_));
  }
  // The first `frames` frames of the last space are written.
  void Commit(int64_t frames) { frames_ += frames; }

 private:
  Motion& motion_;
  int64_t width_;
  Budget* budget_;
  bool is_refused_ = false;
  int64_t most_frames_ = 0;
  // Frames that have memory; frames that are committed.
  int64_t held_frames_ = 0;
  int64_t frames_ = 0;
};

// The data that rows are compared with. The references must outlive it.
struct RowContext {
  const MotionHeader& header;
  const Skeleton& skeleton;
  // Number of values of a frame.
  int64_t width = 0;
};

struct LayoutProbe;
enum class RowLayout;

// Reads rows piece by piece; a text that is in memory as a whole is one piece.
// A regular file, with one frame per line, is read in one pass.
//
// At the first line that is not a full row, the reader probes a part of the
// remaining text and chooses a layout: rows that ignore line ends, extra
// columns, a last row that was cut off, or faults. If the probe did not reach
// the end of the text, the reader tries the chosen layout. If the layout does
// not hold to the end, the reader reports the faults of the rows instead. The
// log has no issue of these rows before that is decided.
class MotionReader {
 public:
  // All arguments must outlive the reader.
  MotionReader(const MotionHeader& header, const Skeleton& skeleton,
               const ReadOptions& options, IssueLog* log, MatrixSink* sink);

  // Reads `text`, which continues after the bytes taken so far. It must consist
  // of whole lines; only the last line of the file may lack its end. Returns
  // the number of bytes taken. Pass the remaining bytes again, followed by more
  // text. If `ends_file`, all bytes are taken.
  size_t Push(std::string_view text, bool ends_file);

  // Records that other code passed `frames` frames to the sink. They took
  // `text`, which has `lines` line ends and nothing else.
  void Skip(int64_t frames, std::string_view text, int64_t lines);

  // True if no further text is needed: all frames are read, or the file is
  // refused.
  bool done() const { return stage_ == Stage::kDone; }
  // True if the rows are valid. Requires done().
  bool good() const { return good_; }
  // Number of valid frames. If good() is false, the sink may contain more
  // frames, which are not valid.
  int64_t frames() const { return frames_; }
  // Number of frames that no later text can make invalid.
  int64_t sure_frames() const { return std::min(frames_, most_good_frames_); }
  // True if the fast path is tried for the next line.
  bool is_regular() const {
    return stage_ == Stage::kRegular && slow_lines_ == 0;
  }
  // The number of frames that the file states; 0 if it states none.
  int64_t declared() const { return declared_; }
  // Maximum number of frames that `bytes` of rows can still contain.
  int64_t MaxFrames(int64_t bytes) const;

 private:
  enum class Stage {
    kRegular,   // one frame per line
    kProbe,     // a line was irregular
    kFlow,      // line ends have no meaning
    kSurplus,   // all rows have the same extra columns
    kBroken,    // only faults are searched
    kTrailing,  // all frames are read
    kDone,
  };

  // The logs of a layout that is tried: one of them becomes that of the clip.
  struct Guess {
    IssueLog if_right;
    IssueLog if_broken;
  };

  IssueLog& log() { return guess_ ? guess_->if_right : log_; }
  void Decide(IssueLog Guess::*log);
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
  void CommitFrames(int64_t frames);
  void NoteRows(int64_t frames, int64_t line, std::string_view text,
                int64_t lines);
  void Stop(bool good);
  void GiveUpGuess();
  bool Complete() const { return declared_ > 0 && frames_ == declared_; }

  RowContext context_;
  const ReadOptions& options_;
  const Limits& limits_;
  IssueLog& log_;
  MatrixSink& sink_;
  // The number of frames that the file states; 0 if it states none or 0.
  int64_t declared_;
  Stage stage_ = Stage::kRegular;
  bool good_ = false;
  TextPosition next_;
  int64_t frames_ = 0;
  // The line of the first row; true while each row so far is the line after
  // that of the previous row.
  int64_t first_row_line_ = 0;
  bool rows_are_lines_ = true;
  // Number of lines still to be read one by one, and how many they were when
  // the fast path last failed.
  int64_t slow_lines_ = 0;
  int64_t slow_stretch_ = 0;

  // In the stages kFlow and kSurplus: frames before them, then the number of
  // values read after those, and the number expected.
  int64_t good_frames_ = 0;
  // Frames are valid only up to this number until the layout is confirmed.
  int64_t most_good_frames_ = std::numeric_limits<int64_t>::max();
  int64_t got_ = 0;
  int64_t wanted_ = 0;
  // Number of words in each row that has extra columns.
  int64_t row_words_ = 0;
  // A frame that is not complete yet.
  std::vector<float> partial_;
  // Set until the layout is confirmed.
  std::unique_ptr<Guess> guess_;
  int64_t broken_frame_ = 0;

  // Number of rows found, those after the last frame included.
  int64_t found_ = 0;
};

// Number of words of `line`.
int64_t CountWords(std::string_view line);

}  // namespace bvhmill
