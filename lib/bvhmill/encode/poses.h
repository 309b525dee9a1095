#pragma once

// The poses of a clip for the formats that hold arrays: solved in tiles of
// frames, by several threads, and passed on in order.
//
//   PoseArray positions;
//   BVHMILL_RETURN_IF_ERROR(WritePoses(
//       positions, context,
//       [&](int64_t first, int64_t frames, std::span<const float> poses) {
//         return sink->Append(BytesOf(poses));
//       }));

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/base/uninitialized.h"
#include "bvhmill/encode/encode.h"
#include "bvhmill/encode/output.h"
#include "bvhmill/kinematics/pose_array.h"

namespace bvhmill {

enum class PoseKind {
  kPositions,
  // See VelocityJob. The clip must have a rate.
  kVelocities,
  kLocalRotations,
  kWorldRotations,
};

// An array of poses.
struct PoseArray {
  PoseKind kind = PoseKind::kPositions;
  // True if the array has rows for end sites.
  bool with_end_sites = false;
  // Only an array that is solved whole can be joint-major.
  TensorLayout layout = TensorLayout::kFrameMajor;
  // For rotations.
  RotationKind rotation_kind = RotationKind::kQuaternion;

  bool operator==(const PoseArray& other) const = default;
};

inline bool IsRotations(const PoseArray& array) {
  return array.kind == PoseKind::kLocalRotations ||
         array.kind == PoseKind::kWorldRotations;
}

// Number of components in a row.
int64_t WidthOf(const PoseArray& array);
// Number of rows in a frame.
int64_t RowsOf(const PoseArray& array, const Skeleton& skeleton);
// Bytes of the array of `frames` frames.
int64_t BytesOf(const PoseArray& array, const Skeleton& skeleton,
                int64_t frames);

// The memory of one thread, and the time that it spent.
struct PoseBuffers {
  // The poses of a tile.
  UninitializedVector<float> tile;
  // Rotations of a tile, before they are converted to another kind.
  UninitializedVector<float> solved;
  // Positions that velocities are derived from.
  UninitializedVector<float> positions;
  // The scratch memory of kinematics.
  UninitializedVector<float> scratch;
  std::chrono::nanoseconds solve{};
  std::chrono::nanoseconds write{};
};

// Memory for poses and text that is made of them, kept from output to output
// and from clip to clip. One thread at a time uses a workspace.
struct PoseWorkspace {
  std::vector<PoseBuffers> threads;
  // An array of all frames.
  UninitializedVector<float> whole;
  // Lines of a table, and a field of its head.
  std::string text;
  std::string field;
  // The elapsed time of the functions below.
  std::chrono::nanoseconds elapsed{};

  // Sets all times to zero.
  void ClearTimes();
  // Bytes of memory.
  size_t KeptBytes() const;
};

// Receives the poses of the next frames, frame-major. If there are several
// arrays: all poses of the first one, then all of the next.
using PoseWriter = std::function<absl::Status(
    int64_t first_frame, int64_t frames, std::span<const float> poses)>;

// Solves `array` for all frames of the clip and calls `write` with those of a
// tile at a time, in order, by one thread at a time. Fails as `write` and the
// budget do, or as CheckRate does. O(frames x nodes).
absl::Status WritePoses(const PoseArray& array, const EncodeContext& context,
                        const PoseWriter& write);
// The same for several arrays, which must be frame-major.
absl::Status WritePoses(std::span<const PoseArray> arrays,
                        const EncodeContext& context, const PoseWriter& write);

// Solves `array` for all frames at once and calls `write` with its bytes, whose
// memory is drawn until `write` returns. Fails as WritePoses does.
absl::Status WriteWhole(
    const PoseArray& array, const EncodeContext& context,
    const std::function<absl::Status(std::string_view bytes)>& write);

// FAILED_PRECONDITION, with an issue in the log, if the array is one of
// velocities and the clip has no rate.
absl::Status CheckRate(const PoseArray& array, const EncodeContext& context);

}  // namespace bvhmill
