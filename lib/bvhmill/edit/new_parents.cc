#include "bvhmill/edit/new_parents.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "bvhmill/edit/joint_map.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {
namespace {

// Finds whether the places of the joints below their new parents vary.
absl::Status FindPlaces(const FindNewPoses& find, const Editing& editing,
                        std::vector<Adopted>* adopted) {
  // The rounding of float32.
  const double most = 1e-7 * Reach(editing.skeleton());
  std::vector<JointPose> poses(editing.skeleton().nodes.size());
  return EachFrame(editing.size().frames,
                   kPoseWork * static_cast<int64_t>(poses.size()),
                   editing.budget, [&](int64_t frame) {
                     find(RowAt(*editing.clip, frame), poses);
                     for (Adopted& joint : *adopted) {
                       const Vec3<double>& place =
                           poses[static_cast<size_t>(joint.before)].place;
                       if (!joint.has_place) joint.place = place;
                       joint.has_place = true;
                       for (size_t i = 0; i < 3; ++i) {
                         if (!(std::abs(place[i] - joint.place[i]) <= most)) {
                           joint.varies = true;
                         }
                       }
                     }
                   });
}

absl::Status CheckVarying(const std::vector<Adopted>& adopted,
                          const Editing& editing) {
  if (editing.conventions.joint_positions != JointPositions::kIgnore) {
    return absl::OkStatus();
  }
  for (const Adopted& joint : adopted) {
    if (!joint.varies) continue;
    return InvalidField(
        "options.read.joint_positions",
        "are ignored, but " +
            Quote(DisplayName(editing.skeleton(), joint.before)) +
            " needs them: it moves below its new parent");
  }
  return absl::OkStatus();
}

// Prepares `edited` for the poses of `adopted`: OFFSETs, and channels.
MappedSkeleton WithAdopted(const MappedSkeleton& edited,
                           const std::vector<Adopted>& adopted) {
  std::vector<PoseChannels> wanted(edited.skeleton.nodes.size());
  Skeleton skeleton = edited.skeleton;
  for (const Adopted& joint : adopted) {
    const auto index = static_cast<size_t>(joint.after);
    Node& node = skeleton.nodes[index];
    wanted[index] = {joint.varies || node.kind == NodeKind::kRoot, joint.turns};
    if (wanted[index].place || !joint.has_place) continue;
    for (size_t i = 0; i < 3; ++i) {
      node.offset[i] = static_cast<float>(joint.place[i]);
    }
  }
  MappedSkeleton out = WithPoseChannels(skeleton, wanted);
  for (ColumnSource& column : out.columns) {
    if (column.source < 0) continue;
    column = edited.columns[static_cast<size_t>(column.source)];
  }
  return out;
}

void LogPositionsAdded(const std::vector<Adopted>& adopted,
                       const Skeleton& before, const Skeleton& after,
                       IssueLog* log) {
  if (log == nullptr) return;
  const auto positions = [](const Skeleton& skeleton, int32_t node) {
    const auto channels =
        ChannelsOf(skeleton, skeleton.nodes[static_cast<size_t>(node)]);
    return std::count_if(channels.begin(), channels.end(), IsPosition);
  };
  FirstNames names;
  for (const Adopted& joint : adopted) {
    if (positions(before, joint.before) == positions(after, joint.after)) {
      continue;
    }
    names.Add(DisplayName(before, joint.before));
  }
  if (names.count == 0) return;
  log->Add(IssueCode::EDIT_POSITIONS_ADDED, {},
           {{"count", std::to_string(names.count)}, {"joints", names.text}},
           names.count);
}

}  // namespace

absl::Status KeepPoses(const MappedSkeleton& edited,
                       std::vector<Adopted> adopted, const FindNewPoses& find,
                       Editing* editing) {
  BVHMILL_RETURN_IF_ERROR(FindPlaces(find, *editing, &adopted));
  BVHMILL_RETURN_IF_ERROR(CheckVarying(adopted, *editing));
  MappedSkeleton mapped = WithAdopted(edited, adopted);
  const Skeleton before = editing->skeleton();
  const Skeleton after = mapped.skeleton;
  LogPositionsAdded(adopted, before, after, editing->log);
  std::vector<JointPose> poses(before.nodes.size());
  return RewriteRows(
      std::move(mapped.skeleton),
      kPoseWork * static_cast<int64_t>(poses.size()), editing,
      [&](std::span<const float> row, std::span<float> out) {
        MapRow(mapped.columns, row, out);
        find(row, poses);
        for (Adopted& joint : adopted) {
          const Node& node = after.nodes[static_cast<size_t>(joint.after)];
          const JointPose& pose = poses[static_cast<size_t>(joint.before)];
          WritePlace(after, editing->conventions, node, pose.place, out);
          if (joint.turns) {
            WriteTurn(after, node, pose.turn, &joint.near, out);
          }
        }
      });
}

}  // namespace bvhmill
