#pragma once

// Reads a BVH file into a clip: at once, or piece by piece as it arrives.
//
//   IssueLog log(ReportOptions{});
//   ParsedClip clip;
//   BvhReader reader(ReadOptions{}, &log, &clip);
//   while (NextBytes(&bytes) && reader.Add(bytes)) {
//   }
//   reader.Finish();
//   Report report = log.Finish(clip.skeleton_read, clip.motion_read);
//
// ReadBvh does the same for a text that is in memory.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/base/text.h"
#include "bvhmill/bvh/header.h"
#include "bvhmill/bvh/motion.h"
#include "bvhmill/bvh/parsed_clip.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

// Repairs faults that have only one interpretation, and logs each repair and
// fault with its line and column. Clip and issues do not depend on how the text
// is cut.
//
// Between two calls, `clip` has the part that was read: the skeleton as soon
// as the first row has come, then its first motion.frames rows, which may move
// in memory. The log has the issues so far.
//
// The text is not kept, except for: all of it before the first row, which is
// refused above max_header_bytes; the last line; and look_ahead_bytes after an
// irregular line. Memory grows with the data that is read, within the limits,
// and never by a number that the file states. Throws nothing but
// std::bad_alloc. Cost: O(bytes). Not thread-safe.
class BvhReader {
 public:
  // `log`, `clip` and everything that `options` points to must outlive the
  // reader. The memory of `clip` is reused. Other owners of its earlier
  // skeleton see no change.
  BvhReader(const ReadOptions& options, IssueLog* log, ParsedClip* clip);
  BvhReader(const BvhReader&) = delete;
  BvhReader& operator=(const BvhReader&) = delete;

  // Reads the next bytes of the file: all of it, or any part. Several threads
  // read many rows at once, if options.parallel has them. Returns false if the
  // clip is refused, cancelled or complete: further bytes change nothing,
  // unless the file exceeds max_clip_bytes. Further calls are permitted.
  bool Add(std::string_view bytes);
  // Completes `clip` at the end of the file. Call once.
  void Finish();

 private:
  void Stop();
  void Keep(std::string_view text);
  bool Grow(size_t size);
  void RefuseSize();
  bool TryHeader(std::string_view text, bool ends_file);
  void TryPending(bool ends_file);
  void BeginRows(std::string_view text);
  void Feed(std::string_view bytes);
  size_t FeedLines(std::string_view bytes);
  size_t Append(std::string_view bytes);
  size_t FeedOpenLine(std::string_view bytes);
  void ReadPending();
  void EndRows();

  const ReadOptions options_;
  IssueLog& log_;
  const IssueLog empty_log_;
  ParsedClip& clip_;
  bool stopped_ = false;
  int64_t bytes_ = 0;
  // Text that is not read yet: all of it before the rows begin. Its last
  // `open_` bytes belong to a line that has not ended.
  std::string pending_;
  size_t open_ = 0;
  // Bytes of text that the budget has granted, or that are free.
  size_t held_ = kFreeTextBytes;
  size_t next_try_ = 64;
  ParsedHeader header_;
  std::optional<MatrixSink> sink_;
  std::optional<MotionReader> rows_;
};

// Reads a whole file into `clip`, whose memory is reused.
void ReadBvhInto(std::string_view text, const ReadOptions& options,
                 IssueLog* log, ParsedClip* clip);

struct ReadResult {
  Clip clip;
  // Position where each node of the skeleton begins.
  std::vector<TextPosition> node_positions;
  // As in ParsedClip.
  bool skeleton_read = false;
  bool motion_read = false;
};

// Reads a whole file into a new clip.
ReadResult ReadBvh(std::string_view text, const ReadOptions& options,
                   IssueLog* log);

}  // namespace bvhmill
