// Step 4 of reading BVH text, the last: BvhReader reads text that arrives piece
// by piece. It keeps text until ReadHeader (header.cc) is certain of everything
// before the rows. Then it passes whole lines to ReadRowsInParallel
// (parallel_rows.cc) and to MotionReader (motion.cc), which write into the
// matrix of the clip.

#include "bvhmill/bvh/reader.h"

#include <algorithm>
#include <utility>

#include "bvhmill/base/budget.h"
#include "bvhmill/bvh/parallel_rows.h"
#include "bvhmill/bvh/parsed_clip.h"

namespace bvhmill {
namespace {

// More bytes than any file has.
constexpr int64_t kAnyBytes = int64_t{1} << 62;

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

BvhReader::BvhReader(const ReadOptions& options, IssueLog* log,
                     ParsedClip* clip)
    : options_(options), log_(*log), empty_log_(*log), clip_(*clip) {
  header_.cache = options.cache;
  header_.names = options.name_encoding;
  header_.hierarchy.room = std::move(clip_.room);
  MakeEmpty(&clip_);
}

bool BvhReader::Add(std::string_view bytes) {
  bytes_ += static_cast<int64_t>(bytes.size());
  if (Exceeds(bytes_, options_.limits.max_clip_bytes)) {
    RefuseSize();
  } else if (stopped_) {
    return false;
  } else if (IsCancelled(options_.cancel)) {
    Stop();
  } else if (rows_) {
    Feed(bytes);
  } else if (!pending_.empty()) {
    Keep(bytes);
    if (!stopped_) TryPending(/*ends_file=*/false);
  } else if (!TryHeader(bytes, /*ends_file=*/false)) {
    Keep(bytes);
  }
  if (!stopped_ && rows_) clip_.motion.frames = rows_->sure_frames();
  return !stopped_;
}

void BvhReader::Finish() {
  if (!stopped_ && !rows_) TryPending(/*ends_file=*/true);
  if (!stopped_ && rows_) {
    rows_->Push(pending_, /*ends_file=*/true);
    EndRows();
  }
  if (!rows_) clip_.room = std::move(header_.hierarchy.room);
}

void BvhReader::Stop() {
  clip_.motion_read = false;
  clip_.motion.frames = 0;
  clip_.motion.values.clear();
  stopped_ = true;
}

// Keeps text until it can be read.
void BvhReader::Keep(std::string_view text) {
  const size_t size = pending_.size() + text.size();
  if (size > pending_.capacity() && !Grow(size)) {
    pending_ = {};
    return Stop();
  }
  pending_ += text;
}

// Reserves space for `size` bytes of text. False if the budget refuses.
bool BvhReader::Grow(size_t size) {
  const size_t room = std::max(size, 2 * pending_.capacity());
  if (room > held_) {
    const auto more = static_cast<int64_t>(room - held_);
    if (!HoldFrom(options_.budget, more).ok()) return false;
    held_ = room;
  }
  pending_.reserve(room);
  return true;
}

// The result is the same as after one Add of all bytes, which checks the size
// first.
void BvhReader::RefuseSize() {
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
bool BvhReader::TryHeader(std::string_view text, bool ends_file) {
  const int64_t limit = options_.limits.max_header_bytes;
  const bool enough = Exceeds(static_cast<int64_t>(text.size()), limit);
  if (!ends_file && !enough && text.size() < next_try_) return false;
  next_try_ = 2 * text.size();
  ReadHeader(text, ends_file, options_.limits, &log_, &header_);
  if (header_.certain) BeginRows(text);
  return header_.certain;
}

void BvhReader::TryPending(bool ends_file) {
  std::string text = std::exchange(pending_, {});
  if (!TryHeader(text, ends_file)) pending_ = std::move(text);
}

void BvhReader::BeginRows(std::string_view text) {
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
  const std::string_view rows =
      text.substr(static_cast<size_t>(header.rows.offset));
  // Memory for the number of frames that the file states is reserved only if
  // the present bytes can contain as many. That number also bounds how far the
  // matrix grows ahead of the rows.
  sink_->GrowUpTo(rows_->MaxFrames(kAnyBytes));
  const int64_t most = rows_->MaxFrames(static_cast<int64_t>(rows.size()));
  if (width > 0 && most == rows_->declared() && !sink_->Reserve(most)) {
    return Stop();
  }
  // The words in `header_` point into text that is freed later; they are not
  // used after this.
  Feed(rows);
}

// Completes the open line, then reads whole lines directly from `piece`.
void BvhReader::Feed(std::string_view piece) {
  while (!piece.empty() && !stopped_ && !rows_->done()) {
    const size_t used = pending_.empty() ? FeedLines(piece)
                        : open_ == 0     ? Append(piece)
                                         : FeedOpenLine(piece);
    piece.remove_prefix(used);
  }
  if (!stopped_ && rows_->done()) EndRows();
}

size_t BvhReader::FeedLines(std::string_view piece) {
  const size_t whole = WholeLines(piece);
  const std::string_view lines = piece.substr(0, whole);
  size_t taken = ReadRowsInParallel(lines, options_, &*rows_, &*sink_);
  taken += rows_->Push(lines.substr(taken), /*ends_file=*/false);
  Keep(piece.substr(taken));
  open_ = piece.size() - whole;
  return piece.size();
}

// Adds bytes while the reader looks ahead, at most look_ahead_bytes at once.
size_t BvhReader::Append(std::string_view piece) {
  piece = piece.substr(0, std::max<size_t>(options_.look_ahead_bytes, 1));
  const size_t whole = WholeLines(piece);
  Keep(piece.substr(0, whole));
  if (!stopped_) ReadPending();
  if (!stopped_) Keep(piece.substr(whole));
  open_ = piece.size() - whole;
  return piece.size();
}

size_t BvhReader::FeedOpenLine(std::string_view piece) {
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

void BvhReader::ReadPending() {
  pending_.erase(0, rows_->Push(pending_, /*ends_file=*/false));
}

void BvhReader::EndRows() {
  Motion& motion = clip_.motion;
  motion.frames = rows_->frames();
  clip_.motion_read &= rows_->good() && !sink_->is_refused();
  if (sink_->is_refused()) motion.frames = 0;
  // The matrix ends with a full frame, also if the reading stopped early.
  const size_t width = clip_.source->skeleton.channels.size();
  motion.values.resize(static_cast<size_t>(motion.frames) * width);
  stopped_ = true;
}

void ReadBvhInto(std::string_view text, const ReadOptions& options,
                 IssueLog* log, ParsedClip* clip) {
  BvhReader reader(options, log, clip);
  reader.Add(text);
  reader.Finish();
}

ReadResult ReadBvh(std::string_view text, const ReadOptions& options,
                   IssueLog* log) {
  ParsedClip parsed;
  ReadBvhInto(text, options, log, &parsed);
  ReadResult result;
  result.skeleton_read = parsed.skeleton_read;
  result.motion_read = parsed.motion_read;
  if (parsed.source != nullptr) {
    result.node_positions = parsed.source->node_positions;
  }
  result.clip = ClipOf(std::move(parsed));
  return result;
}

}  // namespace bvhmill
