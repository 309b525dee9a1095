#pragma once

// The clip that rules look at, and what several of them ask it. Private to
// validate/.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bvhmill/base/place.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/clip/conventions.h"
#include "bvhmill/report/report.h"

namespace bvhmill {

using Vec3f = std::array<float, 3>;

struct Subject {
  const Clip& clip;
  std::span<const Place> places;
  // What the caller knows of it.
  const SourceSpace& source;

  const std::vector<Node>& nodes() const { return clip.skeleton.nodes; }
};

// Where the node begins, with its index and name.
Location LocationOf(const Subject& subject, int32_t node);

// The position channels of `node` in `frame`; nothing unless it has all three.
std::optional<Vec3f> PositionAt(const Clip& clip, const Node& node,
                                int64_t frame);

// The first, the middle and the last frame of a clip that has frames.
std::array<int64_t, 3> FewFrames(const Clip& clip);

}  // namespace bvhmill
