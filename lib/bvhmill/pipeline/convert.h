#pragma once

// One clip through the whole mill: text -> clip -> report -> edits -> poses ->
// outputs. If the system gives no memory, which no limit of ours forbade, what
// is here throws std::bad_alloc; it is then as if the clip had never been, but
// for what a receiver took.

#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/base/cancel.h"
#include "bvhmill/base/uninitialized.h"
#include "bvhmill/encode/clip_info.h"
#include "bvhmill/encode/output.h"
#include "bvhmill/pipeline/options.h"
#include "bvhmill/report/report.h"

namespace bvhmill {

// Takes outputs as they are made. One call at a time, in order, by whichever
// thread: Begin once, then Data with gapless bytes of each output; those of
// different outputs may alternate. It may begin while the clip is still read:
// frames and shapes are then what the file promises, and sizes not known. What
// was taken is void if the conversion fails.
class OutputReceiver {
 public:
  virtual ~OutputReceiver() = default;
  // Grants memory that the conversion is about to take beside the bytes of its
  // outputs: see Budget::Holder. If it is refused, the conversion ends with a
  // status that is not OK. What is granted and not given back counts until the
  // conversion ends.
  virtual absl::Status Hold(int64_t /*bytes*/) { return absl::OkStatus(); }
  virtual absl::Status Begin(const ClipInfo& info,
                             std::span<const OutputInfo> outputs) = 0;
  virtual absl::Status Data(size_t output, std::string_view bytes) = 0;
  // Instead of Data of their bytes: it may take the memory of `floats`, too,
  // and leave them empty.
  virtual absl::Status Floats(size_t output,
                              UninitializedVector<float>* floats) {
    return Data(output, BytesOf(*floats));
  }

 protected:
  static std::string_view BytesOf(const UninitializedVector<float>& floats) {
    return {reinterpret_cast<const char*>(floats.data()),
            floats.size() * sizeof(float)};
  }
};

// Keeps each output in a string.
class StringReceiver final : public OutputReceiver {
 public:
  absl::Status Begin(const ClipInfo& info,
                     std::span<const OutputInfo> outputs) override;
  absl::Status Data(size_t output, std::string_view bytes) override;
  std::vector<std::string>& data() { return data_; }

 private:
  std::vector<std::string> data_;
};

struct StageTimes {
  std::chrono::nanoseconds queued{};
  std::chrono::nanoseconds read{};
  std::chrono::nanoseconds validate{};
  std::chrono::nanoseconds edit{};
  std::chrono::nanoseconds solve{};
  std::chrono::nanoseconds encode{};
};

// Why a conversion failed, for programs. Empty if it did not.
struct Fault {
  // A code of the catalogue where a file is at fault.
  std::string reason;
  // Every variable part of the status message: line, column, limit, ...
  IssueArgs metadata;
};

struct ConvertResult {
  // OK: every output was made. INVALID_ARGUMENT: the clip is broken (or the
  // options are, or the edits do not fit it). RESOURCE_EXHAUSTED: a limit.
  // FAILED_PRECONDITION: an output cannot hold this clip, or an edit needs to
  // know what is not known of it. CANCELLED. Else what the receiver said.
  absl::Status status;
  Fault fault;
  // Whatever the status, what was found out. The report is about the clip as it
  // came, and what outputs cannot hold of it; the info is of the clip that the
  // outputs are made of, edited if that could be done.
  Report report;
  ClipInfo info;
  // Sizes are exact if the status is OK.
  std::vector<OutputInfo> outputs;
  StageTimes times;
};

// What is in the fault of a call whose options CheckOptions refuses with
// `status`; empty for one that is only a bad value.
Fault FaultOfOptions(const absl::Status& status);

// Converts the BVH text `text`, which is only borrowed. `receiver` may be null
// if no outputs are asked for, and is only asked for memory then; `cancel` may
// be null. Thread-safe: any number of clips at once.
ConvertResult Convert(std::string_view text, const ConvertOptions& options,
                      OutputReceiver* receiver, const CancelToken* cancel);
// The same into `result`, whatever it holds: its memory is used again. A thread
// that converts clips alike, one after the other, takes no more memory for it.
void ConvertInto(std::string_view text, const ConvertOptions& options,
                 OutputReceiver* receiver, const CancelToken* cancel,
                 ConvertResult* result);

}  // namespace bvhmill
