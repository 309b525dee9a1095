#!/usr/bin/env bash
# Runs the cases of this folder: each is a folder with
#   cmd            what to do, as bash, in a fresh directory
#   stdout.exact   what must come out; not compared if it is missing
#   stderr.exact   the same
#   exit           the exit status, if it is not 0
# A case that exits with 77 was skipped: a program that it needs is missing.
#
# usage: run.sh [--update] [--part I/N] [CASE...]
#   --update    writes what comes out into the files that are there
#   --part I/N  runs every Nth case, from the Ith
#
# The programs come from BVHMILL, BVHMILLD and SAMPLES_PROGRAM, by default those
# of build/release. A case sees BVHMILL, BVHMILLD, SAMPLES (a folder with the
# sample takes), CASES (a folder of odd files) and what support.sh defines.

set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
bin=${BVHMILL_BIN:-$root/build/release/bin}
BVHMILL=$(realpath "${BVHMILL:-$bin/bvhmill}")
BVHMILLD=$(realpath "${BVHMILLD:-$bin/bvhmilld}")
samples_program=$(realpath "${SAMPLES_PROGRAM:-$bin/bvhmill_samples}")
CASES=$root/tests/data/cases

update=0
part=1
parts=1
while [[ ${1:-} == --* ]]; do
  case $1 in
    --update) update=1 ;;
    --part)
      part=${2%/*}
      parts=${2#*/}
      shift
      ;;
    *)
      echo "run.sh: there is no option $1" >&2
      exit 2
      ;;
  esac
  shift
done
names=("$@")
if ((${#names[@]} == 0)); then
  for file in "$here"/*/cmd; do names+=("$(basename "$(dirname "$file")")"); done
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
SAMPLES=$scratch/samples
"$samples_program" "$SAMPLES" > "$scratch/samples.log" || exit 1

# What ran, as Google Test writes it: tests/skips/check reads it.
xml=${BVHMILL_CASES_XML:-/dev/null}
[[ $xml == /dev/null ]] || mkdir -p "$(dirname "$xml")"
: > "$xml"
ran() { printf '<testcase name="%s" result="%s" classname="cli"/>\n' "$@" >> "$xml"; }

# The environment is an input of the programs: nothing of ours gets in.
for name in $(compgen -e BVHMILL_); do unset "$name"; done
export BVHMILL BVHMILLD SAMPLES CASES SAMPLES_PROGRAM=$samples_program
export LC_ALL=C TERM=xterm

# same KIND CASE: compares, or updates, what came out. The version of the rules is
# not a part of it.
same() {
  local expected=$here/$2/$1.exact
  [[ -e $expected ]] || return 0
  sed -i -E 's/("rules_version":)"[0-9]+"/\1"*"/g' "$scratch/$1"
  if ((update)); then
    cp "$scratch/$1" "$expected"
    return 0
  fi
  diff -u --label "$2/$1.exact" --label "$1" "$expected" "$scratch/$1"
}

run_case() {
  local name=$1 want=0 got good=1
  [[ -e $here/$name/exit ]] && want=$(< "$here/$name/exit")
  rm -rf "$scratch/work"
  mkdir "$scratch/work"
  (
    cd "$scratch/work" || exit 1
    timeout 300 bash -c 'source "$1"; source "$2"' bash \
      "$here/support.sh" "$here/$name/cmd"
  ) > "$scratch/stdout" 2> "$scratch/stderr" < /dev/null
  got=$?
  ((got == 77)) && return 77
  same stdout "$name" || good=0
  same stderr "$name" || good=0
  if ((got != want)); then
    echo "$name: exit status $got, expected $want"
    good=0
  fi
  if ((!good)) && [[ ! -e $here/$name/stderr.exact ]]; then
    cat "$scratch/stderr"
  fi
  ((good))
}

passed=0
failed=0
for ((i = part - 1; i < ${#names[@]}; i += parts)); do
  name=${names[i]}
  if [[ ! -e $here/$name/cmd ]]; then
    echo "$name: no such case"
    failed=$((failed + 1))
    continue
  fi
  run_case "$name"
  case $? in
    0)
      passed=$((passed + 1))
      ran "$name" completed
      ;;
    77)
      echo "SKIPPED $name"
      ran "$name" skipped
      ;;
    *)
      echo "FAILED $name"
      failed=$((failed + 1))
      ;;
  esac
done
echo "$passed passed, $failed failed"
((failed == 0))
