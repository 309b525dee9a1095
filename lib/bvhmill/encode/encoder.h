#pragma once

// One interface for every output format. Poses come in tiles of frames, so that
// a format that can leave while the clip still arrives does.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "bvhmill/base/sink.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/encode/output.h"

namespace bvhmill {

// Which poses an encoder wants to be solved for it.
struct EncoderNeeds {
  bool joint_positions = false;
  bool node_positions = false;
  bool local_rotations = false;
};

// What is the same for every tile of a clip. Borrowed while the encoder lives.
struct EncodeContext {
  const Skeleton* skeleton = nullptr;
  // Exact.
  int64_t frames = 0;
  double frame_time = 0;
};

// Consecutive frames. Spans that no encoder needs are empty. "Joint" arrays
// have a row for each ROOT and JOINT, "node" arrays for end sites, too.
struct PoseTile {
  int64_t first_frame = 0;
  int64_t frames = 0;
  // frames x channels, as read.
  std::span<const float> values;
  // frames x joints x 3, frames x nodes x 3.
  std::span<const float> joint_positions;
  std::span<const float> node_positions;
  // frames x joints x 4, xyzw.
  std::span<const float> local_rotations;
};

// Used by one thread at a time: Describe, Begin, Add for each tile in order,
// End. A status that is not OK comes from the sink, or says why the format
// cannot hold the clip (FAILED_PRECONDITION).
class Encoder {
 public:
  virtual ~Encoder() = default;
  virtual EncoderNeeds Needs() const = 0;
  virtual OutputInfo Describe(const EncodeContext& context) const = 0;
  // Memory that the encoder will hold until End, beyond a tile.
  virtual int64_t HeldBytes(const EncodeContext& /*context*/) const {
    return 0;
  }
  virtual absl::Status Begin(const EncodeContext& context, Sink* sink) = 0;
  virtual absl::Status Add(const PoseTile& tile, Sink* sink) = 0;
  virtual absl::Status End(Sink* sink) = 0;
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

// The id of an output: its own, or the name of its format.
std::string OutputId(const OutputRequest& request);

std::unique_ptr<Encoder> MakeEncoder(const OutputRequest& request);

}  // namespace bvhmill
