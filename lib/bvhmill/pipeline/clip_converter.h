#pragma once

// Converts one clip that arrives in pieces.

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "bvhmill/base/cancel.h"
#include "bvhmill/pipeline/convert.h"

namespace bvhmill {

// Gives the result that Converter gives for the whole clip, wherever its bytes
// are cut into pieces.
//
//   ClipConverter clip(&converter, options, &receiver, nullptr, &result);
//   while (NextPiece(&piece)) clip.Push(piece);
//   clip.Finish();
//
// Text is read as it comes, and only its rows are kept: a third to a half of
// its bytes. Finish checks and edits the clip and makes its outputs. Clips of a
// format that does not stream, such as .anim, are gathered, and Finish reads
// them.
//
// One call at a time; the calls may come from different threads. After a
// function has thrown std::bad_alloc, only the destructor may be called.
class ClipConverter {
 public:
  // `receiver` may be null if no outputs are asked for, and is only asked for
  // memory then; `cancel` may be null. All must outlive it; options that are a
  // temporary do not compile. `converter` lends its memory and its threads, and
  // converts no other clip while this lives.
  ClipConverter(Converter* converter, const ConvertOptions& options,
                OutputReceiver* receiver, const CancelToken* cancel,
                ConvertResult* result);
  ClipConverter(Converter*, ConvertOptions&&, OutputReceiver*,
                const CancelToken*, ConvertResult*) = delete;
  // The same with a converter of its own, which works in the calling thread.
  ClipConverter(const ConvertOptions& options, OutputReceiver* receiver,
                const CancelToken* cancel, ConvertResult* result);
  ClipConverter(ConvertOptions&&, OutputReceiver*, const CancelToken*,
                ConvertResult*) = delete;
  ~ClipConverter();
  ClipConverter(const ClipConverter&) = delete;
  ClipConverter& operator=(const ClipConverter&) = delete;

  // States the size of the whole text, if it is known, so that the memory of
  // the rows is taken at once. Before the first piece.
  void SetTextBytes(int64_t bytes);
  // Takes the next piece. False if the rest of the clip is not needed: the clip
  // is refused, or cancelled. More pieces may come all the same.
  bool Push(std::string_view piece);
  // The same in two steps, for text that came compressed: AddInput states that
  // `bytes` more of the clip have come, which decides how much work the clip
  // may cost; Read takes the text.
  void AddInput(int64_t bytes);
  bool Read(std::string_view piece);
  // Starts the receiver if the header of the clip is read, and not before
  // Finish as usual: frames and shapes are then those that the file states, and
  // sizes are not known. Does nothing for a clip that is edited. Call it after
  // each piece.
  void Announce();
  // The clip has ended: fills the result. Call once.
  void Finish();

  // The issues that the report will list and that no earlier call has returned,
  // in the order of the file. The report may have more occurrences of one, and
  // lack one if it is truncated. Empty once Finish was called: the result then
  // has them all, unless the clip exceeds max_clip_bytes, which is then the
  // only issue.
  std::vector<Issue> TakeNewIssues();

 private:
  struct Impl;
  // Null if the converter is the caller's.
  std::unique_ptr<Converter> own_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bvhmill
