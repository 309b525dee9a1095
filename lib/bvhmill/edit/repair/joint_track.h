#pragma once

// The rotation channels, or the position channels, of one joint over all
// frames. Private to edit/repair/.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/edit/editing.h"
#include "bvhmill/math/linear.h"
#include "bvhmill/report/report.h"

namespace bvhmill {

enum class ChannelKind : uint8_t { kRotation, kPosition };

// "rotation", "position".
std::string NameOf(ChannelKind kind);

struct JointTrack {
  int32_t node = 0;
  ChannelKind kind = ChannelKind::kRotation;
  // Indices in a row, in file order; at least one.
  std::vector<size_t> columns;
};

// The tracks of all nodes that have channels, in the order of the nodes.
std::vector<JointTrack> TracksOf(const Skeleton& skeleton);

// True for the channels of an end site. No reader uses them.
bool IsOfEndSite(const Skeleton& skeleton, const JointTrack& track);

// True if the row `frame` has the values of the row before, where NaN is equal
// to NaN. Requires 0 < frame < frames.
bool RepeatsRow(const Clip& clip, int64_t frame);

// True if all values of the track in `row` are finite.
bool IsFinite(const JointTrack& track, std::span<const float> row);

// The pose of a track whose columns have `values`, in degrees or in the unit of
// the file. A rotation is the product of its channels in file order, as a unit
// quaternion. A position is x, y, z with w = 0; a missing channel is 0.
Quat<double> PoseOf(const Skeleton& skeleton, const JointTrack& track,
                    std::span<const float> values);

// The values of the columns of `track` in `row`.
void ReadValues(const JointTrack& track, std::span<const float> row,
                std::vector<float>* values);

// The place of a change of `node` in frames `first` to `last` of the source.
Location PlaceOf(const Skeleton& skeleton, int32_t node, int64_t first,
                 int64_t last);

// Draws the work on `frames` frames of `track`, with `units` for each of its
// values, in parts: a conversion that is cancelled stops soon.
absl::Status DrawWork(const JointTrack& track, int64_t frames, int64_t units,
                      Budget* budget);

}  // namespace bvhmill
