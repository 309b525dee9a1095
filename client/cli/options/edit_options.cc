#include "client/cli/options/edit_options.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "bvhmill/base/call_error.h"
#include "bvhmill/base/nearest.h"
#include "bvhmill/base/status.h"
#include "bvhmill/edit/joint_map.h"
#include "client/cli/io/read_clip.h"
#include "client/cli/options/options.h"
#include "client/cli/ui/text.h"

namespace bvhmill::client {
namespace {

constexpr int64_t kMaxMapBytes = int64_t{4} << 20;
constexpr std::string_view kFileEnding = ".csv";

struct UnitWord {
  std::string_view word;
  double meters;
};

constexpr UnitWord kUnitWords[] = {{"m", 1},         {"cm", 0.01},
                                   {"mm", 0.001},    {"in", 0.0254},
                                   {"inch", 0.0254}, {"ft", 0.3048}};

struct FieldOption {
  std::string_view field;
  std::string_view option;
};

// If one field begins with another, the longer one is first.
constexpr FieldOption kFieldOptions[] = {
    {"options.read.up_axis", "--up"},
    {"options.read.meters_per_unit", "--units"},
    {"options.edits.drop_joints", "--drop"},
    {"options.edits.keep_joints", "--keep"},
    {"options.edits.rename_joints", "--rename"},
    {"options.edits.joint_map_rows", "--joint-map"},
    {"options.edits.joint_map", "--joint-map"},
    {"options.edits.names_to", "--names-to"},
    {"options.edits.body_root", "--body-root"},
    {"options.edits.root_motion", "--in-place"},
    {"options.edits.floor", "--floor"},
    {"options.edits.figure", "--figure"},
    {"options.edits.frames", "--frames"},
    {"options.edits.trim", "--trim"},
    {"options.edits.tpose_frame", "--tpose-frame"},
    {"options.edits.mirror", "--mirror"},
    {"options.edits.drop_mode", "--drop-mode"},
    {"options.edits.repairs.fill_gap_frames", "--fill-gaps"},
    {"options.edits.resample_fps", "--fps"},
    {"options.edits.state_fps", "--state-fps"},
    {"options.edits.up_axis", "--to-up"},
    {"options.edits.meters_per_unit", "--to-units"},
    {"options.edits.root_alignment.position_axes", "--root-axes"},
    {"options.edits.root_alignment.position_signs", "--root-signs"},
    {"options.edits.root_alignment.correction_degrees", "--root-correction"},
};

std::optional<double> AboveZero(std::string_view word) {
  const std::optional<double> value = NumberOf<double>(word);
  if (!value || !std::isfinite(*value) || *value <= 0) return std::nullopt;
  return value;
}

std::optional<double> MetersOf(std::string_view word) {
  for (const UnitWord& unit : kUnitWords) {
    if (unit.word == word) return unit.meters;
  }
  return AboveZero(word);
}

std::optional<int64_t> BoundOf(std::string_view word) {
  const std::optional<int64_t> value = NumberOf<int64_t>(word);
  return value && *value >= 0 ? value : std::nullopt;
}

// A:B or A:B:STEP; A and B may be left out.
std::optional<FrameRange> RangeOf(const std::string& word) {
  const std::vector<std::string> parts = CLI::detail::split(word, ':');
  const bool ends = !word.empty() && word.back() == ':';
  const size_t count = parts.size() + (ends ? 1 : 0);
  if (count < 2 || count > 3) return std::nullopt;
  const auto part = [&](size_t i, int64_t absent) {
    const bool is_absent = i >= parts.size() || parts[i].empty();
    return is_absent ? std::optional(absent) : BoundOf(parts[i]);
  };
  const auto begin = part(0, 0);
  const auto end = part(1, 0);
  const auto step = part(2, 1);
  if (!begin || !end || !step || *step == 0) return std::nullopt;
  const bool has_end = parts.size() > 1 && !parts[1].empty();
  if (has_end && *end <= *begin) return std::nullopt;
  return FrameRange{*begin, *end, *step};
}

// A number of seconds, such as 1.5 or 1.5s.
std::optional<double> SecondsOf(std::string_view word) {
  if (word.ends_with('s')) word.remove_suffix(1);
  const std::optional<double> value = NumberOf<double>(word);
  const bool is_time = value && std::isfinite(*value) && *value >= 0;
  return is_time ? value : std::nullopt;
}

// A:B; A or B may be left out.
std::optional<TimeRange> TimesOf(const std::string& word) {
  const size_t colon = word.find(':');
  if (colon == word.npos) return std::nullopt;
  const std::string_view begin = std::string_view(word).substr(0, colon);
  const std::string_view end = std::string_view(word).substr(colon + 1);
  const auto from = begin.empty() ? std::optional(0.0) : SecondsOf(begin);
  const auto to = end.empty() ? std::optional(0.0) : SecondsOf(end);
  if (!from || !to || (!end.empty() && *to <= *from)) return std::nullopt;
  return TimeRange{*from, *to};
}

std::optional<std::array<double, 3>> DegreesOf(const std::string& word) {
  const std::vector<std::string> parts = CLI::detail::split(word, ',');
  if (parts.size() != 3) return std::nullopt;
  std::array<double, 3> degrees = {};
  for (size_t i = 0; i < 3; ++i) {
    const std::optional<double> value = NumberOf<double>(parts[i]);
    if (!value || !std::isfinite(*value)) return std::nullopt;
    degrees[i] = *value;
  }
  return degrees;
}

CLI::Option* AddUnits(CLI::App* app, const std::string& name, double* meters,
                      const std::string& help) {
  return AddParsed(app, name, meters, MetersOf,
                   "meters per unit, or one of m, cm, mm, in, ft", help)
      ->type_name("METERS");
}

CLI::Option* AddUpAxis(CLI::App* app, const std::string& name, UpAxis* axis,
                       const std::string& help) {
  return AddChoice<UpAxis>(app, name, axis,
                           {{"y", UpAxis::kY}, {"z", UpAxis::kZ}}, help)
      ->type_name("y|z");
}

// Adds an option whose list may come in one word or in several.
CLI::Option* AddNames(CLI::App* app, const std::string& name,
                      std::vector<std::string>* names,
                      const std::string& help) {
  return app->add_option(name, *names, help)
      ->delimiter(',')
      ->allow_extra_args(false);
}

std::string CheckRename(const std::string& word) {
  const size_t equals = word.find('=');
  const bool is_pair =
      equals != word.npos && equals > 0 && equals + 1 < word.size();
  return is_pair ? "" : "'" + word + "' is not OLD=NEW";
}

std::string CheckJointMap(const std::string& word) {
  if (IsMapFile(word)) return {};
  const std::vector<std::string_view> names = JointMapNames();
  if (std::find(names.begin(), names.end(), word) != names.end()) return {};
  return "there is no map '" + word + "'; there are " + MapNames() +
         " and files *.csv" + DidYouMean(word, names);
}

std::string CheckScheme(const std::string& word) {
  if (CheckNamesTo(word).ok()) return {};
  return "there is no naming scheme '" + word + "'; there are " + MapNames() +
         DidYouMean(word, JointMapNames());
}

// `words` with a line break after each fourth.
std::string InLines(std::string words) {
  constexpr int kPerLine = 4;
  int count = 0;
  for (char& c : words) {
    if (c == ' ' && ++count % kPerLine == 0) c = '\n';
  }
  return words;
}

void AddJointEdits(CLI::App* app, EditFlags* flags, ClipEdits* edits) {
  const char* group = "Editing of joints";
  AddNames(app, "--drop", &edits->drop_joints,
           "remove these joints; their children stay; NAME#2 is\n"
           "the second joint of that name")
      ->type_name("NAME|PREFIX*[,..]")
      ->group(group);
  AddNames(app, "--keep", &edits->keep_joints, "remove all other joints")
      ->type_name("NAME|PREFIX*[,..]")
      ->group(group);
  AddChoice<DropMode>(
      app, "--drop-mode", &edits->drop_mode,
      {{"poses", DropMode::kKeepPoses}, {"rigid", DropMode::kRigid}},
      "poses: joints that stay keep their poses; rigid:\n"
      "bones keep their lengths; default poses")
      ->group(group);
  AddParsed(app, "--figure", &edits->figure, CountOf, "the number of a figure",
            "keep the figure of the N-th ROOT, remove all others")
      ->type_name("N")
      ->group(group);
  AddNames(app, "--rename", &flags->renames,
           "rename joints, all at the same time")
      ->type_name("OLD=NEW[,..]")
      ->check(CLI::Validator(CheckRename, ""))
      ->group(group);
  app->add_flag("--strip-prefix", edits->strip_prefix,
                "remove the common prefix of the names of a body,\n"
                "such as mixamorig:")
      ->group(group);
  app->add_option("--joint-map", flags->joint_map,
                  "rename joints by a table: a file with lines\n"
                  "source,target, or that of a naming scheme, which\n"
                  "leads to the names of Second Life:\n" +
                      InLines(MapNames()))
      ->type_name("SCHEME|FILE.csv")
      ->check(CLI::Validator(CheckJointMap, ""))
      ->group(group);
  app->add_option("--names-to", edits->names_to,
                  "recognize the naming scheme, and give joints their\n"
                  "names in this one (see --joint-map)")
      ->type_name("SCHEME")
      ->check(CLI::Validator(CheckScheme, ""))
      ->group(group);
}

void AddTimeEdits(CLI::App* app, ClipEdits* edits) {
  const char* group = "Editing of frames";
  AddParsed(app, "--frames", &edits->frames, RangeOf,
            "a range A:B or A:B:STEP of frames from 0 on, with A below B",
            "keep frames A to B-1; with STEP every STEP-th frame")
      ->type_name("A:B[:STEP]")
      ->group(group);
  AddParsed(app, "--trim", &edits->trim, TimesOf,
            "a range A:B of seconds, such as 1.5s:3s, with A below B",
            "keep the time from A to B, as 1.5s:3s")
      ->type_name("A:B")
      ->group(group);
  AddParsed(app, "--fps", &edits->resample_fps, AboveZero,
            "a number of frames per second", "resample to this rate")
      ->type_name("R")
      ->group(group);
  AddParsed(app, "--state-fps", &edits->state_fps, AboveZero,
            "a number of frames per second",
            "state this rate; the frames stay as they are")
      ->type_name("R")
      ->group(group);
  AddChoice<Interpolation>(app, "--interpolation", &edits->interpolation,
                           {{"slerp", Interpolation::kSlerp},
                            {"lerp-angle", Interpolation::kLerpAngle}},
                           "between frames: slerp (of poses) or lerp-angle\n"
                           "(of each angle); default slerp")
      ->group(group);
}

CLI::Validator Fits(bool (*fits)(const std::string&),
                    const std::string& wanted) {
  return {[fits, wanted](const std::string& word) {
            return fits(word) ? std::string()
                              : "'" + word + "' is not " + wanted;
          },
          ""};
}

bool AreAxes(const std::string& word) {
  return !word.empty() && CheckAlignment({word, "", {}}).ok();
}

bool AreSigns(const std::string& word) {
  return !word.empty() && CheckAlignment({"", word, {}}).ok();
}

void AddSpaceEdits(CLI::App* app, EditFlags* flags, ClipEdits* edits) {
  const char* group = "Editing of space";
  AddUnits(app, "--to-units", &edits->meters_per_unit,
           "scale to this unit; needs --units")
      ->group(group);
  AddUpAxis(app, "--to-up", &edits->up_axis,
            "rotate so that this axis is up; needs --up")
      ->group(group);
  app->add_flag("--in-place", flags->in_place,
                "remove the horizontal motion of body roots")
      ->group(group);
  app->add_flag("--at-origin", flags->at_origin,
                "put body roots at 0 0 0 in every frame")
      ->group(group);
  app->add_flag("--mirror", edits->mirror,
                "exchange left and right: the mirror image at X = 0")
      ->group(group);
  AddParsed(app, "--tpose-frame", &edits->tpose_frame, BoundOf,
            "the number of a frame, from 0 on",
            "make the pose of this frame the rest pose")
      ->type_name("N")
      ->group(group);
  app->add_flag("--floor", edits->floor,
                "raise or lower the body, so that the lowest joint of\n"
                "the clip is at height 0")
      ->group(group);
  app->add_option("--body-root", edits->body_root,
                  "the joint that carries the body, for the edits of\n"
                  "roots; default found from the motion")
      ->type_name("NAME")
      ->group(group);
  RootAlignment* alignment = &edits->root_alignment;
  app->add_option("--root-axes", alignment->position_axes,
                  "order of the axes of a root position, such as xzy")
      ->type_name("AXES")
      ->check(Fits(AreAxes, "an order of the letters xyz"))
      ->group(group);
  app->add_option("--root-signs", alignment->position_signs,
                  "signs of these axes, such as --root-signs=-+-")
      ->type_name("SIGNS")
      ->check(Fits(AreSigns, "three of + and -"))
      ->group(group);
  AddParsed(app, "--root-correction", &alignment->correction_degrees, DegreesOf,
            "three numbers X,Y,Z of degrees",
            "rotate a root by these degrees before its motion")
      ->type_name("X,Y,Z")
      ->group(group);
}

std::string ReadMap(const Session& session, const std::string& word,
                    ClipEdits* edits) {
  if (!IsMapFile(word)) {
    edits->joint_map = word;
    return {};
  }
  const std::string wrong =
      ReadMapFile(word, session.cancel, &edits->joint_map_rows);
  return wrong.empty() ? wrong : "--joint-map: " + wrong;
}

}  // namespace

void AddSourceOptions(CLI::App* app, SourceSpace* source) {
  const char* group = "Reading";
  AddUnits(app, "--units", &source->meters_per_unit,
           "unit of length of the clip: a number of meters, or m,\n"
           "cm, mm, in, ft; default unknown")
      ->group(group);
  AddUpAxis(app, "--up", &source->up_axis,
            "axis of the clip that is up; default unknown")
      ->group(group);
}

void AddEditOptions(CLI::App* app, EditFlags* flags, ClipEdits* edits) {
  AddRepairOptions(app, &edits->repairs);
  AddJointEdits(app, flags, edits);
  AddTimeEdits(app, edits);
  AddSpaceEdits(app, flags, edits);
}

bool IsMapFile(std::string_view word) { return word.ends_with(kFileEnding); }

std::string ReadMapFile(const std::string& path, const CancelToken* cancel,
                        std::vector<JointMapRow>* rows) {
  ClipText csv;
  Input input;
  input.path = path;
  const absl::Status status = ReadClip(input, kMaxMapBytes, cancel, &csv);
  if (absl::IsResourceExhausted(status)) {
    return Printable(path) + ": more than " + std::to_string(kMaxMapBytes) +
           " bytes";
  }
  if (!status.ok())
    return Printable(path) + ": " + std::string(MessageOf(status));
  absl::StatusOr<std::vector<JointMapRow>> read = ParseJointMap(ViewOf(csv));
  if (!read.ok()) {
    return Printable(path) + ": " + std::string(MessageOf(read.status()));
  }
  *rows = *std::move(read);
  return {};
}

std::string MapNames() {
  std::string names;
  for (const std::string_view name : JointMapNames()) {
    names += (names.empty() ? "" : " ") + std::string(name);
  }
  return names;
}

std::string ReadEditFlags(const Session& session, const EditFlags& flags,
                          ClipEdits* edits) {
  if (flags.in_place && flags.at_origin) {
    return "--in-place and --at-origin exclude each other";
  }
  if (flags.in_place) edits->root_motion = RootMotion::kInPlace;
  if (flags.at_origin) edits->root_motion = RootMotion::kOrigin;
  for (const std::string& word : flags.renames) {
    const size_t equals = word.find('=');
    edits->rename_joints.emplace_back(word.substr(0, equals),
                                      word.substr(equals + 1));
  }
  if (!flags.joint_map.empty()) {
    std::string wrong = ReadMap(session, flags.joint_map, edits);
    if (!wrong.empty()) return wrong;
  }
  const SourceSpace& source = edits->source;
  if (edits->meters_per_unit > 0 && source.meters_per_unit == 0) {
    return "--to-units needs --units";
  }
  if (edits->up_axis != UpAxis::kUnknown &&
      source.up_axis == UpAxis::kUnknown) {
    return "--to-up needs --up";
  }
  if (IsTyped(session, "--drop-mode") && edits->drop_joints.empty() &&
      edits->keep_joints.empty()) {
    return "--drop-mode needs --drop or --keep";
  }
  if (IsTyped(session, "--frames") && IsTyped(session, "--trim")) {
    return "--frames and --trim exclude each other";
  }
  if (edits->resample_fps > 0 && edits->state_fps > 0) {
    return "--fps and --state-fps exclude each other";
  }
  if (IsTyped(session, "--interpolation") && edits->resample_fps == 0) {
    return "--interpolation needs --fps";
  }
  return InWordsOfOptions(CheckEdits(*edits));
}

std::string InWordsOfOptions(const absl::Status& status) {
  CallError error = CallErrorOf(status);
  for (const auto& [field, option] : kFieldOptions) {
    if (!error.field.starts_with(field)) continue;
    error.field.replace(0, field.size(), option);
    break;
  }
  return std::string(MessageOf(MakeCallError(std::move(error))));
}

}  // namespace bvhmill::client
