#include "tests/wire/plain_text.h"

#include <gtest/gtest.h>

#include <string_view>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/encode/report_json.h"
#include "tests/support/error_parts.h"

namespace bvhmill::testing {
namespace {

// Collects "path = value" lines; nested structs extend the path.
class Lines {
 public:
  template <typename T>
  void Add(const std::string& name, const T& value) {
    text_ += path_ + name + " = " + ::testing::PrintToString(value) + "\n";
  }

  template <typename Struct>
  void Nest(const std::string& name, const Struct& value) {
    const std::string outer = path_;
    path_ += name + ".";
    Put(value, this);
    path_ = outer;
  }

  template <typename Structs>
  void List(const std::string& name, const Structs& values) {
    Add(name + ".size", values.size());
    size_t index = 0;
    for (const auto& value : values) {
      Nest(name + "[" + std::to_string(index++) + "]", value);
    }
  }

  // The arm that is set, and its fields.
  template <typename Variant>
  void OneOf(const std::string& name, const Variant& value) {
    Add(name + ".index", value.index());
    std::visit([&](const auto& arm) { Nest(name, arm); }, value);
  }

  std::string Take() { return std::move(text_); }

 private:
  std::string path_;
  std::string text_;
};

template <typename Enum>
int Number(Enum value) {
  return static_cast<int>(value);
}

void Put(const PositionsFormat& value, Lines* out) {
  const auto& [layout, with_end_sites] = value;
  out->Add("layout", Number(layout));
  out->Add("with_end_sites", with_end_sites);
}

void Put(const RotationsFormat& value, Lines* out) {
  const auto& [kind, layout, space, with_end_sites] = value;
  out->Add("kind", Number(kind));
  out->Add("layout", Number(layout));
  out->Add("space", Number(space));
  out->Add("with_end_sites", with_end_sites);
}

void Put(const VelocitiesFormat& value, Lines* out) {
  const auto& [layout, with_end_sites] = value;
  out->Add("layout", Number(layout));
  out->Add("with_end_sites", with_end_sites);
}

void Put(const ValuesFormat& /*value*/, Lines* /*out*/) {}

void Put(const NpzFormat& value, Lines* out) {
  const auto& [with_end_sites, rotation_kind, rotation_space, positions,
               rotations, velocities] = value;
  out->Add("with_end_sites", with_end_sites);
  out->Add("rotation_kind", Number(rotation_kind));
  out->Add("rotation_space", Number(rotation_space));
  out->Add("positions", positions);
  out->Add("rotations", rotations);
  out->Add("velocities", velocities);
}

void Put(const CsvFormat& value, Lines* out) {
  const auto& [with_end_sites] = value;
  out->Add("with_end_sites", with_end_sites);
}

void Put(const BvhFormat& value, Lines* out) {
  const auto& [decimals] = value;
  out->Add("decimals", decimals);
}

void Put(const JointPriority& value, Lines* out) {
  const auto& [joint, priority] = value;
  out->Add("joint", joint);
  out->Add("priority", priority);
}

void Put(const AnimConstraint& value, Lines* out) {
  const auto& [chain_length, type, source_volume, source_offset, target_volume,
               target_offset, target_direction, ease_in_start, ease_in_stop,
               ease_out_start, ease_out_stop] = value;
  out->Add("chain_length", int{chain_length});
  out->Add("type", int{type});
  out->Add("source_volume", source_volume);
  out->Add("source_offset", source_offset);
  out->Add("target_volume", target_volume);
  out->Add("target_offset", target_offset);
  out->Add("target_direction", target_direction);
  out->Add("ease_in_start", ease_in_start);
  out->Add("ease_in_stop", ease_in_stop);
  out->Add("ease_out_start", ease_out_start);
  out->Add("ease_out_stop", ease_out_stop);
}

void Put(const AnimSettings& value, Lines* out) {
  const auto& [base_priority, joint_priority, joint_priorities, loop, loop_in,
               loop_out, ease_in, ease_out, hand_pose, emote, constraints] =
      value;
  out->Add("base_priority", base_priority);
  out->Add("joint_priority", joint_priority);
  out->List("joint_priorities", joint_priorities);
  out->Add("loop", loop);
  out->Add("loop_in", loop_in);
  out->Add("loop_out", loop_out);
  out->Add("ease_in", ease_in);
  out->Add("ease_out", ease_out);
  out->Add("hand_pose", hand_pose);
  out->Add("emote", emote);
  out->Add("has_constraints", constraints.has_value());
  if (constraints) out->List("constraints", *constraints);
}

void Put(const JointMapRow& value, Lines* out) {
  const auto& [source, target] = value;
  out->Add("source", source);
  out->Add("target", target);
}

void Put(const AnimFormat& value, Lines* out) {
  const auto& [profile, settings, accept_odd, for_upload, reference, joint_map,
               joint_map_rows, match_limbs, scale_to_avatar, max_degrees,
               max_millimetres, max_bytes, max_degrees_limit] = value;
  out->Add("profile", Number(profile));
  out->Nest("settings", settings);
  out->Add("accept_odd", accept_odd);
  out->Add("for_upload", for_upload);
  out->Add("reference", Number(reference));
  out->Add("joint_map", joint_map);
  out->List("joint_map_rows", joint_map_rows);
  out->Add("match_limbs", match_limbs);
  out->Add("scale_to_avatar", scale_to_avatar);
  out->Add("max_degrees", max_degrees);
  out->Add("max_millimetres", max_millimetres);
  out->Add("max_bytes", max_bytes);
  out->Add("max_degrees_limit", max_degrees_limit);
}

void Put(const OutputRequest& value, Lines* out) {
  const auto& [id, format] = value;
  out->Add("id", id);
  out->OneOf("format", format);
}

void Put(const ThresholdChoice& value, Lines* out) {
  const auto& [code, name, number] = value;
  out->Add("code", code);
  out->Add("name", name);
  out->Add("value", number);
}

void Put(const ReportOptions& value, Lines* out) {
  const auto& [strict, ignore_codes, only_codes, severity_overrides, max_issues,
               thresholds] = value;
  out->Add("strict", strict);
  out->Add("ignore_codes", ignore_codes);
  out->Add("only_codes", only_codes);
  for (const auto& [code, severity] : severity_overrides) {
    out->Add("severity_overrides[" + code + "]", Number(severity));
  }
  out->Add("max_issues", max_issues);
  out->List("thresholds", thresholds);
}

void Put(const Conventions& value, Lines* out) {
  const auto& [joint_positions, root_offset] = value;
  out->Add("joint_positions", Number(joint_positions));
  out->Add("root_offset", Number(root_offset));
}

void Put(const FrameRange& value, Lines* out) {
  const auto& [begin, end, step] = value;
  out->Add("begin", begin);
  out->Add("end", end);
  out->Add("step", step);
}

void Put(const RootAlignment& value, Lines* out) {
  const auto& [position_axes, position_signs, correction_degrees] = value;
  out->Add("position_axes", position_axes);
  out->Add("position_signs", position_signs);
  out->Add("correction_degrees", correction_degrees);
}

void Put(const SourceSpace& value, Lines* out) {
  const auto& [up_axis, meters_per_unit] = value;
  out->Add("up_axis", Number(up_axis));
  out->Add("meters_per_unit", meters_per_unit);
}

void Put(const Repairs& value, Lines* out) {
  const auto& [drop_repeated_frames, snap_frame_time, fill_gap_frames,
               replace_spikes, unwrap_angles] = value;
  out->Add("drop_repeated_frames", drop_repeated_frames);
  out->Add("snap_frame_time", snap_frame_time);
  out->Add("fill_gap_frames", fill_gap_frames);
  out->Add("replace_spikes", replace_spikes);
  out->Add("unwrap_angles", unwrap_angles);
}

void Put(const ClipEdits& value, Lines* out) {
  const auto& [repairs, drop_joints, keep_joints, drop_mode, figure,
               rename_joints, strip_prefix, joint_map, joint_map_rows, names_to,
               tpose_frame, frames, trim, resample_fps, state_fps,
               interpolation, up_axis, meters_per_unit, root_motion,
               root_alignment, mirror, floor, body_root, source] = value;
  out->Add("drop_mode", Number(drop_mode));
  out->Add("tpose_frame", tpose_frame);
  out->Add("begin_seconds", trim.begin_seconds);
  out->Add("end_seconds", trim.end_seconds);
  out->Add("mirror", mirror);
  out->Nest("repairs", repairs);
  out->Add("drop_joints", drop_joints);
  out->Add("keep_joints", keep_joints);
  out->Add("figure", figure);
  out->Add("rename_joints", rename_joints);
  out->Add("strip_prefix", strip_prefix);
  out->Add("joint_map", joint_map);
  out->List("joint_map_rows", joint_map_rows);
  out->Add("names_to", names_to);
  out->Nest("frames", frames);
  out->Add("resample_fps", resample_fps);
  out->Add("state_fps", state_fps);
  out->Add("interpolation", Number(interpolation));
  out->Add("up_axis", Number(up_axis));
  out->Add("meters_per_unit", meters_per_unit);
  out->Add("root_motion", Number(root_motion));
  out->Nest("root_alignment", root_alignment);
  out->Add("floor", floor);
  out->Add("body_root", body_root);
  out->Nest("source", source);
}

void Put(const ConvertOptions& value, Lines* out) {
  const auto& [report, conventions, edits, outputs, checks_only, with_skeleton,
               measures, limits, unknown_fields, source_format, name_encoding] =
      value;
  out->Nest("report", report);
  out->Nest("conventions", conventions);
  out->Nest("edits", edits);
  out->List("outputs", outputs);
  out->Add("checks_only", checks_only);
  out->Add("with_skeleton", with_skeleton);
  out->Add("measures", measures);
  out->Add("unknown_fields", unknown_fields);
  out->Add("name_encoding", Number(name_encoding));
  static_cast<void>(limits);
  static_cast<void>(source_format);
}

void Put(const Location& value, Lines* out) {
  const auto& [byte_offset, line, column, frame, joint, channel, joint_name,
               last_frame] = value;
  out->Add("byte_offset", byte_offset);
  out->Add("line", line);
  out->Add("column", column);
  out->Add("frame", frame);
  out->Add("joint", joint);
  out->Add("channel", channel);
  out->Add("joint_name", joint_name);
  out->Add("last_frame", last_frame);
}

void Put(const Issue& value, Lines* out) {
  const auto& [code, severity, message, location, occurrences, args] = value;
  out->Add("code", code);
  out->Add("severity", Number(severity));
  out->Add("message", message);
  out->Nest("location", location);
  out->Add("occurrences", occurrences);
  out->Add("args", args);
}

void Put(const IssueCounts& value, Lines* out) {
  const auto& [errors, warnings, infos, hints] = value;
  out->Add("errors", errors);
  out->Add("warnings", warnings);
  out->Add("infos", infos);
  out->Add("hints", hints);
}

void Put(const Report& value, Lines* out) {
  const auto& [verdict, counts, issues, truncated, rules_version, thresholds] =
      value;
  out->Add("verdict", Number(verdict));
  out->Nest("counts", counts);
  out->List("issues", issues);
  out->Add("truncated", truncated);
  out->Add("rules_version", rules_version);
  out->List("thresholds", thresholds);
}

void Put(const JointInfo& value, Lines* out) {
  const auto& [name, parent, channels, end_site, offset] = value;
  out->Add("name", name);
  out->Add("parent", parent);
  out->Add("channels", channels);
  out->Add("end_site", end_site);
  out->Add("offset", offset);
}

void Put(const ClipInfo& value, Lines* out) {
  const auto& [frames, frame_time, frames_per_second, joint_count, joints] =
      value;
  out->Add("frames", frames);
  out->Add("frame_time", frame_time);
  out->Add("frames_per_second", frames_per_second);
  out->Add("joint_count", joint_count);
  out->List("joints", joints);
}

void Put(const TensorInfo& value, Lines* out) {
  const auto& [shape, axes] = value;
  out->Add("shape", shape);
  out->Add("axes", axes);
}

void Put(const OutputInfo& value, Lines* out) {
  const auto& [id, media_type, size_bytes, tensor, status] = value;
  out->Add("id", id);
  out->Add("media_type", media_type);
  out->Add("size_bytes", size_bytes);
  out->Add("has_tensor", tensor.has_value());
  if (tensor) out->Nest("tensor", *tensor);
  out->Add("status", std::string(absl::StatusCodeToString(status.code())) +
                         " " + std::string(status.message()));
}

void Put(const StageTimes& value, Lines* out) {
  const auto& [queued, read, validate, edit, solve, encode] = value;
  out->Add("queued", queued.count());
  out->Add("read", read.count());
  out->Add("validate", validate.count());
  out->Add("edit", edit.count());
  out->Add("solve", solve.count());
  out->Add("encode", encode.count());
}

void Put(const ConvertResult& value, Lines* out) {
  const auto& [status, report, info, skeleton, measures, outputs, times] =
      value;
  out->Add("status", std::string(MessageOf(status)));
  out->Add("code", static_cast<int>(status.code()));
  const auto& [reason, metadata] = PartsOf(status);
  out->Add("reason", reason);
  out->Add("metadata", metadata);
  out->Nest("report", report);
  out->Nest("info", info);
  out->Add("has_skeleton", skeleton != nullptr);
  out->Add("measures", measures ? MeasuresJson(*measures) : "none");
  out->List("outputs", outputs);
  out->Nest("times", times);
}

template <typename Struct>
std::string TextOf(const Struct& value) {
  Lines lines;
  Put(value, &lines);
  return lines.Take();
}

}  // namespace

std::string PlainText(const ConvertOptions& options) { return TextOf(options); }

std::string PlainText(const ConvertResult& result) { return TextOf(result); }

}  // namespace bvhmill::testing
