#pragma once

// Requests of the API as options of the pipeline, and back: ConvertOptions,
// source formats, thresholds of rules.
//
//   ConvertOptions options;
//   options.limits = limits;
//   absl::Status status = wire::FromProto(request.options(), &options);
//
// Thread-safe.

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/encode/encode.h"
#include "bvhmill/encode/output.h"
#include "bvhmill/pipeline/options.h"
#include "bvhmill/pipeline/source_format.h"
#include "bvhmill/report/report.h"
#include "bvhmill/v1/clip_service.pb.h"
#include "bvhmill/v1/options.pb.h"
#include "bvhmill/v1/server_service.pb.h"

namespace bvhmill::wire {

// Fills `options` from `message`. Keeps limits, source_format, checks_only and
// with_skeleton, which are not in the message. INVALID_ARGUMENT "field: why"
// for a value that the API does not have; the field is a path such as
// "options.outputs[1].format". Otherwise returns the status of CheckOptions.
// Checks the size of each list against the bounds of its option before it is
// copied.
absl::Status FromProto(const v1::ConvertOptions& message,
                       ConvertOptions* options);

// The message that FromProto reads as `options`, without the fields that
// FromProto keeps and without unknown fields.
v1::ConvertOptions ToProto(const ConvertOptions& options);

// The row of the format that `message` asks for; null if it asks for none.
const Format* FormatOf(const v1::OutputRequest& message);

// The format of a source in the API and in the library: both have the same
// numbers, and BVH is also the default of the API.

// Returns nullopt for a format that this version does not read.
std::optional<SourceFormat> FromProto(v1::SourceFormat format);

// UNSPECIFIED for BVH, so that servers that know no other format accept the
// request.
v1::SourceFormat ToProto(SourceFormat format);

void ToProto(const SourceFormatInfo& info, v1::SourceFormatInfo* out);

// Thresholds of rules. Both functions replace the content of `out`. Neither
// checks values.

using RuleThresholds = google::protobuf::RepeatedPtrField<v1::RuleThreshold>;

void ToProto(const std::vector<ThresholdChoice>& choices, RuleThresholds* out);
void FromProto(const RuleThresholds& message,
               std::vector<ThresholdChoice>* out);

}  // namespace bvhmill::wire
