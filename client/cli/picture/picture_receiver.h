#pragma once

// Makes the picture of a clip while it is converted.

#include <optional>
#include <string_view>
#include <vector>

#include "bvhmill/pipeline/convert.h"
#include "client/cli/picture/clip_picture.h"
#include "client/cli/picture/drawn_joints.h"
#include "client/cli/picture/frame_cutter.h"
#include "client/cli/picture/sampled_poses.h"
#include "client/cli/picture/turn_curves.h"

namespace bvhmill::client {

// Adds the outputs that a picture needs to `outputs`: world positions and local
// rotations, with end sites.
void AddPictureOutputs(std::vector<OutputRequest>* outputs);

// The direction that is up in the outputs of a clip: as the options state it,
// else as the report guesses it, else +Y.
Point3 UpOf(const ClipEdits& edits, const Report& report);

// Takes the outputs of AddPictureOutputs and drops all others. Memory does not
// grow with the length of the clip: about 1 KB for each joint. Only the first
// 1024 joints have curves. Not thread-safe.
class PictureReceiver final : public OutputReceiver {
 public:
  // The most points of a pose, and the most joints with a curve.
  static constexpr size_t kMaxPoints = 100;
  static constexpr size_t kMaxCurves = 4;

  absl::Status Begin(const ClipInfo& info,
                     std::span<const OutputInfo> outputs) override;
  absl::Status Data(size_t output, std::string_view bytes) override;

  // The picture after a conversion that succeeded; nothing if the clip has no
  // frame. It has the curves of the joints that the most severe issues of
  // `report` name. Call once.
  std::optional<ClipPicture> Finish(const Report& report, const Point3& up);

 private:
  void AddRotations(std::span<const float> rotations);
  // The joint of an issue in time, if it turns and is in the clip after edits.
  std::optional<size_t> TurningJoint(const Location& location) const;
  void AddCurves(const Report& report, ClipPicture* picture) const;

  // Indices of the outputs.
  std::optional<size_t> positions_;
  std::optional<size_t> rotations_;
  JointList joints_;
  DrawnJoints drawn_;
  FrameCutter position_frames_;
  FrameCutter rotation_frames_;
  SampledPoses poses_;
  // One series for each joint, then the mean of all.
  std::optional<TurnCurves> turns_;
  std::vector<float> last_rotations_;
  std::vector<float> steps_;
};

}  // namespace bvhmill::client
