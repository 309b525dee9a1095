#include "tests/support/option_choices.h"

#include <algorithm>
#include <utility>

namespace bvhmill::testing {
namespace {

constexpr TensorLayout kLayouts[] = {TensorLayout::kFrameMajor,
                                     TensorLayout::kJointMajor};

void Add(FormatOptions format, std::vector<OutputRequest>* out) {
  out->push_back({"output" + std::to_string(out->size()), std::move(format)});
}

void AddTensors(std::vector<OutputRequest>* out) {
  Add(ValuesFormat{}, out);
  for (const TensorLayout layout : kLayouts) {
    for (const bool ends : {false, true}) {
      Add(PositionsFormat{layout, ends}, out);
      Add(VelocitiesFormat{layout, ends}, out);
      for (const RotationKind kind :
           {RotationKind::kQuaternion, RotationKind::kMatrix,
            RotationKind::kSixD, RotationKind::kRotationVector,
            RotationKind::kEulerYzx}) {
        Add(RotationsFormat{kind, layout, RotationSpace::kLocal, ends}, out);
        Add(RotationsFormat{kind, layout, RotationSpace::kWorld, ends}, out);
      }
    }
  }
}

AnimFormat Anim(const std::function<void(AnimFormat*)>& change) {
  AnimFormat anim;
  change(&anim);
  return anim;
}

void AddAnims(std::vector<OutputRequest>* out) {
  Add(AnimFormat{}, out);
  Add(Anim([](auto* a) { a->profile = AnimProfile::kViewer; }), out);
  Add(Anim([](auto* a) { a->reference = AnimReference::kFirstFrame; }), out);
  Add(Anim([](auto* a) {
        a->reference = AnimReference::kRestPose;
        a->accept_odd = true;
      }),
      out);
  Add(Anim([](auto* a) {
        a->joint_map_rows = {{"Root", "mPelvis"}, {"hip", "mTorso"}};
        a->upload = true;
      }),
      out);
  Add(Anim([](auto* a) { a->joint_map = "second_life"; }), out);
  Add(Anim([](auto* a) { a->match_limbs = true; }), out);
  Add(Anim([](auto* a) { a->scale_to_avatar = true; }), out);
  Add(Anim([](auto* a) { a->max_bytes = 400; }), out);
  Add(Anim([](auto* a) {
        a->max_degrees = 0;
        a->max_mm = 0;
      }),
      out);
  Add(Anim([](auto* a) {
        a->settings.priority = 3;
        a->settings.joint_priority = {{"mPelvis", 5}};
        a->settings.loop = true;
        a->settings.loop_in = 0.01F;
        a->settings.ease_out = 0.02F;
      }),
      out);
}

std::vector<std::string> NamesOf(const JointList& joints) {
  std::vector<std::string> names;
  for (const JointInfo& joint : joints) {
    if (!joint.end_site) names.push_back(joint.name);
  }
  return names;
}

std::string FirstOf(const JointList& joints) {
  const std::vector<std::string> names = NamesOf(joints);
  return names.empty() ? "Unknown" : names.front();
}

std::string LastOf(const JointList& joints) {
  const std::vector<std::string> names = NamesOf(joints);
  return names.empty() ? "Unknown" : names.back();
}

void RenameAll(const JointList& joints, ClipEdits* edits) {
  std::vector<std::string> names = NamesOf(joints);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  edits->rename.clear();
  for (const std::string& name : names) {
    edits->rename.emplace_back(name, name + " renamed");
  }
}

// The change of an edit that no joint's name matters to.
EditChoice Plain(const char* name, std::function<void(ClipEdits*)> change) {
  return {name, [change = std::move(change)](const JointList&, ClipEdits* e) {
            change(e);
          }};
}

void AddJointEdits(std::vector<EditChoice>* out) {
  using Joints = const JointList&;
  const std::vector<EditChoice> choices = {
      {"drop the first",
       [](Joints j, ClipEdits* e) { e->drop = {FirstOf(j)}; }},
      {"drop the last", [](Joints j, ClipEdits* e) { e->drop = {LastOf(j)}; }},
      {"drop the first, rigidly",
       [](Joints j, ClipEdits* e) {
         e->drop = {FirstOf(j)};
         e->drop_mode = DropMode::kRigid;
       }},
      {"drop all", [](Joints, ClipEdits* e) { e->drop = {"*"}; }},
      {"drop an unknown joint",
       [](Joints, ClipEdits* e) { e->drop = {"None"}; }},
      {"keep the first",
       [](Joints j, ClipEdits* e) { e->keep = {FirstOf(j)}; }},
      {"keep the last", [](Joints j, ClipEdits* e) { e->keep = {LastOf(j)}; }},
      {"keep the second of a name",
       [](Joints j, ClipEdits* e) { e->keep = {LastOf(j) + "#2"}; }},
      {"rename all", RenameAll},
      {"rename to what is there",
       [](Joints j, ClipEdits* e) {
         e->rename = {{FirstOf(j), LastOf(j)}};
       }},
      {"rows of a map", [](Joints j, ClipEdits* e) {
         e->joint_map_rows = {{FirstOf(j), "mPelvis"}, {"Unknown", "mTorso"}};
       }}};
  out->insert(out->end(), choices.begin(), choices.end());
  out->push_back(
      Plain("a built-in map", [](auto* e) { e->joint_map = "second_life"; }));
  out->push_back(
      Plain("names without prefix", [](auto* e) { e->strip_prefix = true; }));
  out->push_back(
      Plain("a naming scheme", [](auto* e) { e->names_to = "mixamo"; }));
  out->push_back(Plain("a rig", [](auto* e) { e->rig = "smpl22"; }));
  out->push_back({"a rig of the clip", [](Joints j, ClipEdits* e) {
                    const std::string root = FirstOf(j);
                    e->rig = "joint,parent\n" + root + ",\nNew," + root + "\n";
                  }});
  out->push_back(Plain("the first figure", [](auto* e) { e->figure = 1; }));
  out->push_back(Plain("no such figure", [](auto* e) { e->figure = 9; }));
  out->push_back(Plain("no such map", [](auto* e) { e->joint_map = "none"; }));
}

void AddFrameEdits(std::vector<EditChoice>* out) {
  const auto range = [&](const char* name, FrameRange frames) {
    out->push_back(Plain(name, [frames](auto* e) { e->frames = frames; }));
  };
  out->push_back(Plain("a rest pose", [](auto* e) { e->tpose_frame = 0; }));
  out->push_back(Plain("a T-pose", [](auto* e) { e->rest = "tpose"; }));
  out->push_back(
      Plain("no such rest pose", [](auto* e) { e->tpose_frame = 100'000; }));
  out->push_back(Plain("a time", [](auto* e) { e->trim = {0.01, 0.2}; }));
  out->push_back(Plain("a late time", [](auto* e) { e->trim = {1e6, 0}; }));
  range("the first frame", {0, 1, 1});
  range("without the first frame", {1, 0, 1});
  range("every second frame", {0, 0, 2});
  range("frames after the end", {100'000, 0, 1});
  const auto rate = [&](const char* name, double fps, Interpolation way) {
    out->push_back(Plain(name, [fps, way](auto* e) {
      e->fps = fps;
      e->interpolation = way;
    }));
  };
  out->push_back(Plain("a stated rate", [](auto* e) { e->state_fps = 50; }));
  rate("more frames", 133, Interpolation::kSlerp);
  rate("more frames by angles", 133, Interpolation::kLerp);
  rate("fewer frames", 7, Interpolation::kSlerp);
  rate("fewer frames by angles", 7, Interpolation::kLerp);
  rate("very many frames", 1e9, Interpolation::kSlerp);
}

void AddRepairs(std::vector<EditChoice>* out) {
  out->push_back(Plain("repaired", [](auto* e) {
    e->repairs = {true, true, 3, true, true};
  }));
  out->push_back(Plain("unwrapped, then resampled", [](auto* e) {
    e->repairs.unwrap = true;
    e->fps = 7;
    e->interpolation = Interpolation::kLerp;
  }));
}

void AddSpaceEdits(std::vector<EditChoice>* out) {
  out->push_back(Plain("turned to Y up", [](auto* e) {
    e->source.up_axis = UpAxis::kZ;
    e->to_up = UpAxis::kY;
  }));
  out->push_back(Plain("turned to Z up", [](auto* e) {
    e->source.up_axis = UpAxis::kY;
    e->to_up = UpAxis::kZ;
  }));
  out->push_back(Plain("in metres", [](auto* e) {
    e->source.meters_per_unit = 0.0254;
    e->to_units = 1;
  }));
  out->push_back(Plain("mirrored", [](auto* e) { e->mirror = true; }));
  out->push_back(Plain("of unknown unit", [](auto* e) { e->to_units = 1; }));
  out->push_back(Plain("in place", [](auto* e) { e->in_place = true; }));
  out->push_back(Plain("at the origin", [](auto* e) { e->at_origin = true; }));
  out->push_back(Plain("on the floor", [](auto* e) { e->floor = true; }));
  out->push_back(Plain("of an unknown body root", [](auto* e) {
    e->at_origin = true;
    e->body_root = "none";
  }));
  out->push_back(Plain("aligned", [](auto* e) {
    e->root_alignment = {"xzy", "-+-", {10, 20, 30}};
  }));
}

template <typename T>
const T& Pick(const std::vector<T>& from, std::mt19937* random) {
  return from[(*random)() % from.size()];
}

}  // namespace

std::vector<OutputRequest> OutputChoices() {
  std::vector<OutputRequest> out;
  AddTensors(&out);
  for (const bool ends : {false, true}) {
    Add(NpzFormat{ends}, &out);
    Add(CsvFormat{ends}, &out);
  }
  NpzFormat npz;
  npz.rotation_kind = RotationKind::kSixD;
  npz.rotation_space = RotationSpace::kWorld;
  npz.positions = false;
  npz.velocities = true;
  Add(npz, &out);
  CsvFormat csv;
  csv.rotation_kind = RotationKind::kEulerZxy;
  csv.with_rotations = csv.with_velocities = true;
  Add(csv, &out);
  for (const int decimals : {-1, 0, 3}) Add(BvhFormat{decimals}, &out);
  Add(BvhFormat{-1, RotationOrder::kYzx, ChannelSet::kFile}, &out);
  Add(BvhFormat{-1, RotationOrder::kFile, ChannelSet::kSix}, &out);
  Add(BvhFormat{-1, RotationOrder::kXyz, ChannelSet::kThree}, &out);
  Add(GlbFormat{}, &out);
  Add(GlbFormat{true, 0, 0}, &out);
  AddAnims(&out);
  return out;
}

std::vector<OutputRequest> ArrayAndTextChoices() {
  std::vector<OutputRequest> out = OutputChoices();
  std::erase_if(out, [](const OutputRequest& output) {
    return std::holds_alternative<AnimFormat>(output.format) ||
           std::holds_alternative<GlbFormat>(output.format);
  });
  return out;
}

std::vector<OutputRequest> OneOfEachFormat() {
  std::vector<OutputRequest> out;
  Add(PositionsFormat{}, &out);
  Add(PositionsFormat{TensorLayout::kJointMajor, true}, &out);
  Add(RotationsFormat{}, &out);
  Add(RotationsFormat{.rotation_kind = RotationKind::kMatrix,
                      .rotation_space = RotationSpace::kWorld,
                      .with_end_sites = true},
      &out);
  Add(RotationsFormat{RotationKind::kSixD, TensorLayout::kJointMajor}, &out);
  Add(VelocitiesFormat{}, &out);
  Add(NpzFormat{true}, &out);
  Add(ValuesFormat{}, &out);
  Add(CsvFormat{}, &out);
  Add(BvhFormat{}, &out);
  Add(GlbFormat{}, &out);
  return out;
}

std::vector<EditChoice> EditChoices() {
  std::vector<EditChoice> out;
  AddJointEdits(&out);
  AddFrameEdits(&out);
  AddRepairs(&out);
  AddSpaceEdits(&out);
  return out;
}

std::vector<ReadChoice> ReadChoices() {
  return {{"lenient", [](auto*) {}},
          {"strict", [](auto* o) { o->report.strict = true; }},
          {"positions add",
           [](auto* o) {
             o->conventions.joint_positions = JointPositions::kAddToOffset;
             o->conventions.root_offset = RootOffset::kAdded;
           }},
          {"positions ignored",
           [](auto* o) {
             o->conventions.joint_positions = JointPositions::kIgnore;
           }},
          {"one issue", [](auto* o) { o->report.max_issues = 1; }},
          {"some codes", [](auto* o) {
             o->report.ignore = {"MOTION_FRAME_COUNT_MISMATCH"};
             o->report.severities = {{"DATA_FRAME_TIME_ODD", Severity::kError}};
           }}};
}

Limits MatrixLimits() {
  Limits limits;
  limits.max_frames = 10'000;
  limits.max_output_bytes = 64 << 20;
  limits.max_outputs_per_clip = 100;
  return limits;
}

ConvertOptions RandomOptions(const JointList& joints, std::mt19937* random) {
  static const std::vector<OutputRequest> outputs = OutputChoices();
  static const std::vector<EditChoice> edits = EditChoices();
  static const std::vector<ReadChoice> reads = ReadChoices();
  ConvertOptions options;
  options.limits = MatrixLimits();
  for (auto left = (*random)() % 3; left > 0; --left) {
    Pick(edits, random).apply(joints, &options.edits);
  }
  Pick(reads, random).apply(&options);
  for (auto left = 1 + (*random)() % 6; left > 0; --left) {
    options.outputs.push_back(Pick(outputs, random));
    options.outputs.back().id = "sample" + std::to_string(left);
  }
  return options;
}

}  // namespace bvhmill::testing
