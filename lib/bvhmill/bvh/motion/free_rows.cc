// The part of MotionReader from the first irregular line on.

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "bvhmill/bvh/motion/location.h"
#include "bvhmill/bvh/motion/motion_reader.h"
#include "bvhmill/text/row.h"

namespace bvhmill {

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
