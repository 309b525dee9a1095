#include "bvhmill/bvh/motion/layout_probe.h"

#include <algorithm>

#include "bvhmill/base/limits.h"
#include "bvhmill/text/number.h"

namespace bvhmill {
namespace {

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
             RowSurvey* survey) {
  ++survey->lines;
  survey->values += words.values;
  survey->narrowest = survey->lines == 1
                          ? words.values
                          : std::min(survey->narrowest, words.values);
  survey->widest = std::max(survey->widest, words.values);
  survey->last_width = words.values;
  if (words.values != width) {
    ++survey->odd_lines;
    survey->last_odd_line = survey->lines;
  }
  survey->reaches_wanted |= wanted > 0 && survey->values == wanted;
}

}  // namespace

RowSurvey SurveyRows(std::string_view text, int64_t width, int64_t wanted,
                     const SurveyReach& reach) {
  RowSurvey survey;
  LineReader lines(text, {});
  Line line;
  while (lines.taken() < reach.bytes) {
    if (!lines.Next(&line)) {
      survey.complete = true;
      return survey;
    }
    const auto size = static_cast<int64_t>(line.text.size());
    if (Exceeds(size, reach.max_line_bytes)) break;
    if (TrimBlanks(line.text).empty() || IsComment(line.text)) continue;
    const LineWords words = CountValues(line.text);
    if (words.hit_word) {
      survey.complete = true;
      survey.hit_word = true;
      survey.word_ends_text =
          line.At(words.word_end).offset == static_cast<int64_t>(text.size());
      // A line that was cut counts, but its end is no end.
      if (survey.word_ends_text) AddLine(words, width, /*wanted=*/0, &survey);
      return survey;
    }
    AddLine(words, width, wanted, &survey);
  }
  return survey;
}

RowLayout JudgeRows(const RowSurvey& survey, int64_t good_rows, int64_t width,
                    int64_t declared) {
  const bool too_wide = good_rows == 0 && declared > 0 &&
                        survey.narrowest == survey.widest &&
                        survey.widest > width;
  if (survey.complete && too_wide && survey.lines == declared) {
    return RowLayout::kSurplusColumns;
  }
  if (survey.reaches_wanted) return RowLayout::kFlowing;
  if (!survey.complete) {
    if (too_wide && survey.lines > 1) return RowLayout::kSurplusColumns;
    return declared > 0 ? RowLayout::kFlowing : RowLayout::kBroken;
  }
  const bool ends_well = !survey.hit_word || survey.word_ends_text;
  const bool last_only =
      survey.odd_lines == 1 && survey.last_odd_line == survey.lines;
  const int64_t rows = good_rows + survey.lines;
  if (ends_well && last_only && survey.last_width < width && rows > 1 &&
      (declared == 0 || rows <= declared)) {
    return RowLayout::kLastRowShort;
  }
  return RowLayout::kBroken;
}

}  // namespace bvhmill
