#include "tests/wire/option_cases.h"

#include <iterator>

namespace bvhmill::testing {
namespace {

void NoChange(ConvertOptions* /*options*/) {}

const OptionCase kOptionCases[] = {
    {"", &NoChange, Direction::kBoth},
    {"read {} validation {} edits {}", &NoChange, kOnlyRead},

    {"measures: true", [](ConvertOptions* o) { o->measures = true; }},

    // ReadOptions
    {"read { strictness: STRICTNESS_UNSPECIFIED }", &NoChange, kOnlyRead},
    {"read { strictness: STRICTNESS_LENIENT }", &NoChange, Direction::kBoth},
    {"read { strictness: STRICTNESS_STRICT }",
     [](ConvertOptions* o) { o->report.strict = true; }},
    {"read { meters_per_unit: 0.0254 }",
     [](ConvertOptions* o) { o->edits.source.meters_per_unit = 0.0254; }},
    {"read { up_axis: AXIS_UNSPECIFIED }", &NoChange, kOnlyRead},
    {"read { up_axis: AXIS_Y }",
     [](ConvertOptions* o) { o->edits.source.up_axis = UpAxis::kY; }},
    {"read { up_axis: AXIS_Z }",
     [](ConvertOptions* o) { o->edits.source.up_axis = UpAxis::kZ; }},
    {"read { joint_positions: JOINT_POSITIONS_UNSPECIFIED }", &NoChange,
     kOnlyRead},
    {"read { joint_positions: JOINT_POSITIONS_REPLACE_OFFSET }", &NoChange,
     Direction::kBoth},
    {"read { joint_positions: JOINT_POSITIONS_ADD_TO_OFFSET }",
     [](ConvertOptions* o) {
       o->conventions.joint_positions = JointPositions::kAddToOffset;
     }},
    {"read { joint_positions: JOINT_POSITIONS_IGNORE }",
     [](ConvertOptions* o) {
       o->conventions.joint_positions = JointPositions::kIgnore;
     }},
    {"read { root_offset: ROOT_OFFSET_UNSPECIFIED }", &NoChange, kOnlyRead},
    {"read { root_offset: ROOT_OFFSET_IGNORE }", &NoChange, Direction::kBoth},
    {"read { root_offset: ROOT_OFFSET_ADD }",
     [](ConvertOptions* o) {
       o->conventions.root_offset = RootOffset::kAdded;
     }},
    {"read { name_encoding: 'gbk' }",
     [](ConvertOptions* o) { o->name_encoding = TextEncoding::kGbk; }},
    {"read { name_encoding: 'latin-1' }",
     [](ConvertOptions* o) { o->name_encoding = TextEncoding::kLatin1; }},

    // ValidationOptions
    {"validation { ignore_codes: 'TEXT_COMMENT' ignore_codes: 'TEXT_EMPTY' }",
     [](ConvertOptions* o) {
       o->report.ignore_codes = {"TEXT_COMMENT", "TEXT_EMPTY"};
     }},
    {"validation { only_codes: 'TEXT_UTF16' only_codes: 'TEXT_COMMENT' }",
     [](ConvertOptions* o) {
       o->report.only_codes = {"TEXT_UTF16", "TEXT_COMMENT"};
     }},
    {R"(validation {
          severity_overrides { key: 'TEXT_COMMENT' value: SEVERITY_ERROR }
          severity_overrides { key: 'TEXT_EMPTY' value: SEVERITY_WARNING }
          severity_overrides { key: 'TEXT_UTF16' value: SEVERITY_INFO }
          severity_overrides { key: 'LIMIT_JOINTS' value: SEVERITY_HINT } })",
     [](ConvertOptions* o) {
       o->report.severity_overrides = {{"TEXT_COMMENT", Severity::kError},
                                       {"TEXT_EMPTY", Severity::kWarning},
                                       {"TEXT_UTF16", Severity::kInfo},
                                       {"LIMIT_JOINTS", Severity::kHint}};
     }},
    {"validation { max_issues: 7 }",
     [](ConvertOptions* o) { o->report.max_issues = 7; }},
    {R"(validation {
          thresholds { code: 'DATA_SPIKE' name: 'degrees' value: 4.5 }
          thresholds { code: 'DATA_JUMP' name: 'reach' value: 0 } })",
     [](ConvertOptions* o) {
       o->report.thresholds = {{"DATA_SPIKE", "degrees", 4.5},
                               {"DATA_JUMP", "reach", 0}};
     }},

    // ClipEdits
    {"edits { drop_joints: 'Tail*' drop_joints: 'Hat#2' }",
     [](ConvertOptions* o) {
       o->edits.drop_joints = {"Tail*", "Hat#2"};
     }},
    {"edits { keep_joints: 'Hips' keep_joints: 'Leg*' }",
     [](ConvertOptions* o) {
       o->edits.keep_joints = {"Hips", "Leg*"};
     }},
    {R"(edits { rename_joints { key: 'B' value: 'A' }
                rename_joints { key: 'A' value: 'C' } })",
     [](ConvertOptions* o) {
       o->edits.rename_joints = {{"A", "C"}, {"B", "A"}};
     }},
    {"edits { joint_map: 'cmu' }",
     [](ConvertOptions* o) { o->edits.joint_map = "cmu"; }},
    {R"(edits { joint_map_rows { source: 'z' target: 'w' }
                joint_map_rows { source: 'a' target: 'b' } })",
     [](ConvertOptions* o) {
       o->edits.joint_map_rows = {{"z", "w"}, {"a", "b"}};
     }},
    {"edits { strip_prefix: true }",
     [](ConvertOptions* o) { o->edits.strip_prefix = true; }},
    {"edits { names_to: 'mixamo' }",
     [](ConvertOptions* o) { o->edits.names_to = "mixamo"; }},
    {"edits { drop_mode: DROP_MODE_UNSPECIFIED }", &NoChange, kOnlyRead},
    {"edits { drop_mode: DROP_MODE_POSES }", &NoChange, kOnlyRead},
    {"edits { drop_mode: DROP_MODE_RIGID }",
     [](ConvertOptions* o) { o->edits.drop_mode = DropMode::kRigid; }},
    {"edits { tpose_frame: 0 }",
     [](ConvertOptions* o) { o->edits.tpose_frame = 0; }},
    {"edits { tpose_frame: 4294967296 }",
     [](ConvertOptions* o) { o->edits.tpose_frame = int64_t{1} << 32; }},
    {"edits { trim {} }", &NoChange, kOnlyRead},
    {"edits { trim { begin_seconds: 1.5 end_seconds: 3 } }",
     [](ConvertOptions* o) {
       o->edits.trim = {1.5, 3};
     }},
    {"edits { mirror: true }",
     [](ConvertOptions* o) { o->edits.mirror = true; }},
    {"edits { floor: true }", [](ConvertOptions* o) { o->edits.floor = true; }},
    {"edits { body_root: 'Hips' }",
     [](ConvertOptions* o) { o->edits.body_root = "Hips"; }},
    {"edits { figure: 2 }", [](ConvertOptions* o) { o->edits.figure = 2; }},
    {"edits { frames {} }", &NoChange, kOnlyRead},
    {"edits { frames { step: 1 } }", &NoChange, kOnlyRead},
    {"edits { frames { begin: 3 } }",
     [](ConvertOptions* o) {
       o->edits.frames = {3, 0, 1};
     },
     kOnlyRead},
    {"edits { frames { begin: 3 step: 1 } }",
     [](ConvertOptions* o) {
       o->edits.frames = {3, 0, 1};
     }},
    {"edits { frames { end: 9 step: 1 } }",
     [](ConvertOptions* o) {
       o->edits.frames = {0, 9, 1};
     }},
    {"edits { frames { begin: 4294967296 end: 8589934592 step: 5 } }",
     [](ConvertOptions* o) {
       o->edits.frames = {int64_t{1} << 32, int64_t{1} << 33, 5};
     }},
    {"edits { repairs {} }", &NoChange, kOnlyRead},
    {"edits { repairs { drop_repeated_frames: true } }",
     [](ConvertOptions* o) { o->edits.repairs.drop_repeated_frames = true; }},
    {"edits { repairs { snap_frame_time: true } }",
     [](ConvertOptions* o) { o->edits.repairs.snap_frame_time = true; }},
    {"edits { repairs { fill_gap_frames: 7 } }",
     [](ConvertOptions* o) { o->edits.repairs.fill_gap_frames = 7; }},
    {"edits { repairs { replace_spikes: true } }",
     [](ConvertOptions* o) { o->edits.repairs.replace_spikes = true; }},
    {"edits { repairs { unwrap_angles: true } }",
     [](ConvertOptions* o) { o->edits.repairs.unwrap_angles = true; }},
    {"edits { resample_fps: 29.97 }",
     [](ConvertOptions* o) { o->edits.resample_fps = 29.97; }},
    {"edits { state_fps: 29.97 }",
     [](ConvertOptions* o) { o->edits.state_fps = 29.97; }},
    {"edits { up_axis: AXIS_UNSPECIFIED }", &NoChange, kOnlyRead},
    {"read { up_axis: AXIS_Z } edits { up_axis: AXIS_Y }",
     [](ConvertOptions* o) {
       o->edits.source.up_axis = UpAxis::kZ;
       o->edits.up_axis = UpAxis::kY;
     }},
    {"read { up_axis: AXIS_Y } edits { up_axis: AXIS_Z }",
     [](ConvertOptions* o) {
       o->edits.source.up_axis = UpAxis::kY;
       o->edits.up_axis = UpAxis::kZ;
     }},
    {"read { meters_per_unit: 0.01 } edits { meters_per_unit: 0.5 }",
     [](ConvertOptions* o) {
       o->edits.source.meters_per_unit = 0.01;
       o->edits.meters_per_unit = 0.5;
     }},
    {"edits { root_motion: ROOT_MOTION_UNSPECIFIED }", &NoChange, kOnlyRead},
    {"edits { root_motion: ROOT_MOTION_KEEP }", &NoChange, kOnlyRead},
    {"edits { root_motion: ROOT_MOTION_IN_PLACE }",
     [](ConvertOptions* o) { o->edits.root_motion = RootMotion::kInPlace; }},
    {"edits { root_motion: ROOT_MOTION_ORIGIN }",
     [](ConvertOptions* o) { o->edits.root_motion = RootMotion::kOrigin; }},
    {"edits { root_alignment {} }", &NoChange, kOnlyRead},
    {"edits { root_alignment { position_axes: 'xzy' } }",
     [](ConvertOptions* o) { o->edits.root_alignment.position_axes = "xzy"; }},
    {"edits { root_alignment { position_signs: '-+-' } }",
     [](ConvertOptions* o) { o->edits.root_alignment.position_signs = "-+-"; }},
    {R"(edits { root_alignment { correction_degrees: 1
          correction_degrees: -2 correction_degrees: 3.5 } })",
     [](ConvertOptions* o) {
       o->edits.root_alignment.correction_degrees = {1, -2, 3.5};
     }},
    {"edits { interpolation: INTERPOLATION_UNSPECIFIED }", &NoChange,
     kOnlyRead},
    {"edits { interpolation: INTERPOLATION_SLERP }", &NoChange, kOnlyRead},
    {"edits { interpolation: INTERPOLATION_LERP_ANGLE }",
     [](ConvertOptions* o) {
       o->edits.interpolation = Interpolation::kLerpAngle;
     }},
};

}  // namespace

std::vector<OptionCase> OptionCases() {
  std::vector<OptionCase> cases(std::begin(kOptionCases),
                                std::end(kOptionCases));
  const std::vector<OptionCase> outputs = OutputCases();
  cases.insert(cases.end(), outputs.begin(), outputs.end());
  return cases;
}

}  // namespace bvhmill::testing
