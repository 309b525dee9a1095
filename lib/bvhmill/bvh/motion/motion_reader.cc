#include "bvhmill/bvh/motion/motion_reader.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "bvhmill/bvh/motion/location.h"
#include "bvhmill/text/row.h"

namespace bvhmill {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

}  // namespace

MotionReader::MotionReader(const MotionHeader& header, const Skeleton& skeleton,
                           const ReadOptions& options, IssueLog* log,
                           MatrixSink* sink)
    : context_{header, skeleton,
               static_cast<int64_t>(skeleton.channels.size())},
      options_(options),
      limits_(options.limits),
      log_(*log),
      sink_(*sink),
      declared_(header.frames.value_or(0)),
      next_(header.rows) {
  if (context_.width > 0) return;
  // If frames have no values, their number is the one that the file states.
  if (Exceeds(declared_, limits_.max_frames)) {
    log->Add(IssueCode::LIMIT_FRAMES, LocationAt(header.frames_place),
             {{"limit", std::to_string(limits_.max_frames)}});
    Stop(false);
    return;
  }
  frames_ = found_ = declared_;
  stage_ = Stage::kTrailing;
}

void MotionReader::Stop(bool good) {
  good_ = good;
  Decide(&Guess::if_right);
  if (good && rows_are_lines_) log_.SetFirstRowLine(first_row_line_);
  log_.SetValues(
      std::max(frames_ * context_.width, good_frames_ * context_.width + got_));
  stage_ = Stage::kDone;
}

size_t MotionReader::Push(std::string_view text, bool ends_file) {
  size_t taken = 0;
  for (bool moved = true; moved;) {
    const Stage before = stage_;
    taken += Dispatch(text.substr(taken), ends_file);
    moved = stage_ != before;
  }
  if (ends_file && !done()) Finish();
  return taken;
}

size_t MotionReader::Dispatch(std::string_view text, bool ends_file) {
  switch (stage_) {
    case Stage::kRegular:
      return ReadRegular(text);
    case Stage::kProbe:
      return Probe(text, ends_file);
    case Stage::kFlow:
      return ReadLines(text, &MotionReader::TakeFlowLine);
    case Stage::kSurplus:
      return ReadLines(text, &MotionReader::TakeSurplusLine);
    case Stage::kBroken:
      return ReadLines(text, &MotionReader::TakeFaults);
    case Stage::kTrailing:
      return ReadLines(text, &MotionReader::TakeTrailing);
    case Stage::kDone:
      break;
  }
  return text.size();
}

void MotionReader::Finish() {
  switch (stage_) {
    case Stage::kFlow:
    case Stage::kSurplus:
      // The file has fewer values than it states.
      GiveUpGuess();
      [[fallthrough]];
    case Stage::kBroken:
      Stop(false);
      return;
    case Stage::kTrailing:
      if (found_ != frames_)
        ReportFrameCount(context_, found_, frames_, &log());
      break;
    default:
      if (context_.header.frames && frames_ != *context_.header.frames) {
        ReportFrameCount(context_, frames_, frames_, &log());
      }
  }
  if (frames_ == 0 && context_.header.frames == 0) {
    log().Add(IssueCode::MOTION_EMPTY,
              LocationAt(context_.header.frames_place));
  }
  Stop(true);
}

bool MotionReader::SkipLine(const Line& line) {
  if (TrimBlanks(line.text).empty()) return true;
  if (!IsComment(line.text)) return false;
  log().Add(IssueCode::TEXT_COMMENT, LocationAt(line.start));
  if (guess_) {
    guess_->if_broken.Add(IssueCode::TEXT_COMMENT, LocationAt(line.start));
  }
  return true;
}

// The first check of every line. A line that is too long may be here in part
// only.
bool MotionReader::CheckLine(const Line& line) {
  const auto size = static_cast<int64_t>(line.text.size());
  if (!Exceeds(size, limits_.max_line_bytes)) return true;
  log().Add(IssueCode::LIMIT_LINE_BYTES, LocationAt(line.start),
            {{"limit", std::to_string(limits_.max_line_bytes)}});
  frames_ = std::min(frames_, most_good_frames_);
  Stop(false);
  return false;
}

bool MotionReader::CheckFrameLimit(const Line& line) {
  if (!Exceeds(frames_ + 1, limits_.max_frames)) return true;
  log().Add(IssueCode::LIMIT_FRAMES, LocationAt(line.start),
            {{"limit", std::to_string(limits_.max_frames)}});
  return false;
}

// A value takes at least two bytes, except for the last one of the text.
int64_t MotionReader::MaxFrames(size_t bytes) const {
  const int64_t fit = (static_cast<int64_t>(bytes) + 1) /
                      (2 * std::max<int64_t>(context_.width, 1));
  const int64_t declared = declared_ > 0 ? declared_ - frames_ : kMax;
  const int64_t limit =
      limits_.max_frames > 0 ? limits_.max_frames - frames_ : kMax;
  return std::min({fit, declared, limit});
}

void MotionReader::CommitFrames(int64_t frames) {
  frames_ += frames;
  sink_.Commit(frames);
}

// The next `frames` rows are in `text`, which begins at `line` and has `lines`
// line ends.
void MotionReader::NoteRows(int64_t frames, int64_t line, std::string_view text,
                            int64_t lines) {
  if (frames == 0) return;
  const bool is_cut = !text.empty() && !IsLineEnd(text.back());
  const int64_t blank = lines + (is_cut ? 1 : 0) - frames;
  const int64_t leading = blank == 0 ? 0 : LeadingBlankLines(text);
  const int64_t trailing = blank == 0 ? 0 : TrailingBlankLines(text);
  const int64_t first = line + leading;
  if (frames_ == 0) first_row_line_ = first;
  rows_are_lines_ = rows_are_lines_ && blank == leading + trailing &&
                    first == first_row_line_ + frames_;
}

void MotionReader::Skip(int64_t frames, std::string_view text, int64_t lines) {
  NoteRows(frames, next_.line, text, lines);
  LineReader reader({}, next_);
  reader.Skip(text.size(), lines);
  next_ = reader.next();
  frames_ += frames;
}

size_t MotionReader::ReadRegular(std::string_view text) {
  LineReader lines(text, next_);
  Line line;
  while (stage_ == Stage::kRegular && !Complete()) {
    if (slow_lines_ == 0) ScanBlock(&lines);
    if (stage_ != Stage::kRegular || Complete()) break;
    next_ = lines.next();
    const size_t before = lines.taken();
    if (!lines.Next(&line)) break;
    if (!TakeRow(line)) return before;
    slow_lines_ = std::max<int64_t>(slow_lines_ - 1, 0);
  }
  next_ = lines.next();
  if (stage_ == Stage::kRegular && Complete()) {
    found_ = frames_;
    stage_ = Stage::kTrailing;
  }
  return lines.taken();
}

// Reads rows with the fast path as far as it goes. If it stops soon, it is not
// tried again for some lines: each try examines several KB, which would be very
// slow for a file in which every other line is irregular.
void MotionReader::ScanBlock(LineReader* lines) {
  // Number of values between two checks whether the reading is cancelled.
  constexpr int64_t kBlockValues = int64_t{1} << 18;
  constexpr int64_t kLongestStretch = 1024;
  const auto scanned = static_cast<int64_t>(kMaxScannedLineBytes);
  if (Exceeds(scanned, limits_.max_line_bytes)) return;
  const int64_t block = kBlockValues / context_.width + 1;
  constexpr size_t kFar = 4096;
  const size_t begin = lines->taken();
  while (true) {
    if (IsCancelled(options_.cancel)) return Stop(false);
    const std::string_view rest = lines->rest();
    const int64_t most = std::min(MaxFrames(rest.size()), block);
    if (most <= 0) break;
    const std::span<float> room = sink_.NextRows(most);
    if (room.empty()) return Stop(false);
    const RowsScan scan =
        ScanRows(options_.target, rest, static_cast<size_t>(context_.width),
                 room, ThreadRowsWorkspace());
    const auto rows = static_cast<int64_t>(scan.rows);
    NoteRows(rows, lines->next().line, rest.substr(0, scan.bytes), scan.lines);
    lines->Skip(scan.bytes, scan.lines);
    CommitFrames(rows);
    // The scan stopped at a line, not because `room` was full.
    if (static_cast<size_t>(rows + 1) * context_.width <= room.size()) break;
  }
  const bool went_far = lines->taken() - begin >= kFar || lines->rest().empty();
  slow_stretch_ =
      went_far ? 0 : std::min(2 * slow_stretch_ + 1, kLongestStretch);
  slow_lines_ = slow_stretch_;
}

// False if `line` was not taken: it is irregular, or reading stops.
bool MotionReader::TakeRow(const Line& line) {
  if (!CheckLine(line)) return false;
  if (SkipLine(line)) return true;
  if (!CheckFrameLimit(line) || IsCancelled(options_.cancel)) {
    Stop(false);
    return false;
  }
  const auto width = static_cast<size_t>(context_.width);
  const std::span<float> room = sink_.NextRows(1);
  if (room.empty()) {
    Stop(false);
    return false;
  }
  const std::span<float> row = room.first(width);
  const LineScan scan = ScanLine(line.text, 0, row);
  const bool is_full = scan.end == RowEnd::kLineEnd && scan.values == width;
  if (!is_full && !ReadGluedRow(context_, line, frames_, row, &log())) {
    stage_ = Stage::kProbe;
    return false;
  }
  if (scan.has_non_finite) {
    ReportNonFinite(context_, line, 0, context_.width, frames_ * context_.width,
                    &log());
  }
  NoteRows(1, line.start.line, line.text, 0);
  CommitFrames(1);
  return true;
}

size_t MotionReader::ReadLines(std::string_view text,
                               void (MotionReader::*take)(const Line&)) {
  const Stage stage = stage_;
  LineReader lines(text, next_);
  Line line;
  while (stage_ == stage && lines.Next(&line)) {
    if (IsCancelled(options_.cancel)) {
      Stop(false);
    } else if (CheckLine(line)) {
      (this->*take)(line);
    }
  }
  next_ = lines.next();
  return lines.taken();
}

void MotionReader::TakeFaults(const Line& line) {
  if (declared_ > 0 && broken_frame_ >= declared_) {
    Stop(false);
  } else if (!SkipLine(line)) {
    ReportRowFault(context_, line, broken_frame_, &log());
    broken_frame_ += IsRowLike(line) ? 1 : 0;
  }
}

void MotionReader::TakeTrailing(const Line& line) {
  if (SkipLine(line)) return;
  if (context_.width > 0) {
    // Only checks whether it is another row; keeps nothing.
    const LayoutProbe row = ProbeLayout(line.text, context_.width, 0, {});
    if (!row.hit_word && row.last_width == context_.width) {
      ++found_;
      return;
    }
  }
  ReportTrailingData(line, &log());
  Finish();
}

}  // namespace bvhmill
