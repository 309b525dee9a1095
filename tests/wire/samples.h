#pragma once

// Data with every field set to something that is not its default.

#include "bvhmill/pipeline/convert.h"

namespace bvhmill::testing {

Report FullReport();
ClipInfo FullInfo();
std::vector<OutputInfo> FullOutputs();
StageTimes FullTimes();
ConvertResult FullResult();

void ExpectSame(const Report& actual, const Report& expected);
void ExpectSame(const ClipInfo& actual, const ClipInfo& expected);
void ExpectSame(const OutputInfo& actual, const OutputInfo& expected);
void ExpectSame(const StageTimes& actual, const StageTimes& expected);
// The order of metadata does not count: it is a map on the wire.
void ExpectSame(const Fault& actual, const Fault& expected);

}  // namespace bvhmill::testing
