#pragma once

// Writes a clip in an output format. A format is one row of formats.inc and one
// file with three functions:
//
//   CheckNameFormat    refuses options that are invalid for every clip
//   DescribeNameFormat describes the output before it is written
//   EncodeNameFormat   writes the output

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

// The clip that is encoded, and what is known about it. All pointers are
// borrowed until the output is written.
struct EncodeContext {
  // The whole clip, which must not change. Not null.
  const Clip* clip = nullptr;
  // The plan of its skeleton, by `conventions`. Not null for a format with
  // poses.
  const Plan* plan = nullptr;
  Conventions conventions = {};
  // 0: not known.
  double meters_per_unit = 0;
  // The up axis of the clip, as far as the caller states it.
  UpAxis up_axis = UpAxis::kUnknown;
  // Gets issues about the clip in this format. Not null.
  IssueLog* log = nullptr;
  // The memory that grows with the clip is drawn from it, and the work, but for
  // that on the bytes that are written. Null: no limits.
  Budget* budget = nullptr;
  // The threads that may solve poses. Null: the calling thread alone.
  Parallel* parallel = nullptr;
  // Memory that the next output uses again. Not null for a format with poses.
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

// A row of the registry of formats; formats.inc defines them.
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

// Sets size_bytes, if it is known before the output is written, and tensor of
// `info`. Returns the bytes that the output has at least. O(1).
int64_t DescribeFormat(const FormatOptions& options, const Skeleton& skeleton,
                       int64_t frames, OutputInfo* info);

// Writes the clip of `context` to `sink`. The options must pass CheckFormat.
// FAILED_PRECONDITION, with nothing written, if the format cannot hold the
// clip; errors in the log then say why. Other errors are those of `sink` and of
// the budget.
absl::Status Encode(const FormatOptions& options, const EncodeContext& context,
                    Sink* sink);

// The functions of the formats.
#define BVHMILL_FORMAT(Name, ...)                                          \
  absl::Status Check##Name##Format(const Name##Format& format);            \
  int64_t Describe##Name##Format(const Name##Format& format,               \
                                 const Skeleton& skeleton, int64_t frames, \
                                 OutputInfo* info);                        \
  absl::Status Encode##Name##Format(const Name##Format& format,            \
                                    const EncodeContext& context, Sink* sink);
#include "bvhmill/encode/formats.inc"

// Describes an output whose size is not known before it is written.
inline int64_t DescribeUnknownSize(OutputInfo* info) {
  info->size_bytes = -1;
  info->tensor.reset();
  return 0;
}

}  // namespace bvhmill
