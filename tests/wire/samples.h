#pragma once

// Data with every field set to something that is not its default.

#include "bvhmill/pipeline/convert.h"
#include "bvhmill/v1/report.pb.h"
#include "bvhmill/v1/result.pb.h"

namespace bvhmill::testing {

Report FullReport();
ClipInfo FullInfo();
std::vector<OutputInfo> FullOutputs();
StageTimes FullTimes();
ConvertResult FullResult();

v1::ValidationReport ToMessage(const Report& report);
v1::ClipInfo ToMessage(const ClipInfo& info);
v1::Output ToMessage(const OutputInfo& output);
v1::StageTimes ToMessage(const StageTimes& times);
v1::ClipResult ToMessage(const ConvertResult& result);

void ExpectSame(const Report& actual, const Report& expected);
void ExpectSame(const ClipInfo& actual, const ClipInfo& expected);
void ExpectSame(const OutputInfo& actual, const OutputInfo& expected);
void ExpectSame(const StageTimes& actual, const StageTimes& expected);

}  // namespace bvhmill::testing
