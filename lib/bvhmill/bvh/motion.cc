// Step 3 of reading BVH text: the rows of MOTION, after the header (header.cc).
// This file reads rows on one thread, and decides the layout of rows that are
// not one frame per line. Next: parallel_rows.cc, which reads long regular
// texts with several threads; then reader.cc.

#include "bvhmill/bvh/motion.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "bvhmill/base/limits.h"
#include "bvhmill/base/text.h"
#include "bvhmill/bvh/parsed_clip.h"
#include "bvhmill/text/number.h"

namespace bvhmill {

// Statistics of the lines from some row on, up to the first word that is not a
// number, the end of the text, or a limit of the probe.
struct LayoutProbe {
  // True if the probe ended at the end of the text or at a word that is not a
  // number.
  bool complete = false;
  // Number of lines that have values, and of the values on them.
  int64_t lines = 0;
  int64_t values = 0;
  int64_t narrowest = 0;
  int64_t widest = 0;
  // Number of lines whose width is not that of a frame, and the index of the
  // last of them, counted from 1.
  int64_t odd_lines = 0;
  int64_t last_odd_line = 0;
  int64_t last_width = 0;
  // True if the number of values up to the end of some line is exactly
  // `wanted`.
  bool reaches_wanted = false;
  // A word that is not a number ended the probe.
  bool hit_word = false;
  // That word ends where the text ends, so it may be cut off.
  bool word_ends_text = false;
};

enum class RowLayout {
  kBroken,
  kFlowing,         // the number of values is right, line ends are ignored
  kSurplusColumns,  // all rows have the same number of extra values
  kLastRowShort,    // the file was cut off in its last row
};

namespace {

// Issues of rows.

// Index after the last word of `line`.
size_t EndOfWords(std::string_view line) {
  while (!line.empty() && IsBlank(line.back())) line.remove_suffix(1);
  return line.size();
}

std::string DeclaredFrames(const MotionHeader& header) {
  const int64_t frames = header.frames.value_or(0);
  return std::to_string(frames) + (frames == kMostFrames ? " or more" : "");
}

// A word that is not a number, and the reason if it is clear.
std::string InvalidWord(std::string_view word) {
  return Quote(word) + (ScanGlued(word, {}) > 1 ? " (a blank is missing)" : "");
}

// The args {width} and {expected} of messages.
IssueArgs WidthArgs(const RowContext& context, int64_t values) {
  return {{"width", std::to_string(values)},
          {"expected", std::to_string(context.width)}};
}

// True if the line begins with a number, so that it counts as a frame, valid or
// not.
bool IsRowLike(const Line& line) {
  size_t index = 0;
  const std::string_view word = NextWord(line.text, &index);
  return ParseNumber(word).kind != NumberKind::kInvalid ||
         ScanGlued(word, {}) > 0;
}

// Reads `line`, the row of `frame`, in which blanks before signs are missing.
// If it has the values of a frame, and nothing else, logs an issue and returns
// true. Values that fit are written to `row`. The issue has no joint, so that a
// report has one for all rows.
bool ReadGluedRow(const RowContext& context, const Line& line, int64_t frame,
                  std::span<float> row, IssueLog* log) {
  const GluedScan scan = ScanGluedLine(line.text, row);
  const bool fits = static_cast<int64_t>(scan.values) == context.width;
  if (!fits || scan.numbers == 0) return false;
  if (log->Repeat(IssueCode::MOTION_BLANK_MISSING, -1)) return true;
  Location at = LocationAt(line.At(scan.begin));
  at.frame = frame;
  log->Add(IssueCode::MOTION_BLANK_MISSING, at,
           {{"word", Quote(line.text.substr(scan.begin, scan.size))},
            {"numbers", std::to_string(scan.numbers)}});
  return true;
}

// Logs the first fault of `line` as the row of `frame`, if it has one; or that
// a blank is missing, if the row can be read without it.
void ReportRowFault(const RowContext& context, const Line& line, int64_t frame,
                    IssueLog* log) {
  if (ReadGluedRow(context, line, frame, {}, log)) return;
  size_t index = 0;
  int64_t values = 0;
  while (true) {
    const std::string_view word = NextWord(line.text, &index);
    if (word.empty()) break;
    const TextPosition place = line.At(index - word.size());
    if (ParseNumber(word).kind == NumberKind::kInvalid) {
      Location at = LocationAt(place);
      at.frame = frame;
      // After the last column there is no channel.
      if (values < context.width) {
        at = LocationAt(place, context.skeleton, frame, values);
      }
      log->Add(IssueCode::MOTION_NUMBER_INVALID, at,
               {{"word", InvalidWord(word)}});
      return;
    }
    if (values++ == context.width) {
      Location at = LocationAt(place);
      at.frame = frame;
      log->Add(IssueCode::MOTION_ROW_TOO_LONG, at,
               WidthArgs(context, CountWords(line.text)));
      return;
    }
  }
  if (values < context.width) {
    const TextPosition place = line.At(EndOfWords(line.text));
    log->Add(IssueCode::MOTION_ROW_TOO_SHORT,
             LocationAt(place, context.skeleton, frame, values),
             WidthArgs(context, values));
  }
}

// Logs the values that are not finite among the first `values` words of `line`
// from byte `begin` on. The first of these words is value number `first_value`
// of the whole matrix.
void ReportNonFinite(const RowContext& context, const Line& line, size_t begin,
                     int64_t values, int64_t first_value, IssueLog* log) {
  size_t index = begin;
  for (int64_t i = 0; i < values; ++i) {
    const std::string_view word = NextWord(line.text, &index);
    const NumberKind kind = ParseNumber(word).kind;
    if (kind == NumberKind::kFinite) continue;
    const IssueCode code = kind == NumberKind::kNotFinite
                               ? IssueCode::DATA_NOT_FINITE
                               : IssueCode::DATA_OUT_OF_RANGE;
    const int64_t value = first_value + i;
    const int64_t column = value % context.width;
    if (log->Repeat(code, NodeOfColumn(context.skeleton, column))) continue;
    log->Add(code,
             LocationAt(line.At(index - word.size()), context.skeleton,
                        value / context.width, column),
             {{"word", Quote(word)}});
  }
}

// Logs that the number of frames found differs from the number that the file
// states.
void ReportFrameCount(const RowContext& context, int64_t found, int64_t used,
                      IssueLog* log) {
  const MotionHeader& header = context.header;
  log->Add(IssueCode::MOTION_FRAME_COUNT_MISMATCH,
           LocationAt(header.frames_place),
           {{"declared", DeclaredFrames(header)},
            {"found", std::to_string(found)},
            {"used", std::to_string(used)}});
}

// Logs the first word of `line`, a line after the last frame.
void ReportTrailingData(const Line& line, IssueLog* log) {
  size_t index = 0;
  const std::string_view word = NextWord(line.text, &index);
  log->Add(IssueCode::MOTION_TRAILING_DATA,
           LocationAt(line.At(index - word.size())), {{"word", Quote(word)}});
}

// Probing of rows that are not one frame per line, in constant memory.

// Limits of a probe.
struct ProbeReach {
  // Stops before a line longer than this; 0: no limit.
  int64_t max_line_bytes = 0;
  // Stops after the line that reaches this number of bytes.
  size_t bytes = std::string_view::npos;
};

struct LineWords {
  int64_t values = 0;
  bool hit_word = false;
  size_t word_end = 0;
};

LineWords CountValues(std::string_view line) {
  LineWords words;
  size_t index = 0;
  while (true) {
    const std::string_view word = NextWord(line, &index);
    if (word.empty()) return words;
    if (ParseNumber(word).kind == NumberKind::kInvalid) {
      words.hit_word = true;
      words.word_end = index;
      return words;
    }
    ++words.values;
  }
}

void AddLine(const LineWords& words, int64_t width, int64_t wanted,
             LayoutProbe* probe) {
  ++probe->lines;
  probe->values += words.values;
  probe->narrowest = probe->lines == 1
                         ? words.values
                         : std::min(probe->narrowest, words.values);
  probe->widest = std::max(probe->widest, words.values);
  probe->last_width = words.values;
  if (words.values != width) {
    ++probe->odd_lines;
    probe->last_odd_line = probe->lines;
  }
  probe->reaches_wanted |= wanted > 0 && probe->values == wanted;
}

// Examines `text`. `width` is the number of values of a frame. `wanted` is the
// number of values in all frames that are still missing; 0 if it is not known.
LayoutProbe ProbeLayout(std::string_view text, int64_t width, int64_t wanted,
                        const ProbeReach& reach) {
  LayoutProbe probe;
  LineReader lines(text, {});
  Line line;
  while (lines.taken() < reach.bytes) {
    if (!lines.Next(&line)) {
      probe.complete = true;
      return probe;
    }
    const auto size = static_cast<int64_t>(line.text.size());
    if (Exceeds(size, reach.max_line_bytes)) break;
    if (TrimBlanks(line.text).empty() || IsComment(line.text)) continue;
    const LineWords words = CountValues(line.text);
    if (words.hit_word) {
      probe.complete = true;
      probe.hit_word = true;
      probe.word_ends_text =
          line.At(words.word_end).offset == static_cast<int64_t>(text.size());
      // A line that was cut off counts, but its end is not the end of a line.
      if (probe.word_ends_text) AddLine(words, width, /*wanted=*/0, &probe);
      return probe;
    }
    AddLine(words, width, wanted, &probe);
  }
  return probe;
}

// The layout that the probe of the rows after the first `good_rows` full ones
// indicates. `declared` is the number of frames that the file states; 0 if it
// states none. If the probe is not complete, this is the most likely layout,
// and the reader must check that it holds to the end.
RowLayout ChooseLayout(const LayoutProbe& probe, int64_t good_rows,
                       int64_t width, int64_t declared) {
  const bool too_wide = good_rows == 0 && declared > 0 &&
                        probe.narrowest == probe.widest && probe.widest > width;
  if (probe.complete && too_wide && probe.lines == declared) {
    return RowLayout::kSurplusColumns;
  }
  if (probe.reaches_wanted) return RowLayout::kFlowing;
  if (!probe.complete) {
    if (too_wide && probe.lines > 1) return RowLayout::kSurplusColumns;
    return declared > 0 ? RowLayout::kFlowing : RowLayout::kBroken;
  }
  const bool ends_well = !probe.hit_word || probe.word_ends_text;
  const bool last_only =
      probe.odd_lines == 1 && probe.last_odd_line == probe.lines;
  const int64_t rows = good_rows + probe.lines;
  if (ends_well && last_only && probe.last_width < width && rows > 1 &&
      (declared == 0 || rows <= declared)) {
    return RowLayout::kLastRowShort;
  }
  return RowLayout::kBroken;
}

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

}  // namespace

int64_t CountWords(std::string_view line) {
  int64_t words = 0;
  size_t index = 0;
  while (!NextWord(line, &index).empty()) ++words;
  return words;
}

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

// The first check of every line. Only a part of a line that is too long may be
// in memory.
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
int64_t MotionReader::MaxFrames(int64_t bytes) const {
  const int64_t fit = (bytes + 1) / (2 * std::max<int64_t>(context_.width, 1));
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

// Reads rows with the fast path until a line is irregular. If it stops soon, it
// is not tried again for some lines: each try examines several KB, which would
// be very slow for a file in which every other line is irregular.
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
    const int64_t most =
        std::min(MaxFrames(static_cast<int64_t>(rest.size())), block);
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

// From the first irregular line on.

size_t MotionReader::Probe(std::string_view text, bool ends_file) {
  if (!ends_file && text.size() < options_.look_ahead_bytes) return 0;
  good_frames_ = broken_frame_ = most_good_frames_ = frames_;
  const int64_t width = context_.width;
  // No file has more values than this, and the product must not overflow.
  const bool countable =
      declared_ > 0 && declared_ < std::numeric_limits<int64_t>::max() / width;
  wanted_ = countable ? (declared_ - good_frames_) * width : 0;
  const ProbeReach reach = {limits_.max_line_bytes, options_.look_ahead_bytes};
  const LayoutProbe probe = ProbeLayout(text, width, wanted_, reach);
  const RowLayout layout =
      ChooseLayout(probe, good_frames_, width, countable ? declared_ : 0);
  Line odd;
  LineReader(text, next_).Next(&odd);
  Begin(layout, probe, odd);
  return 0;
}

void MotionReader::Begin(RowLayout layout, const LayoutProbe& probe,
                         const Line& odd) {
  const Location at = LocationAt(odd.start);
  partial_.resize(static_cast<size_t>(context_.width));
  rows_are_lines_ = rows_are_lines_ && layout == RowLayout::kLastRowShort;
  switch (layout) {
    case RowLayout::kSurplusColumns:
      guess_ = std::make_unique<Guess>(Guess{log_, log_});
      log().Add(IssueCode::MOTION_SURPLUS_COLUMNS, at,
                WidthArgs(context_, probe.widest));
      row_words_ = probe.widest;
      stage_ = Stage::kSurplus;
      return;
    case RowLayout::kFlowing:
      guess_ = std::make_unique<Guess>(Guess{log_, log_});
      log().Add(IssueCode::MOTION_ROW_LAYOUT, at,
                WidthArgs(context_, CountWords(odd.text)));
      stage_ = Stage::kFlow;
      return;
    case RowLayout::kLastRowShort:
      log().Add(IssueCode::MOTION_LAST_ROW_SHORT, at,
                WidthArgs(context_, probe.last_width));
      if (context_.header.frames && frames_ + 1 != declared_) {
        ReportFrameCount(context_, frames_, frames_, &log());
      }
      Stop(true);
      return;
    case RowLayout::kBroken:
      break;
  }
  stage_ = Stage::kBroken;
}

// False if `line` has nothing to read.
bool MotionReader::BeginFlowLine(const Line& line) {
  if (SkipLine(line)) return false;
  if (guess_ && broken_frame_ < declared_) {
    ReportRowFault(context_, line, broken_frame_, &guess_->if_broken);
    broken_frame_ += IsRowLike(line) ? 1 : 0;
  }
  return true;
}

void MotionReader::EndFlowLine(bool fits) {
  if (done()) return;
  if (!fits) {
    GiveUpGuess();
  } else if (got_ == wanted_) {
    Decide(&Guess::if_right);
    found_ = most_good_frames_ = frames_;
    stage_ = Stage::kTrailing;
  }
}

void MotionReader::TakeFlowLine(const Line& line) {
  if (BeginFlowLine(line)) {
    EndFlowLine(TakeValues(line, std::numeric_limits<int64_t>::max()));
  }
}

void MotionReader::TakeSurplusLine(const Line& line) {
  if (!BeginFlowLine(line)) return;
  const LayoutProbe row = ProbeLayout(line.text, context_.width, 0, {});
  const bool fits = !row.hit_word && row.last_width == row_words_;
  EndFlowLine(fits && TakeValues(line, context_.width));
}

// Reads at most `most` values of `line`; all of them if `most` is the largest
// number. False if a word is not a number, or if the line has more values than
// are expected.
bool MotionReader::TakeValues(const Line& line, int64_t most) {
  const bool takes_all = most == std::numeric_limits<int64_t>::max();
  size_t index = 0;
  while (most > 0) {
    const int64_t filled = got_ % context_.width;
    const int64_t room =
        std::min({context_.width - filled, most, wanted_ - got_});
    const LineScan scan =
        ScanLine(line.text, index,
                 std::span(partial_).subspan(static_cast<size_t>(filled),
                                             static_cast<size_t>(room)));
    const auto values = static_cast<int64_t>(scan.values);
    if (scan.has_non_finite) {
      ReportNonFinite(context_, line, index, values,
                      good_frames_ * context_.width + got_, &log());
    }
    got_ += values;
    most -= values;
    index = scan.stop;
    const bool full = values > 0 && got_ % context_.width == 0;
    if (full && !CommitPartial(line)) return false;
    if (scan.end == RowEnd::kLineEnd) return true;
    if (scan.end == RowEnd::kNotANumber || values == 0) return false;
  }
  return !takes_all;
}

bool MotionReader::CommitPartial(const Line& line) {
  if (!CheckFrameLimit(line)) {
    frames_ = good_frames_;
    Stop(false);
    return false;
  }
  const std::span<float> room = sink_.NextRows(1);
  if (room.empty()) {
    Stop(false);
    return false;
  }
  std::copy(partial_.begin(), partial_.end(), room.begin());
  CommitFrames(1);
  return true;
}

// The chosen layout is wrong.
void MotionReader::GiveUpGuess() {
  frames_ = good_frames_;
  got_ = 0;
  stage_ = Stage::kBroken;
  Decide(&Guess::if_broken);
}

// Makes one of the logs of the layout that is tried, if there is one, the log.
void MotionReader::Decide(IssueLog Guess::*log) {
  if (!guess_) return;
  log_.GoOnAs(std::move((*guess_).*log));
  guess_.reset();
}

}  // namespace bvhmill
