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

}  // namespace

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

}  // namespace bvhmill
