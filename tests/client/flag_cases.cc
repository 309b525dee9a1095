#include "tests/client/flag_cases.h"

namespace bvhmill::testing {
namespace {

// A flag of --emit anim, by the fields of the format.
OptionFlag Anim(const std::string& flag, const std::string& value,
                const std::string& fields, const std::string& more = "") {
  std::vector<std::string> others = {"--emit=anim"};
  if (!more.empty()) others.push_back(more);
  return {"anim-" + flag, value, "outputs { anim { " + fields + " } }", others};
}

std::vector<OptionFlag> ReadingFlags() {
  return {
      {"strict", "", "read { strictness: STRICTNESS_STRICT }"},
      {"units", "m", "read { meters_per_unit: 1 }"},
      {"units", "cm", "read { meters_per_unit: 0.01 }"},
      {"units", "mm", "read { meters_per_unit: 0.001 }"},
      {"units", "in", "read { meters_per_unit: 0.0254 }"},
      {"units", "inch", "read { meters_per_unit: 0.0254 }"},
      {"units", "ft", "read { meters_per_unit: 0.3048 }"},
      {"units", "0.75", "read { meters_per_unit: 0.75 }"},
      {"up", "y", "read { up_axis: AXIS_Y }"},
      {"up", "z", "read { up_axis: AXIS_Z }"},
      {"joint-positions", "replace",
       "read { joint_positions: JOINT_POSITIONS_REPLACE_OFFSET }"},
      {"joint-positions", "add",
       "read { joint_positions: JOINT_POSITIONS_ADD_TO_OFFSET }"},
      {"joint-positions", "ignore",
       "read { joint_positions: JOINT_POSITIONS_IGNORE }"},
      {"root-offset", "ignore", "read { root_offset: ROOT_OFFSET_IGNORE }"},
      {"root-offset", "add", "read { root_offset: ROOT_OFFSET_ADD }"},
      {"name-encoding", "gbk", "read { name_encoding: 'gbk' }"},
      {"ignore", "TEXT_COMMENT,TEXT_EMPTY",
       "validation { ignore_codes: ['TEXT_COMMENT', 'TEXT_EMPTY'] }"},
      {"only", "TEXT_UTF16,TEXT_EMPTY",
       "validation { only_codes: ['TEXT_UTF16', 'TEXT_EMPTY'] }"},
      {"max-issues", "7", "validation { max_issues: 7 }"},
      {"rule", "DATA_SPIKE.degrees=4.5,DATA_JUMP.reach=0",
       "validation { "
       "thresholds { code: 'DATA_SPIKE' name: 'degrees' value: 4.5 } "
       "thresholds { code: 'DATA_JUMP' name: 'reach' } }"},
  };
}

std::vector<OptionFlag> EditFlags() {
  return {
      {"drop", "Tail*,Hat", "edits { drop_joints: ['Tail*', 'Hat'] }"},
      {"keep", "Hips,Leg#2", "edits { keep_joints: ['Hips', 'Leg#2'] }"},
      {"rename", "A=B,C=D=E",
       "edits { rename_joints { key: 'A' value: 'B' } "
       "rename_joints { key: 'C' value: 'D=E' } }"},
      {"joint-map", "cmu", "edits { joint_map: 'cmu' }"},
      {"joint-map", "map.csv",
       "edits { joint_map_rows { source: 'from' target: 'to' } "
       "joint_map_rows { source: 'a' target: 'b' } }"},
      {"strip-prefix", "", "edits { strip_prefix: true }"},
      {"names-to", "mixamo", "edits { names_to: 'mixamo' }"},
      {"figure", "2", "edits { figure: 2 }"},
      {"drop-repeated", "", "edits { repairs { drop_repeated_frames: true } }"},
      {"snap-rate", "", "edits { repairs { snap_frame_time: true } }"},
      {"fill-gaps", "7", "edits { repairs { fill_gap_frames: 7 } }"},
      {"replace-spikes", "", "edits { repairs { replace_spikes: true } }"},
      {"unwrap", "", "edits { repairs { unwrap_angles: true } }"},
      {"frames", "3:9:2", "edits { frames { begin: 3 end: 9 step: 2 } }"},
      {"frames", "3:9", "edits { frames { begin: 3 end: 9 step: 1 } }"},
      {"frames", "3:", "edits { frames { begin: 3 step: 1 } }"},
      {"frames", ":9", "edits { frames { end: 9 step: 1 } }"},
      {"frames", "::4", "edits { frames { step: 4 } }"},
      {"fps", "29.97", "edits { resample_fps: 29.97 }"},
      {"state-fps", "29.97", "edits { state_fps: 29.97 }"},
      {"interpolation", "slerp", "edits { resample_fps: 30 }", {"--fps=30"}},
      {"interpolation",
       "lerp-angle",
       "edits { resample_fps: 30 interpolation: INTERPOLATION_LERP_ANGLE }",
       {"--fps=30"}},
  };
}

std::vector<OptionFlag> SpaceFlags() {
  return {
      {"to-units",
       "ft",
       "read { meters_per_unit: 0.01 } edits { meters_per_unit: 0.3048 }",
       {"--units=cm"}},
      {"to-up",
       "y",
       "read { up_axis: AXIS_Z } edits { up_axis: AXIS_Y }",
       {"--up=z"}},
      {"to-up",
       "z",
       "read { up_axis: AXIS_Y } edits { up_axis: AXIS_Z }",
       {"--up=y"}},
      {"in-place", "", "edits { root_motion: ROOT_MOTION_IN_PLACE }"},
      {"at-origin", "", "edits { root_motion: ROOT_MOTION_ORIGIN }"},
      {"floor", "", "edits { floor: true }"},
      {"mirror", "", "edits { mirror: true }"},
      {"tpose-frame", "0", "edits { tpose_frame: 0 }"},
      {"tpose-frame", "7", "edits { tpose_frame: 7 }"},
      {"trim", "1.5s:3s",
       "edits { trim { begin_seconds: 1.5 end_seconds: 3 } }"},
      {"trim", "1.5:", "edits { trim { begin_seconds: 1.5 } }"},
      {"trim", ":3", "edits { trim { end_seconds: 3 } }"},
      {"drop-mode", "poses", "edits { drop_joints: 'Hat' }", {"--drop=Hat"}},
      {"drop-mode",
       "rigid",
       "edits { drop_joints: 'Hat' drop_mode: DROP_MODE_RIGID }",
       {"--drop=Hat"}},
      {"body-root", "Hips", "edits { body_root: 'Hips' }"},
      {"root-axes", "xzy", "edits { root_alignment { position_axes: 'xzy' } }"},
      {"root-signs", "-+-",
       "edits { root_alignment { position_signs: '-+-' } }"},
      {"root-correction", "1,-2,3.5",
       "edits { root_alignment { correction_degrees: [1, -2, 3.5] } }"},
  };
}

std::vector<OptionFlag> OutputFlags() {
  return {
      {"emit", "positions", "outputs { positions {} }"},
      {"emit", "rotations", "outputs { rotations {} }"},
      {"emit", "velocities", "outputs { velocities {} }"},
      {"emit", "npz", "outputs { npz {} }"},
      {"emit", "csv", "outputs { csv {} }"},
      {"emit", "bvh", "outputs { bvh {} }"},
      {"emit", "anim", "outputs { anim {} }"},
      {"emit", "values", "outputs { values {} }"},
      {"emit", "csv,npz,csv", "outputs { csv {} } outputs { npz {} }"},
      {"end-sites",
       "",
       "outputs { positions { include_end_sites: true } } "
       "outputs { velocities { include_end_sites: true } } "
       "outputs { npz { include_end_sites: true } } "
       "outputs { csv { include_end_sites: true } } "
       "outputs { rotations {} } outputs { bvh {} }",
       {"--emit=positions,velocities,npz,csv,rotations,bvh"}},
      {"rotation-kind",
       "quaternion",
       "outputs { rotations {} }",
       {"--emit=rotations"}},
      {"rotation-kind",
       "matrix",
       "outputs { rotations { kind: ROTATION_KIND_MATRIX_3X3 } }",
       {"--emit=rotations"}},
      {"rotation-kind",
       "6d",
       "outputs { rotations { kind: ROTATION_KIND_SIX_D } }",
       {"--emit=rotations"}},
      {"npz-arrays",
       "rotations,velocities",
       "outputs { npz { arrays: NPZ_ARRAY_ROTATIONS "
       "arrays: NPZ_ARRAY_VELOCITIES } }",
       {"--emit=npz"}},
      {"rotation-kind",
       "6d",
       "outputs { npz { rotation_kind: ROTATION_KIND_SIX_D } }",
       {"--emit=npz"}},
      {"rotation-space",
       "world",
       "outputs { npz { rotation_space: ROTATION_SPACE_WORLD } }",
       {"--emit=npz"}},
      {"rotation-space",
       "local",
       "outputs { rotations {} }",
       {"--emit=rotations"}},
      {"rotation-space",
       "world",
       "outputs { rotations { space: ROTATION_SPACE_WORLD } }",
       {"--emit=rotations"}},
  };
}

std::vector<OptionFlag> AnimFlags() {
  return {
      Anim("profile", "best", ""),
      Anim("profile", "viewer", "profile: ANIM_PROFILE_VIEWER"),
      // A joint's own priority would win over that of the base.
      Anim("priority", "4", "priority: 4 joint_priority: 4"),
      Anim("priority", "-1", "priority: -1 joint_priority: -1"),
      Anim("joint-priority", "mHead=5",
           "joint_priorities { joint: 'mHead' priority: 5 }"),
      Anim("loop", "", "loop: true"),
      Anim("loop", "0.25:0.5",
           "loop: true loop_in_seconds: 0.25 loop_out_seconds: 0.5"),
      Anim("ease-in", "0.75", "ease_in_seconds: 0.75"),
      Anim("ease-in", "0", "ease_in_seconds: 0"),
      Anim("ease-out", "1.25", "ease_out_seconds: 1.25"),
      Anim("hand-pose", "13", "hand_pose: 13"),
      Anim("hand-pose", "0", "hand_pose: 0"),
      Anim("emote", "express_wink", "emote: 'express_wink'"),
      Anim("reference", "auto", ""),
      Anim("reference", "rest", "reference: ANIM_REFERENCE_REST_POSE"),
      Anim("reference", "first", "first_frame_is_reference: true"),
      Anim("match-limbs", "", "match_limbs: true"),
      Anim("scale-to-avatar", "", "scale_to_avatar: true"),
      Anim("map", "mixamo", "joint_map: 'mixamo'"),
      Anim("map", "auto", "joint_map: 'auto'"),
      Anim("map", "own", "joint_map: 'own'"),
      Anim("accept-odd", "", "accept_odd: true"),
      Anim("upload", "", "for_upload: true scale_to_avatar: true",
           "--anim-scale-to-avatar"),
      Anim("max-degrees-limit", "12", "max_degrees_limit: 12"),
      Anim("max-degrees", "0.5", "max_degrees: 0.5"),
      Anim("max-degrees", "0", "max_degrees: 0"),
      Anim("max-mm", "0.25", "max_millimetres: 0.25"),
      Anim("max-bytes", "4294967296", "max_bytes: 4294967296"),
  };
}

}  // namespace

std::vector<OptionFlag> OptionFlags() {
  std::vector<OptionFlag> all = ReadingFlags();
  for (const auto& flags :
       {EditFlags(), SpaceFlags(), OutputFlags(), AnimFlags()}) {
    all.insert(all.end(), flags.begin(), flags.end());
  }
  return all;
}

std::vector<OtherFlag> OtherFlags() {
  return {
      {"help", "help-convert", "-h"},
      {"recursive", "convert-walk", "-r"},
      {"filelist", "convert-filelist", "--filelist"},
      {"from", "convert-from", "--from"},
      {"output", "convert-options", "-o"},
      {"force", "convert-exists", "-f"},
      {"resume", "convert-resume", "--resume"},
      {"table", "convert-table", "--table"},
      {"report-jsonl", "convert-jsonl", "--report-jsonl"},
      {"anim-constraints", "anim-constraints", "--anim-constraints"},
      {"jobs", "convert-no-memory", "--jobs"},
      {"quiet", "convert-quiet", "-q"},
      {"progress", "convert-quiet", "--progress"},
      {"server", "server-info", "--server"},
      {"tls-system", "server-tls-fails", "--tls-system"},
      {"tls-ca", "server-tls", "--tls-ca"},
      {"tls-cert", "server-tls", "--tls-cert"},
      {"tls-key", "server-tls", "--tls-key"},
      {"token-file", "server-token", "--token-file"},
      {"local", "info-text", "--local"},
      {"json", "validate-json", "--json"},
      {"fail-on", "validate-text", "--fail-on"},
      {"format", "validate-output", "--format"},
      {"summary", "validate-output", "--summary"},
      {"baseline", "validate-baseline", "--baseline"},
      {"write-baseline", "validate-baseline", "--write-baseline"},
      {"expectations", "validate-expectations", "--expectations"},
      {"no-expectations", "validate-expectations", "--no-expectations"},
      {"severity", "validate-severity", "--severity"},
      // ExitCodes.SilentServersAreGivenUp is its test.
      {"timeout", "usage-values", "--timeout"},
  };
}

std::vector<LocalLimit> LocalLimits() {
  return {
      {"max-clip-bytes", "1", "LIMIT_CLIP_BYTES"},
      {"max-header-bytes", "40", "LIMIT_HEADER_BYTES"},
      {"max-line-bytes", "1", "LIMIT_LINE_BYTES"},
      {"max-name-bytes", "1", "LIMIT_NAME_BYTES"},
      {"max-joints", "1", "LIMIT_JOINTS"},
      {"max-depth", "1", "LIMIT_DEPTH"},
      {"max-channels", "1", "LIMIT_CHANNELS"},
      {"max-frames", "1", "LIMIT_FRAMES"},
      {"max-output-bytes", "1", "max_output_bytes"},
      {"max-clip-memory-bytes",
       "1",
       "max_clip_memory_bytes = 1",
       {"0", "100000000"}},
      {"max-clip-work",
       "1",
       "max_clip_work = 1,",
       {"0", "100000000"},
       {"--max-clip-work-per-byte=1"}},
      {"max-clip-work-per-byte",
       "3",
       "3 for each of its",
       {"1000000"},
       {"--max-clip-work=1"}},
  };
}

}  // namespace bvhmill::testing
