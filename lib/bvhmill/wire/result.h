#pragma once

// Results of the pipeline as messages of the API, and back.

#include "bvhmill/encode/clip_info.h"
#include "bvhmill/encode/output.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/report/report.h"
#include "bvhmill/v1/report.pb.h"
#include "bvhmill/v1/result.pb.h"
#include "bvhmill/v1/status.pb.h"

namespace bvhmill::wire {

v1::ValidationReport ToProto(const Report& report);
Report FromProto(const v1::ValidationReport& message);

v1::ClipInfo ToProto(const ClipInfo& info);
ClipInfo FromProto(const v1::ClipInfo& message);

// Without data.
v1::Output ToProto(const OutputInfo& output);
OutputInfo FromProto(const v1::Output& message);

v1::StageTimes ToProto(const StageTimes& times);
StageTimes FromProto(const v1::StageTimes& message);

// The whole result, outputs without data, and only if the status is OK.
v1::ClipResult ToProto(const ConvertResult& result);
ConvertResult FromProto(const v1::ClipResult& message);

}  // namespace bvhmill::wire
