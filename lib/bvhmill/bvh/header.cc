// Step 2 of reading BVH text: ReadHeader reads the hierarchy (hierarchy.cc) and
// the lines MOTION, Frames and Frame Time. Text that is still incomplete is
// read again from the beginning when more of it is there. Next: motion.cc,
// which reads the rows.

#include "bvhmill/bvh/header.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <system_error>
#include <utility>

#include "bvhmill/base/text.h"
#include "bvhmill/bvh/motion.h"
#include "bvhmill/bvh/parsed_clip.h"
#include "bvhmill/text/lines.h"
#include "bvhmill/text/number.h"
#include "bvhmill/text/sniff.h"

namespace bvhmill {
namespace {

// The count in `text`: exact if it consists of digits alone, else from `value`.
// At most kMostFrames.
int64_t CountOf(std::string_view text, double value) {
  int64_t count = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, count);
  if (error == std::errc() && at == end) return std::min(count, kMostFrames);
  return static_cast<int64_t>(
      std::min(value, static_cast<double>(kMostFrames)));
}

// Reads the lines of the header in any order. After a fault, the rest of its
// line is skipped, so that the next fault is found too.
class HeaderReader {
 public:
  HeaderReader(Cursor* cursor, IssueLog* log, MotionHeader* header)
      : cursor_(*cursor), log_(*log), header_(*header) {}

  // False if the file must be refused. Logs every fault of the header.
  bool Read();

 private:
  // Each returns true if its line is here, valid or not.
  bool ReadFrames();
  bool ReadFrameTime();
  void ReadLines();
  // If the keyword is here, moves past it and its separator and returns true.
  bool Take(std::string_view first, std::string_view second);
  Word TakeValue();
  void ReportMissing();
  void Fault(IssueCode code, const Word& word, IssueArgs args = {});

  Cursor& cursor_;
  IssueLog& log_;
  MotionHeader& header_;
  bool has_frames_ = false;
  bool has_frame_time_ = false;
  bool is_faulty_ = false;
  // A line was not understood; it may have been the missing one.
  bool has_unknown_ = false;
};

void HeaderReader::Fault(IssueCode code, const Word& word, IssueArgs args) {
  is_faulty_ = true;
  cursor_.Skip(cursor_.PeekLine().size());
  if (log_.Repeat(code, -1)) return;
  args.emplace_back("word", Describe(word));
  log_.Add(code, LocationAt(word.place), std::move(args));
}

bool HeaderReader::Take(std::string_view first, std::string_view second) {
  Cursor ahead = cursor_;
  ahead.ToWord();
  if (!StartsWithIgnoreCase(ahead.PeekLine(), first)) return false;
  ahead.Skip(first.size());
  if (!second.empty()) {
    ahead.SkipBlanks();
    if (!StartsWithIgnoreCase(ahead.PeekLine(), second)) return false;
    ahead.Skip(second.size());
  }
  ahead.SkipBlanks();
  const std::string_view line = ahead.PeekLine();
  if (line.starts_with(':') || line.starts_with('=')) ahead.Skip(1);
  cursor_ = ahead;
  return true;
}

// The next word of this line; empty if the line ends.
Word HeaderReader::TakeValue() {
  cursor_.SkipBlanks();
  Word word;
  word.place = cursor_.place();
  if (!cursor_.PeekLine().empty()) word = cursor_.Next();
  return word;
}

bool HeaderReader::ReadFrames() {
  const TextPosition keyword = cursor_.Peek().place;
  if (has_frames_ || !Take("Frames", "")) return false;
  has_frames_ = true;
  header_.frames_place = keyword;
  const Word word = TakeValue();
  if (word.text.empty()) {
    log_.Add(IssueCode::MOTION_FRAMES_MISSING, LocationAt(keyword));
    return true;
  }
  const Number number = ParseNumber(word.text);
  if (number.kind != NumberKind::kFinite || number.value < 0 ||
      number.value != std::floor(number.value)) {
    Fault(IssueCode::MOTION_FRAMES_INVALID, word);
    return true;
  }
  if (word.text.find_first_of(".eE") != std::string_view::npos) {
    log_.Add(IssueCode::MOTION_FRAMES_NOT_INTEGER, LocationAt(word.place),
             {{"word", Describe(word)}});
  }
  header_.frames = CountOf(word.text, number.value);
  return true;
}

bool HeaderReader::ReadFrameTime() {
  if (has_frame_time_ || !Take("Frame", "Time")) return false;
  has_frame_time_ = true;
  const Word word = TakeValue();
  if (word.text.empty()) {
    log_.Add(IssueCode::MOTION_FRAME_TIME_MISSING, LocationAt(word.place));
    return true;
  }
  const Number number = ParseNumber(word.text);
  if (number.kind == NumberKind::kInvalid) {
    Fault(IssueCode::MOTION_FRAME_TIME_INVALID, word);
    return true;
  }
  header_.frame_time = number.value;
  log_.SetFrameTimePlace(LocationAt(word.place));
  if (!std::isfinite(number.value) || number.value <= 0) {
    log_.Add(IssueCode::DATA_FRAME_TIME_ODD, LocationAt(word.place),
             {{"value", Excerpt(word.text)}, {"reading", "unknown"}});
  }
  return true;
}

void HeaderReader::ReportMissing() {
  if (has_unknown_) return;
  const Location at = LocationAt(cursor_.Peek().place);
  if (!has_frames_) log_.Add(IssueCode::MOTION_FRAMES_MISSING, at);
  if (!has_frame_time_) log_.Add(IssueCode::MOTION_FRAME_TIME_MISSING, at);
}

void HeaderReader::ReadLines() {
  while (!(has_frames_ && has_frame_time_)) {
    const TextPosition here = cursor_.Peek().place;
    if (ReadFrames()) continue;
    if (ReadFrameTime()) {
      if (!has_frames_ && StartsWithIgnoreCase(cursor_.Peek().text, "Frames")) {
        log_.Add(IssueCode::MOTION_HEADER_ORDER, LocationAt(here));
      }
      continue;
    }
    const Word next = cursor_.Peek();
    // A row, or the end of the text: the missing lines do not follow.
    if (next.text.empty() ||
        ParseNumber(next.text).kind != NumberKind::kInvalid) {
      return;
    }
    has_unknown_ = true;
    cursor_.Next();
    Fault(IssueCode::MOTION_WORD_UNKNOWN, next,
          {{"expected", has_frames_ ? "Frame Time" : "Frames"}});
  }
}

bool HeaderReader::Read() {
  const Word word = cursor_.Peek();
  header_.frames_place = word.place;
  if (word.text.empty()) {
    log_.Add(IssueCode::MOTION_MISSING, LocationAt(word.place));
    return true;
  }
  header_.present = true;
  if (EqualsIgnoreCase(word.text, "MOTION")) {
    cursor_.Next();
  } else if (log_.faults() == 0) {
    // After a fault of the hierarchy, the missing word may not be MOTION.
    log_.Add(IssueCode::MOTION_KEYWORD_MISSING, LocationAt(word.place),
             {{"word", Describe(word)}});
  }
  ReadLines();
  ReportMissing();
  header_.rows = cursor_.place();
  header_.rows_known = !has_unknown_;
  return !is_faulty_;
}

// False, with an issue in the log, if the first bytes show another format. Sets
// `certain` if no text that follows can change that.
bool IsBvhText(std::string_view text, IssueLog* log, bool* certain) {
  const Content content = Sniff(text);
  *certain |= content.kind == ContentKind::kUtf16 ||
              content.kind == ContentKind::kForeign;
  const Location start = LocationAt(TextPosition{});
  const std::string name(content.name);
  switch (content.kind) {
    case ContentKind::kText:
      return true;
    case ContentKind::kEmpty:
      log->Add(IssueCode::TEXT_EMPTY, start);
      return false;
    case ContentKind::kUtf16:
      log->Add(IssueCode::TEXT_UTF16, start, {{"encoding", name}});
      return false;
    case ContentKind::kForeign:
      break;
  }
  log->Add(IssueCode::TEXT_NOT_BVH, start, {{"format", name}});
  return false;
}

void LogComments(const Cursor& cursor, IssueLog* log) {
  if (cursor.comments() == 0) return;
  log->Add(IssueCode::TEXT_COMMENT, LocationAt(cursor.first_comment()), {},
           cursor.comments());
}

// Checks the length of the lines before the rows. Lines of rows are checked
// when they are read.
bool CheckLines(std::string_view text, const TextPosition& rows,
                const Limits& limits, IssueLog* log) {
  const auto offset = static_cast<size_t>(rows.offset);
  const bool ends_line = (offset > 0 && IsLineEnd(text[offset - 1])) ||
                         (offset < text.size() && IsLineEnd(text[offset]));
  if (ends_line && !Exceeds(rows.offset, limits.max_line_bytes)) return true;
  LineReader lines(text, {});
  Line line;
  while (lines.next().offset < rows.offset && lines.Next(&line)) {
    const auto size = static_cast<int64_t>(line.text.size());
    if (!Exceeds(size, limits.max_line_bytes)) continue;
    log->Add(IssueCode::LIMIT_LINE_BYTES, LocationAt(line.start),
             {{"limit", std::to_string(limits.max_line_bytes)}});
    return false;
  }
  return true;
}

// Finds the first line that is neither blank nor a comment. False if there is
// none, or if it has no line end, since more of it may follow.
bool FindRow(std::string_view text, const TextPosition& start, Line* row) {
  LineReader lines(text, start);
  while (lines.Next(row)) {
    if (TrimBlanks(row->text).empty() || IsComment(row->text)) continue;
    return lines.next().line > row->start.line;
  }
  *row = {};
  return false;
}

// Reads all parts before the rows. After a fault of the hierarchy, the header
// is only checked for its own faults.
void ReadParts(Cursor* cursor, const Limits& limits, IssueLog* log,
               ParsedHeader* header) {
  Hierarchy& hierarchy = header->hierarchy;
  header->skeleton_read = ReadHierarchy(cursor, limits, header->names,
                                        header->cache, log, &hierarchy);
  const bool header_good =
      hierarchy.ended && HeaderReader(cursor, log, &header->header).Read();
  const bool lines_good =
      !header->skeleton_read || !hierarchy.ended ||
      CheckLines(cursor->text(), cursor->place(), limits, log);
  header->good = header->skeleton_read && header_good && lines_good;
  header->has_rows = header->skeleton_read && lines_good &&
                     header->header.present && header->header.rows_known;
  LogComments(*cursor, log);
}

void ReadPrefix(std::string_view text, const Limits& limits, IssueLog* log,
                ParsedHeader* header) {
  if (!IsBvhText(text, log, &header->certain)) {
    Clear(&header->hierarchy);
    return;
  }
  Cursor cursor(text, ByteOrderMarkSize(text));
  ReadParts(&cursor, limits, log, header);
  if (!header->good && !header->has_rows) return;
  Line row;
  const TextPosition& rows = header->header.rows;
  if (header->has_rows) {
    const auto offset = static_cast<size_t>(rows.offset);
    header->certain |= FindRow(text.substr(offset), rows, &row);
  }
  if (header->hierarchy.disputes.empty() ||
      SettleDisputes(CountWords(row.text), log, &header->hierarchy)) {
    return;
  }
  header->good = header->skeleton_read = header->has_rows = false;
}

// Clears everything except the hierarchy, which the next clip may reuse.
void ClearFacts(ParsedHeader* header) {
  header->header = {};
  header->skeleton_read = header->good = false;
  header->has_rows = header->certain = false;
}

// Shares a valid skeleton. Requires that the header is certain.
void ShareIfGood(ParsedHeader* header) {
  if (header->skeleton_read) ShareSkeleton(&header->hierarchy);
}

bool HasNodes(const Hierarchy& hierarchy) {
  return hierarchy.source != nullptr || !hierarchy.skeleton.nodes.empty();
}

}  // namespace

void ReadHeader(std::string_view text, bool ends_file, const Limits& limits,
                IssueLog* log, ParsedHeader* header) {
  const bool cut =
      Exceeds(static_cast<int64_t>(text.size()), limits.max_header_bytes);
  if (cut) text = text.substr(0, static_cast<size_t>(limits.max_header_bytes));
  ClearFacts(header);
  header->certain = ends_file && !cut;
  if (header->certain) {
    ReadPrefix(text, limits, log, header);
    return ShareIfGood(header);
  }
  IssueLog attempt = *log;
  ReadPrefix(text, limits, &attempt, header);
  if (!header->certain && !cut) return;
  if (header->certain || !HasNodes(header->hierarchy)) {
    *log = std::move(attempt);
  } else {
    ClearFacts(header);
    Clear(&header->hierarchy);
    log->Add(IssueCode::LIMIT_HEADER_BYTES, LocationAt(TextPosition{}),
             {{"limit", std::to_string(limits.max_header_bytes)}});
  }
  header->certain = true;
  ShareIfGood(header);
}

}  // namespace bvhmill
