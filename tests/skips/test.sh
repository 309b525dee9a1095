#!/usr/bin/env bash
# Tests the check of skipped tests with runs that are written here.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
failed=0

printf '%s\t%s\t%s\n' \
  'Real.*' no-data 'no files' 'cli.packed' sanitized 'too large' > allowed.tsv

mkdir gtest

# run PRESET TESTCASE...: what ctest writes of these test cases.
run() {
  local preset=$1
  shift
  printf '<testsuite name="x">\n' > results.xml
  printf '\t%s\n' "$@" >> results.xml
  printf '</testsuite>\n' >> results.xml
  "$here/check" results.xml "$preset" gtest allowed.tsv 2> said
}

# expect NAME STATUS COUNTS: what the run before came to.
expect() {
  if [[ $2 != "$status" ]] || ! grep -qx "$3" said; then
    echo "FAILED $1: exit status $status"
    cat said
    failed=1
  fi
}

passed='<testcase name="A.B" classname="A.B" time="0.1" status="run"/>'
real='<testcase name="Real.Files" time="0" status="notrun">'
other='<testcase name="Other.Test" time="0" status="notrun">'
disabled='<testcase name="Off.Test" time="0" status="disabled">'
cli='<testcase name="cli.packed" time="9" status="notrun">'

export BVHMILL_DATA=
status=0; run release "$passed" || status=$?
expect "nothing was skipped" 0 "1 tests ran, 0 skipped, 0 of them not allowed"
status=0; run release "$passed" "$real" || status=$?
expect "a test may be skipped by name" 0 "1 tests ran, 1 skipped, 0 of them not allowed"
status=0; run release "$real" "$other" || status=$?
expect "another one may not" 1 "0 tests ran, 2 skipped, 1 of them not allowed"
status=0; run release "$disabled" || status=$?
expect "nor may one be turned off" 1 "0 tests ran, 1 skipped, 1 of them not allowed"
status=0; BVHMILL_DATA=/data run release "$real" || status=$?
expect "a reason that does not hold is none" 1 "0 tests ran, 1 skipped, 1 of them not allowed"
status=0; run release "$cli" || status=$?
expect "a condition that does not hold here" 1 "0 tests ran, 1 skipped, 1 of them not allowed"
status=0; run asan "$cli" || status=$?
expect "where it holds" 0 "0 tests ran, 1 skipped, 0 of them not allowed"
# What the programs write, each about its tests.
echo '<testcase name="Files" status="run" result="skipped" classname="Real" />' \
  > gtest/a_test.xml
status=0; run release "$passed" || status=$?
expect "a program may skip a test by name" 0 \
  "1 tests ran, 1 skipped, 0 of them not allowed"
echo '<testcase name="Test" status="run" result="skipped" classname="Other" />' \
  > gtest/b_test.xml
status=0; run release "$passed" || status=$?
expect "but not another one" 1 "1 tests ran, 2 skipped, 1 of them not allowed"
rm gtest/*.xml
: > results.xml
status=0; "$here/check" results.xml release gtest allowed.tsv 2> said || status=$?
expect "a run without results" 1 "skips: there is no results.xml"

((failed == 0)) && echo "all as expected"
