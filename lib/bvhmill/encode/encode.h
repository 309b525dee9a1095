#pragma once

// Writes a clip in an output format. A format is a struct with its options and
// a row (output.h), three functions in a file of its own, and a message of the
// API (proto/bvhmill/v1/options.proto). The format "frames", complete but for
// the message, writes the number of frames:
//
//   // output.h; also the last alternative of FormatOptions.
//   struct FramesFormat {
//     bool operator==(const FramesFormat& other) const = default;
//   };
//
//   // output.h, in BVHMILL_FORMATS
//   F(Frames, "frames", "text/plain", ".frames", kText)
//
//   // frames.cc; the build finds it by its folder.
//
//   // Refuses options that are invalid for every clip.
//   absl::Status CheckFramesFormat(const FramesFormat&) {
//     return absl::OkStatus();
//   }
//
//   // Describes the output before it is written.
//   int64_t DescribeFramesFormat(const FramesFormat&, const Skeleton&, int64_t,
//                                OutputInfo* info) {
//     return DescribeUnknownSize(info);
//   }
//
//   // Writes the output.
//   absl::Status EncodeFramesFormat(const FramesFormat&,
//                                   const EncodeContext& context, Sink* sink) {
//     return sink->Append(std::to_string(context.frames()) + "\n");
//   }
//
// CheckFormat, DescribeFormat and Encode below call the three functions and say
// what each must do. Several threads may call all functions at the same time,
// each with an EncodeContext of its own. The build, the command line and the
// server need no other change; CONTRIBUTING.md lists the tests and tables.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/base/parallel.h"
#include "bvhmill/base/sink.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/encode/output.h"
#include "bvhmill/kinematics/plan.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

struct PoseWorkspace;

// The input of an encoder: the clip, and what is known about it. All pointers
// must stay valid until the output is written.
struct EncodeContext {
  // The whole clip, which must not change. Not null.
  const Clip* clip = nullptr;
  // The plan of its skeleton, by `conventions`. Not null for a format with
  // poses.
  const Plan* plan = nullptr;
  Conventions conventions = {};
  // 0: not known.
  double meters_per_unit = 0;
  // The up axis of the clip; kUnknown if the caller does not state it.
  UpAxis up_axis = UpAxis::kUnknown;
  // Gets issues about the clip in this format. Not null.
  IssueLog* log = nullptr;
  // Encoders draw from it the memory that grows with the clip, and the work,
  // except that on the bytes that are written. Null: no limits.
  Budget* budget = nullptr;
  // The threads that may solve poses. Null: the calling thread alone.
  Parallel* parallel = nullptr;
  // Memory that the next output reuses. Not null for a format with poses.
  PoseWorkspace* poses = nullptr;

  const Skeleton& skeleton() const { return clip->skeleton; }
  int64_t frames() const { return clip->motion.frames; }
};

// The time that a format needs for a frame.
enum class FormatCost {
  // Arrays of poses, written as they are solved: the least time.
  kArrays,
  // Text with one line for each frame: about ten times the time of arrays.
  kText,
  // Keys that are fitted to the poses: more than text, by an amount that
  // depends on the clip.
  kFit,
};

// A format; BVHMILL_FORMATS defines them.
struct Format {
  // The name in requests and on the command line.
  std::string_view name;
  std::string_view media_type;
  // The file extension, with the dot.
  std::string_view extension;
  FormatCost cost;
  // The default options of the format.
  FormatOptions defaults;
};

// All formats, in the order of the variant FormatOptions.
std::span<const Format> Formats();

// The format called `name`; null if there is none.
const Format* FindFormat(std::string_view name);

// The format to which `options` belong.
const Format& FormatOf(const FormatOptions& options);

// The id of an output: its own, or the name of its format if that is empty.
std::string_view OutputId(const OutputRequest& request);

// INVALID_ARGUMENT "NAME.field: why" for an option that is invalid for every
// clip.
absl::Status CheckFormat(const FormatOptions& options);

// Describes the output of a clip with this skeleton and this number of frames:
// sets info->size_bytes, -1 if it is not known before the output is written,
// and info->tensor. Returns a lower bound of the size, in bytes. O(1).
int64_t DescribeFormat(const FormatOptions& options, const Skeleton& skeleton,
                       int64_t frames, OutputInfo* info);

// Writes the clip of `context` to `sink`. The options must pass CheckFormat.
// FAILED_PRECONDITION, with nothing written, if the format cannot hold the
// clip; errors in the log then say why. Other errors are those of `sink` and of
// the budget.
absl::Status Encode(const FormatOptions& options, const EncodeContext& context,
                    Sink* sink);

// The functions of the formats: the contracts are those of CheckFormat,
// DescribeFormat and Encode.
#define BVHMILL_FUNCTIONS(Name, ...)                                       \
  absl::Status Check##Name##Format(const Name##Format& format);            \
  int64_t Describe##Name##Format(const Name##Format& format,               \
                                 const Skeleton& skeleton, int64_t frames, \
                                 OutputInfo* info);                        \
  absl::Status Encode##Name##Format(const Name##Format& format,            \
                                    const EncodeContext& context, Sink* sink);
BVHMILL_FORMATS(BVHMILL_FUNCTIONS)
#undef BVHMILL_FUNCTIONS

// DescribeNameFormat for an output whose size is not known before it is
// written.
inline int64_t DescribeUnknownSize(OutputInfo* info) {
  info->size_bytes = -1;
  info->tensor.reset();
  return 0;
}

}  // namespace bvhmill
