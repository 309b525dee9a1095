#pragma once

// Converts one clip whose bytes arrive in pieces.

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "bvhmill/base/cancel.h"
#include "bvhmill/pipeline/convert.h"

namespace bvhmill {

// The part of a clip that was read.
struct ReadSoFar {
  // The skeleton is null before the first row has come. Later text adds rows
  // and changes none, unless the clip is refused.
  ClipRows clip;
  // The number of frames that the file states, which may be wrong; 0 if it
  // states none.
  int64_t declared_frames = 0;
};

// Fills the result that Converter::Convert returns for the whole clip, wherever
// its bytes are cut.
//
//   Conversion clip(&converter, options, &receiver, nullptr, &result);
//   while (NextBytes(&bytes) && clip.Add(bytes)) {
//   }
//   clip.Finish();
//
// Text is parsed as it arrives, and only its rows are kept: a third to a half
// of its bytes. Finish checks and edits the clip and makes its outputs. An
// .anim is kept as it is until then.
//
// One call at a time; the calls may come from different threads. After a
// function has thrown std::bad_alloc, only the destructor may be called.
class Conversion {
 public:
  // `receiver` may be null if no outputs are asked for, and is only asked for
  // memory then; `cancel` may be null. All must outlive it; options that are a
  // temporary do not compile. `converter` lends its memory and its threads, and
  // converts no other clip while this lives.
  Conversion(Converter* converter, const ConvertOptions& options,
             OutputReceiver* receiver, const CancelToken* cancel,
             ConvertResult* result);
  Conversion(Converter*, ConvertOptions&&, OutputReceiver*, const CancelToken*,
             ConvertResult*) = delete;
  ~Conversion();
  Conversion(const Conversion&) = delete;
  Conversion& operator=(const Conversion&) = delete;

  // Reads the next bytes of the clip: all of it, or any part. False if what
  // follows changes nothing, unless the clip then exceeds max_clip_bytes: it is
  // refused, cancelled or complete. More may be added all the same.
  bool Add(std::string_view bytes);
  // The same for text that came compressed, as `came` bytes: the work that the
  // clip may cost grows with these.
  bool Add(std::string_view text, int64_t came);
  // In place of Add: copies a clip in memory. `clip` must fit together, as
  // Converter::ConvertClip checks.
  void AddClip(const ClipRows& clip);
  // The clip has ended: checks, edits and encodes it, and completes the result.
  // Call once.
  void Finish();

  // Returns the part that was read. Empty after Finish. The rows are borrowed
  // until the next call.
  ReadSoFar so_far() const;
  // The issues that reading has found and that no earlier call has returned, in
  // the order of the file. The report may have more occurrences of one, and
  // lack one if it is truncated. Empty once Finish was called: the result then
  // has them all, unless the clip exceeds max_clip_bytes, which is then the
  // only issue, or is refused without a report.
  std::vector<Issue> TakeNewIssues();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bvhmill
