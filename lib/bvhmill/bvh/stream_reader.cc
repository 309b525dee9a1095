#include "bvhmill/bvh/stream_reader.h"

#include <algorithm>
#include <utility>

#include "bvhmill/base/budget.h"
#include "bvhmill/bvh/motion/location.h"

namespace bvhmill {
namespace {

// Number of bytes of the whole lines at the beginning of `text`. A CR at the
// very end may be the first half of a CRLF.
size_t WholeLines(std::string_view text) {
  const size_t feed = text.rfind('\n');
  const size_t lines = feed == std::string_view::npos ? 0 : feed + 1;
  const std::string_view rest = text.substr(lines);
  const size_t end =
      rest.substr(0, std::max<size_t>(rest.size(), 1) - 1).rfind('\r');
  return end == std::string_view::npos ? lines : lines + end + 1;
}

// Number of bytes of `piece` up to the end of the line that begins with `open`,
// which must not be empty. npos if the end is not known yet.
size_t EndOfLine(std::string_view open, std::string_view piece) {
  if (piece.empty()) return std::string_view::npos;
  if (open.back() == '\r') return piece.front() == '\n' ? 1 : 0;
  const size_t end = piece.find_first_of("\r\n");
  if (end == std::string_view::npos || piece[end] == '\n') {
    return end == std::string_view::npos ? end : end + 1;
  }
  if (end + 1 == piece.size()) return std::string_view::npos;
  return end + (piece[end + 1] == '\n' ? 2 : 1);
}

}  // namespace

StreamReader::StreamReader(const ReadOptions& options, IssueLog* log,
                           ParsedClip* clip)
    : options_(options), log_(*log), empty_log_(*log), clip_(*clip) {
  header_.cache = options.cache;
  header_.names = options.name_encoding;
  header_.hierarchy.room = std::move(clip_.room);
  MakeEmpty(&clip_);
}

bool StreamReader::Push(std::string_view piece) {
  bytes_ += static_cast<int64_t>(piece.size());
  if (Exceeds(bytes_, options_.limits.max_clip_bytes)) {
    RefuseSize();
  } else if (stopped_) {
    return false;
  } else if (IsCancelled(options_.cancel)) {
    Stop();
  } else if (rows_) {
    Feed(piece);
  } else if (!pending_.empty()) {
    Keep(piece);
    if (!stopped_) TryPending(/*ends_file=*/false);
  } else if (!TryHeader(piece, /*ends_file=*/false)) {
    Keep(piece);
  }
  return !stopped_;
}

void StreamReader::Finish() {
  if (!stopped_ && !rows_) TryPending(/*ends_file=*/true);
  if (!stopped_ && rows_) {
    rows_->Push(pending_, /*ends_file=*/true);
    EndRows();
  }
  if (!rows_) clip_.room = std::move(header_.hierarchy.room);
}

void StreamReader::Stop() {
  clip_.motion_read = false;
  clip_.motion.values.clear();
  stopped_ = true;
}

// Keeps text until it can be read.
void StreamReader::Keep(std::string_view text) {
  const size_t size = pending_.size() + text.size();
  if (size > pending_.capacity() && !Grow(size)) {
    pending_ = {};
    return Stop();
  }
  pending_ += text;
}

// Reserves space for `size` bytes of text. False if the budget refuses.
bool StreamReader::Grow(size_t size) {
  const size_t room = std::max(size, 2 * pending_.capacity());
  if (room > held_) {
    const auto more = static_cast<int64_t>(room - held_);
    if (!HoldFrom(options_.budget, more).ok()) return false;
    held_ = room;
  }
  pending_.reserve(room);
  return true;
}

// The result must be that of ReadBvh, which checks the size first.
void StreamReader::RefuseSize() {
  log_ = empty_log_;
  log_.Add(IssueCode::LIMIT_CLIP_BYTES, LocationAt(TextPosition{}),
           {{"limit", std::to_string(options_.limits.max_clip_bytes)}});
  MakeEmpty(&clip_);
  stopped_ = true;
}

// Reads the text before the rows. Tries again only when there is twice as much
// text, so that small pieces cost no more than large ones. `text` is all text
// that arrived so far. False if it must be kept and passed again with the text
// that follows.
bool StreamReader::TryHeader(std::string_view text, bool ends_file) {
  const int64_t limit = options_.limits.max_header_bytes;
  const bool enough = Exceeds(static_cast<int64_t>(text.size()), limit);
  if (!ends_file && !enough && text.size() < next_try_) return false;
  next_try_ = 2 * text.size();
  ReadHeader(text, ends_file, options_.limits, &log_, &header_);
  if (header_.certain) BeginRows(text);
  return header_.certain;
}

void StreamReader::TryPending(bool ends_file) {
  std::string text = std::exchange(pending_, {});
  if (!TryHeader(text, ends_file)) pending_ = std::move(text);
}

void StreamReader::BeginRows(std::string_view text) {
  const MotionHeader& header = header_.header;
  clip_.source = header_.hierarchy.source;
  clip_.declared_frames = header.frames.value_or(0);
  clip_.motion.frame_time = header.frame_time;
  clip_.skeleton_read = header_.skeleton_read;
  clip_.motion_read = header_.good;
  stopped_ = !header_.has_rows;
  if (stopped_) return;
  clip_.room = std::move(header_.hierarchy.room);
  const Skeleton& skeleton = clip_.source->skeleton;
  const auto width = static_cast<int64_t>(skeleton.channels.size());
  sink_.emplace(&clip_.motion, width, options_.budget);
  rows_.emplace(header, skeleton, options_, &log_, &*sink_);
  if (width > 0) Reserve(options_.text_bytes - header.rows.offset);
  if (stopped_) return;
  // The words in `header_` point into text that is freed later; they are not
  // used after this.
  Feed(text.substr(static_cast<size_t>(header.rows.offset)));
}

// The number of frames that the file states is used for memory only if `bytes`
// of rows can have as many.
void StreamReader::Reserve(int64_t bytes) {
  constexpr auto kUnknown = static_cast<size_t>(1) << 62;
  const bool is_known = options_.text_bytes > 0 && bytes > 0;
  const int64_t most =
      rows_->MaxFrames(is_known ? static_cast<size_t>(bytes) : kUnknown);
  sink_->GrowUpTo(most);
  if (is_known && most == rows_->declared() && !sink_->Reserve(most)) Stop();
}

// Completes the line that is not ended yet, then reads whole lines directly
// from `piece`.
void StreamReader::Feed(std::string_view piece) {
  while (!piece.empty() && !stopped_ && !rows_->done()) {
    const size_t used = pending_.empty() ? FeedLines(piece)
                        : open_ == 0     ? Append(piece)
                                         : FeedOpenLine(piece);
    piece.remove_prefix(used);
  }
  if (!stopped_ && rows_->done()) EndRows();
}

size_t StreamReader::FeedLines(std::string_view piece) {
  const size_t whole = WholeLines(piece);
  const size_t taken = rows_->Push(piece.substr(0, whole), /*ends_file=*/false);
  Keep(piece.substr(taken));
  open_ = piece.size() - whole;
  return piece.size();
}

// The reader looks ahead and needs several lines at once.
size_t StreamReader::Append(std::string_view piece) {
  const size_t whole = WholeLines(piece);
  Keep(piece.substr(0, whole));
  if (!stopped_) ReadPending();
  if (!stopped_) Keep(piece.substr(whole));
  open_ = piece.size() - whole;
  return piece.size();
}

size_t StreamReader::FeedOpenLine(std::string_view piece) {
  const size_t end = EndOfLine(pending_, piece);
  const size_t used = std::min(end, piece.size());
  Keep(piece.substr(0, used));
  if (stopped_) return used;
  open_ = end == std::string_view::npos ? open_ + used : 0;
  // A line that is too long is refused before it ends. A CR may be the first
  // half of its line end.
  const size_t bytes = open_ - (open_ > 0 && pending_.back() == '\r' ? 1 : 0);
  if (open_ == 0 ||
      Exceeds(static_cast<int64_t>(bytes), options_.limits.max_line_bytes)) {
    ReadPending();
  }
  return used;
}

void StreamReader::ReadPending() {
  pending_.erase(0, rows_->Push(pending_, /*ends_file=*/false));
}

void StreamReader::EndRows() {
  Motion& motion = clip_.motion;
  motion.frames = rows_->frames();
  clip_.motion_read &= rows_->good() && !sink_->refused();
  if (sink_->refused()) motion.frames = 0;
  // The matrix ends with a full frame, also if the reading stopped early.
  const size_t width = clip_.source->skeleton.channels.size();
  motion.values.resize(static_cast<size_t>(motion.frames) * width);
  stopped_ = true;
}

}  // namespace bvhmill
