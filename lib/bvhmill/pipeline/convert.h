#pragma once

// Converts one clip: source -> clip -> report -> edits -> poses -> outputs.
//
// Limits are checked before memory is taken. If the system has no memory all
// the same, the functions throw std::bad_alloc. The converter can be used again
// then; bytes that a receiver has taken are void.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/base/call_error.h"
#include "bvhmill/base/cancel.h"
#include "bvhmill/clip/clip_info.h"
#include "bvhmill/clip/skeleton.h"
#include "bvhmill/encode/output.h"
#include "bvhmill/pipeline/options.h"
#include "bvhmill/report/report.h"

namespace bvhmill {

// Receives outputs as they are made: Begin once, then Data with the bytes of
// one output after the other, in order and without gaps. Begin is not called if
// the conversion fails before its first output. One call at a time, from any
// thread of the conversion. An output that cannot be made gets no bytes; the
// result says why. If the conversion fails, all bytes are void.
class OutputReceiver {
 public:
  virtual ~OutputReceiver() = default;
  // Grants memory that the conversion is about to take, in addition to
  // the bytes of its outputs; a negative number gives memory back. A status
  // that is not OK refuses it and ends the conversion. Memory that is not given
  // back counts until the conversion ends.
  virtual absl::Status Hold(int64_t /*bytes*/) { return absl::OkStatus(); }
  virtual absl::Status Begin(const ClipInfo& info,
                             std::span<const OutputInfo> outputs) = 0;
  virtual absl::Status Data(size_t output, std::string_view bytes) = 0;
};

// Keeps each output in a string.
class StringReceiver final : public OutputReceiver {
 public:
  absl::Status Begin(const ClipInfo& info,
                     std::span<const OutputInfo> outputs) override;
  absl::Status Data(size_t output, std::string_view bytes) override;
  // The bytes of each output, in the order of ConvertOptions::outputs. Empty
  // before Begin; void if the conversion fails.
  std::vector<std::string>& data() { return data_; }

 private:
  std::vector<std::string> data_;
};

// The time of each stage. `solve` and `encode` are sums over the threads that
// work on the clip, so the sum of the stages may exceed the elapsed time.
struct StageTimes {
  // The time that the clip waited for a worker of a server; 0 in the library.
  std::chrono::nanoseconds queued{};
  std::chrono::nanoseconds read{};
  std::chrono::nanoseconds validate{};
  std::chrono::nanoseconds edit{};
  std::chrono::nanoseconds solve{};
  std::chrono::nanoseconds encode{};
};

struct ConvertResult {
  // OK: the outputs were made, but for those whose own status says why not; at
  // least one was. INVALID_ARGUMENT: the clip is broken, an option is bad, or
  // the edits do not fit the clip. RESOURCE_EXHAUSTED: a limit.
  // FAILED_PRECONDITION: no output can hold this clip, or an edit needs a fact
  // that is not known. CANCELLED. Else the status of the receiver.
  // CallErrorOf(status) has the parts for programs: if the file is at fault,
  // the reason is a code of the catalogue, and the args are those of the issue
  // and its line, column, frame and joint.
  absl::Status status;
  // Set for every status. The report is about the clip as it came, and about
  // the parts of it that outputs cannot hold. Its verdict is that of the clip:
  // an output that cannot be made changes it only if no output can. The info
  // describes the edited clip, or the clip as it came if it was not edited.
  Report report;
  ClipInfo info;
  // The skeleton that `info` describes, if the status is OK and
  // ConvertOptions::with_skeleton is set; else null.
  SharedSkeleton skeleton;
  // The measures of the clip before edits. Set if options.measures asks for
  // them and the report does not refuse the clip.
  std::optional<ClipMeasures> measures;
  // All that were asked for, if the status is OK. Sizes are exact.
  std::vector<OutputInfo> outputs;
  StageTimes times;
};

// The status of the conversion, or else that of the first output that could not
// be made.
const absl::Status& FirstFailure(const ConvertResult& result);

// A clip in memory. The rows are only borrowed.
struct ClipRows {
  // Not null. Each parent stands before its children, and the columns of the
  // nodes follow one another.
  SharedSkeleton skeleton;
  int64_t frames = 0;
  // As Motion::frame_time.
  double frame_time = 0;
  // frames x channels of the skeleton, exactly.
  std::span<const float> values;
};

// The threads that may work on one clip. Results do not depend on it.
class Parallelism {
 public:
  enum class Kind { kNone, kThreads, kCallersPool };

  // The calling thread alone: no thread is started, and none is waited for. For
  // programs that convert many clips in threads or processes of their own.
  static Parallelism None() { return {Kind::kNone, 1}; }
  // Up to `threads` threads, the calling one included, which the converter
  // starts when a clip is long enough. 0: as many as the machine has cores.
  static Parallelism Threads(int threads) { return {Kind::kThreads, threads}; }
  // The idle threads of the Workers that run the calling task (see workers.h):
  // clips of a batch share them. Outside of a task, as Threads(0).
  static Parallelism CallersPool() { return {Kind::kCallersPool, 0}; }

  Kind kind() const { return kind_; }
  int threads() const { return threads_; }

 private:
  Parallelism(Kind kind, int threads) : kind_(kind), threads_(threads) {}

  Kind kind_;
  int threads_;
};

// Converts clips, one at a time, and keeps its memory from clip to clip: for
// similar clips it allocates memory for the first ones only.
//
//   Converter converter(Parallelism::None());
//   for (const std::string& text : texts) {
//     ConvertResult result =
//         converter.Convert(text, options, &receiver, nullptr);
//   }
//
// Not thread-safe: give each thread a converter of its own. Nothing is shared
// between converters. A converter that is not in use may be used after a fork
// in the child, where it works in the calling thread alone.
class Converter {
 public:
  explicit Converter(Parallelism parallelism = Parallelism::None());
  ~Converter();
  Converter(Converter&& other) noexcept;
  Converter& operator=(Converter&& other) noexcept;

  // Converts the clip in `bytes`, whose format is options.source_format. The
  // bytes are only borrowed. `receiver` may be null if no outputs are asked
  // for, and is only asked for memory then; `cancel` may be null. O(bytes of
  // the clip + its rows + bytes of outputs).
  ConvertResult Convert(std::string_view bytes, const ConvertOptions& options,
                        OutputReceiver* receiver, const CancelToken* cancel);
  // The same into `result`, whose memory is used again.
  void ConvertInto(std::string_view bytes, const ConvertOptions& options,
                   OutputReceiver* receiver, const CancelToken* cancel,
                   ConvertResult* result);

  // Converts a clip in memory as if it had been read from a file: the same
  // limits, rules, edits and outputs. INVALID_ARGUMENT "field: why" if the
  // fields of `clip` do not fit together. options.source_format has no effect.
  // The rows are copied. O(rows + bytes of outputs).
  ConvertResult ConvertClip(const ClipRows& clip, const ConvertOptions& options,
                            OutputReceiver* receiver,
                            const CancelToken* cancel);

  // Bytes of large buffers that are kept for the next clip, about.
  size_t KeptBytes() const;
  // Frees all that is kept.
  void FreeMemory();

  // For pipeline/ and its tests.
  struct State;
  State* state() { return state_.get(); }

 private:
  std::unique_ptr<State> state_;
};

// Converts one clip with a Converter of its own, in the calling thread. Any
// number of calls at once.
ConvertResult Convert(std::string_view bytes, const ConvertOptions& options,
                      OutputReceiver* receiver, const CancelToken* cancel);

}  // namespace bvhmill
