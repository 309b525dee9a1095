#pragma once

// Results of the pipeline as messages of the API, and back: issues, reports,
// descriptions and measures of clips, outputs, times.
//
//   v1::ClipResult message;
//   wire::ToProto(result, &message);
//   ConvertResult same = wire::FromProto(message);
//
// Each ToProto requires an empty message. No FromProto fails: a value that this
// version does not know becomes a known one. Thread-safe.

#include <vector>

#include "bvhmill/clip/clip_info.h"
#include "bvhmill/encode/output.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/report/report.h"
#include "bvhmill/v1/report.pb.h"
#include "bvhmill/v1/result.pb.h"
#include "bvhmill/v1/status.pb.h"

namespace bvhmill::wire {

// The whole result, without a key and without the data of outputs. Has outputs
// only if the status is OK.
void ToProto(const ConvertResult& result, v1::ClipResult* out);
ConvertResult FromProto(const v1::ClipResult& message);

void ToProto(const Issue& issue, v1::Issue* out);
Issue FromProto(const v1::Issue& message);

void ToProto(const Report& report, v1::ValidationReport* out);
Report FromProto(const v1::ValidationReport& message);

void ToProto(const ClipInfo& info, v1::ClipInfo* out);
// The two parts of ToProto: all fields except the joints, and the joints alone.
void NumbersToProto(const ClipInfo& info, v1::ClipInfo* out);
void JointsToProto(const JointList& joints, v1::ClipInfo* out);
ClipInfo FromProto(const v1::ClipInfo& message);

void ToProto(const ClipMeasures& measures, v1::ClipMeasures* out);
// A rest pose that this version does not know becomes kOther. Lists whose size
// differs from the API are padded or cut.
ClipMeasures FromProto(const v1::ClipMeasures& message);

// The facts about an output; its data are not set.
void ToProto(const OutputInfo& output, v1::Output* out);
OutputInfo FromProto(const v1::Output& message);

void ToProto(const StageTimes& times, v1::StageTimes* out);
StageTimes FromProto(const v1::StageTimes& message);

}  // namespace bvhmill::wire
