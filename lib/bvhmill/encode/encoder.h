#pragma once

// The interface of all output formats. Poses come in tiles of frames, so that a
// format can write its output while the clip still arrives:
//
//   encoder->Begin(context, &sink);
//   ... for each tile, in order: encoder->Add(tile, arrays, &sink) ...
//   encoder->End(arrays, &sink);

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/base/sink.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/clip/skeleton.h"
#include "bvhmill/encode/output.h"
#include "bvhmill/kinematics/pose_array.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

enum class PoseKind {
  kPositions,
  // See VelocityJob. The clip must have a rate.
  kVelocities,
  kLocalRotations,
  kWorldRotations,
};

// An array of poses that is solved for an encoder.
struct PoseArray {
  PoseKind kind = PoseKind::kPositions;
  // True if the array has rows for end sites.
  bool with_end_sites = false;
  TensorLayout layout = TensorLayout::kFrameMajor;
  // For rotations.
  RotationKind rotation_kind = RotationKind::kQuaternion;

  bool operator==(const PoseArray& other) const = default;
};

// Number of components in a row.
int64_t WidthOf(const PoseArray& array);
// Number of rows in a frame.
int64_t RowsOf(const PoseArray& array, const Skeleton& skeleton);

struct EncoderNeeds {
  std::vector<PoseArray> arrays;
  // The arrays are passed whole, to End. Required for joint-major arrays.
  bool full_arrays = false;
  // The exact number of frames must be known at Begin.
  bool frame_count = false;
  // End takes all rows from EncodeContext::clip, so that no encoder copies
  // them. Implies frame_count.
  bool whole_clip = false;
  // Requires EncodeContext::log: the encoder reports what it does to the clip.
  bool log = false;
};

// The values that are the same for every tile of a clip. The skeleton must live
// until End.
struct EncodeContext {
  const Skeleton* skeleton = nullptr;
  // Exact if EncoderNeeds::frame_count; else an estimate.
  int64_t frames = 0;
  double frame_time = 0;
  Conventions conventions = {};
  // 0: not known.
  double meters_per_unit = 0;
  // The up axis of the clip, as far as the caller states it.
  UpAxis up_axis = UpAxis::kUnknown;
  // Receives issues about the clip in this output format. Must not be null for
  // an encoder that needs a log, and for Check.
  IssueLog* log = nullptr;
  // The clip that is encoded, with all its rows. It must not change until End.
  // Null if no encoder needs whole_clip, and where only Check is called.
  const Clip* clip = nullptr;
  // Encoders draw from it the memory that grows with the clip, and the work on
  // the bytes they write. It must live until End. Null: no limits.
  Budget* budget = nullptr;
};

// Consecutive frames of a clip.
struct PoseTile {
  int64_t first_frame = 0;
  int64_t frames = 0;
  // frames x channels: angles in degrees, lengths in the unit of the clip.
  std::span<const float> values;
};

// One array for each entry of EncoderNeeds::arrays, in the same order.
using PoseSpans = std::span<const std::span<const float>>;

// Encodes one clip after the other. Call Begin, then Add for each tile in
// order, then End; then Begin for the next clip. One thread at a time. An error
// comes from the sink or the budget, or is FAILED_PRECONDITION if the format
// cannot hold the clip; errors in the log then say why.
class Encoder {
 public:
  virtual ~Encoder() = default;
  // Constant for the life of the encoder.
  virtual const EncoderNeeds& Needs() const = 0;
  // Sets size_bytes and tensor of `info`.
  virtual void Describe(const EncodeContext& context,
                        OutputInfo* info) const = 0;
  // Logs TARGET_ issues: the reasons, as far as they can be found without the
  // rows, why the format cannot hold a clip. Needs no Begin.
  virtual void Check(const EncodeContext& /*context*/) const {}
  virtual absl::Status Begin(const EncodeContext& context, Sink* sink) = 0;
  // `arrays` hold the frames of the tile; empty if the arrays are passed whole.
  virtual absl::Status Add(const PoseTile& tile, PoseSpans arrays,
                           Sink* sink) = 0;
  // `arrays` hold all frames if the arrays are passed whole; else empty.
  virtual absl::Status End(PoseSpans arrays, Sink* sink) = 0;
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

// INVALID_ARGUMENT "NAME.field: why" for an option that is invalid for every
// clip.
absl::Status CheckFormat(const FormatOptions& options);

// The id of an output: its own, or the name of its format if that is empty.
std::string_view OutputId(const OutputRequest& request);

// The encoder of an output, whose options must pass CheckFormat.
std::unique_ptr<Encoder> MakeEncoder(const OutputRequest& request);

}  // namespace bvhmill
