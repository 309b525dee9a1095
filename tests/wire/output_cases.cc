#include <iterator>
#include <utility>

#include "tests/wire/option_cases.h"

namespace bvhmill::testing {
namespace {

// One output of the default id.
template <typename Format>
void Emit(Format format, ConvertOptions* options) {
  options->outputs = {{"", std::move(format)}};
}

// An .anim that differs from the default by `change`.
template <typename Change>
void EmitAnim(const Change& change, ConvertOptions* options) {
  AnimFormat format;
  change(&format);
  Emit(std::move(format), options);
}

template <typename Change>
void EmitSettings(const Change& change, ConvertOptions* options) {
  EmitAnim([&](AnimFormat* format) { change(&format->settings); }, options);
}

const OptionCase kOutputCases[] = {
    {"outputs { id: 'first' npz {} } outputs { id: 'second' bvh {} }",
     [](ConvertOptions* o) {
       o->outputs = {{"first", NpzFormat{}}, {"second", BvhFormat{}}};
     }},
    {"outputs { positions {} }",
     [](ConvertOptions* o) { Emit(PositionsFormat{}, o); }},
    {"outputs { positions { layout: TENSOR_LAYOUT_UNSPECIFIED } }",
     [](ConvertOptions* o) { Emit(PositionsFormat{}, o); }, kOnlyRead},
    {"outputs { positions { layout: TENSOR_LAYOUT_FRAME_MAJOR } }",
     [](ConvertOptions* o) { Emit(PositionsFormat{}, o); }, kOnlyRead},
    {"outputs { positions { layout: TENSOR_LAYOUT_JOINT_MAJOR } }",
     [](ConvertOptions* o) {
       Emit(PositionsFormat{TensorLayout::kJointMajor, false}, o);
     }},
    {"outputs { positions { include_end_sites: true } }",
     [](ConvertOptions* o) {
       Emit(PositionsFormat{TensorLayout::kFrameMajor, true}, o);
     }},
    {"outputs { rotations {} }",
     [](ConvertOptions* o) { Emit(RotationsFormat{}, o); }},
    {"outputs { rotations { kind: ROTATION_KIND_UNSPECIFIED } }",
     [](ConvertOptions* o) { Emit(RotationsFormat{}, o); }, kOnlyRead},
    {"outputs { rotations { kind: ROTATION_KIND_QUATERNION_XYZW } }",
     [](ConvertOptions* o) { Emit(RotationsFormat{}, o); }, kOnlyRead},
    {"outputs { rotations { kind: ROTATION_KIND_MATRIX_3X3 } }",
     [](ConvertOptions* o) {
       Emit(RotationsFormat{.kind = RotationKind::kMatrix}, o);
     }},
    {"outputs { rotations { kind: ROTATION_KIND_SIX_D } }",
     [](ConvertOptions* o) {
       Emit(RotationsFormat{.kind = RotationKind::kSixD}, o);
     }},
    {"outputs { rotations { layout: TENSOR_LAYOUT_FRAME_MAJOR } }",
     [](ConvertOptions* o) { Emit(RotationsFormat{}, o); }, kOnlyRead},
    {"outputs { rotations { layout: TENSOR_LAYOUT_JOINT_MAJOR } }",
     [](ConvertOptions* o) {
       Emit(RotationsFormat{.layout = TensorLayout::kJointMajor}, o);
     }},
    {"outputs { rotations { space: ROTATION_SPACE_UNSPECIFIED } }",
     [](ConvertOptions* o) { Emit(RotationsFormat{}, o); }, kOnlyRead},
    {"outputs { rotations { space: ROTATION_SPACE_LOCAL } }",
     [](ConvertOptions* o) { Emit(RotationsFormat{}, o); }, kOnlyRead},
    {"outputs { rotations { space: ROTATION_SPACE_WORLD } }",
     [](ConvertOptions* o) {
       Emit(RotationsFormat{.space = RotationSpace::kWorld}, o);
     }},
    {"outputs { rotations { include_end_sites: true } }",
     [](ConvertOptions* o) {
       Emit(RotationsFormat{.with_end_sites = true}, o);
     }},
    {"outputs { velocities {} }",
     [](ConvertOptions* o) { Emit(VelocitiesFormat{}, o); }},
    {"outputs { velocities { layout: TENSOR_LAYOUT_FRAME_MAJOR } }",
     [](ConvertOptions* o) { Emit(VelocitiesFormat{}, o); }, kOnlyRead},
    {"outputs { velocities { layout: TENSOR_LAYOUT_JOINT_MAJOR } }",
     [](ConvertOptions* o) {
       Emit(VelocitiesFormat{TensorLayout::kJointMajor, false}, o);
     }},
    {"outputs { velocities { include_end_sites: true } }",
     [](ConvertOptions* o) {
       Emit(VelocitiesFormat{TensorLayout::kFrameMajor, true}, o);
     }},
    {"outputs { npz {} }", [](ConvertOptions* o) { Emit(NpzFormat{}, o); }},
    {"outputs { npz { include_end_sites: true } }",
     [](ConvertOptions* o) { Emit(NpzFormat{true}, o); }},
    {"outputs { values {} }",
     [](ConvertOptions* o) { Emit(ValuesFormat{}, o); }},
    {"outputs { csv {} }", [](ConvertOptions* o) { Emit(CsvFormat{}, o); }},
    {"outputs { csv { include_end_sites: true } }",
     [](ConvertOptions* o) { Emit(CsvFormat{true}, o); }},
    // Not set is the shortest text, which 0 decimals is not.
    {"outputs { bvh {} }", [](ConvertOptions* o) { Emit(BvhFormat{-1}, o); }},
    {"outputs { bvh { decimals: -1 } }",
     [](ConvertOptions* o) { Emit(BvhFormat{-1}, o); }, kOnlyRead},
    {"outputs { bvh { decimals: 0 } }",
     [](ConvertOptions* o) { Emit(BvhFormat{0}, o); }},
    {"outputs { bvh { decimals: 6 } }",
     [](ConvertOptions* o) { Emit(BvhFormat{6}, o); }},

    // AnimFormat
    {"outputs { anim {} }", [](ConvertOptions* o) { Emit(AnimFormat{}, o); }},
    {"outputs { anim { priority: -1 } }",
     [](ConvertOptions* o) {
       EmitSettings([](AnimSettings* s) { s->base_priority = -1; }, o);
     }},
    {"outputs { anim { priority: 0 } }",
     [](ConvertOptions* o) {
       EmitSettings([](AnimSettings* s) { s->base_priority = 0; }, o);
     }},
    {"outputs { anim { loop: true } }",
     [](ConvertOptions* o) {
       EmitSettings([](AnimSettings* s) { s->loop = true; }, o);
     }},
    {"outputs { anim { loop: false } }",
     [](ConvertOptions* o) {
       EmitSettings([](AnimSettings* s) { s->loop = false; }, o);
     }},
    {"outputs { anim { loop_in_seconds: 0 } }",
     [](ConvertOptions* o) {
       EmitSettings([](AnimSettings* s) { s->loop_in = 0.0F; }, o);
     }},
    {"outputs { anim { loop_in_seconds: 0.25 } }",
     [](ConvertOptions* o) {
       EmitSettings([](AnimSettings* s) { s->loop_in = 0.25F; }, o);
     }},
    {"outputs { anim { loop_out_seconds: 0 } }",
     [](ConvertOptions* o) {
       EmitSettings([](AnimSettings* s) { s->loop_out = 0.0F; }, o);
     }},
    {"outputs { anim { loop_out_seconds: 0.5 } }",
     [](ConvertOptions* o) {
       EmitSettings([](AnimSettings* s) { s->loop_out = 0.5F; }, o);
     }},
    {"outputs { anim { ease_in_seconds: 0 } }",
     [](ConvertOptions* o) {
       EmitSettings([](AnimSettings* s) { s->ease_in = 0.0F; }, o);
     }},
    {"outputs { anim { ease_in_seconds: 0.75 } }",
     [](ConvertOptions* o) {
       EmitSettings([](AnimSettings* s) { s->ease_in = 0.75F; }, o);
     }},
    {"outputs { anim { ease_out_seconds: 0 } }",
     [](ConvertOptions* o) {
       EmitSettings([](AnimSettings* s) { s->ease_out = 0.0F; }, o);
     }},
    {"outputs { anim { ease_out_seconds: 1.25 } }",
     [](ConvertOptions* o) {
       EmitSettings([](AnimSettings* s) { s->ease_out = 1.25F; }, o);
     }},
    {"outputs { anim { first_frame_is_reference: true } }",
     [](ConvertOptions* o) {
       EmitAnim(
           [](AnimFormat* f) { f->reference = AnimReference::kFirstFrame; }, o);
     }},
    {"outputs { anim { reference: ANIM_REFERENCE_UNSPECIFIED } }",
     [](ConvertOptions* o) { Emit(AnimFormat{}, o); }, kOnlyRead},
    {"outputs { anim { reference: ANIM_REFERENCE_AUTO } }",
     [](ConvertOptions* o) { Emit(AnimFormat{}, o); }, kOnlyRead},
    {"outputs { anim { reference: ANIM_REFERENCE_AUTO "
     "first_frame_is_reference: true } }",
     [](ConvertOptions* o) { Emit(AnimFormat{}, o); }, kOnlyRead},
    {"outputs { anim { reference: ANIM_REFERENCE_REST_POSE } }",
     [](ConvertOptions* o) {
       EmitAnim([](AnimFormat* f) { f->reference = AnimReference::kRestPose; },
                o);
     }},
    {"outputs { anim { reference: ANIM_REFERENCE_FIRST_FRAME } }",
     [](ConvertOptions* o) {
       EmitAnim(
           [](AnimFormat* f) { f->reference = AnimReference::kFirstFrame; }, o);
     },
     kOnlyRead},
    {R"(outputs { anim { joint_map_rows { source: 'A' target: 'mHead' } } })",
     [](ConvertOptions* o) {
       EmitAnim([](AnimFormat* f) { f->joint_map_rows = {{"A", "mHead"}}; }, o);
     }},
    {"outputs { anim { max_degrees_limit: 0 } }",
     [](ConvertOptions* o) {
       EmitAnim([](AnimFormat* f) { f->max_degrees_limit = 0; }, o);
     }},
    {"outputs { anim { max_degrees_limit: 12 } }",
     [](ConvertOptions* o) {
       EmitAnim([](AnimFormat* f) { f->max_degrees_limit = 12; }, o);
     }},
    {"outputs { anim { accept_odd: true } }",
     [](ConvertOptions* o) {
       EmitAnim([](AnimFormat* f) { f->accept_odd = true; }, o);
     }},
    {"outputs { anim { for_upload: true } }",
     [](ConvertOptions* o) {
       EmitAnim([](AnimFormat* f) { f->for_upload = true; }, o);
     }},
    {"outputs { npz { rotation_kind: ROTATION_KIND_MATRIX_3X3 } }",
     [](ConvertOptions* o) {
       NpzFormat npz;
       npz.rotation_kind = RotationKind::kMatrix;
       Emit(npz, o);
     }},
    {"outputs { npz { rotation_kind: ROTATION_KIND_QUATERNION_XYZW "
     "rotation_space: ROTATION_SPACE_LOCAL } }",
     [](ConvertOptions* o) { Emit(NpzFormat{}, o); }, kOnlyRead},
    {"outputs { npz { rotation_kind: ROTATION_KIND_SIX_D } }",
     [](ConvertOptions* o) {
       NpzFormat npz;
       npz.rotation_kind = RotationKind::kSixD;
       Emit(npz, o);
     }},
    {"outputs { npz { rotation_space: ROTATION_SPACE_WORLD } }",
     [](ConvertOptions* o) {
       NpzFormat npz;
       npz.rotation_space = RotationSpace::kWorld;
       Emit(npz, o);
     }},
    {"outputs { npz { arrays: NPZ_ARRAY_POSITIONS arrays: NPZ_ARRAY_ROTATIONS "
     "arrays: NPZ_ARRAY_VELOCITIES } }",
     [](ConvertOptions* o) {
       NpzFormat npz;
       npz.velocities = true;
       Emit(npz, o);
     }},
    {"outputs { npz { arrays: NPZ_ARRAY_VELOCITIES } }",
     [](ConvertOptions* o) {
       NpzFormat npz;
       npz.positions = npz.rotations = false;
       npz.velocities = true;
       Emit(npz, o);
     }},
    {"outputs { anim { profile: ANIM_PROFILE_UNSPECIFIED } }",
     [](ConvertOptions* o) { Emit(AnimFormat{}, o); }, kOnlyRead},
    {"outputs { anim { profile: ANIM_PROFILE_BEST } }",
     [](ConvertOptions* o) { Emit(AnimFormat{}, o); }, kOnlyRead},
    {"outputs { anim { profile: ANIM_PROFILE_VIEWER } }",
     [](ConvertOptions* o) {
       EmitAnim([](AnimFormat* f) { f->profile = AnimProfile::kViewer; }, o);
     }},
    {"outputs { anim { joint_priority: 0 } }",
     [](ConvertOptions* o) {
       EmitSettings([](AnimSettings* s) { s->joint_priority = 0; }, o);
     }},
    {"outputs { anim { joint_priority: 5 } }",
     [](ConvertOptions* o) {
       EmitSettings([](AnimSettings* s) { s->joint_priority = 5; }, o);
     }},
    {R"(outputs { anim { joint_priorities { joint: 'mHead' priority: 4 }
                         joint_priorities { joint: 'hip' priority: -1 } } })",
     [](ConvertOptions* o) {
       EmitSettings(
           [](AnimSettings* s) {
             s->joint_priorities = {{"mHead", 4}, {"hip", -1}};
           },
           o);
     }},
    {"outputs { anim { hand_pose: 0 } }",
     [](ConvertOptions* o) {
       EmitSettings([](AnimSettings* s) { s->hand_pose = 0; }, o);
     }},
    {"outputs { anim { hand_pose: 13 } }",
     [](ConvertOptions* o) {
       EmitSettings([](AnimSettings* s) { s->hand_pose = 13; }, o);
     }},
    {"outputs { anim { emote: 'express_smile' } }",
     [](ConvertOptions* o) {
       EmitSettings([](AnimSettings* s) { s->emote = "express_smile"; }, o);
     }},
    {"outputs { anim { joint_map: 'mixamo' } }",
     [](ConvertOptions* o) {
       EmitAnim([](AnimFormat* f) { f->joint_map = "mixamo"; }, o);
     }},
    {"outputs { anim { max_degrees: 0 } }",
     [](ConvertOptions* o) {
       EmitAnim([](AnimFormat* f) { f->max_degrees = 0; }, o);
     }},
    {"outputs { anim { max_degrees: 0.5 } }",
     [](ConvertOptions* o) {
       EmitAnim([](AnimFormat* f) { f->max_degrees = 0.5F; }, o);
     }},
    {"outputs { anim { max_millimetres: 0 } }",
     [](ConvertOptions* o) {
       EmitAnim([](AnimFormat* f) { f->max_millimetres = 0; }, o);
     }},
    {"outputs { anim { max_millimetres: 0.75 } }",
     [](ConvertOptions* o) {
       EmitAnim([](AnimFormat* f) { f->max_millimetres = 0.75F; }, o);
     }},
    {"outputs { anim { max_bytes: 8589934592 } }",
     [](ConvertOptions* o) {
       EmitAnim([](AnimFormat* f) { f->max_bytes = int64_t{1} << 33; }, o);
     }},
    {"outputs { anim { match_limbs: true } }",
     [](ConvertOptions* o) {
       EmitAnim([](AnimFormat* f) { f->match_limbs = true; }, o);
     }},
    {"outputs { anim { scale_to_avatar: true } }",
     [](ConvertOptions* o) {
       EmitAnim([](AnimFormat* f) { f->scale_to_avatar = true; }, o);
     }},
    // Fields of a vector that are not set are 0; each field has its own number.
    {R"(outputs { anim { constraints {
          chain_length: 3 type: ANIM_CONSTRAINT_TYPE_PLANE
          source_volume: 'L_FOOT' target_volume: 'GROUND'
          source_offset { x: 1 y: 2 z: 3 }
          target_offset { x: 4 y: 5 z: 6 }
          target_direction { x: 7 y: 8 z: 9 }
          ease_in_start_seconds: 0.125 ease_in_stop_seconds: 0.25
          ease_out_start_seconds: 0.5 ease_out_stop_seconds: 0.75 } } })",
     [](ConvertOptions* o) {
       AnimConstraint constraint;
       constraint.chain_length = 3;
       constraint.type = 1;
       constraint.source_volume = "L_FOOT";
       constraint.target_volume = "GROUND";
       constraint.source_offset = {1, 2, 3};
       constraint.target_offset = {4, 5, 6};
       constraint.target_direction = {7, 8, 9};
       constraint.ease_in_start = 0.125F;
       constraint.ease_in_stop = 0.25F;
       constraint.ease_out_start = 0.5F;
       constraint.ease_out_stop = 0.75F;
       EmitSettings([&](AnimSettings* s) { s->constraints = {constraint}; }, o);
     }},
    {R"(outputs { anim {
          constraints { source_volume: 'CHEST' target_volume: 'HEAD' }
          constraints { type: ANIM_CONSTRAINT_TYPE_UNSPECIFIED
                        source_volume: 'L_HAND' target_volume: 'R_HAND' } } })",
     [](ConvertOptions* o) {
       AnimConstraint first;
       first.source_volume = "CHEST";
       first.target_volume = "HEAD";
       AnimConstraint second;
       second.source_volume = "L_HAND";
       second.target_volume = "R_HAND";
       EmitSettings(
           [&](AnimSettings* s) {
             s->constraints = {first, second};
           },
           o);
     },
     kOnlyRead},
    {R"(outputs { anim { constraints {
          type: ANIM_CONSTRAINT_TYPE_POINT
          source_volume: 'CHEST' target_volume: 'HEAD'
          source_offset {} target_offset {} target_direction {} } } })",
     [](ConvertOptions* o) {
       AnimConstraint constraint;
       constraint.source_volume = "CHEST";
       constraint.target_volume = "HEAD";
       EmitSettings([&](AnimSettings* s) { s->constraints = {constraint}; }, o);
     }},
};

}  // namespace

std::vector<OptionCase> OutputCases() {
  return {std::begin(kOutputCases), std::end(kOutputCases)};
}

}  // namespace bvhmill::testing
