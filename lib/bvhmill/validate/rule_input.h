#pragma once

// The input of a rule, and queries that several rules need. Private to
// validate/.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bvhmill/base/text_position.h"
#include "bvhmill/clip/skeleton.h"
#include "bvhmill/report/report.h"
#include "bvhmill/validate/row_observer.h"
#include "bvhmill/validate/row_samples.h"
#include "bvhmill/validate/skeleton_facts.h"

namespace bvhmill {

using Vec3f = std::array<float, 3>;

struct RuleInput {
  const Skeleton& skeleton;
  const SkeletonFacts& facts;
  const RowSamples& samples;
  // The text position of each node; empty if the source is no text.
  std::span<const TextPosition> places;
  // Unit and up axis, if the caller knows them.
  const SourceSpace& source;
  // How position channels are read.
  const Conventions conventions = {};

  const std::vector<Node>& nodes() const { return skeleton.nodes; }
  const Node& node(int32_t index) const {
    return skeleton.nodes[static_cast<size_t>(index)];
  }
};

// The index and the name of the node, and its position in the text.
Location LocationOf(const RuleInput& input, int32_t node);
Location LocationOf(const ObservedClip& clip, int32_t node);
// The index and the name alone, at a frame.
Location LocationAtFrame(const ObservedClip& clip, int32_t node, int64_t frame);
// The name of a node in quotes.
std::string QuotedName(const Skeleton& skeleton, int32_t node);

// The values of the position channels of `node` in sample `row`; nullopt unless
// it has all three.
std::optional<Vec3f> PositionAt(const RuleInput& input, const Node& node,
                                size_t row);

}  // namespace bvhmill
