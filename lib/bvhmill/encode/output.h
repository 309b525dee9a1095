#pragma once

// The outputs that a request can ask for, and their descriptions: plain data.
//
//   OutputRequest request;
//   request.id = "poses";
//   request.format = RotationsFormat{.rotation_kind = RotationKind::kSixD};

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/anim/format/anim_settings.h"
#include "bvhmill/clip/clip.h"
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

// Rotations of every joint. The world rotation of an end site is that of its
// parent; its local rotation is the identity.
struct RotationsFormat {
  RotationKind rotation_kind = RotationKind::kQuaternion;
  TensorLayout layout = TensorLayout::kFrameMajor;
  RotationSpace rotation_space = RotationSpace::kLocal;
  bool with_end_sites = false;

  bool operator==(const RotationsFormat& other) const = default;
};

// Linear velocities of every joint in the world, in units per second.
struct VelocitiesFormat {
  TensorLayout layout = TensorLayout::kFrameMajor;
  bool with_end_sites = false;

  bool operator==(const VelocitiesFormat& other) const = default;
};

// A NumPy archive: the chosen arrays of poses, and names, parents, offsets,
// channels and frame_time.
struct NpzFormat {
  bool with_end_sites = false;
  RotationKind rotation_kind = RotationKind::kQuaternion;
  RotationSpace rotation_space = RotationSpace::kLocal;
  bool positions = true;
  bool rotations = true;
  bool velocities = false;

  bool operator==(const NpzFormat& other) const = default;
};

// A table with one line for each frame: the chosen arrays of poses, one after
// the other.
struct CsvFormat {
  bool with_end_sites = false;
  RotationKind rotation_kind = RotationKind::kQuaternion;
  RotationSpace rotation_space = RotationSpace::kLocal;
  bool with_positions = true;
  bool with_rotations = false;
  bool with_velocities = false;

  bool operator==(const CsvFormat& other) const = default;
};

// The clip as BVH text.
struct BvhFormat {
  // Digits after the decimal point; -1: the shortest text that reads back as
  // the same value.
  int32_t decimals = -1;
  // The rotation channels and all channels of joints.
  RotationOrder order = RotationOrder::kFile;
  ChannelSet channels = ChannelSet::kFile;

  bool operator==(const BvhFormat& other) const = default;
};

enum class AnimProfile {
  // Converts any skeleton, with the fewest keys that the error bounds allow.
  kBest,
  // The same bytes that the viewer makes of the clip.
  kViewer,
};

// Values of AnimFormat::joint_map that are not names of maps.
inline constexpr std::string_view kAutoAnimMap = "auto";
inline constexpr std::string_view kOwnAnimMap = "own";

// Second Life's .anim.
struct AnimFormat {
  AnimProfile profile = AnimProfile::kBest;
  // The settings of the animation besides its curves, for both profiles.
  AnimSettings settings;

  // Also converts a clip that would lie down, fold or be held at 5 m and, with
  // kViewer, a clip with joints that the viewer refuses.
  bool accept_odd = false;
  // The file must pass as an upload of the viewer.
  bool upload = false;

  // The fields below are for the profile kBest only.
  AnimReference reference = AnimReference::kAuto;
  // The map from joints of the clip to joints of the avatar: the name of a
  // built-in map; kOwnAnimMap if joints have the avatar's own names;
  // kAutoAnimMap or empty to recognize the naming scheme of the clip. A joint
  // that is not in the map is searched by its own name.
  std::string joint_map;
  // The rows of another map, in place of joint_map.
  std::vector<JointMapRow> joint_map_rows;
  // See ClipToAnimOptions.
  bool match_limbs = false;
  bool scale_to_avatar = false;
  float max_degrees = 0.1F;
  float max_mm = 1.0F;
  int64_t max_bytes = 0;
  float max_degrees_limit = 5.0F;

  bool operator==(const AnimFormat& other) const = default;
};

// The rows of the clip: the value of each channel, as BVH has them.
struct ValuesFormat {
  bool operator==(const ValuesFormat& other) const = default;
};

// Binary glTF 2.0: joints as nodes, and one animation. Lengths are metres if
// the unit is known, and Y is up if the up axis is known.
struct GlbFormat {
  bool with_end_sites = false;
  // The largest errors of a rotation, in degrees, and of a position, in percent
  // of the reach of the figure (ReachOf). 0: each frame gets a key.
  float tolerance_degrees = 0.1F;
  float tolerance_percent = 0.1F;

  bool operator==(const GlbFormat& other) const = default;
};

// The formats, in the order of FormatOptions: one row for each. The registry of
// formats, the functions of a format, `--emit` and GetServerInfo follow it.
//
//   F(Name, name, media type, file extension, cost)
//
// `Name` is that of the struct NameFormat and of the functions in the file of
// the format. `name` is the name in `--emit` and of the field of
// bvhmill.v1.OutputRequest. The file extension, with its dot, is unique. `cost`
// is a FormatCost.
#define BVHMILL_FORMATS(F)                                              \
  F(Positions, "positions", kTensorMedia, ".positions.npy", kArrays)    \
  F(Rotations, "rotations", kTensorMedia, ".rotations.npy", kArrays)    \
  F(Velocities, "velocities", kTensorMedia, ".velocities.npy", kArrays) \
  F(Npz, "npz", "application/zip", ".npz", kArrays)                     \
  F(Csv, "csv", "text/csv", ".csv", kText)                              \
  F(Bvh, "bvh", "text/x-bvh", ".bvh", kText)                            \
  F(Anim, "anim", "application/vnd.ll.animation", ".anim", kFit)        \
  F(Values, "values", kTensorMedia, ".values.npy", kArrays)             \
  F(Glb, "glb", "model/gltf-binary", ".glb", kFit)

inline constexpr std::string_view kTensorMedia =
    "application/vnd.bvhmill.tensor";

using FormatOptions =
    std::variant<PositionsFormat, RotationsFormat, VelocitiesFormat, NpzFormat,
                 CsvFormat, BvhFormat, AnimFormat, ValuesFormat, GlbFormat>;

struct OutputRequest {
  // Names the output; empty: the name of the format. Unique in a request.
  std::string id;
  FormatOptions format;

  bool operator==(const OutputRequest& other) const = default;
};

// A C-contiguous float32 array, little-endian, without padding.
struct TensorInfo {
  std::vector<int64_t> shape;
  // One for each entry of `shape`: "frame" and "joint", then "xyz", "xyzw",
  // "wxyz", "row" and "column", "6d", "rotation_vector", or "euler_zxy" and so
  // on; for values "frame" and "channel".
  std::vector<std::string> axes;
};

// The size of the array in bytes.
inline int64_t TensorBytes(const TensorInfo& tensor) {
  int64_t bytes = sizeof(float);
  for (const int64_t size : tensor.shape) bytes *= size;
  return bytes;
}

// The description of an output.
struct OutputInfo {
  std::string id;
  std::string media_type;
  // -1 until it is known; 0 if the output cannot be made.
  int64_t size_bytes = -1;
  std::optional<TensorInfo> tensor = {};
  // Why the output could not be made. This does not affect other outputs of the
  // clip.
  absl::Status status = absl::OkStatus();
};

}  // namespace bvhmill
