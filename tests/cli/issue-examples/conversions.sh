# Examples of issues of clips of which an .anim is made.

# with_row FILE ROW COLUMN VALUE: prints the clip FILE with another value.
with_row() {
  awk -v row="$2" -v column="$3" -v value="$4" '
    rows && ++n == row { $column = value }
    { print }
    /^Frame Time/ { rows = 1 }' "$1"
}

cp "$SAMPLES/walk_cycle.bvh" walk.bvh
sed 's/^Frame Time.*/Frame Time: 1/' walk.bvh > slow.bvh
awk '/ROOT|JOINT/ { $2 = "n" ++n } { print }' walk.bvh > names.bvh
sed -E 's/n8$/head/' names.bvh > head.bvh
with_row walk.bvh 20 8 nan > gap.bvh
rotations='CHANNELS 3 Zrotation Xrotation Yrotation'
hips='HIERARCHY ROOT hip { OFFSET 0 0 0 CHANNELS 6 Xposition Yposition
Zposition Xrotation Zrotation Yrotation'
tip='End Site { OFFSET 0 5 0 }'
# The legs of the rest pose point up.
awk '/JOINT/ { leg = /Leg|Foot/ }
     leg && /OFFSET/ { $3 = -$3 }
     { print }' walk.bvh > folded.bvh
# The left leg has names that nobody knows.
sed -E 's/JOINT LeftUpLeg$/JOINT m1/; s/JOINT LeftLeg$/JOINT m2/
        s/JOINT LeftFoot$/JOINT m3/; s/JOINT LeftToeBase$/JOINT m4/' \
  walk.bvh > leg.bvh
# rows FILE PROGRAM: the clip with an awk program run on each row.
rows() {
  awk "/^Frame Time/ { print; rows = 1; next } rows { $2 } { print }" "$1"
}
rows walk.bvh '$2 += 30' > raised.bvh
rows walk.bvh '$2 -= 100' > sunk.bvh
rows walk.bvh '$1 += 10 * n++' > far.bvh
rows "$SAMPLES/six_channels.bvh" '$8 += ++n % 5' > stretched.bvh
# Joint 21 is the left foot.
rows "$SAMPLES/six_channels.bvh" '$121 += 30 * (++n % 3 - 1)' > loose.bvh
# A T-pose 2 m away before the walk.
awk '/^Frames:/ { $2 += 1 }
     { print }
     /^Frame Time/ {
       getline
       fields = NF
       row = $0
       printf "200 %s 0", $2
       for (i = 4; i <= fields; ++i) printf " 0"
       printf "\n%s\n", row
     }' walk.bvh > tpose.bvh
# The walk twice, as two figures.
awk '/^ROOT/ { within = 1 }
     /^MOTION/ { within = 0; printf "%s", tree }
     within { tree = tree $0 "\n" }
     { print rows ? $0 " " $0 : $0 }
     /^Frame Time/ { rows = 1 }' walk.bvh > two.bvh
# More frames than an .anim has times.
{
  echo "$hips $tip }"
  printf 'MOTION\nFrames: 65540\nFrame Time: 0.0005\n'
  awk 'BEGIN { for (i = 0; i < 65540; ++i) print "0 40 0", i % 90, "0 0" }'
} > fast.bvh
# More joints than an .anim has.
{
  echo "$hips"
  for ((i = 0; i < 220; ++i)); do
    echo "JOINT j$i { OFFSET $i 1 0 $rotations $tip }"
  done
  printf '}\nMOTION\nFrames: 3\nFrame Time: 0.1\n'
  for frame in 1 2 3; do
    echo "0 40 $frame $(printf "$frame %.0s" $(seq 663))"
  done
} > joints.bvh
# Rows that no two keys can stand for.
{
  echo "$hips"
  for name in abdomen chest neck head; do
    echo "JOINT $name { OFFSET 0 8 0 $rotations"
  done
  echo "$tip } } } } }"
  printf 'MOTION\nFrames: 8000\nFrame Time: 0.005\n'
  awk 'BEGIN {
    for (i = 0; i < 8000; ++i) {
      printf "0 40 0"
      for (k = 0; k < 15; ++k) printf " %d", (i * (k + 3)) % 37
      print ""
    }
  }'
} > long.bvh
describe walk.bvh 'a walk of 26 joints, in centimeters'
describe slow.bvh 'the walk with Frame Time: 1'
describe names.bvh 'the walk; its joints are n1, n2 and so on'
describe head.bvh 'the walk; its joints are n1, n2 and so on, and head'
describe gap.bvh 'the walk with a nan in frame 19'
describe folded.bvh 'the walk with legs that point up in the rest pose'
describe leg.bvh 'the walk; the joints of the left leg are m1 to m4'
describe raised.bvh 'the walk, 30 cm above its floor'
describe sunk.bvh 'the walk, 100 cm below its floor'
describe far.bvh 'the walk, 10 cm to the left in each frame'
describe stretched.bvh 'a walk whose spine moves by position channels'
describe loose.bvh 'a walk whose left foot moves to both sides of its shin'
describe tpose.bvh 'a T-pose in frame 0, and the walk 2 m away from it'
describe two.bvh 'the walk twice, as two figures'
describe fast.bvh '65540 frames of 0.0005 s'
describe joints.bvh '221 joints'
describe long.bvh '8000 frames of 5 joints that turn fast'
describe mh_no_ftime.bvh 'a clip without Frame Time'
while read -r code command file options; do
  words=(-o out --emit anim)
  [[ $command == validate ]] && words=(--emit anim)
  # shellcheck disable=SC2086
  example "$code" 0 "$file" "$command" "${words[@]}" $options
done << 'CODES'
ANIM_JOINT_LEFT_OUT validate walk.bvh
ANIM_VALUE_NOT_FINITE convert gap.bvh --units cm
ANIM_POSITION_CLAMPED convert far.bvh --units cm --anim-accept-odd
ANIM_BOUNDS_RAISED convert walk.bvh --units cm --anim-max-bytes 2600
ANIM_REFERENCE_ODD convert walk.bvh --units cm --anim-reference first
ANIM_BOUND_MISSED convert walk.bvh --units cm --anim-max-degrees 0.001
ANIM_SIZE_LIMIT convert walk.bvh --units cm --anim-max-bytes 1500
ANIM_FRAME_COUNT convert fast.bvh --units cm --ignore TARGET_ANIM_FRAMES
ANIM_REFERENCE_CHOSEN validate walk.bvh
ANIM_SCALE_GUESSED convert walk.bvh
ANIM_POSE_ODD convert folded.bvh --units cm --anim-reference rest
ANIM_LIMB_UNKNOWN convert leg.bvh --units cm
ANIM_LIMB_OFF convert loose.bvh --units cm
ANIM_HEIGHT_OFF convert raised.bvh --units cm
ANIM_HEIGHT_WRONG convert sunk.bvh --units cm
ANIM_FIRST_FRAME_LEFT_OUT validate tpose.bvh --units cm
ANIM_TRANSLATION_LEFT_OUT convert stretched.bvh --units cm
ANIM_LIES_DOWN convert walk.bvh --units cm --up z --to-up y
ANIM_POSITION_FAR convert far.bvh --units cm
ANIM_ODD_ACCEPTED convert walk.bvh --units cm --up z --to-up y --anim-accept-odd
ANIM_LOOP_CLAMPED convert walk.bvh --units cm --anim-loop=0:30
ANIM_JOINT_REFUSED convert walk.bvh --anim-profile viewer --joint-map mixamo
ANIM_UPLOAD_LARGE convert long.bvh --anim-profile viewer --anim-upload
TARGET_ANIM_DURATION convert slow.bvh
TARGET_ANIM_FRAMES convert fast.bvh --units cm
TARGET_ANIM_NO_JOINTS convert names.bvh
TARGET_ANIM_JOINT_COUNT validate joints.bvh --anim-profile viewer
TARGET_ANIM_VIEWER convert walk.bvh --anim-profile viewer
TARGET_ANIM_MAP validate walk.bvh
TARGET_ANIM_FIGURES convert two.bvh --units cm --ignore SKELETON_DUPLICATE_NAME
TARGET_ANIM_FEW_JOINTS convert head.bvh --units cm
CODES
example ANIM_IMPORT_REFUSED 0 walk.bvh convert -o out --emit anim \
  --anim-profile viewer --ignore TARGET_ANIM_VIEWER
cp "$CASES/mh_no_ftime.bvh" .
example TARGET_FRAME_TIME 0 mh_no_ftime.bvh convert -o out --emit velocities
example TARGET_BVH_PLACE_LOST 0 walk.bvh convert -o out --emit bvh \
  --bvh-channels 3
