#pragma once

// One clip that arrives piece by piece through the whole mill.

#include <cstdint>
#include <memory>
#include <string_view>

#include "bvhmill/base/cancel.h"
#include "bvhmill/pipeline/convert.h"

namespace bvhmill {

// True if all rows of a clip must be kept for what `options` ask for.
bool NeedsAllRows(const ConvertOptions& options);

// Gives what Convert gives of the whole text, however it is cut into pieces.
// Rows are edited, solved and encoded as they come, a tile at a time, so that
// outputs leave while the clip still arrives, and memory does not grow with it:
// but for outputs that need all frames first (joint-major arrays, npz, bvh,
// anim), for which all rows are kept. Not thread-safe; works in the thread that
// calls. If one of its functions throws std::bad_alloc, as Convert may, nothing
// but its destructor may be called.
class ClipConverter {
 public:
  // `receiver` may be null if no outputs are asked for, and is only asked for
  // memory then; `cancel` may be null.
  // All must outlive it.
  ClipConverter(const ConvertOptions& options, OutputReceiver* receiver,
                const CancelToken* cancel, ConvertResult* result);
  ~ClipConverter();
  ClipConverter(const ClipConverter&) = delete;
  ClipConverter& operator=(const ClipConverter&) = delete;

  // Takes the next piece. False if nothing of what may follow is wanted: the
  // clip is refused, or cancelled. More pieces may come nevertheless.
  bool Push(std::string_view piece);
  // The clip has come a little further: `bytes` of it, compressed or not. They
  // decide about the work that it may cost, so call it before Read; Push calls
  // it for its piece.
  void AddInput(int64_t bytes);
  // The clip has ended: fills the result. Call once.
  void Finish();

  // The same step by step, for callers that must be able to pause or to stop: a
  // step makes outputs of 4 MiB at most, or those of one frame, however many
  // frames a little text has. SetStepBytes sets another number of bytes for the
  // steps that follow. Read takes a piece as Push does, and End what
  // comes before Finish: each does one step. What is left is done by Work,
  // one step a call, as long as there `has_work`, before anything else is
  // called. Rows that wait for a step take memory that the receiver was asked
  // for. But outputs that need all frames first are all made by Finish.
  void SetStepBytes(int64_t bytes);
  bool Read(std::string_view piece);
  void End();
  bool has_work() const;
  void Work();

  // Rows came that wait for more, to be worked on together; or what came may be
  // enough to begin with.
  bool CanFlush() const;
  // Does not wait for more: it may be long in coming. A step, as Read does.
  void Flush();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bvhmill
