#pragma once

// Runs the rules on clips made in code.

#include <string>
#include <vector>

#include "bvhmill/clip/clip.h"
#include "bvhmill/report/report.h"
#include "tests/support/clips.h"

namespace bvhmill::testing {

// The report of CheckSamples, each node on a line of its own.
Report ReportOf(const Clip& clip, const SourceSpace& source = {},
                const Conventions& conventions = {});

// "CODE@joint" of what it lists.
std::vector<std::string> IssuesOf(const Clip& clip,
                                  const SourceSpace& source = {},
                                  const Conventions& conventions = {});

// `frames` equal frames, of the row's values over and over.
Clip ClipOf(const SkeletonBuilder& builder, std::vector<float> row,
            int64_t frames = 3);

}  // namespace bvhmill::testing
