#include "bvhmill/edit/clip_edits.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "bvhmill/base/bounds.h"
#include "bvhmill/base/call_error.h"
#include "bvhmill/base/status.h"
#include "bvhmill/base/utf8.h"
#include "bvhmill/edit/joint_map.h"
#include "bvhmill/report/short_number.h"

namespace bvhmill {
namespace {

bool IsAtLeastZero(double value) { return std::isfinite(value) && value >= 0; }

absl::Status CheckSelectors(std::string_view field,
                            const std::vector<std::string>& names) {
  BVHMILL_RETURN_IF_ERROR(CheckCount(field, names.size(), kMaxJointNames));
  for (const std::string& name : names) {
    BVHMILL_RETURN_IF_ERROR(CheckBytes(field, name.size(), kMaxJointNameBytes));
  }
  return absl::OkStatus();
}

// Checks the pair of names of a joint that is renamed.
absl::Status CheckNewName(std::string_view field, std::string_view from,
                          std::string_view to) {
  BVHMILL_RETURN_IF_ERROR(CheckBytes(field, from.size(), kMaxJointNameBytes));
  BVHMILL_RETURN_IF_ERROR(CheckBytes(field, to.size(), kMaxJointNameBytes));
  return CheckJointName(field, to);
}

absl::Status CheckNames(const ClipEdits& edits) {
  constexpr std::string_view kRenames = "options.edits.rename_joints";
  constexpr std::string_view kRows = "options.edits.joint_map_rows";
  BVHMILL_RETURN_IF_ERROR(
      CheckSelectors("options.edits.drop_joints", edits.drop_joints));
  BVHMILL_RETURN_IF_ERROR(
      CheckSelectors("options.edits.keep_joints", edits.keep_joints));
  BVHMILL_RETURN_IF_ERROR(
      CheckCount(kRenames, edits.rename_joints.size(), kMaxJointNames));
  std::set<std::string_view> renamed;
  for (const auto& [from, to] : edits.rename_joints) {
    BVHMILL_RETURN_IF_ERROR(CheckNewName(kRenames, from, to));
    if (renamed.insert(from).second) continue;
    return InvalidField(kRenames, "renames " + Quote(from) + " twice");
  }
  BVHMILL_RETURN_IF_ERROR(
      CheckCount(kRows, edits.joint_map_rows.size(), kMaxJointNames));
  std::set<std::string_view> mapped;
  for (const JointMapRow& row : edits.joint_map_rows) {
    BVHMILL_RETURN_IF_ERROR(CheckNewName(kRows, row.source, row.target));
    if (mapped.insert(row.source).second) continue;
    return InvalidField(kRows, "maps " + Quote(row.source) + " twice");
  }
  BVHMILL_RETURN_IF_ERROR(CheckNamesTo(edits.names_to));
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
  return InvalidField(kField, "cannot be used together with frames");
}

// 0 stands for no rate. The frame time of a rate must be finite.
bool IsRate(double fps) {
  return IsAtLeastZero(fps) && (fps == 0 || std::isfinite(1 / fps));
}

absl::Status CheckRates(const ClipEdits& edits) {
  constexpr std::string_view kWrong = "is not a number of at least 0";
  constexpr std::string_view kStated = "options.edits.state_fps";
  if (!IsRate(edits.resample_fps)) {
    return InvalidField("options.edits.resample_fps", kWrong);
  }
  if (!IsRate(edits.state_fps)) return InvalidField(kStated, kWrong);
  if (edits.resample_fps != 0 && edits.state_fps != 0) {
    return InvalidField(kStated, "cannot be used together with resample_fps");
  }
  return absl::OkStatus();
}

absl::Status SourceUnknown(std::string_view field, std::string_view source) {
  const std::string needs = "options.read." + std::string(source);
  return MakeCallError(
      {.code = absl::StatusCode::kFailedPrecondition,
       .reason = "SOURCE_CONVENTION_UNKNOWN",
       .field = "options.edits." + std::string(field),
       .args = {{"needs", needs}},
       .message = "that of the source is not known; set " + needs});
}

absl::Status CheckConventions(const ClipEdits& edits) {
  if (!IsAtLeastZero(edits.meters_per_unit)) {
    return InvalidField("options.edits.meters_per_unit",
                        "is not a number of at least 0");
  }
  if (!IsAtLeastZero(edits.source.meters_per_unit)) {
    return InvalidField("options.read.meters_per_unit",
                        "is not a number of at least 0");
  }
  if (edits.up_axis != UpAxis::kUnknown &&
      edits.source.up_axis == UpAxis::kUnknown) {
    return SourceUnknown("up_axis", "up_axis");
  }
  if (edits.meters_per_unit != 0 && edits.source.meters_per_unit == 0) {
    return SourceUnknown("meters_per_unit", "meters_per_unit");
  }
  // Beyond it, positions would no longer be finite.
  constexpr double kMaxScale = 1e12;
  const double scale = edits.source.meters_per_unit / edits.meters_per_unit;
  if (edits.meters_per_unit != 0 &&
      !(scale <= kMaxScale && scale >= 1 / kMaxScale)) {
    return InvalidField("options.edits.meters_per_unit",
                        "is more than 10^12 times the unit of the source, or "
                        "less than a 10^12th");
  }
  return absl::OkStatus();
}

}  // namespace

bool IsEmpty(const RootAlignment& alignment) {
  const auto& [axes, signs, degrees] = alignment;
  return (axes.empty() || axes == "xyz") && (signs.empty() || signs == "+++") &&
         degrees == std::array<double, 3>{};
}

bool IsEmpty(const Repairs& repairs) {
  return !repairs.drop_repeated_frames && !repairs.snap_frame_time &&
         repairs.fill_gap_frames == 0 && !repairs.replace_spikes &&
         !repairs.unwrap_angles;
}

absl::Status CheckRepairs(const Repairs& repairs) {
  if (repairs.fill_gap_frames >= 0) return absl::OkStatus();
  return InvalidField("options.edits.repairs.fill_gap_frames",
                      "must not be negative");
}

bool IsEmpty(const ClipEdits& edits) {
  const bool names = edits.drop_joints.empty() && edits.keep_joints.empty() &&
                     edits.rename_joints.empty() && !edits.strip_prefix &&
                     edits.joint_map.empty() && edits.joint_map_rows.empty() &&
                     edits.names_to.empty() && edits.figure == 0;
  const bool frames = edits.frames.begin == 0 && edits.frames.end == 0 &&
                      edits.frames.step <= 1 && edits.resample_fps == 0 &&
                      edits.state_fps == 0 && edits.trim.begin_seconds == 0 &&
                      edits.trim.end_seconds == 0;
  const bool conventions =
      (edits.up_axis == UpAxis::kUnknown ||
       edits.up_axis == edits.source.up_axis) &&
      (edits.meters_per_unit == 0 ||
       edits.meters_per_unit == edits.source.meters_per_unit);
  const bool poses = edits.tpose_frame < 0 && !edits.mirror;
  return IsEmpty(edits.repairs) && names && frames && conventions && poses &&
         !EditsRoots(edits);
}

bool EditsRoots(const ClipEdits& edits) {
  return edits.root_motion != RootMotion::kKeep || edits.floor ||
         !IsEmpty(edits.root_alignment);
}

absl::Status CheckEdits(const ClipEdits& edits) {
  BVHMILL_RETURN_IF_ERROR(CheckRepairs(edits.repairs));
  BVHMILL_RETURN_IF_ERROR(CheckNames(edits));
  if (edits.figure < 0) {
    return InvalidField("options.edits.figure", "must not be negative");
  }
  if (edits.tpose_frame < -1) {
    return InvalidField("options.edits.tpose_frame", "must not be negative");
  }
  BVHMILL_RETURN_IF_ERROR(CheckFrames(edits.frames));
  BVHMILL_RETURN_IF_ERROR(CheckTrim(edits.trim, edits.frames));
  BVHMILL_RETURN_IF_ERROR(CheckRates(edits));
  BVHMILL_RETURN_IF_ERROR(CheckConventions(edits));
  BVHMILL_RETURN_IF_ERROR(CheckBytes(
      "options.edits.body_root", edits.body_root.size(), kMaxJointNameBytes));
  return CheckAlignment(edits.root_alignment);
}

absl::Status CheckAlignment(const RootAlignment& alignment) {
  const std::string& axes = alignment.position_axes;
  constexpr std::string_view kXyz = "xyz";
  if (!axes.empty() && !std::is_permutation(axes.begin(), axes.end(),
                                            kXyz.begin(), kXyz.end())) {
    return InvalidField("options.edits.root_alignment.position_axes",
                        Quote(axes) + " is not an order of the letters xyz");
  }
  const std::string& signs = alignment.position_signs;
  const bool known = signs.find_first_not_of("+-") == std::string::npos;
  if (!signs.empty() && (signs.size() != 3 || !known)) {
    return InvalidField("options.edits.root_alignment.position_signs",
                        Quote(signs) + " is not three of + and -");
  }
  for (const double degrees : alignment.correction_degrees) {
    if (!std::isfinite(degrees)) {
      return InvalidField("options.edits.root_alignment.correction_degrees",
                          "is not a finite number");
    }
  }
  return absl::OkStatus();
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
