#pragma once

// Converts one clip that arrives in pieces.

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "bvhmill/base/cancel.h"
#include "bvhmill/pipeline/convert.h"

namespace bvhmill {

// True if an output of `options` needs all rows of a clip before it can begin.
bool NeedsAllRows(const ConvertOptions& options);

// Gives the result that Converter gives for the whole clip, wherever its bytes
// are cut into pieces.
//
//   ClipConverter clip(&converter, options, &receiver, nullptr, &result);
//   while (NextPiece(&piece)) clip.Push(piece);
//   clip.Finish();
//
// Rows are edited, solved and encoded as they come, a tile at a time: outputs
// leave while the clip still arrives, and memory does not grow with the clip.
// Outputs that need all rows (joint-major arrays, npz, bvh, anim) are the
// exception: for them all rows are kept. Clips of a format that does not
// stream, such as .anim, are gathered, and End reads them.
//
// One call at a time; the calls may come from different threads. After a
// function has thrown std::bad_alloc, only the destructor may be called.
class ClipConverter {
 public:
  // `receiver` may be null if no outputs are asked for, and is only asked for
  // memory then; `cancel` may be null. All must outlive it. `converter` gives
  // its memory and its threads, and has no other clip as long as this lives.
  ClipConverter(Converter* converter, const ConvertOptions& options,
                OutputReceiver* receiver, const CancelToken* cancel,
                ConvertResult* result);
  // The same with a converter of its own, which works in the calling thread.
  ClipConverter(const ConvertOptions& options, OutputReceiver* receiver,
                const CancelToken* cancel, ConvertResult* result);
  ~ClipConverter();
  ClipConverter(const ClipConverter&) = delete;
  ClipConverter& operator=(const ClipConverter&) = delete;

  // Takes the next piece. False if the rest of the clip is not needed: the clip
  // is refused, or cancelled. More pieces may come all the same.
  bool Push(std::string_view piece);
  // States that `bytes` more of the clip have come, compressed or not. The
  // bytes decide how much work the clip may cost: call it before Read. Push
  // calls it for its piece.
  void AddInput(int64_t bytes);
  // The clip has ended: fills the result. Call once.
  void Finish();

  // The same in steps, for callers that must be able to pause or to stop. A
  // step makes outputs of at most 4 MiB, or those of one frame, even if a small
  // text has many frames; SetStepBytes changes the number of bytes for the
  // steps that follow. Read takes a piece as Push does, and End does what comes
  // before Finish; each does one step. Work does one step more: call it while
  // has_work, before any other function. Rows that wait for a step take memory
  // that the receiver was asked for. Outputs that need all rows are made by
  // Finish, in one step.
  void SetStepBytes(int64_t bytes);
  bool Read(std::string_view piece);
  void End();
  bool has_work() const;
  void Work();

  // True if text or rows wait for more of the clip and could be used now.
  bool CanFlush() const;
  // Uses them without waiting for more. A step, as Read is.
  void Flush();

  // The issues that the report will list and that no earlier call has returned,
  // in the order of the file. The report may have more occurrences of one, and
  // lack one if it is truncated. Empty once End was called: the result then has
  // them all, unless the clip exceeds max_clip_bytes, which is then the only
  // issue.
  std::vector<Issue> TakeNewIssues();

 private:
  class Impl;
  // Null if the converter is the caller's.
  std::unique_ptr<Converter> own_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bvhmill
