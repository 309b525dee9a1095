#pragma once

// Gives the joints of a clip other channels: one order of rotations, positions
// for all joints or for roots alone. Joints keep their poses.
//
//   const ChannelLayout layout = {RotationOrder::kZxy, ChannelSet::kRootOnly};
//   ChannelMapper mapper(layout, skeleton, conventions);
//   BVHMILL_RETURN_IF_ERROR(mapper.FindPlaces(frames, values, budget));
//   mapper.skeleton();          // the new channels
//   mapper.Map(row, out);       // for each row, in their order

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/clip/clip.h"

namespace bvhmill {

struct ChannelLayout {
  RotationOrder order = RotationOrder::kFile;
  ChannelSet channels = ChannelSet::kFile;

  bool ChangesNothing() const {
    return order == RotationOrder::kFile && channels == ChannelSet::kFile;
  }
};

// A joint that moves below its parent, and loses its position channels.
struct LostPlace {
  int32_t node = 0;
  // The largest distance from its place in the first frame.
  double way = 0;
};

// Maps the rows of a clip to new channels. A joint keeps the columns that it
// has; its rotations are computed anew if their order changes or if they are
// not three. Angles go on from row to row. Used by one thread.
class ChannelMapper {
 public:
  // `skeleton` and `conventions` must outlive the object.
  ChannelMapper(const ChannelLayout& layout, const Skeleton& skeleton,
                const Conventions& conventions);

  // The OFFSET of a joint that loses its position channels becomes its place in
  // the first of the rows. Call it before Map. Draws the work. O(frames x
  // nodes), if a joint loses some.
  absl::Status FindPlaces(int64_t frames, std::span<const float> values,
                          Budget* budget);

  const Skeleton& skeleton() const { return after_; }
  // The joints that lose a motion that is more than rounding.
  const std::vector<LostPlace>& lost() const { return lost_; }

  // Units of work for a row.
  int64_t RowUnits() const;
  // Fills `out`, a row of skeleton(), from `row`.
  void Map(std::span<const float> row, std::span<float> out);

 private:
  // A column, or a joint, before and after.
  struct Copy {
    int32_t from = 0;
    int32_t to = 0;
  };

  void AddNode(const ChannelLayout& layout, int32_t index);

  const Skeleton& before_;
  const Conventions& conventions_;
  Skeleton after_;
  std::vector<Copy> copies_;
  // Joints whose place is written anew, and those whose rotation is; those that
  // lose position channels.
  std::vector<int32_t> placed_;
  std::vector<int32_t> turned_;
  std::vector<int32_t> unplaced_;
  std::vector<LostPlace> lost_;
  // The angles of each of `turned_` in the row before.
  std::vector<std::array<double, 3>> near_;
};

}  // namespace bvhmill
