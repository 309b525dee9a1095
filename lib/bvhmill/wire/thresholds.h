#pragma once

// Thresholds of rules as messages of the API, and back. Both functions replace
// the content of `out`. Neither checks values.

#include <vector>

#include "bvhmill/report/report.h"
#include "bvhmill/v1/options.pb.h"

namespace bvhmill::wire {

using RuleThresholds = google::protobuf::RepeatedPtrField<v1::RuleThreshold>;

void ToProto(const std::vector<ThresholdChoice>& choices, RuleThresholds* out);
void FromProto(const RuleThresholds& message,
               std::vector<ThresholdChoice>* out);

}  // namespace bvhmill::wire
