#include "tests/validate/issues.h"

#include <gtest/gtest.h>

#include "bvhmill/validate/rules.h"
#include "tests/validate/checked_parts.h"

namespace bvhmill::testing {

Report ReportOf(const Clip& clip, const SourceSpace& source,
                const Conventions& conventions) {
  CheckedParts parts(clip);
  for (size_t i = 0; i < parts.places.size(); ++i) {
    parts.places[i] = {static_cast<int64_t>(100 * i),
                       static_cast<int64_t>(i + 1), 3};
  }
  parts.source = source;
  parts.conventions = conventions;
  // Kept from call to call: facts of an earlier skeleton must not matter.
  static SkeletonFacts facts;
  FindFacts(clip.skeleton, &facts);
  parts.facts = facts;
  IssueLog log({});
  CheckSamples(parts.checked(), &log);
  return log.Finish(true, true);
}

std::vector<std::string> IssuesOf(const Clip& clip, const SourceSpace& source,
                                  const Conventions& conventions) {
  std::vector<std::string> out;
  for (const Issue& issue : ReportOf(clip, source, conventions).issues) {
    const auto joint = issue.location.joint.value_or(-1);
    out.push_back(issue.code + "@" + std::to_string(joint));
    if (joint >= 0) {
      EXPECT_EQ(issue.location.line, joint + 1) << issue.code;
      EXPECT_EQ(issue.location.column, 3) << issue.code;
    }
  }
  return out;
}

Clip ClipOf(const SkeletonBuilder& builder, std::vector<float> row,
            int64_t frames) {
  Clip clip = CountingClip(builder.Build(), frames);
  for (size_t i = 0; i < clip.motion.values.size(); ++i) {
    clip.motion.values[i] = row[i % row.size()];
  }
  return clip;
}

}  // namespace bvhmill::testing
