# Shared functions of the cases. Each case sources this file first.

# Programs that a case has started, to be stopped with it.
pids=()
stop_all() {
  local pid
  for pid in "${pids[@]}"; do kill -9 "$pid" 2> /dev/null; done
  # A server that has a folder may write into it until it is gone.
  for pid in "${pids[@]}"; do
    while kill -0 "$pid" 2> /dev/null; do sleep 0.01; done
  done
}
trap stop_all EXIT

# start_server OPTION...: starts a server on a free port; sets SERVER and
# SERVER_PID. Its log is in server.log.
start_server() {
  # A log of a server before this one would be read as that of this one.
  rm -f server.log
  # Without, the limit on open files has a say in what the server tells.
  "$BVHMILLD" --listen 127.0.0.1:0 --max-connections 100 "$@" > server.log 2>&1 &
  SERVER_PID=$!
  disown
  pids+=("$SERVER_PID")
  wait_for grep -qs '^listening on ' server.log || cat server.log >&2
  SERVER=$(sed -n 's/^listening on //p' server.log)
}

# wait_for COMMAND...: until it succeeds, for half a minute at most.
wait_for() {
  local i
  for ((i = 0; i < 3000; ++i)); do
    "$@" && return 0
    sleep 0.01
  done
  echo "gave up waiting for: $*" >&2
  return 1
}

# A port without a listener.
closed_port() { echo 127.0.0.1:1; }

# big_sample NAME FRAMES: makes the sample take NAME.bvh with FRAMES frames in
# the folder big.
big_sample() {
  "$SAMPLES_PROGRAM" all.big --frames "$2" > /dev/null
  mkdir -p big
  mv "all.big/$1.bvh" big/
  rm -r all.big
}

# Filters that take out what differs from run to run.
mask_speed() {
  sed -E 's#[0-9.]+ MB in [0-9.]+ s(, [0-9.]+ MB/s)?#N MB in N s\1#; s#N s, [0-9.]+ MB/s#N s, N MB/s#'
}
# Rates are the last column, and make it as wide as they are.
mask_table() { sed -E 's/ +/ /g; s/ [0-9]+\.[0-9]$/ RATE/'; }
mask_paths() {
  sed -e "s#$SAMPLES#SAMPLES#g" -e "s#$CASES#CASES#g" -e "s#$PWD#PWD#g" \
    -e "s#${SERVER:-no server runs}#SERVER#g"
}

# run COMMAND...: shows what it prints, both streams, and its exit status.
run() {
  "$@" 2>&1 | mask_speed | mask_paths
  echo "exit ${PIPESTATUS[0]}"
}

# The files below the given folders, sorted, but for manifests.
files() { find "$@" -type f ! -name .bvhmill-manifest.jsonl | sort; }
# Whether two folders have the same outputs: their manifests have other times.
same_outputs() { diff -r -x .bvhmill-manifest.jsonl "$1" "$2"; }
# is_writing PID: whether the program has an output open.
is_writing() { ls -l "/proc/$1/fd" 2> /dev/null | grep -q '/#[0-9]* (deleted)'; }
# Lists partial outputs, which cancelled conversions must remove.
leftovers() { find . -name '*.part' | sort; }
# The text in front of the numbers of a .npy file.
npy_header() { head -c 128 "$1" | tr -d '\0' | grep -ao "{.*}"; }

# spiked FILE POSITIONS ROTATIONS: the clip FILE with faults of its root, which
# has 6 channels, rotations last. At each of the frames POSITIONS it is
# elsewhere, at each of ROTATIONS it is turned.
spiked() {
  awk -v positions=" $2 " -v rotations=" $3 " '
    rows {
      frame = " " n++ " "
      if (index(positions, frame)) $1 += 80
      if (index(rotations, frame)) $5 += 60
    }
    { print }
    tolower($0) ~ /^frame time/ { rows = 1 }' "$1"
}
