#pragma once

// Reads a BVH file that arrives in pieces.
//
//   StreamReader reader(options, &log, &receiver);
//   while (...next piece...) {
//     if (!reader.Push(piece)) break;
//   }
//   StreamResult result = reader.Finish();

#include <cstdint>
#include <memory>
#include <string_view>

#include "bvhmill/bvh/clip_receiver.h"
#include "bvhmill/bvh/read_options.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

// The issues and the frames are the same as those of ReadBvh for the whole
// text, for any cut into pieces.
//
// Memory before the rows begin: the text so far, which is refused above
// max_header_bytes. After that: the skeleton, one tile of frames, and the text
// of one line, or look_ahead_bytes of text after an irregular line. Not
// thread-safe.
class StreamReader {
 public:
  // `log`, `receiver` and everything that `options` points to must outlive the
  // reader. `options.parallel` is not used. The ClipHeader stays valid until
  // the reader is destroyed. Each call of OnFrames has the same number of
  // frames, except for the last one and those that Flush causes.
  StreamReader(const ReadOptions& options, IssueLog* log,
               ClipReceiver* receiver);
  ~StreamReader();
  StreamReader(const StreamReader&) = delete;
  StreamReader& operator=(const StreamReader&) = delete;

  // Reads the next piece. Returns false if no further text is needed: the clip
  // is refused or cancelled, or the receiver has stopped it. Further pieces are
  // allowed even then; they only count towards max_clip_bytes.
  bool Push(std::string_view piece);
  // True if Flush would do something: there are frames to pass on, or enough
  // new text to try to read the header again.
  bool CanFlush() const;
  // Passes the frames read so far to the receiver, even if they do not fill a
  // tile. Before the rows begin, tries to read the header instead. The total
  // cost is limited by the text that arrived, for any number of calls.
  void Flush();
  // Ends the file and returns the result. Call once.
  StreamResult Finish();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bvhmill
