#pragma once

// Converts motion capture clips: reads and checks a clip, edits it, and makes
// its outputs. The report lists every issue of the clip.
//
//   std::string Positions(const std::string& bvh) {
//     bvhmill::ConvertOptions options;
//     options.edits.fps = 30;
//     options.outputs = {{"", bvhmill::PositionsFormat{}}};
//     bvhmill::StringReceiver outputs;
//     const bvhmill::ConvertResult result =
//         bvhmill::Convert(bvh, options, &outputs, /*cancel=*/nullptr);
//     if (!result.status.ok()) return std::string(result.status.message());
//     return outputs.data()[0];  // float32, (frames, joints, xyz)
//   }
//
// Convert        one clip
// Converter      many clips, with the same memory
// Conversion     one clip whose bytes arrive in pieces
//
// The functions check limits before they allocate memory. If the system has no
// memory, they throw std::bad_alloc. The converter can then be used again; the
// bytes that a receiver got are void.

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
#include "bvhmill/base/cancel.h"
#include "bvhmill/base/status.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/clip/clip_info.h"
#include "bvhmill/encode/output.h"
#include "bvhmill/pipeline/options.h"
#include "bvhmill/report/report.h"

namespace bvhmill {

struct ConvertResult;
class OutputReceiver;

// Converts the clip in `bytes`, whose format is options.source_format, in the
// calling thread. `receiver` may be null if `options` ask for no outputs.
// `cancel` may be null. Thread-safe. O(bytes of the clip + its rows + bytes of
// the outputs).
ConvertResult Convert(std::string_view bytes, const ConvertOptions& options,
                      OutputReceiver* receiver, const CancelToken* cancel);

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
  // OK: the clip is good, and at least one of the requested outputs was made.
  // An output that was not made states why in a status of its own.
  // INVALID_ARGUMENT: the clip is broken, an option is bad, or the edits do not
  // fit the clip.
  // RESOURCE_EXHAUSTED: a limit.
  // FAILED_PRECONDITION: no output can hold this clip, or an edit needs a fact
  // that is not known.
  // CANCELLED: `cancel` was cancelled.
  // Other codes: the status of the receiver.
  //
  // CallErrorOf(status) returns the parts for programs. If the file is at
  // fault, the reason is a code of the catalogue, and the args are those of the
  // issue and its line, column, frame and joint.
  absl::Status status;
  // Set for every status. The report describes the clip before its edits, and
  // the parts of it that outputs cannot hold. Its verdict is that of the clip:
  // an output that cannot be made changes it only if no output can.
  Report report;
  // Describes the edited clip, or the clip as it was read if it was not edited.
  ClipInfo info;
  // The skeleton that `info` describes, if the status is OK and
  // ConvertOptions::with_skeleton is set; else null.
  SharedSkeleton skeleton;
  // The measures of the clip before its edits. Set if options.measures is true
  // and the report does not refuse the clip.
  std::optional<ClipMeasures> measures;
  // All outputs of the options, if the status is OK. Sizes are exact.
  std::vector<OutputInfo> outputs;
  StageTimes times;
};

// The status of the conversion. If it is OK, the status of the first output
// that could not be made.
const absl::Status& FirstFailure(const ConvertResult& result);

// The threads that may work on one clip. Results do not depend on it.
class Parallelism {
 public:
  enum class Kind { kNone, kThreads, kCallersPool };

  // Only the calling thread. The converter starts no thread and waits for none:
  // for programs that convert many clips in threads or processes of their own.
  static Parallelism None() { return {Kind::kNone, 1}; }
  // Up to `threads` threads, the calling one included, which the converter
  // starts when a clip is long enough. 0: as many as the machine has cores.
  static Parallelism Threads(int threads) { return {Kind::kThreads, threads}; }
  // The idle threads of the pool (Workers) that runs the calling task:
  // clips of a batch share them. Outside of a task, as Threads(0).
  static Parallelism CallersPool() { return {Kind::kCallersPool, 0}; }

  Kind kind() const { return kind_; }
  int threads() const { return threads_; }

 private:
  Parallelism(Kind kind, int threads) : kind_(kind), threads_(threads) {}

  Kind kind_;
  int threads_;
};

// A clip in memory. The caller owns the rows.
struct ClipRows {
  // Not null. Each parent stands before its children, and the columns of the
  // nodes follow one another.
  SharedSkeleton skeleton;
  int64_t frames = 0;
  // As Motion::frame_time.
  double frame_time = 0;
  // Shape (frames, channels of the skeleton).
  std::span<const float> values;
};

// Converts clips, one at a time, and reuses its memory: for similar clips, it
// allocates memory for the first ones only.
//
//   Converter converter(Parallelism::None());
//   for (const std::string& text : texts) {
//     ConvertResult result =
//         converter.Convert(text, options, &receiver, nullptr);
//   }
//
// Not thread-safe: use one converter in each thread. Converters share nothing.
// After a fork, the child may use a converter that was not in use. It then
// works in the calling thread only.
class Converter {
 public:
  explicit Converter(Parallelism parallelism = Parallelism::None());
  ~Converter();
  Converter(Converter&& other) noexcept;
  Converter& operator=(Converter&& other) noexcept;

  // As the function Convert, with the threads of this converter. If `options`
  // ask for no outputs, the conversion only calls receiver->Hold.
  ConvertResult Convert(std::string_view bytes, const ConvertOptions& options,
                        OutputReceiver* receiver, const CancelToken* cancel);
  // Writes to `result`, and reuses its memory.
  void ConvertInto(std::string_view bytes, const ConvertOptions& options,
                   OutputReceiver* receiver, const CancelToken* cancel,
                   ConvertResult* result);

  // Converts a clip in memory as if it had been read from a file: the same
  // limits, rules, edits and outputs. INVALID_ARGUMENT "field: why" if the
  // fields of `clip` do not fit together. Ignores options.source_format. Copies
  // the rows. O(rows + bytes of the outputs).
  ConvertResult ConvertClip(const ClipRows& clip, const ConvertOptions& options,
                            OutputReceiver* receiver,
                            const CancelToken* cancel);

  // The approximate number of bytes of large buffers that the converter keeps
  // for the next clip.
  size_t KeptBytes() const;
  // Frees this memory.
  void FreeMemory();

  // For pipeline/ and its tests.
  struct State;
  State* state() { return state_.get(); }

 private:
  std::unique_ptr<State> state_;
};

// The part of a clip that was read.
struct ReadSoFar {
  // The skeleton is null before the first row. Later text adds rows and changes
  // none, unless the clip is refused.
  ClipRows clip;
  // The number of frames that the file states, which may be wrong; 0 if it
  // states none.
  int64_t declared_frames = 0;
};

// Converts one clip whose bytes arrive in pieces. The result is that of
// Converter::Convert for the whole clip and does not depend on the pieces.
//
//   Conversion clip(&converter, options, &receiver, nullptr, &result);
//   while (NextBytes(&bytes) && clip.Add(bytes)) {
//   }
//   clip.Finish();
//
// Text is parsed as it arrives, and only its rows are kept: a third to a half
// of its bytes. An .anim is kept whole until Finish.
//
// One call at a time; the calls may come from different threads. After a
// function throws std::bad_alloc, only the destructor may be called.
class Conversion {
 public:
  // `receiver` may be null if `options` ask for no outputs; the conversion then
  // only calls receiver->Hold. `cancel` may be null. All must outlive this
  // object; options that are a temporary do not compile. This object uses the
  // memory and the threads of `converter`, which converts no other clip until
  // this object is destroyed.
  Conversion(Converter* converter, const ConvertOptions& options,
             OutputReceiver* receiver, const CancelToken* cancel,
             ConvertResult* result);
  Conversion(Converter*, ConvertOptions&&, OutputReceiver*, const CancelToken*,
             ConvertResult*) = delete;
  ~Conversion();
  Conversion(const Conversion&) = delete;
  Conversion& operator=(const Conversion&) = delete;

  // Reads the next bytes of the clip, in any number. Returns false if the clip
  // is refused, cancelled or complete: later bytes then change nothing, unless
  // the clip exceeds max_clip_bytes. More bytes may be added after that.
  bool Add(std::string_view bytes);
  // As above for text that arrived compressed, in `came` bytes: the limit on
  // the work for the clip grows with these.
  bool Add(std::string_view text, int64_t came);
  // In place of Add: copies a clip in memory. Requires that the fields of
  // `clip` fit together, as Converter::ConvertClip checks.
  void AddClip(const ClipRows& clip);
  // Checks, edits and encodes the clip, and completes the result. Call once.
  void Finish();

  // Returns the part that was read; empty after Finish. The rows are valid
  // until the next call.
  ReadSoFar so_far() const;
  // Returns the issues of reading that no earlier call returned, in the order
  // of the file. The report may count more occurrences of an issue, and lacks
  // issues if it is truncated. Returns none after Finish: the result then has
  // all issues, unless the clip exceeds max_clip_bytes, which is then its only
  // issue, or the clip is refused without a report.
  std::vector<Issue> TakeNewIssues();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Receives the bytes of outputs: one call of Begin, then calls of Data with the
// bytes of one output after the other, in order and without gaps. A conversion
// that fails before its first output does not call Begin. One call at a time,
// from any thread of the conversion. An output that cannot be made has no
// bytes; the result states why. If the conversion fails, all bytes are void.
class OutputReceiver {
 public:
  virtual ~OutputReceiver() = default;
  // Called before the conversion allocates `bytes` of memory, in addition to
  // the bytes of its outputs. A negative number: it has freed memory. A status
  // that is not OK refuses the memory and ends the conversion. Memory that no
  // call returns counts until the conversion ends.
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

// Drops all outputs. Thread-safe.
class DiscardingReceiver : public OutputReceiver {
 public:
  absl::Status Begin(const ClipInfo& /*info*/,
                     std::span<const OutputInfo> /*outputs*/) override {
    return absl::OkStatus();
  }
  absl::Status Data(size_t /*output*/, std::string_view /*bytes*/) override {
    return absl::OkStatus();
  }
};

}  // namespace bvhmill
