#include "bvhmill/edit/clip_edits.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "bvhmill/edit/editing.h"
#include "bvhmill/edit/joint_map.h"
#include "bvhmill/edit/rig.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {
namespace {

// The error of two options that exclude each other.
absl::Status Exclude(std::string_view field, std::string_view other) {
  return MakeCallError(
      {.code = absl::StatusCode::kInvalidArgument,
       .reason = std::string(kFieldInvalid),
       .field = std::string(field),
       .args = {{"other", std::string(other)}},
       .message = "cannot be used together with " + std::string(other)});
}

bool IsAtLeastZero(double value) { return std::isfinite(value) && value >= 0; }

absl::Status CheckNames(const ClipEdits& edits) {
  constexpr std::string_view kRenames = "options.edits.rename";
  constexpr std::string_view kRows = "options.edits.joint_map_rows";
  std::set<std::string_view> renamed;
  for (const auto& [from, to] : edits.rename) {
    BVHMILL_RETURN_IF_ERROR(CheckJointName(kRenames, to));
    if (renamed.insert(from).second) continue;
    return InvalidField(kRenames, "renames " + Quote(from) + " twice");
  }
  std::set<std::string_view> mapped;
  for (const JointMapRow& row : edits.joint_map_rows) {
    BVHMILL_RETURN_IF_ERROR(CheckJointName(kRows, row.target));
    if (mapped.insert(row.source).second) continue;
    return InvalidField(kRows, "maps " + Quote(row.source) + " twice");
  }
  BVHMILL_RETURN_IF_ERROR(CheckNamesTo(edits.names_to));
  if (!edits.rig.empty()) BVHMILL_RETURN_IF_ERROR(ParseRig(edits.rig).status());
  if (edits.joint_map.empty()) return absl::OkStatus();
  if (!edits.joint_map_rows.empty()) {
    return InvalidField(kRows, "cannot be used together with joint_map");
  }
  return FindJointMap(edits.joint_map).status();
}

absl::Status CheckFrames(const FrameRange& frames) {
  constexpr std::string_view kField = "options.edits.frames";
  if (frames.begin < 0 || frames.end < 0 || frames.step < 0) {
    return InvalidField(kField, "a bound or the step is negative");
  }
  if (frames.end != 0 && frames.end <= frames.begin) {
    return InvalidField(kField, "ends at " + std::to_string(frames.end) +
                                    ", not after its begin at " +
                                    std::to_string(frames.begin));
  }
  return absl::OkStatus();
}

absl::Status CheckTrim(const TimeRange& trim, const FrameRange& frames) {
  constexpr std::string_view kField = "options.edits.trim";
  if (!IsAtLeastZero(trim.begin_seconds) || !IsAtLeastZero(trim.end_seconds)) {
    return InvalidField(kField, "a time is not a number of at least 0");
  }
  if (trim.end_seconds != 0 && trim.end_seconds <= trim.begin_seconds) {
    return InvalidField(kField, "ends at " + Short(trim.end_seconds) +
                                    " s, not after its begin at " +
                                    Short(trim.begin_seconds) + " s");
  }
  const bool has_frames =
      frames.begin != 0 || frames.end != 0 || frames.step > 1;
  const bool has_times = trim.begin_seconds != 0 || trim.end_seconds != 0;
  if (!has_frames || !has_times) return absl::OkStatus();
  return Exclude(kField, "options.edits.frames");
}

// 0 stands for no rate.
bool IsRate(double fps) {
  return fps == 0 || (fps > 0 && std::isfinite(1 / fps));
}

absl::Status CheckRates(const ClipEdits& edits) {
  constexpr std::string_view kWrong = "is not above 0 with a finite frame time";
  constexpr std::string_view kStated = "options.edits.state_fps";
  if (!IsRate(edits.fps)) return InvalidField("options.edits.fps", kWrong);
  if (!IsRate(edits.state_fps)) return InvalidField(kStated, kWrong);
  if (edits.fps != 0 && edits.state_fps != 0) {
    return Exclude(kStated, "options.edits.fps");
  }
  return absl::OkStatus();
}

// `what` is the field `source` in words.
absl::Status SourceUnknown(std::string_view field, std::string_view source,
                           std::string_view what) {
  const std::string needs = "options.read." + std::string(source);
  return MakeCallError({.code = absl::StatusCode::kFailedPrecondition,
                        .reason = "SOURCE_CONVENTION_UNKNOWN",
                        .field = "options.edits." + std::string(field),
                        .args = {{"needs", needs}},
                        .message = "the " + std::string(what) +
                                   " of the source is not known; set " +
                                   needs});
}

absl::Status CheckConventions(const ClipEdits& edits) {
  if (edits.to_up != UpAxis::kUnknown &&
      edits.source.up_axis == UpAxis::kUnknown) {
    return SourceUnknown("to_up", "up", "up axis");
  }
  if (edits.to_units != 0 && edits.source.meters_per_unit == 0) {
    return SourceUnknown("to_units", "units", "unit");
  }
  // Beyond it, positions would no longer be finite.
  constexpr double kMaxScale = 1e12;
  const double scale = edits.source.meters_per_unit / edits.to_units;
  if (edits.to_units != 0 && !(scale <= kMaxScale && scale >= 1 / kMaxScale)) {
    return InvalidField("options.edits.to_units",
                        "is more than 10^12 times the unit of the source, or "
                        "less than a 10^12th");
  }
  if (edits.in_place && edits.at_origin) {
    return Exclude("options.edits.at_origin", "options.edits.in_place");
  }
  return absl::OkStatus();
}

absl::Status CheckAlignment(const RootAlignment& alignment) {
  const std::string& axes = alignment.position_axes;
  constexpr std::string_view kXyz = "xyz";
  if (!axes.empty() && !std::is_permutation(axes.begin(), axes.end(),
                                            kXyz.begin(), kXyz.end())) {
    return InvalidField("options.edits.root_axes",
                        Quote(axes) + " is not an order of the letters xyz");
  }
  const std::string& signs = alignment.position_signs;
  const bool known = signs.find_first_not_of("+-") == std::string::npos;
  if (!signs.empty() && (signs.size() != 3 || !known)) {
    return InvalidField("options.edits.root_signs",
                        Quote(signs) + " is not three of + and -");
  }
  for (const double degrees : alignment.correction_degrees) {
    if (!std::isfinite(degrees)) {
      return InvalidField("options.edits.root_correction",
                          "is not a finite number");
    }
  }
  return absl::OkStatus();
}

bool IsEmpty(const RootAlignment& alignment) {
  const auto& [axes, signs, degrees] = alignment;
  return (axes.empty() || axes == "xyz") && (signs.empty() || signs == "+++") &&
         degrees == std::array<double, 3>{};
}

}  // namespace

bool IsEmpty(const Repairs& repairs) {
  return !repairs.drop_repeated && !repairs.snap_rate &&
         repairs.fill_gaps == 0 && !repairs.replace_spikes && !repairs.unwrap;
}

bool IsEmpty(const ClipEdits& edits) {
  const bool names = edits.drop.empty() && edits.keep.empty() &&
                     edits.rename.empty() && !edits.strip_prefix &&
                     edits.joint_map.empty() && edits.joint_map_rows.empty() &&
                     edits.names_to.empty() && edits.rig.empty() &&
                     edits.figure == 0;
  const bool frames = edits.frames.begin == 0 && edits.frames.end == 0 &&
                      edits.frames.step <= 1 && edits.fps == 0 &&
                      edits.state_fps == 0 && edits.trim.begin_seconds == 0 &&
                      edits.trim.end_seconds == 0;
  const bool conventions =
      (edits.to_up == UpAxis::kUnknown ||
       edits.to_up == edits.source.up_axis) &&
      (edits.to_units == 0 || edits.to_units == edits.source.meters_per_unit);
  const bool poses =
      edits.tpose_frame < 0 && edits.rest.empty() && !edits.mirror;
  return IsEmpty(edits.repairs) && names && frames && conventions && poses &&
         !EditsRoots(edits);
}

bool EditsRoots(const ClipEdits& edits) {
  return edits.in_place || edits.at_origin || edits.floor ||
         !IsEmpty(edits.root_alignment);
}

absl::Status CheckEdits(const ClipEdits& edits) {
  BVHMILL_RETURN_IF_ERROR(CheckNames(edits));
  BVHMILL_RETURN_IF_ERROR(CheckRest(edits.rest));
  BVHMILL_RETURN_IF_ERROR(CheckFrames(edits.frames));
  BVHMILL_RETURN_IF_ERROR(CheckTrim(edits.trim, edits.frames));
  BVHMILL_RETURN_IF_ERROR(CheckRates(edits));
  BVHMILL_RETURN_IF_ERROR(CheckConventions(edits));
  return CheckAlignment(edits.root_alignment);
}

SignedAxes AxesOf(const RootAlignment& alignment) {
  SignedAxes out;
  for (size_t i = 0; i < 3; ++i) {
    if (!alignment.position_axes.empty()) {
      out.axis[i] = alignment.position_axes[i] - 'x';
    }
    if (!alignment.position_signs.empty()) {
      out.sign[i] = alignment.position_signs[i] == '-' ? -1 : 1;
    }
  }
  return out;
}

}  // namespace bvhmill
