#pragma once

// One interface for every output format. Poses come in tiles of frames, so that
// a format that can leave while the clip still arrives does.

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
#include "bvhmill/clip/conventions.h"
#include "bvhmill/encode/output.h"
#include "bvhmill/kinematics/pose_array.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

enum class PoseKind {
  kPositions,
  // See VelocityJob; of a clip with a rate.
  kVelocities,
  kLocalRotations,
  kWorldRotations,
};

// An array of poses that an encoder wants to be solved for it.
struct PoseArray {
  PoseKind kind = PoseKind::kPositions;
  // Rows for end sites, too.
  bool with_end_sites = false;
  TensorLayout layout = TensorLayout::kFrameMajor;
  // Of rotations.
  RotationKind rotation_kind = RotationKind::kQuaternion;

  bool operator==(const PoseArray& other) const = default;
};

// Components of a row of it.
int64_t WidthOf(const PoseArray& array);
// Rows of a frame of it.
int64_t RowsOf(const PoseArray& array, const Skeleton& skeleton);

struct EncoderNeeds {
  std::vector<PoseArray> arrays;
  // The arrays are taken whole, at the end; joint-major ones must be.
  bool full_arrays = false;
  // The number of frames must be exact at the beginning.
  bool frame_count = false;
  // All rows are taken at the end, from EncodeContext::clip: no encoder copies
  // them. Implies frame_count.
  bool whole_clip = false;
  // It says what becomes of the clip: there must be a log.
  bool log = false;
  // It writes what is in its one array, as it lies in memory, and nothing else:
  // whoever has the array need not ask it to.
  bool passthrough = false;
};

// What is the same for every tile of a clip. The skeleton stays until End.
struct EncodeContext {
  const Skeleton* skeleton = nullptr;
  // Exact, where an encoder needs that; else what is expected.
  int64_t frames = 0;
  double frame_time = 0;
  Conventions conventions = {};
  // 0: not known.
  double meters_per_unit = 0;
  // For what is to be said about the clip as this output; null where no encoder
  // needs one.
  IssueLog* log = nullptr;
  // The clip that is encoded, with all its rows. It stays unchanged until End.
  // Null where no encoder needs whole_clip, and where Check alone is called.
  const Clip* clip = nullptr;
  // Encoders draw memory that grows with the clip from it, and work beside that
  // on the bytes they write. It stays until End; null = no limits.
  Budget* budget = nullptr;
};

// Consecutive frames.
struct PoseTile {
  int64_t first_frame = 0;
  int64_t frames = 0;
  // frames x channels, as read.
  std::span<const float> values;
};

// Arrays in the order of EncoderNeeds::arrays.
using PoseSpans = std::span<const std::span<const float>>;

// Used by one thread at a time: Begin, Add for each tile in order, End; and
// again for the next clip. A status that is not OK comes from the sink, or says
// that the format cannot hold the clip (FAILED_PRECONDITION); errors in the log
// say why.
class Encoder {
 public:
  virtual ~Encoder() = default;
  // The same as long as the encoder lives.
  virtual const EncoderNeeds& Needs() const = 0;
  // Sets all of `info` but the id.
  virtual void Describe(const EncodeContext& context,
                        OutputInfo* info) const = 0;
  // Logs TARGET_ issues: why the format cannot hold a clip, as far as that can
  // be told without its rows. Needs no Begin.
  virtual void Check(const EncodeContext& /*context*/) const {}
  virtual absl::Status Begin(const EncodeContext& context, Sink* sink) = 0;
  // `arrays` hold the frames of the tile; none, if they are taken whole.
  virtual absl::Status Add(const PoseTile& tile, PoseSpans arrays,
                           Sink* sink) = 0;
  // `arrays` hold all frames, if they are taken whole; else there are none.
  virtual absl::Status End(PoseSpans arrays, Sink* sink) = 0;
};

// A row of the registry.
struct Format {
  // As in requests and on the command line.
  std::string_view name;
  std::string_view media_type;
  // Of files, with the dot.
  std::string_view extension;
  // Options of the format by default.
  FormatOptions defaults;
};

// Every format there is, in the order of the variant FormatOptions.
std::span<const Format> Formats();

// The format called `name`; null if there is none.
const Format* FindFormat(std::string_view name);

// The format that `options` belong to.
const Format& FormatOf(const FormatOptions& options);

// INVALID_ARGUMENT "NAME.field: why" for an option that can be of no clip.
absl::Status CheckFormat(const FormatOptions& options);

// The id of an output: its own, or the name of its format.
std::string_view OutputId(const OutputRequest& request);

std::unique_ptr<Encoder> MakeEncoder(const OutputRequest& request);

}  // namespace bvhmill
