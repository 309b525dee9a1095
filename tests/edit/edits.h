#pragma once

// Helpers of the tests of edits.

#include <array>
#include <string>
#include <vector>

#include "bvhmill/clip/clip.h"
#include "bvhmill/edit/edit_clip.h"
#include "tests/support/oracle.h"

namespace bvhmill::testing {

// Returns `clip` after the edits; fails the test if they do not fit.
Clip Edited(const ClipEdits& edits, Clip clip,
            const Conventions& conventions = {});

// Applies `edits` to `clip` and returns the status.
absl::Status StatusOfEdit(const ClipEdits& edits, Clip clip,
                          const Limits& limits = {});

// World positions of all nodes, by the oracle: frames x nodes.
std::vector<std::vector<std::array<double, 3>>> WorldOf(
    const Clip& clip, const Conventions& conventions = {});

// "Hips>Spine>Head", a node and those above it.
std::string PathOf(const Skeleton& skeleton, size_t node);

// All paths, in file order; end sites are "-".
std::vector<std::string> PathsOf(const Skeleton& skeleton);

// A clip without its frames' odd numbers: angles within a turn and a half,
// `frames` of them, 30 a second.
Clip WavingClip(const Skeleton& skeleton, int64_t frames);

}  // namespace bvhmill::testing
