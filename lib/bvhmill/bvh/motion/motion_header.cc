#include "bvhmill/bvh/motion/motion_header.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <system_error>

#include "bvhmill/base/utf8.h"
#include "bvhmill/bvh/motion/location.h"
#include "bvhmill/text/number.h"

namespace bvhmill {
namespace {

// The count that is written: exactly, if it is written in digits alone. One
// above kMostFrames is no more useful than that.
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

}  // namespace

bool ReadMotionHeader(Cursor* cursor, IssueLog* log, MotionHeader* header) {
  return HeaderReader(cursor, log, header).Read();
}

}  // namespace bvhmill
