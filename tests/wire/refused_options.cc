#include <iterator>

#include "tests/wire/option_cases.h"

namespace bvhmill::testing {
namespace {

const RefusedOption kRefused[] = {
    {"read { strictness: 99 }", "options.read.strictness"},
    {"read { up_axis: 3 }", "options.read.up_axis"},
    {"read { joint_positions: 4 }", "options.read.joint_positions"},
    {"read { root_offset: 3 }", "options.read.root_offset"},
    {"read { meters_per_unit: -1 }", "options.read.meters_per_unit"},
    {"read { meters_per_unit: inf }", "options.read.meters_per_unit"},
    {"validation { severity_overrides { key: 'TEXT_EMPTY' value: 5 } }",
     "options.validation.severity_overrides"},
    {"validation { severity_overrides { key: 'TEXT_EMPTY' value: -1 } }",
     "options.validation.severity_overrides"},
    {"validation { severity_overrides { key: 'TEXT_EMPTY' "
     "value: SEVERITY_UNSPECIFIED } }",
     "options.validation.severity_overrides"},
    {"validation { max_issues: -1 }", "options.validation.max_issues"},
    {"validation { ignore_codes: 'NO_SUCH_CODE' }",
     "options.validation.ignore_codes"},
    {"validation { only_codes: 'NO_SUCH_CODE' }",
     "options.validation.only_codes"},
    {"validation { severity_overrides { key: 'NO_SUCH_CODE' "
     "value: SEVERITY_INFO } }",
     "options.validation.severity_overrides"},
    {"read { up_axis: AXIS_Y } edits { up_axis: 3 }", "options.edits.up_axis"},
    {"edits { interpolation: 3 }", "options.edits.interpolation"},
    {"edits { root_motion: 4 }", "options.edits.root_motion"},
    {"edits { frames { begin: -1 } }", "options.edits.frames"},
    {"edits { frames { end: -1 } }", "options.edits.frames"},
    {"edits { frames { begin: 2 end: 2 } }", "options.edits.frames"},
    {"edits { frames { step: -1 } }", "options.edits.frames"},
    {"edits { resample_fps: -1 }", "options.edits.resample_fps"},
    {"edits { resample_fps: nan }", "options.edits.resample_fps"},
    {"edits { meters_per_unit: -1 }", "options.edits.meters_per_unit"},
    {"edits { joint_map: 'none' }", "options.edits.joint_map"},
    {"edits { joint_map: 'cmu' joint_map_rows { source: 'a' target: 'b' } }",
     "options.edits.joint_map_rows"},
    {"edits { joint_map_rows { source: 'a' target: 'b' } "
     "joint_map_rows { source: 'a' target: 'c' } }",
     "options.edits.joint_map_rows"},
    {"edits { rename_joints { key: 'a' value: '' } }",
     "options.edits.rename_joints"},
    {"edits { root_alignment { position_axes: 'xxy' } }",
     "options.edits.root_alignment.position_axes"},
    {"edits { root_alignment { position_signs: '++' } }",
     "options.edits.root_alignment.position_signs"},
    {"edits { root_alignment { correction_degrees: 1 } }",
     "options.edits.root_alignment.correction_degrees"},
    {"edits { root_alignment { correction_degrees: [1, 2, 3, 4] } }",
     "options.edits.root_alignment.correction_degrees"},
    {"outputs {}", "options.outputs[0].format"},
    {"outputs { npz {} } outputs { id: 'b' }", "options.outputs[1].format"},
    {"outputs { npz {} } outputs { npz {} }", "options.outputs[1].id"},
    {"outputs { positions { layout: 3 } }",
     "options.outputs[0].positions.layout"},
    {"outputs { rotations { kind: 4 } }", "options.outputs[0].rotations.kind"},
    {"outputs { rotations { layout: 3 } }",
     "options.outputs[0].rotations.layout"},
    {"outputs { rotations { space: 3 } }",
     "options.outputs[0].rotations.space"},
    {"outputs { velocities { layout: 3 } }",
     "options.outputs[0].velocities.layout"},
    {"outputs { bvh { decimals: -2 } }", "options.outputs[0].bvh.decimals"},
    {"outputs { bvh { decimals: 1000 } }", "options.outputs[0].bvh.decimals"},
    {"outputs { anim { profile: 3 } }", "options.outputs[0].anim.profile"},
    {"outputs { anim { priority: 7 } }", "options.outputs[0].anim.priority"},
    {"outputs { anim { priority: -2 } }", "options.outputs[0].anim.priority"},
    {"outputs { anim { joint_priority: 7 } }",
     "options.outputs[0].anim.joint_priority"},
    {"outputs { anim { joint_priorities { joint: 'nose' priority: 1 } } }",
     "options.outputs[0].anim.joint_priorities"},
    {"outputs { anim { hand_pose: 14 } }", "options.outputs[0].anim.hand_pose"},
    {"outputs { anim { ease_in_seconds: -1 } }",
     "options.outputs[0].anim.ease_in"},
    {"outputs { anim { max_degrees: -1 } }",
     "options.outputs[0].anim.max_degrees"},
    {"outputs { anim { max_millimetres: -1 } }",
     "options.outputs[0].anim.max_millimetres"},
    {"outputs { anim { max_bytes: -1 } }", "options.outputs[0].anim.max_bytes"},
    {"outputs { anim { joint_map: 'none' } }",
     "options.outputs[0].anim.joint_map"},
    {"outputs { anim { constraints { type: 3 } } }",
     "options.outputs[0].anim.constraints[0].type"},
    {"outputs { anim { constraints { chain_length: 256 } } }",
     "options.outputs[0].anim.constraints[0].chain_length"},
    {"outputs { anim { constraints { source_volume: 'NOSE' } } }",
     "options.outputs[0].anim.constraints"},
};

}  // namespace

std::vector<RefusedOption> RefusedOptions() {
  return {std::begin(kRefused), std::end(kRefused)};
}

}  // namespace bvhmill::testing
