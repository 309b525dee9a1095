#pragma once

// Results of the pipeline as messages of the API, and back.
//
// ToProto fills a message that is empty, unless something else is stated.

#include <vector>

#include "bvhmill/encode/clip_info.h"
#include "bvhmill/encode/output.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/report/report.h"
#include "bvhmill/v1/report.pb.h"
#include "bvhmill/v1/result.pb.h"
#include "bvhmill/v1/status.pb.h"

namespace bvhmill::wire {

void ToProto(const Issue& issue, v1::Issue* out);
Issue FromProto(const v1::Issue& message);

void ToProto(const Report& report, v1::ValidationReport* out);
Report FromProto(const v1::ValidationReport& message);

void ToProto(const ClipInfo& info, v1::ClipInfo* out);
// All but the joints; and these alone.
void NumbersToProto(const ClipInfo& info, v1::ClipInfo* out);
void JointsToProto(const JointList& joints, v1::ClipInfo* out);
ClipInfo FromProto(const v1::ClipInfo& message);

// Without data.
void ToProto(const OutputInfo& output, v1::Output* out);
OutputInfo FromProto(const v1::Output& message);

void ToProto(const StageTimes& times, v1::StageTimes* out);
StageTimes FromProto(const v1::StageTimes& message);

// The whole result, outputs only if the status is OK, without data.
void ToProto(const ConvertResult& result, v1::ClipResult* out);
ConvertResult FromProto(const v1::ClipResult& message);

}  // namespace bvhmill::wire
