// Made by make_option_types.js of docs/schema/options.schema.json.
// docs/options.md explains the options.

export type Format =
    'positions'
    | 'rotations'
    | 'velocities'
    | 'npz'
    | 'csv'
    | 'bvh'
    | 'anim'
    | 'values'
    | 'glb';

/** Options of outputs */
export interface FormatOptions {
  /** include end sites (in positions, rotations, velocities, npz, csv, glb) */
  end_sites?: boolean;
  /**
   * order of the axes of an array: frame_major or joint_major (in positions,
   * rotations, velocities); default frame_major
   */
  layout?: 'frame_major' | 'joint_major';
  /**
   * quaternion (x y z w), quaternion_wxyz, matrix, 6d (the first two columns
   * of the matrix), rotation_vector (radians), or angles in degrees:
   * euler_xyz, euler_xzy, euler_yxz, euler_yzx, euler_zxy, euler_zyx (in
   * rotations, npz, csv); default quaternion
   */
  rotation_kind?:
    'quaternion'
    | 'matrix'
    | '6d'
    | 'quaternion_wxyz'
    | 'rotation_vector'
    | 'euler_xyz'
    | 'euler_xzy'
    | 'euler_yxz'
    | 'euler_yzx'
    | 'euler_zxy'
    | 'euler_zyx';
  /**
   * local (relative to the parent) or world (in rotations, npz, csv); default
   * local
   */
  rotation_space?: 'local' | 'world';
  /** arrays: positions, rotations, velocities; default positions,rotations */
  npz_arrays?: ('positions' | 'rotations' | 'velocities')[];
  /**
   * decimals of every value; default the shortest text that reads back as the
   * same value
   */
  bvh_decimals?: number;
  /**
   * order of the rotation channels of all joints: xyz, xzy, yxz, yzx, zxy,
   * zyx, or file; default file
   */
  bvh_order?: 'file' | 'xyz' | 'xzy' | 'yxz' | 'yzx' | 'zxy' | 'zyx';
  /**
   * channels of joints: those of the file, 6 (positions and rotations),
   * root_only (6 for roots, 3 rotations for other joints) or 3 (rotations
   * alone: roots stay where they are in the first frame); default file
   */
  bvh_channels?: 'file' | '3' | '6' | 'root_only';
  /** columns: positions, rotations, velocities; default positions */
  csv_arrays?: ('positions' | 'rotations' | 'velocities')[];
  /** largest error of a rotation between keys; 0 keeps every key; default 0.1 */
  glb_tolerance_degrees?: number;
  /**
   * largest error of a position between keys, in percent of the reach of the
   * figure; 0 keeps every key; default 0.1
   */
  glb_tolerance_percent?: number;
  /**
   * best: any skeleton, with the fewest keys that keep the largest errors;
   * viewer: the same bytes as an upload in the viewer; default best
   */
  anim_profile?: 'best' | 'viewer';
  /** priority of all joints, -1 to 6; default 2 */
  anim_priority?: number;
  /** priority of one joint, such as mHead=4; may be repeated */
  anim_joint_priority?: Record<string, number>;
  /** repeat the animation; with =IN:OUT only the part between these seconds */
  anim_loop?: boolean | [number, number];
  /** time to blend in; default 0.3 */
  anim_ease_in?: number;
  /** time to blend out; default 0.3 */
  anim_ease_out?: number;
  /** number of a hand pose, 0 to 13; default 1 (relaxed) */
  anim_hand_pose?: number;
  /** facial expression, such as express_smile */
  anim_emote?: string;
  /**
   * also convert a clip in which the avatar would lie down, fold or be
   * stopped at 5 m, or in which few joints move
   */
  anim_accept_odd?: boolean;
  /**
   * make a file that can be uploaded: at most 250000 bytes; needs units or
   * anim_scale_to_avatar
   */
  anim_upload?: boolean;
  /**
   * the pose that counts as the rest pose of the avatar: rest (all angles 0),
   * first (the first frame, which is then not played) or auto (the pose in
   * which the figure is most like the avatar; limbs are matched if needed);
   * default auto
   */
  anim_reference?: 'auto' | 'rest' | 'first';
  /** in the rest pose, turn arms and legs to where those of the clip point */
  anim_match_limbs?: boolean;
  /**
   * scale lengths so that the hips have the height of those of the avatar; no
   * unit is needed
   */
  anim_scale_to_avatar?: boolean;
  /**
   * which joint of the clip moves which joint of the avatar: auto (by known
   * joint names), own (the names are those of the avatar), a file with lines
   * source,target, or a naming scheme (see joint_map); default auto
   */
  anim_map?: string | Record<string, string>;
  /** largest error of a rotation; default 0.1 */
  anim_max_degrees?: number;
  /** largest error of a position, in millimetres; default 1 */
  anim_max_mm?: number;
  /** raise both errors until the file has at most BYTES */
  anim_max_bytes?: number;
  /**
   * limit up to which anim_max_bytes raises the error of a rotation; default
   * 5
   */
  anim_max_degrees_limit?: number;
}

/** An output with options of its own */
export interface OutputOptions extends FormatOptions {
  id?: string;
  format:
    'positions'
    | 'rotations'
    | 'velocities'
    | 'npz'
    | 'csv'
    | 'bvh'
    | 'anim'
    | 'values'
    | 'glb';
}

/** Options of a conversion */
export interface Options extends FormatOptions {
  /** report a repair as an error */
  strict?: boolean;
  /**
   * position channels of joints: replace the OFFSET, add to it, or ignore the
   * channels; default replace
   */
  joint_positions?: 'replace' | 'add' | 'ignore';
  /** OFFSET of a root: ignore it, or add it to the position; default ignore */
  root_offset?: 'ignore' | 'add';
  /**
   * encoding of names: utf-8, shift-jis, gbk, big5, cp949 or latin-1; default
   * found by the names
   */
  name_encoding?: 'utf-8' | 'shift-jis' | 'gbk' | 'big5' | 'cp949' | 'latin-1';
  /**
   * unit of length of the clip: a number of meters, or m, cm, mm, in, ft,
   * cmu; default unknown
   */
  units?: number | 'm' | 'cm' | 'mm' | 'in' | 'inch' | 'ft' | 'cmu';
  /** axis of the clip that is up; default unknown */
  up?: 'x' | 'y' | 'z';
  /**
   * drop frames that repeat the one before, if only every n-th frame is new;
   * the rate becomes n times lower
   */
  drop_repeated?: boolean;
  /** correct a frame time within 1.1 % of a common rate: 0.033 becomes 1/30 */
  snap_rate?: boolean;
  /**
   * interpolate values that are no numbers, where at most N frames in a row
   * lack them
   */
  fill_gaps?: number;
  /**
   * put a joint that is elsewhere for one frame halfway between the frames
   * before and after
   */
  replace_spikes?: boolean;
  /** let angles go on beyond 180 degrees instead of jumping by a full turn */
  unwrap?: boolean;
  /**
   * remove these joints; their children stay; NAME#2 is the second joint of
   * that name
   */
  drop?: string[];
  /** remove all other joints */
  keep?: string[];
  /**
   * poses: joints that stay keep their poses; rigid: bones keep their
   * lengths; default poses
   */
  drop_mode?: 'poses' | 'rigid';
  /** keep the figure of the N-th ROOT, remove all others */
  figure?: number;
  /** rename joints, all at the same time */
  rename?: Record<string, string>;
  /** remove the common prefix of the names of a body, such as mixamorig: */
  strip_prefix?: boolean;
  /**
   * rename joints by a table: a file with lines source,target, or that of a
   * naming scheme, which leads to the names of Second Life: acclaim
   * azure_kinect bandai_namco biped cmu cmu_blender cmu_max daz deepmotion
   * human36m iclone kinect lafan1 makehuman mixamo mocapnet mocopi optitrack
   * perception_neuron poser rigify rigify_old rokoko second_life smpl soma
   * unity unreal unreal_5 vrm vroid xsens xsens_segments
   */
  joint_map?: string | Record<string, string>;
  /**
   * recognize the naming scheme, and give joints their names in this one (see
   * joint_map)
   */
  names_to?: string;
  /**
   * give all clips the joints, names and tree of this rig, in their poses:
   * smpl22, smpl24, mixamo, lafan1, vrm, or a table with lines joint,parent
   */
  rig?: string;
  /** keep frames A to B-1; with STEP every STEP-th frame */
  frames?:
    [number | null, number | null]
    | [number | null, number | null, number | null];
  /** keep the time from A to B, as 1.5s:3s */
  trim?: [number | null, number | null];
  /** resample to this rate, in frames per second */
  fps?: number;
  /** state this rate; the frames stay as they are */
  state_fps?: number;
  /** between frames: slerp (of poses) or lerp (of each angle); default slerp */
  interpolation?: 'slerp' | 'lerp';
  /** scale to this unit; needs units */
  to_units?: number | 'm' | 'cm' | 'mm' | 'in' | 'inch' | 'ft' | 'cmu';
  /** rotate so that this axis is up; needs up */
  to_up?: 'x' | 'y' | 'z';
  /** remove the horizontal motion of body roots */
  in_place?: boolean;
  /** put body roots at 0 0 0 in every frame */
  at_origin?: boolean;
  /** exchange left and right: the mirror image at X = 0 */
  mirror?: boolean;
  /** make the pose of this frame the rest pose */
  tpose_frame?: number;
  /**
   * change the rest pose, not the motion: arms along X or 45 degrees lower,
   * or bones as in the OFFSETs of another BVH
   */
  rest?: string;
  /**
   * raise or lower the body, so that the lowest joint of the clip is at
   * height 0
   */
  floor?: boolean;
  /**
   * the joint that carries the body, for the edits of roots; default found
   * from the motion
   */
  body_root?: string;
  /** order of the axes of a root position, such as xzy */
  root_axes?: string;
  /** signs of these axes, such as root_signs=-+- */
  root_signs?: string;
  /** rotate a root by these degrees before its motion */
  root_correction?: [number, number, number];
  /**
   * do not list or count this issue; DATA_* is every code that begins so.
   * Without any code of data, a conversion skips these rules and is faster
   */
  ignore?: string[];
  /** list and count only this issue */
  only?: string[];
  /** give an issue another severity: error, warning, info or hint */
  severities?: Record<string, 'error' | 'warning' | 'info' | 'hint'>;
  /**
   * list at most N different issues; 0 = no limit, but that of a server;
   * default 100
   */
  max_issues?: number;
  /**
   * use another threshold for a rule, such as DATA_SPIKE.degrees=4; `explain
   * CODE` lists them
   */
  thresholds?: Record<string, number>;
  /** also measure the clip: its height, reach and speed */
  measures?: boolean;
  /** the outputs */
  emit?: (Format | OutputOptions)[];
}
