#pragma once

// Reads a BVH file that arrives in pieces.
//
//   ParsedClip clip;
//   StreamReader reader(options, &log, &clip);
//   while (...next piece...) {
//     if (!reader.Push(piece)) break;
//   }
//   reader.Finish();

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bvhmill/bvh/motion/motion_reader.h"
#include "bvhmill/bvh/motion/parsed_header.h"
#include "bvhmill/bvh/parsed_clip.h"
#include "bvhmill/bvh/piece_reader.h"
#include "bvhmill/bvh/read_options.h"
#include "bvhmill/bvh/rows/matrix_sink.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

// The issues and the clip are the same as those of ReadBvhInto for the whole
// text, for any cut into pieces.
//
// Memory before the rows begin: the text so far, which is refused above
// max_header_bytes. After that: the skeleton, the rows, and the text of one
// line, or look_ahead_bytes of text after an irregular line. Not thread-safe.
class StreamReader final : public PieceReader {
 public:
  // `log`, `clip`, whose memory is used again, and everything that `options`
  // points to must outlive the reader. `options.parallel` is not used.
  StreamReader(const ReadOptions& options, IssueLog* log, ParsedClip* clip);

  bool Push(std::string_view piece) override;
  void Finish() override;

 private:
  void Stop();
  void Reserve(int64_t bytes);
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
  ParsedClip& clip_;
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
  std::optional<MatrixSink> sink_;
  std::optional<MotionReader> rows_;
};

}  // namespace bvhmill
