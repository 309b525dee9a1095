#pragma once

// One clip that arrives piece by piece through the whole mill.

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
// anim),
// for which all rows are kept. Not thread-safe; works in the thread that calls.
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
  // The clip has ended: fills the result. Call once.
  void Finish();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bvhmill
