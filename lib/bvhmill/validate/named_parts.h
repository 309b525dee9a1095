#pragma once

// Parts of a body that rules know by the names of joints, without their
// namespace and in any case. Private to validate/.

#include <cstdint>
#include <string>

#include "bvhmill/clip/skeleton.h"

namespace bvhmill {

// The bare name in small letters.
std::string PlainName(const Node& node);
// A joint above `node` is a head: `node` is a part of the face, or an end.
bool IsBelowHead(const Skeleton& skeleton, int32_t node);
// A toe, or the ball of a foot.
bool IsToe(const Node& node);
// A thumb or another finger of a hand.
bool IsFinger(const Skeleton& skeleton, int32_t node);

}  // namespace bvhmill
