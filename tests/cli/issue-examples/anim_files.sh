# Small .anim files, each with one field that is odd. Fields are hexadecimal
# bytes as in the file, which is little-endian; docs/formats/anim.md has the
# layout.

# bytes: turns hexadecimal digits from stdin into bytes.
bytes() {
  local digits
  digits=$(tr -d ' \n')
  # shellcheck disable=SC2001,SC2059
  printf "$(sed 's/../\\x&/g' <<< "$digits")"
}

# text NAME [WIDTH]: the bytes of a name, padded with zeros to WIDTH.
text() {
  local digits
  digits=$(printf '%s' "$1" | od -An -v -tx1 | tr -d ' \n')
  while ((${#digits} < 2 * ${2:-0})); do digits+=00; done
  echo "$digits"
}

# anim_header FIELD=BYTES...: everything before the joints.
anim_header() {
  local version=01000000 priority=02000000 duration=00000040 emote=''
  local loop_in=00000000 loop_out=00000040 loop=00000000
  local ease_in=00000000 ease_out=00000000 hand_pose=01000000
  local joint_count=02000000 field
  for field; do local "$field"; done
  echo "$version$priority$duration${emote}00$loop_in$loop_out$loop"
  echo "$ease_in$ease_out$hand_pose$joint_count"
}

# joint NAME ROTATIONS POSITIONS: a joint and its counts of keys, without keys.
joint() { echo "$(text "$1")0003000000$2$3"; }

# two_joints FIELD=BYTES...: two joints; the first has two rotation keys.
two_joints() {
  local name=mPelvis second=mTorso key_count=02000000
  local first_time=0000 second_time=ffff x=ff7f y=ff7f field
  for field; do local "$field"; done
  echo "$(text "$name")0003000000$key_count"
  echo "$first_time$x${y}ff7f${second_time}ff7fff7fff7f00000000"
  joint "$second" 00000000 00000000
}

# one_constraint FIELD=BYTES...: the hips to the ground.
one_constraint() {
  local chain=00 type=00 volume=PELVIS constraint_count=01000000 field
  for field; do local "$field"; done
  echo "$constraint_count$chain$type$(text "$volume" 16)"
  printf '%024d' 0
  text GROUND 16
  printf '%048d' 0
  echo 0000803f0000803f0000803f0000803f
}

# anim_file FILE [FIELD=BYTES...]: a file without faults, except in the given
# fields. `joints` replaces the joints, `more` follows the end.
anim_file() {
  local file=$1 joints more='' field
  shift
  joints=$(two_joints "$@")
  for field; do local "$field"; done
  {
    anim_header "$@"
    echo "$joints"
    one_constraint "$@"
    echo "$more"
  } | bytes > "$file"
}
