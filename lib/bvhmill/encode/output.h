#pragma once

// What can be asked for, and what comes out: plain data, known to every layer
// above.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace bvhmill {

enum class TensorLayout {
  kFrameMajor,  // (frame, joint, component)
  kJointMajor,  // (joint, frame, component)
};

enum class RotationKind {
  kQuaternion,  // xyzw, w >= 0
  kMatrix,      // 3x3, row-major
  kSixD,        // the first two columns of the matrix, one after the other
};

// World positions of every joint.
struct PositionsFormat {
  TensorLayout layout = TensorLayout::kFrameMajor;
  bool with_end_sites = false;
};

// Local rotations of every joint.
struct RotationsFormat {
  RotationKind kind = RotationKind::kQuaternion;
  TensorLayout layout = TensorLayout::kFrameMajor;
};

// NumPy archive: positions, rotations, names, parents, offsets, channels,
// frame_time.
struct NpzFormat {
  bool with_end_sites = false;
};

// World positions as a table, one frame a line.
struct CsvFormat {
  bool with_end_sites = false;
};

// The clip as BVH text, channels as they are in the source.
struct BvhFormat {
  // -1: the shortest text that reads back the same.
  int32_t decimals = -1;
};

using FormatOptions = std::variant<PositionsFormat, RotationsFormat, NpzFormat,
                                   CsvFormat, BvhFormat>;

struct OutputRequest {
  // Names the output; empty = the name of the format. Unique in a request.
  std::string id;
  FormatOptions format;
};

// A C-contiguous float32 array, little endian, no padding.
struct TensorInfo {
  std::vector<int64_t> shape;
  // As many as `shape`: "frame", "joint", then "xyz", "xyzw", "row", "column"
  // or "6d".
  std::vector<std::string> axes;
};

struct OutputInfo {
  std::string id;
  std::string media_type;
  // -1 until it is known.
  int64_t size_bytes = -1;
  std::optional<TensorInfo> tensor;
};

}  // namespace bvhmill
