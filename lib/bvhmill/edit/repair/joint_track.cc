#include "bvhmill/edit/repair/joint_track.h"

#include <algorithm>
#include <cmath>

#include "bvhmill/base/status.h"

namespace bvhmill {
namespace {

void AddTrack(const Skeleton& skeleton, size_t index, ChannelKind kind,
              std::vector<JointTrack>* tracks) {
  const Node& node = skeleton.nodes[index];
  JointTrack track;
  track.node = static_cast<int32_t>(index);
  track.kind = kind;
  for (int32_t i = 0; i < node.channel_count; ++i) {
    const auto column = static_cast<size_t>(node.first_channel + i);
    const Channel channel = skeleton.channels[column];
    const bool is_wanted = kind == ChannelKind::kRotation ? IsRotation(channel)
                                                          : IsPosition(channel);
    if (is_wanted) track.columns.push_back(column);
  }
  if (!track.columns.empty()) tracks->push_back(std::move(track));
}

// The rotation by `degrees` about X, Y or Z.
Quat<double> About(int axis, double degrees) {
  const double half = ToRadians(degrees) / 2;
  Quat<double> q;
  q.w = std::cos(half);
  (axis == 0 ? q.x : axis == 1 ? q.y : q.z) = std::sin(half);
  return q;
}

}  // namespace

std::string NameOf(ChannelKind kind) {
  return kind == ChannelKind::kRotation ? "rotation" : "position";
}

std::vector<JointTrack> TracksOf(const Skeleton& skeleton) {
  std::vector<JointTrack> tracks;
  for (size_t i = 0; i < skeleton.nodes.size(); ++i) {
    AddTrack(skeleton, i, ChannelKind::kPosition, &tracks);
    AddTrack(skeleton, i, ChannelKind::kRotation, &tracks);
  }
  return tracks;
}

bool IsOfEndSite(const Skeleton& skeleton, const JointTrack& track) {
  return IsEndSite(skeleton.nodes[static_cast<size_t>(track.node)]);
}

bool RepeatsRow(const Clip& clip, int64_t frame) {
  const auto row = RowAt(clip, frame);
  return std::equal(row.begin(), row.end(), RowAt(clip, frame - 1).begin(),
                    [](float a, float b) {
                      return a == b || (std::isnan(a) && std::isnan(b));
                    });
}

bool IsFinite(const JointTrack& track, std::span<const float> row) {
  return std::all_of(track.columns.begin(), track.columns.end(),
                     [&](size_t column) { return std::isfinite(row[column]); });
}

Quat<double> PoseOf(const Skeleton& skeleton, const JointTrack& track,
                    std::span<const float> values) {
  Quat<double> pose;
  std::array<double, 3> at = {};
  for (size_t i = 0; i < values.size(); ++i) {
    const int axis = AxisOf(skeleton.channels[track.columns[i]]);
    at[static_cast<size_t>(axis)] = values[i];
    if (track.kind == ChannelKind::kPosition) continue;
    pose = Multiply(pose, About(axis, values[i]));
  }
  if (track.kind == ChannelKind::kRotation) return pose;
  return {at[0], at[1], at[2], 0};
}

void ReadValues(const JointTrack& track, std::span<const float> row,
                std::vector<float>* values) {
  values->clear();
  for (const size_t column : track.columns) values->push_back(row[column]);
}

Location PlaceOf(const Skeleton& skeleton, int32_t node, int64_t first,
                 int64_t last) {
  Location place;
  place.joint = node;
  place.joint_name = DisplayName(skeleton, node);
  place.frame = first;
  if (last != first) place.last_frame = last;
  return place;
}

absl::Status DrawWork(const JointTrack& track, int64_t frames, int64_t units,
                      Budget* budget) {
  constexpr int64_t kPart = int64_t{1} << 24;
  const auto columns = static_cast<int64_t>(track.columns.size());
  const int64_t step = std::max<int64_t>(kPart / (units * columns), 1);
  for (int64_t done = 0; done < frames; done += step) {
    BVHMILL_RETURN_IF_ERROR(
        WorkFrom(budget, units * columns * std::min(step, frames - done)));
  }
  return absl::OkStatus();
}

}  // namespace bvhmill
