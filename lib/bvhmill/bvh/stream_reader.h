#pragma once

// Reads a BVH file that arrives in pieces.
//
//   StreamReader reader(options, &log, &receiver);
//   while (...next piece...) {
//     if (!reader.Push(piece)) break;
//   }
//   StreamResult result = reader.Finish();

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bvhmill/base/uninitialized.h"
#include "bvhmill/bvh/clip_receiver.h"
#include "bvhmill/bvh/motion/motion_reader.h"
#include "bvhmill/bvh/motion/parsed_header.h"
#include "bvhmill/bvh/piece_reader.h"
#include "bvhmill/bvh/read_options.h"
#include "bvhmill/bvh/rows/tile_sink.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

// The issues and the frames are the same as those of ReadBvh for the whole
// text, for any cut into pieces.
//
// Memory before the rows begin: the text so far, which is refused above
// max_header_bytes. After that: the skeleton, one tile of frames, and the text
// of one line, or look_ahead_bytes of text after an irregular line. Not
// thread-safe.
class StreamReader final : public PieceReader {
 public:
  // `log`, `receiver` and everything that `options` points to must outlive the
  // reader. `options.parallel` is not used. The ClipHeader stays valid until
  // the reader is destroyed. Each call of OnFrames has the same number of
  // frames, except for the last one and those that Flush causes.
  StreamReader(const ReadOptions& options, IssueLog* log,
               ClipReceiver* receiver);

  bool Push(std::string_view piece) override;
  // True if there are frames to pass on, or enough new text to try to read the
  // header again.
  bool CanFlush() const override;
  // Passes the frames read so far to the receiver, even if they do not fill a
  // tile. Before the rows begin, tries to read the header instead. The total
  // cost is limited by the text that arrived, for any number of calls.
  void Flush() override;
  StreamResult Finish() override;

 private:
  void Stop();
  void Keep(std::string_view text);
  bool Grow(size_t size);
  void RefuseSize();
  bool TryHeader(std::string_view text, bool ends_file);
  void TryPending(bool ends_file);
  void BeginRows(std::string_view text);
  void Feed(std::string_view piece);
  size_t FeedLines(std::string_view piece);
  size_t Append(std::string_view piece);
  size_t FeedOpenLine(std::string_view piece);
  void ReadPending();
  void EndRows();

  const ReadOptions options_;
  IssueLog& log_;
  IssueLog empty_log_;
  ClipReceiver& receiver_;
  StreamResult result_;
  bool stopped_ = false;
  int64_t bytes_ = 0;
  // Text that is not read yet: all of it before the rows begin. Its last
  // `open_` bytes belong to a line that has not ended.
  std::string pending_;
  size_t open_ = 0;
  // Bytes of text for which memory is drawn.
  size_t held_ = kFreeTextBytes;
  size_t next_try_ = 64;
  ParsedHeader header_;
  std::optional<ClipHeader> clip_header_;
  UninitializedVector<float> tile_;
  std::optional<TileSink> sink_;
  std::optional<MotionReader> rows_;
};

}  // namespace bvhmill
