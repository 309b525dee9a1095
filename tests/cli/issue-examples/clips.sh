# Examples of issues of repairs, and of the expectations of a data set.

cp "$CASES/motion_ok.bvh" ok.bvh
awk '/^Frame Time/ { rows = 1; print; next }
     rows && ++n >= 20 && n < 23 { $13 = "nan" } { print }' ok.bvh > gap.bvh
sed 's/^Frame Time.*/Frame Time: 0.0333/' ok.bvh > rounded.bvh
for name in spike repeated_frames euler_flip; do
  cp "$CASES/motion_$name.bvh" "$name.bvh"
done
awk '/^Frame Time/ { rows = 1; print; next }
     rows && ++n > 41 { $10 += 19 } { print }' spike.bvh > moved.bvh
describe moved.bvh 'the arm is 70 degrees off in frame 40, and 19 after it'
# Some frames stand twice, others once.
awk '/^Frame Time/ { rows = 1; print; next }
     rows && ++n % 3 == 0 { print last; next } { print; last = $0 }' \
  ok.bvh > lost.bvh
describe repeated_frames.bvh 'each pose stands twice'
describe lost.bvh 'one of three poses stands twice'
describe rounded.bvh 'Frame Time: 0.0333'
describe gap.bvh 'the hand lacks an angle in frames 19 to 21'
describe spike.bvh 'the arm is 70 degrees off in frame 40'
describe euler_flip.bvh 'angles jump from 180 to -180 degrees'
while read -r code file options; do
  # shellcheck disable=SC2086
  example "$code" 0 "$file" repair -o out $options
done << 'CODES'
REPAIR_FRAMES_DROPPED repeated_frames.bvh --drop-repeated
REPAIR_REPEATS_LEFT lost.bvh --drop-repeated
REPAIR_FRAME_TIME rounded.bvh --snap-rate
REPAIR_GAP_FILLED gap.bvh --fill-gaps 5
REPAIR_GAP_LEFT gap.bvh --fill-gaps 2
REPAIR_SPIKE_REPLACED spike.bvh --replace-spikes
REPAIR_SPIKE_LEFT moved.bvh --replace-spikes
REPAIR_UNWRAPPED euler_flip.bvh --unwrap
CODES

awk '/^ROOT/ { print "ROOT Armature\n{\nOFFSET 0 0 0"
               print "CHANNELS 3 Xposition Yposition Zposition"
               sub(/ROOT/, "JOINT") }
     /^MOTION/ { print "}" }
     rows { $0 = ++n % 2 " 0 0 " $0 }
     /^Frame Time/ { rows = 1 }
     { print }' "$SAMPLES/walk_cycle.bvh" > sways.bvh
describe sways.bvh 'a walk below a joint that sways a little'
describe up.bvh 'a person who stands along Z'
example EDIT_BODY_MOVES 0 sways.bvh convert -o out --emit bvh --in-place
cp "$CASES/person_z_up.bvh" up.bvh
example EDIT_UP_AXIS_GUESSED 0 up.bvh validate --in-place

cp "$SAMPLES/walk_cycle.bvh" walk.bvh
describe walk.bvh 'a walk'
example EDIT_POSITIONS_ADDED 0 walk.bvh validate --drop LeftUpLeg
example EDIT_DROP_MOVED 0 walk.bvh convert -o out --emit bvh \
  --drop LeftUpLeg --drop-mode rigid
sed 's/JOINT RightForeArm$/JOINT Extra/' walk.bvh > extra.bvh
describe extra.bvh 'RightForeArm is called Extra'
example EDIT_NOT_MIRRORED 0 extra.bvh convert -o out --emit bvh --mirror

example EDIT_JOINTS_ADDED 0 walk.bvh convert -o out --emit bvh --rig smpl24

cp "$SAMPLES/static_pose.bvh" pose.bvh
describe pose.bvh 'a pose of a body of 26 joints'
example EDIT_JOINTS_RENAMED 0 pose.bvh validate --joint-map human36m
example EDIT_NAME_SHARED 0 pose.bvh validate --rename Neck=Spine

sed 's/JOINT Spine$/JOINT Spyne/' pose.bvh > renamed.bvh
cat > set.toml << 'TOML'
[expect]
frame_rate = 60
units = "cm"
up_axis = "y"
skeleton = "pose.bvh"
TOML
expected="set.toml expects 60 frames a second, cm, Y up, joints of pose.bvh"
while read -r code file; do
  describe "$file" "$expected"
  example "$code" 0 "$file" validate --expectations set.toml
done << 'CODES'
DATASET_FRAME_RATE ok.bvh
DATASET_SKELETON renamed.bvh
DATASET_UNITS up.bvh
DATASET_UP_AXIS up.bvh
DATASET_UNITS_UNKNOWN ok.bvh
DATASET_UP_AXIS_UNKNOWN ok.bvh
CODES
