#include "bvhmill/bvh/motion_reader.h"

#include <algorithm>
#include <limits>
#include <string>

#include "bvhmill/base/utf8.h"
#include "bvhmill/bvh/location.h"
#include "bvhmill/text/number.h"

namespace bvhmill {
namespace {

// Index just behind the last word of `line`.
size_t EndOfWords(std::string_view line) {
  while (!line.empty() && IsBlank(line.back())) line.remove_suffix(1);
  return line.size();
}

int64_t CountWords(std::string_view line) {
  int64_t words = 0;
  size_t index = 0;
  while (!NextWord(line, &index).empty()) ++words;
  return words;
}

}  // namespace

MotionReader::MotionReader(std::string_view text, const MotionHeader& header,
                           const Skeleton& skeleton, const Limits& limits,
                           const CancelToken* cancel, IssueLog* log,
                           Motion* motion)
    : text_(text),
      header_(header),
      skeleton_(skeleton),
      limits_(limits),
      cancel_(cancel),
      log_(*log),
      motion_(*motion),
      width_(static_cast<int64_t>(skeleton.channels.size())),
      declared_(header.frames.value_or(0)),
      lines_(text, header.rows) {}

bool MotionReader::Read() {
  if (width_ == 0) return ReadWithoutChannels();
  const bool good = ReadRows();
  // Whatever stopped it, the matrix ends with a full frame.
  motion_.values.resize(static_cast<size_t>(motion_.frames * width_));
  return good;
}

bool MotionReader::ReadRows() {
  Line odd;
  if (!ReadRegularRows(&odd)) {
    return !IsCancelled(cancel_) && ReadIrregularRows(odd);
  }
  if (Complete()) {
    ReportBehind(lines_.next());
  } else if (header_.frames && motion_.frames != *header_.frames) {
    ReportCount(motion_.frames, motion_.frames);
  }
  return true;
}

bool MotionReader::ReadWithoutChannels() {
  if (Exceeds(declared_, limits_.max_frames)) {
    log_.Add(IssueCode::LIMIT_FRAMES, LocationAt(header_.frames_place),
             {{"limit", std::to_string(limits_.max_frames)}});
    return false;
  }
  motion_.frames = declared_;
  ReportBehind(header_.rows);
  return true;
}

bool MotionReader::SkipLine(const Line& line) {
  if (TrimBlanks(line.text).empty()) return true;
  if (!IsComment(line.text)) return false;
  log_.Add(IssueCode::TEXT_COMMENT, LocationAt(line.start));
  return true;
}

bool MotionReader::CheckLine(const Line& line) {
  const auto size = static_cast<int64_t>(line.text.size());
  if (!Exceeds(size, limits_.max_line_bytes)) return true;
  log_.Add(IssueCode::LIMIT_LINE_BYTES, LocationAt(line.start),
           {{"limit", std::to_string(limits_.max_line_bytes)}});
  return false;
}

bool MotionReader::CheckFrameLimit(const Line& line) {
  if (!Exceeds(motion_.frames + 1, limits_.max_frames)) return true;
  log_.Add(IssueCode::LIMIT_FRAMES, LocationAt(line.start),
           {{"limit", std::to_string(limits_.max_frames)}});
  return false;
}

// Room for `values` more behind the frames read so far. Growth is geometric,
// but never beyond what the rest of the text can hold: a value takes two bytes.
std::span<float> MotionReader::GrowTo(int64_t values) {
  const auto used = static_cast<size_t>(motion_.frames * width_);
  const size_t need = used + static_cast<size_t>(values);
  auto& all = motion_.values;
  if (need > all.capacity()) {
    const auto rest = static_cast<size_t>(static_cast<int64_t>(text_.size()) -
                                          lines_.next().offset) /
                          2 +
                      1;
    all.reserve(std::max(need, std::min(2 * need, need + rest)));
  }
  all.resize(need);
  return std::span(all).subspan(used);
}

bool MotionReader::ReadRegularRows(Line* odd) {
  Line& line = *odd;
  bool regular = true;
  while (regular && !Complete() && lines_.Next(&line)) {
    if (SkipLine(line)) continue;
    regular = CheckLine(line) && CheckFrameLimit(line) && !IsCancelled(cancel_);
    if (!regular) break;
    const RowScan scan = ScanRow(line.text, 0, GrowTo(width_));
    const auto values = static_cast<int64_t>(scan.values);
    regular = scan.end == RowEnd::kLine && values == width_;
    if (!regular) break;
    if (scan.has_non_finite) {
      LogNonFinite(line, values, motion_.frames * width_);
    }
    ++motion_.frames;
  }
  return regular;
}

bool MotionReader::ReadIrregularRows(const Line& odd) {
  if (log_.faults() > 0) return false;
  const int64_t good = motion_.frames;
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  // No file has as many values; and the product must not overflow.
  const bool countable = declared_ > 0 && declared_ < kMost / width_;
  const int64_t wanted = countable ? (declared_ - good) * width_ : 0;
  const RowSurvey survey = SurveyRows(text_, odd.start, width_, wanted);
  const Location at = LocationAt(odd.start);
  switch (JudgeRows(survey, good, width_, declared_)) {
    case RowLayout::kSurplusColumns:
      log_.Add(IssueCode::MOTION_SURPLUS_COLUMNS, at, WidthArgs(survey.widest));
      return ReadFlow(odd.start, width_);
    case RowLayout::kFlowing:
      log_.Add(IssueCode::MOTION_ROW_LAYOUT, at,
               WidthArgs(CountWords(odd.text)));
      return ReadFlow(odd.start, kMost);
    case RowLayout::kLastRowShort:
      log_.Add(IssueCode::MOTION_LAST_ROW_SHORT, at,
               WidthArgs(survey.last_width));
      if (header_.frames && good + 1 != declared_) ReportCount(good, good);
      return true;
    case RowLayout::kBroken:
      break;
  }
  ReportFaults(odd);
  return false;
}

IssueArgs MotionReader::WidthArgs(int64_t values) const {
  return {{"width", std::to_string(values)},
          {"expected", std::to_string(width_)}};
}

bool MotionReader::ReadFlow(const Place& start, int64_t per_line) {
  LineReader lines(text_, start);
  Line line;
  const int64_t first = motion_.frames * width_;
  const int64_t wanted = declared_ * width_ - first;
  int64_t got = 0;
  while (got < wanted && lines.Next(&line)) {
    if (SkipLine(line)) continue;
    if (!CheckLine(line) || IsCancelled(cancel_)) return false;
    const auto most = static_cast<int64_t>(line.text.size()) / 2 + 1;
    const int64_t room = std::min({per_line, wanted - got, most});
    const auto out = GrowTo(got + room).subspan(static_cast<size_t>(got));
    const RowScan scan = ScanRow(line.text, 0, out);
    const auto values = static_cast<int64_t>(scan.values);
    if (scan.has_non_finite) LogNonFinite(line, values, first + got);
    got += values;
    if (Exceeds(motion_.frames + got / width_, limits_.max_frames)) {
      log_.Add(IssueCode::LIMIT_FRAMES, LocationAt(line.start),
               {{"limit", std::to_string(limits_.max_frames)}});
      return false;
    }
  }
  motion_.frames += got / width_;
  ReportBehind(lines.next());
  return true;
}

void MotionReader::ReportFaults(const Line& odd) {
  LineReader lines(text_, odd.start);
  Line line;
  int64_t frame = motion_.frames;
  while (lines.Next(&line)) {
    if (IsCancelled(cancel_) || (declared_ > 0 && frame >= declared_)) return;
    if (!SkipLine(line)) ReportFault(line, frame++);
  }
}

void MotionReader::ReportFault(const Line& line, int64_t frame) {
  size_t index = 0;
  int64_t values = 0;
  while (true) {
    const std::string_view word = NextWord(line.text, &index);
    if (word.empty()) break;
    const Place place = line.At(index - word.size());
    if (ParseNumber(word).kind == NumberKind::kInvalid) {
      const int64_t column = std::min(values, width_ - 1);
      log_.Add(IssueCode::MOTION_NUMBER_INVALID,
               LocationAt(place, skeleton_, frame, column),
               {{"word", Quote(word)}});
      return;
    }
    if (values++ == width_) {
      Location at = LocationAt(place);
      at.frame = frame;
      log_.Add(IssueCode::MOTION_ROW_TOO_LONG, at,
               WidthArgs(CountWords(line.text)));
      return;
    }
  }
  if (values < width_) {
    const Place place = line.At(EndOfWords(line.text));
    log_.Add(IssueCode::MOTION_ROW_TOO_SHORT,
             LocationAt(place, skeleton_, frame, values), WidthArgs(values));
  }
}

void MotionReader::ReportBehind(const Place& start) {
  LineReader lines(text_, start);
  Line line;
  int64_t found = motion_.frames;
  while (lines.Next(&line)) {
    const std::string_view words = TrimBlanks(line.text);
    if (words.empty()) continue;
    if (width_ > 0) {
      // Only to see whether it is one more row: nothing is kept.
      const RowSurvey row = SurveyRows(line.text, {}, width_, 0);
      if (!row.hit_word && row.last_width == width_) {
        ++found;
        continue;
      }
    }
    size_t index = 0;
    const std::string_view word = NextWord(line.text, &index);
    log_.Add(IssueCode::MOTION_TRAILING_DATA,
             LocationAt(line.At(index - word.size())), {{"word", Quote(word)}});
    break;
  }
  if (found != motion_.frames) ReportCount(found, motion_.frames);
}

void MotionReader::ReportCount(int64_t found, int64_t used) {
  log_.Add(IssueCode::MOTION_FRAME_COUNT_MISMATCH,
           LocationAt(header_.frames_place),
           {{"declared", std::to_string(header_.frames.value_or(0))},
            {"found", std::to_string(found)},
            {"used", std::to_string(used)}});
}

void MotionReader::LogNonFinite(const Line& line, int64_t values,
                                int64_t first_value) {
  size_t index = 0;
  for (int64_t i = 0; i < values; ++i) {
    const std::string_view word = NextWord(line.text, &index);
    const NumberKind kind = ParseNumber(word).kind;
    if (kind == NumberKind::kFinite) continue;
    const IssueCode code = kind == NumberKind::kNotFinite
                               ? IssueCode::DATA_NOT_FINITE
                               : IssueCode::DATA_OUT_OF_RANGE;
    const int64_t value = first_value + i;
    const int64_t column = value % width_;
    if (log_.Repeat(code, NodeOfColumn(skeleton_, column))) continue;
    log_.Add(code,
             LocationAt(line.At(index - word.size()), skeleton_, value / width_,
                        column),
             {{"word", Quote(word)}});
  }
}

bool ReadMotion(std::string_view text, const MotionHeader& header,
                const Skeleton& skeleton, const Limits& limits,
                const CancelToken* cancel, IssueLog* log, Motion* motion) {
  return MotionReader(text, header, skeleton, limits, cancel, log, motion)
      .Read();
}

int64_t FirstRowWidth(std::string_view text, const Place& rows) {
  LineReader lines(text, rows);
  Line line;
  while (lines.Next(&line)) {
    if (TrimBlanks(line.text).empty() || IsComment(line.text)) continue;
    return CountWords(line.text);
  }
  return 0;
}

}  // namespace bvhmill
