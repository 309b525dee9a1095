#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/edit/editing.h"
#include "bvhmill/edit/joint_pose.h"

namespace bvhmill {
namespace {

constexpr std::string_view kField = "options.edits.tpose_frame";

absl::Status CheckFrame(int64_t frame, const Editing& editing) {
  const int64_t frames = editing.size().frames;
  if (frame >= frames) {
    return InvalidField(kField, "is " + std::to_string(frame) +
                                    ", but the clip has " +
                                    std::to_string(frames) + " frames");
  }
  for (const float value : RowAt(*editing.clip, frame)) {
    if (std::isfinite(value)) continue;
    return InvalidField(kField, "frame " + std::to_string(frame) +
                                    " has a value that is not finite");
  }
  return absl::OkStatus();
}

bool HasChannel(const Skeleton& skeleton, const Node& node,
                bool (*is_kind)(Channel)) {
  for (const Channel channel : ChannelsOf(skeleton, node)) {
    if (is_kind(channel)) return true;
  }
  return false;
}

}  // namespace

absl::Status RestAtFrame(int64_t frame, Editing* editing) {
  BVHMILL_RETURN_IF_ERROR(CheckFrame(frame, *editing));
  BVHMILL_RETURN_IF_ERROR(HoldPoses(*editing));
  const Skeleton before = editing->skeleton();
  const Conventions& conventions = editing->conventions;
  const size_t nodes = before.nodes.size();
  const auto at_rest = RowAt(*editing->clip, frame);
  std::vector<JointPose> rest(nodes);
  WorldPoses(before, conventions, at_rest, rest);
  Skeleton moved = before;
  std::vector<PoseChannels> wanted(nodes);
  std::vector<Mat3<double>> above(nodes, Identity<double>());
  std::vector<Mat3<double>> own(nodes);
  for (size_t i = 0; i < nodes; ++i) {
    const Node& node = before.nodes[i];
    const JointPose local = LocalPose(before, conventions, node, at_rest);
    own[i] = local.turn;
    wanted[i].turn = HasChannel(before, node, IsRotation);
    if (node.parent < 0) continue;
    wanted[i].place = HasChannel(before, node, IsPosition) &&
                      ReadingOf(node, conventions) != PositionReading::kIgnored;
    above[i] = rest[static_cast<size_t>(node.parent)].turn;
    const Vec3<double> offset = Transform(above[i], {}, local.place);
    for (size_t k = 0; k < 3; ++k) {
      moved.nodes[i].offset[k] = static_cast<float>(offset[k]);
    }
  }
  MappedSkeleton mapped = WithPoseChannels(moved, wanted);
  const Skeleton after = mapped.skeleton;
  std::vector<EulerAngles> near(nodes);
  BVHMILL_RETURN_IF_ERROR(RewriteRows(
      std::move(mapped.skeleton), kPoseWork * static_cast<int64_t>(nodes),
      editing, [&](std::span<const float> row, std::span<float> out) {
        MapRow(mapped.columns, row, out);
        for (size_t i = 0; i < nodes; ++i) {
          if (!wanted[i].turn && !wanted[i].place) continue;
          const Node& node = after.nodes[i];
          const JointPose local =
              LocalPose(before, conventions, before.nodes[i], row);
          if (wanted[i].place) {
            WritePlace(after, conventions, node,
                       Transform(above[i], {}, local.place), out);
          }
          if (!wanted[i].turn) continue;
          const Mat3<double> turned = Multiply(local.turn, Transposed(own[i]));
          WriteTurn(after, node,
                    Multiply(above[i], Multiply(turned, Transposed(above[i]))),
                    &near[i], out);
        }
      }));
  // Exact, where the products are off by their rounding.
  const auto row = RowAt(editing->clip, frame);
  for (size_t i = 0; i < row.size(); ++i) {
    if (IsRotation(after.channels[i])) row[i] = 0;
  }
  return absl::OkStatus();
}

}  // namespace bvhmill
