#pragma once

// What can be asked for, and what comes out: plain data, known to every layer
// above.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "bvhmill/anim/format/anim_settings.h"
#include "bvhmill/edit/joint_map.h"
#include "bvhmill/kinematics/pose_array.h"

namespace bvhmill {

// World positions of every joint.
struct PositionsFormat {
  TensorLayout layout = TensorLayout::kFrameMajor;
  bool with_end_sites = false;

  bool operator==(const PositionsFormat& other) const = default;
};

enum class RotationSpace {
  kLocal,  // from the parent
  kWorld,
};

// Rotations of every joint. An end site has that of its parent in the world,
// and none of its own.
struct RotationsFormat {
  RotationKind kind = RotationKind::kQuaternion;
  TensorLayout layout = TensorLayout::kFrameMajor;
  RotationSpace space = RotationSpace::kLocal;
  bool with_end_sites = false;

  bool operator==(const RotationsFormat& other) const = default;
};

// Linear velocities of every joint in the world, per second.
struct VelocitiesFormat {
  TensorLayout layout = TensorLayout::kFrameMajor;
  bool with_end_sites = false;

  bool operator==(const VelocitiesFormat& other) const = default;
};

// NumPy archive: the arrays of poses that are chosen, names, parents, offsets,
// channels, frame_time.
struct NpzFormat {
  bool with_end_sites = false;
  RotationKind rotation_kind = RotationKind::kQuaternion;
  RotationSpace rotation_space = RotationSpace::kLocal;
  bool positions = true;
  bool rotations = true;
  bool velocities = false;

  bool operator==(const NpzFormat& other) const = default;
};

// World positions as a table, one frame a line.
struct CsvFormat {
  bool with_end_sites = false;

  bool operator==(const CsvFormat& other) const = default;
};

// The clip as BVH text, channels as they are in the source.
struct BvhFormat {
  // -1: the shortest text that reads back the same.
  int32_t decimals = -1;

  bool operator==(const BvhFormat& other) const = default;
};

enum class AnimProfile {
  // Any skeleton, with keys that are as few as the bounds allow.
  kBest,
  // What the viewer makes of the clip, to the byte.
  kViewer,
};

// Names of AnimFormat::joint_map beside those of maps.
inline constexpr std::string_view kAutoAnimMap = "auto";
inline constexpr std::string_view kOwnAnimMap = "own";

// Second Life's .anim.
struct AnimFormat {
  AnimProfile profile = AnimProfile::kBest;
  // Beside the curves, of both profiles.
  AnimSettings settings;

  // Converts also what would lie down, fold or be held at 5 m; and, as kViewer,
  // a clip with joints that the viewer refuses.
  bool accept_odd = false;
  // The file must pass as an upload of the viewer.
  bool for_upload = false;

  // The rest is of the profile kBest only.
  AnimReference reference = AnimReference::kAuto;
  // Says what joints of the avatar the clip's are: a map that is built in;
  // kOwnAnimMap, for joints with the avatar's own names; kAutoAnimMap or empty:
  // the map that knows most of the names.
  // Joints that a map does not have are found by their own names.
  std::string joint_map;
  // Instead, if there are any.
  std::vector<JointMapRow> joint_map_rows;
  // See ClipToAnimOptions.
  bool match_limbs = false;
  bool scale_to_avatar = false;
  float max_degrees = 0.1F;
  float max_millimetres = 1.0F;
  int64_t max_bytes = 0;
  float max_degrees_limit = 5.0F;

  bool operator==(const AnimFormat& other) const = default;
};

using FormatOptions =
    std::variant<PositionsFormat, RotationsFormat, VelocitiesFormat, NpzFormat,
                 CsvFormat, BvhFormat, AnimFormat>;

struct OutputRequest {
  // Names the output; empty = the name of the format. Unique in a request.
  std::string id;
  FormatOptions format;

  bool operator==(const OutputRequest& other) const = default;
};

// A C-contiguous float32 array, little endian, no padding.
struct TensorInfo {
  std::vector<int64_t> shape;
  // As many as `shape`: "frame", "joint", then "xyz", "xyzw", "row", "column"
  // or "6d".
  std::vector<std::string> axes;
};

inline int64_t TensorBytes(const TensorInfo& tensor) {
  int64_t bytes = sizeof(float);
  for (const int64_t size : tensor.shape) bytes *= size;
  return bytes;
}

struct OutputInfo {
  std::string id;
  std::string media_type;
  // -1 until it is known.
  int64_t size_bytes = -1;
  std::optional<TensorInfo> tensor;
};

}  // namespace bvhmill
