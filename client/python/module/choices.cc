#include "client/python/module/choices.h"

#include <pybind11/stl.h>

#include <functional>
#include <initializer_list>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace bvhmill::python {
namespace {

namespace py = pybind11;

template <typename T>
T WordOf(py::handle value,
         std::initializer_list<std::pair<std::string_view, T>> words) {
  const auto word = value.cast<std::string>();
  for (const auto& [name, meaning] : words) {
    if (name == word) return meaning;
  }
  throw std::invalid_argument("unknown word '" + word + "'");
}

RotationKind KindOf(py::handle value) {
  return WordOf<RotationKind>(value, {{"quaternion", RotationKind::kQuaternion},
                                      {"matrix", RotationKind::kMatrix},
                                      {"6d", RotationKind::kSixD}});
}

UpAxis AxisOfWord(py::handle value) {
  return WordOf<UpAxis>(value, {{"y", UpAxis::kY}, {"z", UpAxis::kZ}});
}

std::vector<JointMapRow> RowsOf(py::handle value) {
  std::vector<JointMapRow> rows;
  for (auto& [source, target] :
       value.cast<std::vector<std::pair<std::string, std::string>>>()) {
    rows.push_back({source, target});
  }
  return rows;
}

using Words = py::dict;
using Setter = std::function<void(py::handle)>;
using Setters = std::map<std::string, Setter>;

// Sets one option. The keywords of calls have its name.
void Set(const Setters& setters, const std::string& name, py::handle value) {
  const auto setter = setters.find(name);
  if (setter == setters.end()) {
    throw std::invalid_argument("unknown option '" + name + "'");
  }
  try {
    setter->second(value);
  } catch (const py::cast_error&) {
    const std::string text =
        name + "=" + py::repr(value).cast<std::string>() + ": ";
    if (PyLong_Check(value.ptr())) throw py::value_error(text + "out of range");
    throw py::type_error(text + "a wrong type, or out of range");
  }
}

bool Flag(const Words& words, const char* name) {
  return words.contains(name) && words[name].cast<bool>();
}

AnimFormat AnimOf(const Words& words) {
  AnimFormat anim;
  const Setters fields = {
      {"profile",
       [&](py::handle v) {
         anim.profile = WordOf<AnimProfile>(
             v,
             {{"best", AnimProfile::kBest}, {"viewer", AnimProfile::kViewer}});
       }},
      {"reference",
       [&](py::handle v) {
         anim.reference =
             WordOf<AnimReference>(v, {{"auto", AnimReference::kAuto},
                                       {"rest", AnimReference::kRestPose},
                                       {"first", AnimReference::kFirstFrame}});
       }},
      {"joint_map",
       [&](py::handle v) { anim.joint_map = v.cast<std::string>(); }},
      {"joint_map_rows",
       [&](py::handle v) { anim.joint_map_rows = RowsOf(v); }},
      {"accept_odd", [&](py::handle v) { anim.accept_odd = v.cast<bool>(); }},
      {"for_upload", [&](py::handle v) { anim.for_upload = v.cast<bool>(); }},
      {"match_limbs", [&](py::handle v) { anim.match_limbs = v.cast<bool>(); }},
      {"scale_to_avatar",
       [&](py::handle v) { anim.scale_to_avatar = v.cast<bool>(); }},
      {"max_degrees",
       [&](py::handle v) { anim.max_degrees = v.cast<float>(); }},
      {"max_millimetres",
       [&](py::handle v) { anim.max_millimetres = v.cast<float>(); }},
      {"max_bytes", [&](py::handle v) { anim.max_bytes = v.cast<int64_t>(); }},
      {"loop", [&](py::handle v) { anim.settings.loop = v.cast<bool>(); }},
      {"loop_in",
       [&](py::handle v) { anim.settings.loop_in = v.cast<float>(); }},
      {"loop_out",
       [&](py::handle v) { anim.settings.loop_out = v.cast<float>(); }},
      {"ease_in",
       [&](py::handle v) { anim.settings.ease_in = v.cast<float>(); }},
      {"ease_out",
       [&](py::handle v) { anim.settings.ease_out = v.cast<float>(); }},
      {"priority",
       [&](py::handle v) {
         anim.settings.base_priority = v.cast<int32_t>();
         // A joint's own priority would win over that of the base.
         anim.settings.joint_priority = anim.settings.base_priority;
       }},
      {"hand_pose",
       [&](py::handle v) { anim.settings.hand_pose = v.cast<uint32_t>(); }},
      {"emote",
       [&](py::handle v) { anim.settings.emote = v.cast<std::string>(); }},
  };
  for (const auto& [key, value] : words) {
    Set(fields, key.cast<std::string>(), value);
  }
  return anim;
}

NpzFormat NpzOf(const Words& words) {
  NpzFormat npz;
  npz.with_end_sites = Flag(words, "end_sites");
  if (words.contains("kind")) npz.rotation_kind = KindOf(words["kind"]);
  if (Flag(words, "world")) npz.rotation_space = RotationSpace::kWorld;
  if (!words.contains("arrays")) return npz;
  npz.positions = npz.rotations = npz.velocities = false;
  for (const py::handle array : words["arrays"]) {
    *WordOf<bool*>(array, {{"positions", &npz.positions},
                           {"rotations", &npz.rotations},
                           {"velocities", &npz.velocities}}) = true;
  }
  return npz;
}

FormatOptions FormatOfWords(const std::string& format, const Words& words) {
  const bool ends = Flag(words, "end_sites");
  if (format == "values") return ValuesFormat{};
  if (format == "positions") return PositionsFormat{.with_end_sites = ends};
  if (format == "velocities") return VelocitiesFormat{.with_end_sites = ends};
  if (format == "rotations") {
    RotationsFormat rotations{.with_end_sites = ends};
    if (words.contains("kind")) rotations.kind = KindOf(words["kind"]);
    if (Flag(words, "world")) rotations.space = RotationSpace::kWorld;
    return rotations;
  }
  if (format == "npz") return NpzOf(words);
  if (format == "csv") return CsvFormat{ends};
  if (format == "anim") return AnimOf(words);
  if (format != "bvh") {
    throw std::invalid_argument("unknown format '" + format + "'");
  }
  BvhFormat bvh;
  if (!words.contains("decimals")) return bvh;
  Set({{"decimals", [&](py::handle v) { bvh.decimals = v.cast<int>(); }}},
      "decimals", words["decimals"]);
  return bvh;
}

void SetOutputs(py::handle value, ConvertOptions* options) {
  for (const py::handle output : value) {
    auto [id, format, words] =
        output.cast<std::tuple<std::string, std::string, py::dict>>();
    options->outputs.push_back({id, FormatOfWords(format, words)});
  }
}

void SetLimits(py::handle value, Limits* limits) {
  const std::map<std::string, int64_t*> members = {
#define BVHMILL_CLIP_LIMIT(name, ...) {#name, &limits->name},
#include "bvhmill/base/limits.inc"
  };
  for (const auto& [name, limit] :
       value.cast<std::map<std::string, int64_t>>()) {
    const auto member = members.find(name);
    if (member == members.end()) {
      throw std::invalid_argument("unknown limit '" + name + "'");
    }
    *member->second = limit;
  }
}

void SetSeverities(py::handle value, ReportOptions* report) {
  for (const auto& [code, word] : value.cast<py::dict>()) {
    report->severity_overrides[code.cast<std::string>()] =
        WordOf<Severity>(word, {{"error", Severity::kError},
                                {"warning", Severity::kWarning},
                                {"info", Severity::kInfo},
                                {"hint", Severity::kHint}});
  }
}

void SetThresholds(py::handle value, ReportOptions* report) {
  for (auto& [code, name, number] :
       value
           .cast<std::vector<std::tuple<std::string, std::string, double>>>()) {
    report->thresholds.push_back({code, name, number});
  }
}

Setters ReadSetters(Choices* choices) {
  ConvertOptions* const options = &choices->options;
  ReportOptions* const report = &options->report;
  Conventions* const conventions = &options->conventions;
  return {
      {"strict", [=](py::handle v) { report->strict = v.cast<bool>(); }},
      {"ignore",
       [=](py::handle v) {
         report->ignore_codes = v.cast<std::vector<std::string>>();
       }},
      {"only",
       [=](py::handle v) {
         report->only_codes = v.cast<std::vector<std::string>>();
       }},
      {"severities", [=](py::handle v) { SetSeverities(v, report); }},
      {"thresholds", [=](py::handle v) { SetThresholds(v, report); }},
      {"max_issues",
       [=](py::handle v) { report->max_issues = v.cast<int64_t>(); }},
      {"joint_positions",
       [=](py::handle v) {
         conventions->joint_positions = WordOf<JointPositions>(
             v, {{"replace", JointPositions::kReplaceOffset},
                 {"add", JointPositions::kAddToOffset},
                 {"ignore", JointPositions::kIgnore}});
       }},
      {"root_offset",
       [=](py::handle v) {
         conventions->root_offset = WordOf<RootOffset>(
             v,
             {{"ignore", RootOffset::kReplaced}, {"add", RootOffset::kAdded}});
       }},
      {"name_encoding",
       [=](py::handle v) {
         options->name_encoding = EncodingNamed(v.cast<std::string>());
       }},
      {"format",
       [=](py::handle v) {
         options->source_format = WordOf<SourceFormat>(
             v, {{"bvh", SourceFormat::kBvh}, {"anim", SourceFormat::kAnim}});
         choices->has_format = true;
       }},
      {"limits", [=](py::handle v) { SetLimits(v, &options->limits); }},
      {"outputs", [=](py::handle v) { SetOutputs(v, options); }},
      {"skeleton",
       [=](py::handle v) { options->with_skeleton = v.cast<bool>(); }},
  };
}

Setters RepairSetters(Repairs* repairs) {
  return {
      {"drop_repeated_frames",
       [=](py::handle v) { repairs->drop_repeated_frames = v.cast<bool>(); }},
      {"snap_frame_time",
       [=](py::handle v) { repairs->snap_frame_time = v.cast<bool>(); }},
      {"fill_gap_frames",
       [=](py::handle v) { repairs->fill_gap_frames = v.cast<int32_t>(); }},
      {"replace_spikes",
       [=](py::handle v) { repairs->replace_spikes = v.cast<bool>(); }},
      {"unwrap_angles",
       [=](py::handle v) { repairs->unwrap_angles = v.cast<bool>(); }},
  };
}

Setters SpaceSetters(ClipEdits* edits) {
  RootAlignment* const alignment = &edits->root_alignment;
  return {
      {"up", [=](py::handle v) { edits->source.up_axis = AxisOfWord(v); }},
      {"units",
       [=](py::handle v) { edits->source.meters_per_unit = v.cast<double>(); }},
      {"to_up", [=](py::handle v) { edits->up_axis = AxisOfWord(v); }},
      {"to_units",
       [=](py::handle v) { edits->meters_per_unit = v.cast<double>(); }},
      {"root_motion",
       [=](py::handle v) {
         edits->root_motion =
             WordOf<RootMotion>(v, {{"keep", RootMotion::kKeep},
                                    {"in_place", RootMotion::kInPlace},
                                    {"origin", RootMotion::kOrigin}});
       }},
      {"root_axes",
       [=](py::handle v) { alignment->position_axes = v.cast<std::string>(); }},
      {"root_signs",
       [=](py::handle v) {
         alignment->position_signs = v.cast<std::string>();
       }},
      {"root_correction",
       [=](py::handle v) {
         alignment->correction_degrees = v.cast<std::array<double, 3>>();
       }},
  };
}

Setters EditSetters(ClipEdits* edits) {
  return {
      {"drop",
       [=](py::handle v) {
         edits->drop_joints = v.cast<std::vector<std::string>>();
       }},
      {"keep",
       [=](py::handle v) {
         edits->keep_joints = v.cast<std::vector<std::string>>();
       }},
      {"rename",
       [=](py::handle v) {
         edits->rename_joints =
             v.cast<std::vector<std::pair<std::string, std::string>>>();
       }},
      {"joint_map",
       [=](py::handle v) { edits->joint_map = v.cast<std::string>(); }},
      {"figure", [=](py::handle v) { edits->figure = v.cast<int32_t>(); }},
      {"joint_map_rows",
       [=](py::handle v) { edits->joint_map_rows = RowsOf(v); }},
      {"strip_prefix",
       [=](py::handle v) { edits->strip_prefix = v.cast<bool>(); }},
      {"names_to",
       [=](py::handle v) { edits->names_to = v.cast<std::string>(); }},
      {"floor", [=](py::handle v) { edits->floor = v.cast<bool>(); }},
      {"mirror", [=](py::handle v) { edits->mirror = v.cast<bool>(); }},
      {"tpose_frame",
       [=](py::handle v) { edits->tpose_frame = v.cast<int64_t>(); }},
      {"trim",
       [=](py::handle v) {
         const auto times = v.cast<std::pair<double, double>>();
         edits->trim = {times.first, times.second};
       }},
      {"drop_mode",
       [=](py::handle v) {
         edits->drop_mode = WordOf<DropMode>(
             v, {{"poses", DropMode::kKeepPoses}, {"rigid", DropMode::kRigid}});
       }},
      {"body_root",
       [=](py::handle v) { edits->body_root = v.cast<std::string>(); }},
      {"frames",
       [=](py::handle v) {
         const auto range = v.cast<std::tuple<int64_t, int64_t, int64_t>>();
         edits->frames = {std::get<0>(range), std::get<1>(range),
                          std::get<2>(range)};
       }},
      {"fps", [=](py::handle v) { edits->resample_fps = v.cast<double>(); }},
      {"state_fps", [=](py::handle v) { edits->state_fps = v.cast<double>(); }},
      {"interpolation",
       [=](py::handle v) {
         edits->interpolation =
             WordOf<Interpolation>(v, {{"slerp", Interpolation::kSlerp},
                                       {"lerp", Interpolation::kLerpAngle}});
       }},
  };
}

}  // namespace

Choices ChoicesOf(const py::dict& words) {
  Choices choices;
  Setters setters = ReadSetters(&choices);
  setters.merge(EditSetters(&choices.options.edits));
  setters.merge(SpaceSetters(&choices.options.edits));
  setters.merge(RepairSetters(&choices.options.edits.repairs));
  setters["threads"] = [&](py::handle v) { choices.threads = v.cast<int>(); };
  for (const auto& [key, value] : words) {
    Set(setters, key.cast<std::string>(), value);
  }
  return choices;
}

}  // namespace bvhmill::python
