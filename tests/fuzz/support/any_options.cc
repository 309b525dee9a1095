#include "tests/fuzz/support/any_options.h"

#include <cmath>
#include <iterator>

namespace bvhmill::fuzz {
namespace {

constexpr int64_t kMaxFrames = 4096;

template <typename T, size_t kSize>
const T& OneOf(const T (&values)[kSize], Choices* choices) {
  return values[choices->Below(kSize)];
}

TensorLayout AnyLayout(Choices* choices) {
  return choices->OneIn(2) ? TensorLayout::kJointMajor
                           : TensorLayout::kFrameMajor;
}

RotationsFormat AnyRotations(Choices* choices) {
  constexpr RotationKind kKinds[] = {
      RotationKind::kQuaternion, RotationKind::kMatrix, RotationKind::kSixD};
  RotationsFormat format;
  format.rotation_kind = OneOf(kKinds, choices);
  format.layout = AnyLayout(choices);
  if (choices->OneIn(2)) format.rotation_space = RotationSpace::kWorld;
  format.with_end_sites = choices->OneIn(2);
  return format;
}

AnimFormat AnyAnim(Choices* choices) {
  constexpr float kBounds[] = {0, 0.1F, 5};
  AnimFormat format;
  if (choices->OneIn(2)) format.profile = AnimProfile::kViewer;
  constexpr AnimReference kReferences[] = {AnimReference::kAuto,
                                           AnimReference::kRestPose,
                                           AnimReference::kFirstFrame};
  format.reference = OneOf(kReferences, choices);
  if (choices->OneIn(2)) format.joint_map = "mixamo";
  format.accept_odd = choices->OneIn(2);
  format.match_limbs = choices->OneIn(2);
  format.scale_to_avatar = choices->OneIn(2);
  format.max_degrees = OneOf(kBounds, choices);
  format.max_mm = OneOf(kBounds, choices);
  if (choices->OneIn(4)) format.max_bytes = 400;
  if (choices->OneIn(2)) format.settings.loop = choices->OneIn(2);
  if (choices->OneIn(4)) format.settings.ease_in = 0.5F;
  return format;
}

NpzFormat AnyNpz(bool ends, Choices* choices) {
  constexpr RotationKind kKinds[] = {
      RotationKind::kQuaternion, RotationKind::kMatrix, RotationKind::kSixD};
  NpzFormat format{ends};
  format.rotation_kind = OneOf(kKinds, choices);
  if (choices->OneIn(2)) format.rotation_space = RotationSpace::kWorld;
  format.rotations = choices->OneIn(2);
  format.velocities = choices->OneIn(4);
  return format;
}

FormatOptions AnyFormat(Choices* choices) {
  const bool ends = choices->OneIn(2);
  switch (choices->Below(8)) {
    case 0:
      return PositionsFormat{AnyLayout(choices), ends};
    case 1:
      return AnyRotations(choices);
    case 2:
      return VelocitiesFormat{AnyLayout(choices), ends};
    case 3:
      return AnyNpz(ends, choices);
    case 4:
      return CsvFormat{ends};
    case 5:
      return BvhFormat{static_cast<int32_t>(choices->Below(9)) - 1};
    case 6:
      return ValuesFormat{};
    default:
      return AnyAnim(choices);
  }
}

// A pattern: a joint of the clip, NAME#N, a prefix, or a joint that is unknown.
std::string AnyPattern(const std::vector<std::string>& names,
                       Choices* choices) {
  if (names.empty() || choices->OneIn(16)) return "unknown";
  std::string name = names[choices->Below(names.size())];
  if (choices->OneIn(8)) name += "#2";
  if (choices->OneIn(8)) name = name.substr(0, 1) + "*";
  return name;
}

void EditJoints(const std::vector<std::string>& names, Choices* choices,
                ClipEdits* edits) {
  edits->strip_prefix = choices->OneIn(4);
  if (choices->OneIn(2)) edits->drop_mode = DropMode::kRigid;
  switch (choices->Below(7)) {
    case 0:
      edits->drop = {AnyPattern(names, choices)};
      break;
    case 1:
      edits->keep = {AnyPattern(names, choices), AnyPattern(names, choices)};
      break;
    case 2:
      edits->rename = {{AnyPattern(names, choices), "renamed"}};
      break;
    case 3:
      edits->joint_map = "mixamo";
      break;
    case 4:
      edits->names_to = "mixamo";
      break;
    case 5:
      edits->figure = static_cast<int32_t>(choices->Below(3));
      break;
    default:
      edits->joint_map_rows = {{AnyPattern(names, choices), "mPelvis"}};
  }
}

void Repair(Choices* choices, Repairs* repairs) {
  repairs->drop_repeated = choices->OneIn(2);
  repairs->snap_rate = choices->OneIn(2);
  repairs->fill_gaps = static_cast<int32_t>(choices->Below(4)) - 1;
  repairs->replace_spikes = choices->OneIn(2);
  repairs->unwrap = choices->OneIn(2);
}

void EditFrames(Choices* choices, ClipEdits* edits) {
  constexpr double kRates[] = {1, 24, 30, 100, 0.001, -1, NAN};
  constexpr double kTimes[] = {0, 0.02, 0.1, 1e9, -1, NAN};
  if (choices->OneIn(4)) {
    edits->tpose_frame = static_cast<int64_t>(choices->Below(6)) - 2;
  }
  if (choices->OneIn(8)) {
    edits->trim = {OneOf(kTimes, choices), OneOf(kTimes, choices)};
  }
  if (choices->OneIn(2)) {
    edits->frames = {static_cast<int64_t>(choices->Below(4)),
                     static_cast<int64_t>(choices->Below(6)),
                     static_cast<int64_t>(1 + choices->Below(3))};
  } else if (choices->OneIn(4)) {
    edits->state_fps = OneOf(kRates, choices);
  } else {
    edits->fps = OneOf(kRates, choices);
    if (choices->OneIn(2)) edits->interpolation = Interpolation::kLerp;
  }
}

void EditSpace(Choices* choices, ClipEdits* edits) {
  constexpr UpAxis kAxes[] = {UpAxis::kUnknown, UpAxis::kY, UpAxis::kZ};
  constexpr double kUnits[] = {0, 0.01, 1, 1e30};
  edits->source = {OneOf(kAxes, choices), OneOf(kUnits, choices)};
  edits->to_up = OneOf(kAxes, choices);
  edits->to_units = OneOf(kUnits, choices);
  edits->mirror = choices->OneIn(4);
}

void EditRoots(Choices* choices, ClipEdits* edits) {
  constexpr std::string_view kBodyRoots[] = {"", "Hips", "Spine", "No"};
  edits->body_root = OneOf(kBodyRoots, choices);
  edits->floor = choices->OneIn(4);
  constexpr std::string_view kOrders[] = {"", "xyz", "xzy", "zyx", "xxy"};
  constexpr std::string_view kSigns[] = {"", "+++", "-+-"};
  if (choices->OneIn(2)) {
    edits->in_place = choices->OneIn(2);
    edits->at_origin = choices->OneIn(2);
    return;
  }
  edits->root_alignment.position_axes = OneOf(kOrders, choices);
  edits->root_alignment.position_signs = OneOf(kSigns, choices);
  edits->root_alignment.correction_degrees = {
      0, 90, static_cast<double>(choices->Below(360))};
}

Limits AnyLimits(Choices* choices) {
  Limits limits;
  limits.max_frames = choices->OneIn(16) ? 2 : kMaxFrames;
  limits.max_clip_work = 0;
  limits.max_clip_memory_bytes = 0;
  if (choices->OneIn(16)) limits.max_clip_bytes = 400;
  if (choices->OneIn(16)) limits.max_header_bytes = 300;
  if (choices->OneIn(16)) limits.max_line_bytes = 40;
  if (choices->OneIn(16)) limits.max_joints = 3;
  if (choices->OneIn(16)) limits.max_channels = 9;
  if (choices->OneIn(16)) limits.max_output_bytes = 500;
  return limits;
}

}  // namespace

std::vector<std::string> NamesIn(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  std::vector<std::string> names;
  bool is_name = false;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    if (text.empty()) return names;
    const std::string_view word = text.substr(0, text.find_first_of(kBlanks));
    if (is_name) names.emplace_back(word);
    is_name = word == "ROOT" || word == "JOINT";
    text.remove_prefix(word.size());
  }
}

ConvertOptions AnyOptions(const std::vector<std::string>& names,
                          Choices* choices) {
  constexpr JointPositions kPositions[] = {JointPositions::kReplaceOffset,
                                           JointPositions::kAddToOffset,
                                           JointPositions::kIgnore};
  ConvertOptions options;
  options.report.strict = choices->OneIn(4);
  if (choices->OneIn(8)) options.report.max_issues = 1;
  options.conventions.joint_positions = OneOf(kPositions, choices);
  if (choices->OneIn(2)) options.conventions.root_offset = RootOffset::kAdded;
  if (choices->OneIn(8)) {
    options.name_encoding = static_cast<TextEncoding>(choices->Below(7));
  }
  if (choices->OneIn(4)) EditJoints(names, choices, &options.edits);
  if (choices->OneIn(4)) EditFrames(choices, &options.edits);
  if (choices->OneIn(4)) EditSpace(choices, &options.edits);
  if (choices->OneIn(4)) EditRoots(choices, &options.edits);
  if (choices->OneIn(4)) Repair(choices, &options.edits.repairs);
  const size_t outputs = choices->Below(5);
  for (size_t i = 0; i < outputs; ++i) {
    options.outputs.push_back({std::to_string(i), AnyFormat(choices)});
  }
  options.checks_only = choices->OneIn(10);
  options.measures = choices->OneIn(4);
  options.limits = AnyLimits(choices);
  return options;
}

}  // namespace bvhmill::fuzz
