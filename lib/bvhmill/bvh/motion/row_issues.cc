#include "bvhmill/bvh/motion/row_issues.h"

#include <algorithm>
#include <string>

#include "bvhmill/base/utf8.h"
#include "bvhmill/bvh/motion/location.h"
#include "bvhmill/text/number.h"
#include "bvhmill/text/row.h"

namespace bvhmill {
namespace {

// Index after the last word of `line`.
size_t EndOfWords(std::string_view line) {
  while (!line.empty() && IsBlank(line.back())) line.remove_suffix(1);
  return line.size();
}

std::string DeclaredFrames(const MotionHeader& header) {
  const int64_t frames = header.frames.value_or(0);
  return std::to_string(frames) + (frames == kMostFrames ? " or more" : "");
}

// A word that is no number, and why, if the reason is clear.
std::string InvalidWord(std::string_view word) {
  return Quote(word) + (ScanGlued(word, {}) > 1 ? " (a blank is missing)" : "");
}

}  // namespace

int64_t CountWords(std::string_view line) {
  int64_t words = 0;
  size_t index = 0;
  while (!NextWord(line, &index).empty()) ++words;
  return words;
}

IssueArgs WidthArgs(const RowContext& context, int64_t values) {
  return {{"width", std::to_string(values)},
          {"expected", std::to_string(context.width)}};
}

bool IsRowLike(const Line& line) {
  size_t index = 0;
  const std::string_view word = NextWord(line.text, &index);
  return ParseNumber(word).kind != NumberKind::kInvalid ||
         ScanGlued(word, {}) > 0;
}

// The issue has no joint, so that a report has one for all rows.
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

void ReportFrameCount(const RowContext& context, int64_t found, int64_t used,
                      IssueLog* log) {
  const MotionHeader& header = context.header;
  log->Add(IssueCode::MOTION_FRAME_COUNT_MISMATCH,
           LocationAt(header.frames_place),
           {{"declared", DeclaredFrames(header)},
            {"found", std::to_string(found)},
            {"used", std::to_string(used)}});
}

void ReportTrailingData(const Line& line, IssueLog* log) {
  size_t index = 0;
  const std::string_view word = NextWord(line.text, &index);
  log->Add(IssueCode::MOTION_TRAILING_DATA,
           LocationAt(line.At(index - word.size())), {{"word", Quote(word)}});
}

}  // namespace bvhmill
