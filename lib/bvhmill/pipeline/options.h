#pragma once

// The options of a conversion: plain data. Every caller fills ConvertOptions:
// the library directly, the others from flags, JSON or protobuf messages by the
// table of options (docs/options.md).
//
//   ConvertOptions options;
//   options.edits.fps = 30;
//   options.outputs = {{"", NpzFormat{}}};
//   BVHMILL_RETURN_IF_ERROR(CheckOptions(options));

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/base/limits.h"
#include "bvhmill/base/text.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/edit/clip_edits.h"
#include "bvhmill/encode/output.h"
#include "bvhmill/report/report.h"

namespace bvhmill {

// The file format of a source. The numbers are those of the API.
enum class SourceFormat : uint8_t {
  // BVH text.
  kBvh = 1,
  // An .anim of Second Life: read as a clip on the skeleton of the avatar, in
  // inches, Y up, without a reference frame.
  kAnim = 2,
};

struct ConvertOptions {
  // Strictness of the rules, and the issues that reports list.
  ReportOptions report;
  // How to read what BVH leaves open.
  Conventions conventions;
  // Changes to the clip before outputs are made, and the facts that the caller
  // knows about it (edits.source).
  ClipEdits edits;
  // The outputs to make. Empty: the clip is only read, checked and edited.
  std::vector<OutputRequest> outputs;
  // Makes the outputs and drops them. The report is that of a conversion.
  bool checks_only = false;
  // Sets ConvertResult::skeleton.
  bool with_skeleton = false;
  // Sets ConvertResult::measures. They need the positions of all joints in all
  // frames: reading and checking take 4 to 5 times as long.
  bool measures = false;
  Limits limits;
  // Unknown fields of the request, as path and number. They have no effect; the
  // report has a warning (REQUEST_FIELD_UNKNOWN).
  std::vector<std::string> unknown_fields;
  // The file format of the clip. It is never guessed.
  SourceFormat source_format = SourceFormat::kBvh;
  // The encoding of the names in BVH text. kUnknown: the reader detects it from
  // the names, and the report states it if it is not UTF-8
  // (HIERARCHY_NAME_ENCODING).
  TextEncoding name_encoding = TextEncoding::kUnknown;
};

// True if the conversion sends outputs to its receiver.
inline bool GivesOutputs(const ConvertOptions& options) {
  return !options.outputs.empty() && !options.checks_only;
}

// Checks options without a clip. INVALID_ARGUMENT "field: why" for the first
// bad value: one beyond its bounds, an issue code that is not in
// the catalogue, two outputs with one id, no source format. RESOURCE_EXHAUSTED
// for more outputs than the limits allow. For edits, the status of CheckEdits.
absl::Status CheckOptions(const ConvertOptions& options);

// Bytes of memory of `options`: the struct, its lists and its strings. O(size
// of the lists).
int64_t OptionsBytes(const ConvertOptions& options);

}  // namespace bvhmill
